import { plural } from "./format.ts";

const units = (value: number) => plural(value, "unit", "units");

/** The words of the screens about cycle counts. */
export const countTexts = {
  title: "Counts",
  one: (id: string) => `Count ${id}`,
  create: "Open a count",
  createText: "What lies there is compared with the books. Nothing changes before the differences are posted.",
  id: "Count",
  status: "Status",
  statuses: { open: "Counting", review: "To be reviewed", posted: "Posted", cancelled: "Cancelled" },
  warehouse: "Warehouse",
  what: "What is counted",
  all: "The whole warehouse",
  bins: "Bins",
  binsHelp: "One to a line, or with commas between. All of the warehouse without bins or SKUs.",
  skus: "SKUs",
  skusHelp: "Instead of bins: only these products.",
  blind: "Blind",
  blindHelp: "Those who count are not told what is expected until the review.",
  notes: "Notes",
  progress: "Counted",
  of: (counted: number, total: number) => `${counted} of ${total}`,
  opened: "Opened",
  by: "By",
  emptyTitle: "No counts yet",
  emptyText: "Count a few bins every week, and the books stay true. Choose bins or SKUs, count, review, post.",
  openedDone: (id: string) => `${id} is open.`,
  sku: "SKU",
  bin: "Bin",
  lot: "Lot",
  expected: "Books",
  hidden: "hidden",
  counted: "Counted",
  countedOf: (sku: string, bin: string, lot: string | null) =>
    `Counted units of ${sku} in ${bin}${lot === null ? "" : `, lot ${lot}`}`,
  difference: "Difference",
  value: "Worth",
  lines: "Lines",
  save: "Save what was counted",
  saved: (lines: number) => `${plural(lines, "line", "lines")} saved.`,
  unsaved: (lines: number) => `${plural(lines, "line", "lines")} not saved yet`,
  found: "Found something else",
  foundText: "Units in a bin where the books know none.",
  foundAct: "Add the line",
  quantity: "Units",
  review: "Review",
  reviewTitle: (id: string) => `Review ${id}?`,
  reviewText: (left: number) =>
    left === 0
      ? "All lines are counted. You see the differences then, and nothing is changed yet."
      : `${plural(left, "line is", "lines are")} not counted yet. Count ${left === 1 ? "it" : "them"} first,` +
        " or enter 0.",
  reviewed: (id: string) => `${id} can be posted.`,
  post: "Post the differences",
  postTitle: (id: string) => `Post ${id}?`,
  postText: (different: number, over: number, short: number) =>
    different === 0
      ? "The books agree with what was counted. Nothing changes."
      : `${plural(different, "line differs", "lines differ")}: ${units(over)} more and ${units(short)} fewer than the` +
        " books say. They are written to the ledger.",
  letWait: "Let orders wait if their units are gone",
  letWaitHelp: "Without this, nothing is posted when promised units would be missing.",
  posted: (id: string) => `${id} is posted.`,
  cancel: "Cancel it",
  cancelTitle: (id: string) => `Cancel ${id}?`,
  cancelText: "What was counted so far is kept for reading, and changes nothing.",
  cancelled: (id: string) => `${id} is cancelled.`,
  print: "Print the sheet",
  summary: "What the differences come to",
  over: "Over",
  short: "Short",
  net: "Net worth",
  onlyDifferent: "Only differences",
  details: "Details",
  nothing: "Nothing lies there to be counted.",
} as const;
