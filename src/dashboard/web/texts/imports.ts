import { count, plural } from "./format.ts";

const rows = (value: number) => plural(value, "row", "rows");

/** The words of the screens that take in files. */
export const importTexts = {
  stock: "Import a count",
  stockText:
    "A file of CSV with a row for each SKU, bin and lot: what is on hand there becomes what the row says. What no row" +
    " names stays as it is.",
  products: "Import products",
  productsText:
    "A file of CSV with a row for each product. New SKUs are created; of those that are there, what differs is" +
    " changed.",
  stockTitle: "Stock",
  productsTitle: "Products",
  drop: "Drop a CSV file here",
  another: "Another file",
  dropHint: "It is tried out first. Nothing is changed before you say so.",
  columns: "Columns of the file",
  template: "Save the present state as CSV",
  templateHint: "The easiest way: change that file and bring it back.",
  trying: (name: string) => `Trying out ${name}`,
  taking: (value: number) => `Taking in ${rows(value)}`,
  doNotClose: "Leave this page open until it is done.",
  passed: (seconds: number) => `${Math.floor(seconds)} s`,
  left: (seconds: number) => (seconds < 2 ? "almost done" : `about ${Math.ceil(seconds)} s left`),
  tried: "Tried out: nothing has been changed yet",
  done: "Taken in",
  rows: "Rows",
  created: "New",
  updated: "Changed",
  unchanged: "As they are",
  failed: "Refused",
  refusedTitle: "Rows that are refused",
  refusedText: "Nothing of these rows is written. Put them right in the file and try it again; or take in the others.",
  refusedFile: "Save the refused rows",
  changesTitle: "What would change",
  changedTitle: "What was changed",
  line: "Line",
  name: "SKU",
  field: "Column",
  problem: "What is wrong",
  kind: "Change",
  kinds: { created: "New", updated: "Changed" },
  fields: "Cells",
  empty: "empty",
  more: (shown: number, all: number) => `The first ${count(shown)} of ${count(all)} are listed.`,
  take: (value: number) => `Take in ${rows(value)}`,
  takeTitle: (value: number) => `Take in ${rows(value)}?`,
  takeText: (created: number, updated: number, failed: number) =>
    `${count(created)} are new and ${count(updated)} are changed.` +
    (failed === 0 ? "" : ` ${rows(failed)} are refused and left out.`),
  nothingToDo: "The file changes nothing.",
  allRefused: "No row of the file changes anything, and some are refused: put these right and try it again.",
  took: (created: number, updated: number) => `${count(created)} new, ${count(updated)} changed.`,
  tooLarge: "The file is larger than 10 MiB. Make it several files.",
  openStock: "Go to stock",
  openProducts: "Go to products",
} as const;
