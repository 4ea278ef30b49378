import { plural } from "./format.ts";

const units = (value: number) => plural(value, "unit", "units");

export const countTexts = {
  title: "Counts",
  one: (id: string) => `Count ${id}`,
  create: "New count",
  createText: "Count units and compare them with the expected stock. Stock changes only when you post the count.",
  id: "Count",
  what: "Scope",
  all: "Whole warehouse",
  bins: "Bins",
  binsHelp: "One per line or separated by commas. Leave bins and SKUs blank to count the whole warehouse.",
  skus: "SKUs",
  skusHelp: "Count only these products, instead of bins.",
  blind: "Blind",
  blindHelp: "Expected quantities are hidden until the review.",
  progress: "Counted",
  of: (counted: number, total: number) => `${counted} of ${total}`,
  opened: "Opened",
  by: "By",
  emptyTitle: "No counts yet",
  emptyText: "Count a few bins each week to keep stock accurate.",
  openedDone: (id: string) => `${id} created.`,
  hidden: "hidden",
  counted: "Counted",
  countedOf: (sku: string, bin: string, lot: string | null) =>
    `Counted units of ${sku} in ${bin}${lot === null ? "" : `, lot ${lot}`}`,
  difference: "Difference",
  value: "Value",
  lines: "Lines",
  save: "Save counts",
  saved: (lines: number) => `${plural(lines, "line", "lines")} saved.`,
  unsaved: (lines: number) => `${plural(lines, "line", "lines")} not saved yet`,
  unexpected: "Add unexpected units",
  unexpectedText: "Units in a bin where none are expected.",
  review: "Review",
  reviewTitle: (id: string) => `Review ${id}?`,
  reviewText: (left: number) =>
    left === 0
      ? "All lines are counted. The review shows the differences. Stock doesn't change yet."
      : `${plural(left, "line is", "lines are")} not counted yet. Count ${left === 1 ? "it" : "them"} first,` +
        " or enter 0.",
  reviewed: (id: string) => `${id} is ready to post.`,
  post: "Post count",
  postTitle: (id: string) => `Post ${id}?`,
  postText: (different: number, over: number, short: number) =>
    different === 0
      ? "The counts match the expected stock. Nothing changes."
      : `${plural(different, "line differs", "lines differ")}: ${units(over)} more and ${units(short)} fewer than` +
        " expected. The ledger records the differences.",
  backorderAffected: "Move affected orders to backorder",
  backorderAffectedHelp: "If off, the count is rejected when reserved units would be missing.",
  posted: (id: string) => `${id} posted.`,
  cancel: "Cancel count",
  cancelTitle: (id: string) => `Cancel ${id}?`,
  cancelText: "The counts stay on record. Stock doesn't change.",
  cancelled: (id: string) => `${id} cancelled.`,
  print: "Print count sheet",
  summary: "Net difference",
  over: "Over",
  net: "Net value",
  onlyDifferent: "Only differences",
  nothing: "Nothing to count.",
} as const;
