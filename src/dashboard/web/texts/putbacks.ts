import { plural } from "./format.ts";

const units = (value: number) => plural(value, "unit", "units");

/** The words of the screen about units that wait to be put back. */
export const putBackTexts = {
  title: "Put-backs",
  search: "SKU",
  emptyTitle: "Nothing waits to be put back",
  emptyText: "Units of cancelled orders and returns are listed here until somebody puts them back.",
  emptyAct: "Go to stock",
  sku: "SKU",
  units: "Units",
  lot: "Lot",
  from: "Now in",
  to: "Suggested bin",
  cause: "Source",
  order: (id: string) => `Order ${id}`,
  return_: (id: string) => `Return ${id}`,
  since: "Since",
  warehouse: "Warehouse",
  putBack: "Put back",
  putBackTitle: (sku: string) => `Put ${sku} back`,
  putBackText: "The units can then be sold again. Orders that wait for stock get them first.",
  bin: "To bin",
  will: (quantity: number, left: number, bin: string) =>
    `To ${bin}: ${units(quantity)}. Left to put back: ${left === 0 ? "none" : units(left)}.`,
  done: (quantity: number, sku: string, bin: string) => `${units(quantity)} of ${sku} put back to ${bin}.`,
} as const;
