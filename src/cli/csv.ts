// `packhouse import …` and `packhouse export …`: products, stock, orders and movements as CSV.

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
import type { csvExports } from "./csv_files.ts";

const past = {
  history: { type: "boolean", help: "import past orders: no stock changes, and no webhooks or emails are sent" },
} as const satisfies Flags;
const forMerchant = {
  merchant: { type: "string", value: "CODE", help: "the merchant; required if there are several" },
} as const satisfies Flags;
const ofMerchant = {
  merchant: { type: "string", value: "CODE", help: "only this merchant" },
} as const satisfies Flags;

/** The commands that import and export CSV files. */
export const spreadsheetCommands: Commands = {
  "import products": importCommand("products", "create and update products from a CSV file"),
  "import stock": importCommand("stock", "set on-hand stock to the counted quantities of a CSV file"),
  "import orders": importCommand(
    "orders",
    "create the orders of a CSV file that do not exist yet, one row per line",
    past,
  ),
  "export products": exportCommand("products", "write all products as CSV that can be imported"),
  "export stock": exportCommand("stock", "write the stock of every bin as CSV that can be imported"),
  "export orders": exportCommand("orders", "write all orders as CSV, one row per line"),
  "export movements": exportCommand("movements", "write all stock movements as CSV"),
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
        help: "utf-8, utf-16 or windows-1252, if it cannot be detected",
      },
      decimal: {
        type: "string",
        value: "SIGN",
        help: "the file's decimal separator, , or . ; without it, numbers such as 1.000 or 1,5 are refused",
      },
      map: {
        type: "string",
        value: "PAIRS",
        help: "maps the file's column names to Packhouse's, e.g. 'Variant SKU:sku,Title:name'",
      },
      ...modeFlag,
      ...forMerchant,
      ...more,
      ...dataFlags,
      ...jsonFlag,
    },
    notes: async () => (await import("./csv_files.ts")).columnNotes[kind],
    run: async (options) => {
      const { file, json } = options;
      if (!file) throw new UsageError("FILE is required: the CSV file to import, or - for standard input.");
      const mode = modeOf(options.mode);
      const format = {
        charset: options.encoding ?? null,
        decimal: decimalOf(options.decimal),
        map: options.map ?? null,
      };
      const { csvImports, reportLines } = await import("./csv_files.ts");
      const { storeForCommand } = await import("../merchants/tenant_scopes.ts");
      const work = async (stores: Stores) => {
        const importInto = csvImports[options.history ? "past_orders" : kind];
        const store = await storeForCommand(stores[mode], options.merchant, true);
        const report = await importInto(store, file, format, process.stderr);
        for (const line of json ? [JSON.stringify(report)] : reportLines(report, mode)) print(line);
        return report.failed === 0 ? 0 : 1;
      };
      return withStores(options, work);
    },
  });
}

function decimalOf(sign: string | undefined): DecimalSign | null {
  if (sign === undefined || sign === "," || sign === ".") return sign ?? null;
  throw new UsageError(`--decimal must be "," or "." (got ${sign}).`);
}

function exportCommand(kind: keyof typeof csvExports, summary: string): Command {
  return command({
    summary,
    flags: {
      file: { type: "word", value: "[FILE]", help: "where to write (standard output)" },
      ...modeFlag,
      ...ofMerchant,
      bom: { type: "boolean", help: "start with a byte order mark, so that spreadsheets detect UTF-8" },
      ...dataFlags,
    },
    run: async (options) => {
      const mode = modeOf(options.mode);
      const { csvExports } = await import("./csv_files.ts");
      const { storeForCommand } = await import("../merchants/tenant_scopes.ts");
      const work = async (stores: Stores) => {
        const store = await storeForCommand(stores[mode], options.merchant, false);
        await csvExports[kind](store, options.file, options.bom, process.stderr);
        return 0;
      };
      return withStores(options, work);
    },
  });
}
