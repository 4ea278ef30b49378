import { plural } from "./format.ts";

export const lotTexts = {
  title: "Lots",
  one: (number: string) => `Lot ${number}`,
  search: "Search lot, SKU or product",
  onHandOnly: "With units on hand",
  expiresWithin: "Near expiry",
  expiresIn: (days: number) => `Within ${plural(days, "day", "days")}`,
  emptyTitle: "No lots yet",
  emptyText:
    "A lot is a batch with its own number. Lots are created when you add stock for a product that tracks lots.",
  emptyAct: "Go to stock",
  acts: {
    available: "Release",
    on_hold: "Put on hold",
    quarantined: "Quarantine",
    recalled: "Recall",
    damaged: "Mark damaged",
  },
  actTexts: {
    available: "Its units can be sold again. Backorders are filled first.",
    on_hold:
      "Its units can't be sold until you release the lot. Reserved units are replaced from other lots or backordered.",
    quarantined:
      "Its units can't be sold until you release the lot. Reserved units are replaced from other lots or backordered.",
    recalled:
      "Its units are no longer picked or shipped. Reserved units are replaced from other lots or backordered. Orders" +
      " with picked units are put on hold. The trace lists every order that received units.",
    damaged: "Its units can't be sold. Reserved units are replaced from other lots or backordered.",
  },
  actTitle: (act: string, number: string) => `${act} lot ${number}?`,
  reasonHelp: "Recorded in the lot's history.",
  done: (number: string, status: string) => `Lot ${number}: ${status}.`,
  wait: (orders: string) => `These orders are now backordered: ${orders}.`,
  dates: "Correct dates",
  datesText: "Correct a wrong date. Units that are past the corrected expiry date can no longer be sold.",
  corrected: (number: string) => `Dates of lot ${number} corrected.`,
  trace: "Trace",
  traceText: "Every order that received units of this lot, newest first.",
  traceFile: "Export as CSV",
  traceEmpty: "Nothing from this lot has shipped.",
  noHistory: "No changes yet.",
  assumed: "Assumed",
  assumedHelp: "These units weren't scanned when picked. The lot is taken from the plan.",
  from: (from: string, to: string) => (from === to ? "Dates corrected" : `${from} → ${to}`),
  nowhere: "No units on hand.",
} as const;
