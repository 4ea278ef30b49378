import { plural } from "./format.ts";

const units = (value: number) => plural(value, "unit", "units");

export const restockTexts = {
  title: "Restock",
  emptyTitle: "Nothing to restock",
  emptyText: "Units from cancelled orders and returns are listed here until they're back in a storage bin.",
  emptyAct: "Go to stock",
  from: "Now in",
  to: "Suggested bin",
  order: (id: string) => `Order ${id}`,
  return_: (id: string) => `Return ${id}`,
  restock: "Restock",
  restockTitle: (sku: string) => `Restock ${sku}`,
  restockText: "The units can then be sold again. Backorders are filled first.",
  will: (quantity: number, left: number, bin: string) =>
    `To ${bin}: ${units(quantity)}. Left to restock: ${left === 0 ? "none" : units(left)}.`,
  done: (quantity: number, sku: string, bin: string) => `${units(quantity)} of ${sku} restocked in ${bin}.`,
} as const;

export const receiptTexts = {
  title: "Receiving",
  one: (id: string) => `Inbound shipment ${id}`,
  create: "New inbound shipment",
  search: "Search reference, supplier or SKU",
  id: "Inbound shipment",
  referenceHelp: "Your own reference, for example a purchase order number.",
  supplier: "Supplier",
  lines: "Lines",
  of: (received: number, expected: number) => `${received} of ${expected}`,
  emptyTitle: "No inbound shipments yet",
  emptyText: "Add deliveries you're expecting. Their units count as incoming until they arrive.",
  condition: "Condition",
  conditions: { good: "Good", damaged: "Damaged", quarantined: "Quarantine" },
  created_: (id: string) => `${id} created.`,
  outstanding: "Outstanding",
  over: "Over",
  missing: "Missing",
  apart: "Quarantined/damaged",
  arrivalsText:
    "Received units are on hand immediately. Backorders are filled first. Leave a line blank if nothing arrived.",
  willTake: (value: number) => `Receiving now: ${units(value)}.`,
  more: (value: number) => ` ${value} more than expected will be received.`,
  taken: (value: number) => `${units(value)} received.`,
  nothingEntered: "Enter a quantity on at least one line.",
  closeTitle: (id: string) => `Close ${id}?`,
  closeText: (value: number) =>
    value === 0
      ? "All units have arrived. Nothing more can be received."
      : `Missing: ${units(value)}. They no longer count as incoming.`,
  closed: (id: string) => `${id} closed.`,
  cancel: "Cancel inbound shipment",
  cancelTitle: (id: string) => `Cancel ${id}?`,
  cancelText: "Its units no longer count as incoming. This can't be undone.",
  cancelled: (id: string) => `${id} cancelled.`,
  setAsideHelp: "Damaged or quarantined on arrival.",
} as const;

export const transferTexts = {
  title: "Transfers",
  one: (id: string) => `Transfer ${id}`,
  create: "New transfer",
  search: "Search reference or SKU",
  from: "From",
  emptyTitle: "No transfers yet",
  emptyText: "A transfer moves units from one warehouse to another. In transit, they're on hand in neither.",
  oneWarehouse: "A transfer needs two warehouses. Add another in Settings.",
  setUp: "Set up warehouses",
  bin: "From bin",
  lines: "Units to move",
  planned: (id: string) => `${id} created.`,
  inTransit: "In transit",
  writtenOff: "Written off",
  ship: "Ship",
  shipTitle: (id: string) => `Ship ${id}?`,
  shipText: (value: number) => `On hand decreases by ${units(value)}. They become incoming at the destination.`,
  shippedDone: (id: string) => `${id} is in transit.`,
  receiveTitle: (id: string) => `Receive ${id}`,
  receiveText: "Enter the units that arrived. Leave a line blank if nothing arrived.",
  receiveWill: (value: number, left: number) =>
    `Received: ${units(value)}. Still in transit: ${left === 0 ? "none" : units(left)}.`,
  receivedDone: (value: number) => `${units(value)} received.`,
  closeTitle: (id: string) => `Close ${id}?`,
  closeText: (value: number) =>
    value === 0 ? "Everything has arrived." : `Not arrived and written off: ${units(value)}. This can't be undone.`,
  missing: "Reason for missing units",
  reasons: { lost: "Lost", damaged: "Damaged", shrinkage: "Shrinkage" },
  closed: (id: string) => `${id} closed.`,
  cancel: "Cancel transfer",
  cancelTitle: (id: string) => `Cancel ${id}?`,
  cancelText: "No units have shipped yet.",
  cancelled: (id: string) => `${id} cancelled.`,
} as const;
