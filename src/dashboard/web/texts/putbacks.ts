import { plural } from "./format.ts";

const units = (value: number) => plural(value, "unit", "units");

/** The words of the screen about units that wait to be put back. */
export const putBackTexts = {
  title: "Put-backs",
  search: "SKU",
  emptyTitle: "Nothing waits to be put back",
  emptyText: "Units of cancelled orders and of returns wait here until somebody shelves them.",
  emptyAct: "Go to stock",
  sku: "SKU",
  units: "Units",
  lot: "Lot",
  from: "Waits in",
  to: "Suggested bin",
  cause: "Came from",
  order: (id: string) => `Order ${id}`,
  return_: (id: string) => `Return ${id}`,
  since: "Since",
  warehouse: "Warehouse",
  putBack: "Put back",
  putBackTitle: (sku: string) => `Put ${sku} back`,
  putBackText: "Once they are on a shelf they can be sold again, and whoever waits gets them.",
  bin: "To bin",
  will: (quantity: number, left: number, bin: string) =>
    `${units(quantity)} go to ${bin}; ${left === 0 ? "none" : units(left)} left to put back.`,
  done: (quantity: number, sku: string, bin: string) => `${units(quantity)} of ${sku} put back to ${bin}.`,
} as const;
