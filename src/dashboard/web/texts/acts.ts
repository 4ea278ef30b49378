import { plural } from "./format.ts";

const units = (count: number) => plural(count, "unit", "units");

/** What an act will do, in words: of orders, parcels, returns and stock. */
export const effectTexts = {
  title: "What will happen",
  asking: "Checking what will happen",
  nothing: "Nothing changes.",
  told: (types: readonly string[]) => `Webhooks receive ${types.join(", ")}.`,
  toldNothing: "Webhooks receive nothing.",
  incomplete: "Complete the form to preview the changes.",
  addressMade: "The customer gets a new address.",
  customerMade: (name: string) => `Customer ${name} is created.`,
  reserves: (sku: string, count: number) =>
    `${units(count)} of ${sku} ${count === 1 ? "is" : "are"} reserved, as far as in stock.`,
  becomes: (state: string) => `The order becomes ${state}.`,
  held: (reason: string) => `The order is on hold (${reason}) until somebody releases it.`,
  heldUntil: (reason: string, until: string) =>
    `The order is on hold (${reason}) until ${until}, or until somebody releases it.`,
  released: (reason: string) => `The hold (${reason}) ends.`,
  heldStill: (reasons: string) => `The order stays on hold until the cause is gone: ${reasons}.`,
  cancelled: (sku: string, count: number) => `${units(count)} of ${sku} ${count === 1 ? "is" : "are"} cancelled.`,
  picked: (sku: string, count: number) => `${units(count)} of ${sku} ${count === 1 ? "is" : "are"} picked.`,
  packed: (sku: string, count: number) => `${units(count)} of ${sku} ${count === 1 ? "is" : "are"} packed.`,
  shipped: (sku: string, count: number) => `${units(count)} of ${sku} ${count === 1 ? "is" : "are"} shipped.`,
  delivered: (sku: string, count: number) => `${units(count)} of ${sku} ${count === 1 ? "is" : "are"} delivered.`,
  moved: (sku: string, count: number) =>
    `${units(count)} of ${sku} ${count === 1 ? "moves" : "move"} to the new order.`,
  added: (sku: string, count: number) => `${units(count)} of ${sku} ${count === 1 ? "is" : "are"} added.`,
  removed: (sku: string, count: number) => `${units(count)} of ${sku} ${count === 1 ? "is" : "are"} removed.`,
  parcelVoided: (name: string) => `${name} is cancelled and its label is voided.`,
  parcelShipped: (name: string) => `${name} is shipped.`,
  parcelArrived: (name: string) => `${name} is delivered.`,
  parcelOpened: (count: number) => `A new parcel with ${units(count)} is created.`,
  waits: (count: number) => `${units(count)} will wait for stock.`,
  waitsNoMore: "No units wait for stock any more.",
  shipsBy: (day: string) => `The expected ship date is ${day}.`,
  goodsCost: (before: string, after: string) => `The items cost ${after} instead of ${before}.`,
  stock: (sku: string, changes: readonly string[]) => `Stock of ${sku}: ${changes.join(", ")}.`,
  stockChange: (what: string, from: string, to: string) => `${what} ${from} → ${to}`,
  stockFields: { on_hand: "on hand", reserved: "reserved", available: "available" },
  splitOff: (number: string, count: number) => `Order ${number} is created with ${units(count)}.`,
  splitWaits: (number: string, count: number) =>
    `${units(count)} of ${number} ${count === 1 ? "waits" : "wait"} for stock.`,
  created: (number: string, total: string) => `Order ${number} is created. The items cost ${total}.`,
  address: "The shipping address changes.",
  returnBecomes: (state: string) => `The return becomes ${state}.`,
  returnMade: (count: number, sku: string) => `${units(count)} of ${sku} ${count === 1 ? "is" : "are"} expected back.`,
  received: (sku: string, count: number) => `${units(count)} of ${sku} ${count === 1 ? "is" : "are"} received.`,
  inspected: (sku: string, count: number, where: string) => `${units(count)} of ${sku}: ${where}.`,
  refunded: (amount: string, items: string, shipping: string, fee: string) =>
    `${amount} is refunded: items ${items}, shipping ${shipping}, less a fee of ${fee}.`,
  refundDue: (day: string) => `The refund is due by ${day}.`,
  putBack: (count: number, sku: string, bin: string) =>
    `${units(count)} of ${sku} ${count === 1 ? "is" : "are"} to be put back into ${bin}.`,
  ownBin: "a bin of your choice",
} as const;
