import { join } from "node:path";
import { parse } from "csv-parse/sync";

/** A row of a table as text, by column. */
export type Row<Column extends string> = Readonly<Record<Column, string>>;

// The columns that are read; the files may have more.
const columns = {
  customers: [
    "customer_id",
    "company_name",
    "contact_name",
    "contact_title",
    "address",
    "city",
    "region",
    "postal_code",
    "country",
    "phone",
  ],
  products: [
    "product_id",
    "product_name",
    "category_id",
    "quantity_per_unit",
    "unit_price",
    "units_in_stock",
    "reorder_level",
    "discontinued",
  ],
  categories: ["category_id", "category_name"],
  orders: [
    "order_id",
    "customer_id",
    "order_date",
    "required_date",
    "shipped_date",
    "ship_via",
    "freight",
    "ship_name",
    "ship_address",
    "ship_city",
    "ship_region",
    "ship_postal_code",
    "ship_country",
  ],
  order_details: ["order_id", "product_id", "unit_price", "quantity", "discount"],
  shippers: ["shipper_id", "company_name"],
} as const;

type TableName = keyof typeof columns;
type RowOf<Name extends TableName> = Row<(typeof columns)[Name][number]>;

export type CustomerRow = RowOf<"customers">;
export type ProductRow = RowOf<"products">;
export type OrderRow = RowOf<"orders">;
export type DetailRow = RowOf<"order_details">;

/** The tables of the folder, each a list of rows in the file's order. */
export type Tables = { readonly [Name in TableName]: readonly RowOf<Name>[] };

/** Reads the Northwind tables from a folder of CSV files. Throws if a file or a column is missing. */
export async function readTables(folder: string): Promise<Tables> {
  const names = Object.keys(columns) as TableName[];
  const read = await Promise.all(names.map(async (name) => [name, await readTable(folder, name)] as const));
  return Object.fromEntries(read) as unknown as Tables;
}

async function readTable(folder: string, name: TableName): Promise<readonly Row<string>[]> {
  const path = join(folder, `${name}.csv`);
  const text = await Bun.file(path).text();
  const rows: Row<string>[] = parse(text, { columns: true, bom: true, skip_empty_lines: true });
  const missing = columns[name].filter((column) => rows[0]?.[column] === undefined);
  if (missing.length > 0) throw new Error(`${path} has no rows or lacks the columns: ${missing.join(", ")}`);
  return rows;
}
