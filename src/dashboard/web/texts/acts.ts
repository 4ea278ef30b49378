import { plural } from "./format.ts";

const units = (count: number) => plural(count, "unit", "units");

/** What an act will do, in words: of orders, parcels, returns and stock. */
export const effectTexts = {
  title: "What will happen",
  asking: "Asking what will happen",
  nothing: "Nothing changes.",
  told: (types: readonly string[]) => `Webhooks are told ${types.join(", ")}.`,
  toldNothing: "Webhooks are told nothing.",
  incomplete: "Complete the entries to see what will happen.",
  becomes: (state: string) => `The order becomes ${state}.`,
  stays: (state: string) => `The order stays ${state}.`,
  held: (reason: string) => `The order is held (${reason}) and cannot move until it is released.`,
  heldUntil: (reason: string, until: string) =>
    `The order is held (${reason}) until ${until}, or until it is released.`,
  released: (reason: string) => `The hold (${reason}) ends.`,
  heldStill: (reasons: string) => `It stays on hold: ${reasons}. That ends only with its cause.`,
  cancelled: (sku: string, count: number) => `${units(count)} of ${sku} ${count === 1 ? "is" : "are"} cancelled.`,
  picked: (sku: string, count: number) => `${units(count)} of ${sku} ${count === 1 ? "is" : "are"} picked.`,
  packed: (sku: string, count: number) => `${units(count)} of ${sku} ${count === 1 ? "is" : "are"} packed.`,
  shipped: (sku: string, count: number) => `${units(count)} of ${sku} ${count === 1 ? "leaves" : "leave"} the house.`,
  delivered: (sku: string, count: number) => `${units(count)} of ${sku} ${count === 1 ? "has" : "have"} arrived.`,
  moved: (sku: string, count: number) => `${units(count)} of ${sku} ${count === 1 ? "goes" : "go"} to the new order.`,
  added: (sku: string, count: number) => `${units(count)} of ${sku} ${count === 1 ? "is" : "are"} added.`,
  removed: (sku: string, count: number) => `${units(count)} of ${sku} ${count === 1 ? "is" : "are"} taken off.`,
  parcelVoided: (name: string) => `Parcel ${name} is given up; its label is voided.`,
  parcelShipped: (name: string) => `Parcel ${name} leaves the house.`,
  parcelArrived: (name: string) => `Parcel ${name} has arrived.`,
  parcelOpened: (count: number) => `A new parcel takes ${units(count)}.`,
  waits: (count: number) => `${units(count)} will wait for stock.`,
  waitsNoMore: "Nothing waits for stock any more.",
  shipsBy: (day: string) => `It is expected to leave on ${day}.`,
  goodsCost: (before: string, after: string) => `The goods cost ${after} instead of ${before}.`,
  stock: (sku: string, changes: readonly string[]) => `Stock of ${sku}: ${changes.join(", ")}.`,
  stockChange: (what: string, from: string, to: string) => `${what} ${from} → ${to}`,
  stockFields: { on_hand: "on hand", reserved: "promised", available: "available" },
  splitOff: (number: string, count: number) => `Order ${number} is made of ${units(count)}.`,
  splitWaits: (number: string, count: number) =>
    `${units(count)} of ${number} ${count === 1 ? "waits" : "wait"} for stock.`,
  created: (number: string, total: string) => `Order ${number} is made. The goods cost ${total}.`,
  address: "It goes to another address.",
  returnBecomes: (state: string) => `The return becomes ${state}.`,
  returnStays: (state: string) => `The return stays ${state}.`,
  returnMade: (count: number, sku: string) => `${units(count)} of ${sku} ${count === 1 ? "is" : "are"} awaited.`,
  received: (sku: string, count: number) => `${units(count)} of ${sku} ${count === 1 ? "is" : "are"} received.`,
  inspected: (sku: string, count: number, where: string) => `${units(count)} of ${sku}: ${where}.`,
  refunded: (amount: string, items: string, shipping: string, fee: string) =>
    `${amount} is refunded: goods ${items}, shipping ${shipping}, less a fee of ${fee}.`,
  refundDue: (day: string) => `It is expected to be paid by ${day}.`,
  putBack: (count: number, sku: string, bin: string) => `${units(count)} of ${sku} wait to be put back into ${bin}.`,
  ownBin: "a bin of your choice",
} as const;
