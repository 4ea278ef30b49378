import { count, plural } from "./format.ts";

const rows = (value: number) => plural(value, "row", "rows");

/** The words of the screens that take in files. */
export const importTexts = {
  stock: "Import stock",
  stockText:
    "A CSV file with a row for each SKU, bin and lot. Each row sets the units on hand there. Stock without a row does" +
    " not change.",
  products: "Import products",
  productsText:
    "A CSV file with a row for each product. New SKUs are created, existing products are changed where they differ.",
  stockTitle: "Stock",
  productsTitle: "Products",
  drop: "Drop a CSV file here",
  another: "Another file",
  dropHint: "The file is checked first. Nothing changes until you confirm.",
  columns: "Columns of the file",
  template: "Save the current data as CSV",
  templateHint: "The easiest way: change this file and import it.",
  trying: (name: string) => `Checking ${name}`,
  taking: (value: number) => `Importing ${rows(value)}`,
  doNotClose: "Leave this page open until it is done.",
  passed: (seconds: number) => `${Math.floor(seconds)} s`,
  left: (seconds: number) => (seconds < 2 ? "almost done" : `about ${Math.ceil(seconds)} s left`),
  tried: "Checked: nothing has changed yet",
  done: "Imported",
  rows: "Rows",
  created: "New",
  updated: "Changed",
  unchanged: "Unchanged",
  failed: "Refused",
  refusedTitle: "Refused rows",
  refusedText: "These rows are not imported. Correct them in the file and check it again, or import the other rows.",
  refusedFile: "Save the refused rows",
  changesTitle: "What would change",
  changedTitle: "What was changed",
  line: "Line",
  name: "SKU",
  field: "Column",
  problem: "Problem",
  kind: "Change",
  kinds: { created: "New", updated: "Changed" },
  fields: "Cells",
  empty: "empty",
  more: (shown: number, all: number) => `The first ${count(shown)} of ${count(all)} are listed.`,
  take: (value: number) => `Import ${rows(value)}`,
  takeTitle: (value: number) => `Import ${rows(value)}?`,
  takeText: (created: number, updated: number, failed: number) =>
    `New: ${count(created)}. Changed: ${count(updated)}.` +
    (failed === 0 ? "" : ` Refused and not imported: ${count(failed)}.`),
  nothingToDo: "The file changes nothing.",
  allRefused: "No row changes anything, and some are refused. Correct them and check the file again.",
  took: (created: number, updated: number) => `${count(created)} new, ${count(updated)} changed.`,
  tooLarge: "The file is larger than 10 MiB. Split it into several files.",
  openStock: "Go to stock",
  openProducts: "Go to products",
} as const;
