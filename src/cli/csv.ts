// `packhouse import …` and `packhouse export …`: products, stock, orders, customers and movements as CSV.

import { decimalSigns } from "../core/csv_columns.ts";
import { choice, flag, text, word } from "../core/flags.ts";
import { type Command, type Commands, dataCommand, dataFlags, jsonFlag, modeFlag } from "./command.ts";
import type { csvExports } from "./csv_files.ts";

const past = {
  history: flag("import past orders: no stock changes, and no webhooks or emails are sent"),
};
const merchantFlag = (help: string) => ({ merchant: text({ value: "CODE", help }) });

/** The commands that import and export CSV files. */
export const spreadsheetCommands: Commands = {
  "import products": importCommand("products", "create and update products from a CSV file"),
  "import stock": importCommand("stock", "set on-hand stock to the counted quantities of a CSV file"),
  "import orders": importCommand(
    "orders",
    "create the orders of a CSV file that do not exist yet, one row per line",
    past,
  ),
  "import customers": importCommand("customers", "create and update customers from a CSV file"),
  "export products": exportCommand("products", "write all products as CSV that can be imported"),
  "export stock": exportCommand("stock", "write the stock of every bin as CSV that can be imported"),
  "export orders": exportCommand("orders", "write all orders as CSV, one row per line"),
  "export customers": exportCommand("customers", "write all customers with their default addresses as CSV"),
  "export movements": exportCommand("movements", "write all stock movements as CSV"),
};

function importCommand(
  kind: "products" | "stock" | "orders" | "customers",
  summary: string,
  more: Partial<typeof past> = {},
): Command {
  return dataCommand({
    summary,
    flags: {
      file: word({
        value: "FILE",
        help: "CSV whose first line names the columns; - for standard input",
        required: "the CSV file to import, or - for standard input",
      }),
      encoding: text({ value: "NAME", help: "utf-8, utf-16 or windows-1252, if it cannot be detected" }),
      decimal: choice(decimalSigns, {
        value: "SIGN",
        help: "the file's decimal separator, , or . ; without it, numbers such as 1.000 or 1,5 are refused",
        refusal: (sign) => `must be "," or "." (got ${sign}).`,
      }),
      map: text({
        value: "PAIRS",
        help: "maps the file's column names to Packhouse's, e.g. 'Variant SKU:sku,Title:name'",
      }),
      ...modeFlag,
      ...merchantFlag("the merchant; required if there are several"),
      ...more,
      ...dataFlags,
      ...jsonFlag,
    },
    notes: async () => (await import("./csv_files.ts")).columnNotes[kind],
    run: async ({ file, json, mode, ...options }, stores, { print }) => {
      const { encoding: charset = null, decimal = null, map = null } = options;
      const { csvImports, reportLines } = await import("./csv_files.ts");
      const { storeForCommand } = await import("../merchants/tenant_scopes.ts");
      const importInto = csvImports[options.history ? "past_orders" : kind];
      const store = await storeForCommand(stores[mode], options.merchant, true);
      const report = await importInto(store, file, { charset, decimal, map }, process.stderr);
      for (const line of json ? [JSON.stringify(report)] : reportLines(report, mode)) print(line);
      return report.failed === 0 ? 0 : 1;
    },
  });
}

function exportCommand(kind: keyof typeof csvExports, summary: string): Command {
  return dataCommand({
    summary,
    flags: {
      file: word({ value: "[FILE]", help: "where to write (standard output)" }),
      ...modeFlag,
      ...merchantFlag("only this merchant"),
      bom: flag("start with a byte order mark, so that spreadsheets detect UTF-8"),
    },
    run: async ({ file, mode, merchant, bom }, stores) => {
      const { csvExports } = await import("./csv_files.ts");
      const { storeForCommand } = await import("../merchants/tenant_scopes.ts");
      await csvExports[kind](await storeForCommand(stores[mode], merchant, false), file, bom, process.stderr);
    },
  });
}
