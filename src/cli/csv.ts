// `packhouse import …` and `packhouse export …` of tables, as CSV.

import { type Flags, UsageError } from "../core/config.ts";
import type { DecimalSign } from "../core/csv_columns.ts";
import type { Stores } from "../storage/open_stores.ts";
import {
  type Command,
  type Commands,
  command,
  dataFlags,
  jsonFlag,
  modeFlag,
  modeOf,
  print,
  withStores,
} from "./command.ts";
import type { csvExports as exporting } from "./csv_files.ts";

const past = {
  history: { type: "boolean", help: "orders of the past: they touch no stock, and nobody is told of them" },
} as const satisfies Flags;
const forMerchant = {
  merchant: { type: "string", value: "CODE", help: "for which merchant, where there are several" },
} as const satisfies Flags;
const ofMerchant = {
  merchant: { type: "string", value: "CODE", help: "of this merchant alone" },
} as const satisfies Flags;

/** The commands that take tables in and write them. */
export const spreadsheetCommands: Commands = {
  "import products": importCommand("products", "take in a file of products: new ones, and those that differ"),
  "import stock": importCommand("stock", "take in a file of counted stock: what is on hand becomes what was counted"),
  "import orders": importCommand(
    "orders",
    "take in a file of orders, a row for each line: those that are not there yet",
    past,
  ),
  "export products": exportCommand("products", "write all products as CSV, which can be imported"),
  "export stock": exportCommand("stock", "write what lies in every bin as CSV, which can be imported"),
  "export orders": exportCommand("orders", "write all orders as CSV, a row for each line"),
  "export movements": exportCommand("movements", "write the ledger as CSV"),
};

function importCommand(
  kind: "products" | "stock" | "orders",
  summary: string,
  more: Partial<typeof past> = {},
): Command {
  return command({
    summary,
    flags: {
      file: { type: "word", value: "FILE", help: "CSV whose first line names the columns; - for standard input" },
      encoding: {
        type: "string",
        value: "NAME",
        help: "utf-8, utf-16 or windows-1252, where the file does not show it",
      },
      decimal: {
        type: "string",
        value: "SIGN",
        help: "the file's decimal separator, , or . ; without it, numbers such as 1.000 or 1,5 are refused",
      },
      map: {
        type: "string",
        value: "PAIRS",
        help: "which of its columns are which of ours, such as 'Variant SKU:sku,Title:name'",
      },
      ...modeFlag,
      ...forMerchant,
      ...more,
      ...dataFlags,
      ...jsonFlag,
    },
    notes: async () => (await import("./csv_files.ts")).columnNotes[kind],
    run: async (given) => {
      const { file, json } = given;
      if (!file) throw new UsageError("say which FILE to import.");
      const mode = modeOf(given.mode);
      const terms = { charset: given.encoding ?? null, decimal: decimalOf(given.decimal), map: given.map ?? null };
      const { csvImports: importing, reportLines } = await import("./csv_files.ts");
      const { storeForCommand } = await import("../merchants/tenant_scopes.ts");
      const work = async (stores: Stores) => {
        const taking = importing[given.history ? "past_orders" : kind];
        const store = await storeForCommand(stores[mode], given.merchant, true);
        const report = await taking(store, file, terms, process.stderr);
        for (const line of json ? [JSON.stringify(report)] : reportLines(report, mode)) print(line);
        return report.failed === 0 ? 0 : 1;
      };
      return withStores(given, work);
    },
  });
}

function decimalOf(sign: string | undefined): DecimalSign | null {
  if (sign === undefined || sign === "," || sign === ".") return sign ?? null;
  throw new UsageError(`--decimal must be , or . (got ${sign}).`);
}

function exportCommand(kind: keyof typeof exporting, summary: string): Command {
  return command({
    summary,
    flags: {
      file: { type: "word", value: "[FILE]", help: "where to write; the output unless given" },
      ...modeFlag,
      ...ofMerchant,
      bom: { type: "boolean", help: "begin with a byte order mark, by which spreadsheets know UTF-8" },
      ...dataFlags,
    },
    run: async (given) => {
      const mode = modeOf(given.mode);
      const { csvExports: exporting } = await import("./csv_files.ts");
      const { storeForCommand } = await import("../merchants/tenant_scopes.ts");
      const work = async (stores: Stores) => {
        const store = await storeForCommand(stores[mode], given.merchant, false);
        await exporting[kind](store, given.file, given.bom, process.stderr);
        return 0;
      };
      return withStores(given, work);
    },
  });
}
