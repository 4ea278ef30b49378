import { plural } from "./format.ts";

const units = (value: number) => plural(value, "unit", "units");

/** The words of the screens about cycle counts. */
export const countTexts = {
  title: "Counts",
  one: (id: string) => `Count ${id}`,
  create: "Open a count",
  createText: "Count units and compare them with the expected stock. Stock changes only when you post the count.",
  id: "Count",
  status: "Status",
  statuses: { open: "Counting", review: "In review", posted: "Posted", cancelled: "Cancelled" },
  warehouse: "Warehouse",
  what: "What is counted",
  all: "The whole warehouse",
  bins: "Bins",
  binsHelp: "One per line or separated by commas. Without bins or SKUs, the whole warehouse is counted.",
  skus: "SKUs",
  skusHelp: "Instead of bins: only these products.",
  blind: "Blind",
  blindHelp: "The expected quantities are hidden until the review.",
  notes: "Notes",
  progress: "Counted",
  of: (counted: number, total: number) => `${counted} of ${total}`,
  opened: "Opened",
  by: "By",
  emptyTitle: "No counts yet",
  emptyText: "Count a few bins every week to keep stock accurate: choose bins or SKUs, count, review, post.",
  openedDone: (id: string) => `${id} is open.`,
  sku: "SKU",
  bin: "Bin",
  lot: "Lot",
  expected: "Expected",
  hidden: "hidden",
  counted: "Counted",
  countedOf: (sku: string, bin: string, lot: string | null) =>
    `Counted units of ${sku} in ${bin}${lot === null ? "" : `, lot ${lot}`}`,
  difference: "Difference",
  value: "Value",
  lines: "Lines",
  save: "Save the counted units",
  saved: (lines: number) => `${plural(lines, "line", "lines")} saved.`,
  unsaved: (lines: number) => `${plural(lines, "line", "lines")} not saved yet`,
  found: "Add unexpected units",
  foundText: "Units in a bin where none are expected.",
  foundAct: "Add the line",
  quantity: "Units",
  review: "Review",
  reviewTitle: (id: string) => `Review ${id}?`,
  reviewText: (left: number) =>
    left === 0
      ? "All lines are counted. The review shows the differences. Stock does not change yet."
      : `${plural(left, "line is", "lines are")} not counted yet. Count ${left === 1 ? "it" : "them"} first,` +
        " or enter 0.",
  reviewed: (id: string) => `${id} is in review and can be posted.`,
  post: "Post the count",
  postTitle: (id: string) => `Post ${id}?`,
  postText: (different: number, over: number, short: number) =>
    different === 0
      ? "The counted units equal the expected stock. Nothing changes."
      : `${plural(different, "line differs", "lines differ")}: ${units(over)} more and ${units(short)} fewer than` +
        " expected. The ledger records the differences.",
  letWait: "Backorder orders whose reserved units are missing",
  letWaitHelp: "Off: the count is refused if reserved units would be missing.",
  posted: (id: string) => `${id} is posted.`,
  cancel: "Cancel the count",
  cancelTitle: (id: string) => `Cancel ${id}?`,
  cancelText: "The counted units stay on record. Stock does not change.",
  cancelled: (id: string) => `${id} is cancelled.`,
  print: "Print the sheet",
  summary: "Sum of the differences",
  over: "Over",
  short: "Short",
  net: "Net value",
  onlyDifferent: "Only differences",
  details: "Details",
  nothing: "There is nothing to count.",
} as const;
