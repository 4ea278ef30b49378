import { Type } from "@sinclair/typebox";
import { columnTable, csvExportFields, writeCells } from "../../core/csv_columns.ts";
import { checkOf, closed, fittingInSlice, type PagePosition } from "../../core/schema.ts";
import { emailKey } from "../../customers/customer.ts";
import type { CsvFile, CsvPage } from "../../http/csv_response.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { GroupImportView } from "../../http/import_report.ts";
import { answerImport, type Import, importFields } from "../../http/imports.ts";
import { exportCsv, respond, routes } from "../../http/routes.ts";
import type { Db } from "../../storage/database.ts";
import { sizesOfOrders } from "../lifecycle/order_lookup.sql.ts";
import { wholeOrders } from "../orders.sql.ts";
import { filterOf } from "../search/order_list.routes.ts";
import { FilterOrders } from "../search/order_list.schema.ts";
import {
  isSearched,
  listOrders,
  type OrderFilter,
  type OrderSort,
  orderPosition,
  searchOrders,
} from "../search/order_list.sql.ts";
import { saveOrderGroups } from "./import_orders.ts";
import { savePastGroups } from "./import_past_orders.ts";
import { OrderCsvLine, type OrderCsvRow, orderColumns, rowsOf, rowView } from "./order_csv.schema.ts";
import { otherColumns, PastOrderCsvLine, pastColumns } from "./past_order_csv.schema.ts";

const required = ["order_number", "sku", "quantity"] as const;
const pastRequired = ["order_number", "status", "created_at", "sku", "quantity"] as const;
const table = columnTable(orderColumns, required);
const pastTable = columnTable(otherColumns, pastRequired);
const ChooseFile = closed({
  ...importFields,
  history: Type.Optional(
    Type.Boolean({ description: "If true, the file contains past orders from another system. Default: false." }),
  ),
});

const grouped = { counted_as: "orders", column: "customer_email", keyOf: emailKey };

/** The import of an orders CSV: each order once, by its number. */
export const orderImport: Import<OrderCsvLine> = {
  columns: orderColumns,
  required,
  read: checkOf(OrderCsvLine),
  grouped,
  save: (tx, orders, _, actor) => saveOrderGroups(tx, orders, actor),
};

/** The import of a CSV of past orders: each order once. */
export const pastImport: Import<PastOrderCsvLine> = {
  columns: pastColumns,
  required: pastRequired,
  read: checkOf(PastOrderCsvLine),
  grouped,
  save: (tx, orders, _, actor) => savePastGroups(tx, orders, actor),
};

/** The CSV of the orders that match, one row per line, in the order of the list. */
export function orderExport(filter: OrderFilter, sort: OrderSort): CsvFile<OrderCsvRow, PagePosition> {
  return {
    name: "orders.csv",
    columns: orderColumns.map(({ name }) => name),
    page: (db, after, limit) => pageAfter(db, filter, sort, { after, limit }),
    cells: (row) => writeCells(orderColumns, rowView(row)),
  };
}

async function pageAfter(
  db: Db,
  filter: OrderFilter,
  sort: OrderSort,
  { after, limit }: { readonly after: PagePosition | null; readonly limit: number },
): Promise<CsvPage<OrderCsvRow, PagePosition>> {
  const window = { limit, offset: 0, after };
  const page = isSearched(filter)
    ? await searchOrders(db, filter, window, sort)
    : { rows: await listOrders(db, filter, window, sort) };
  const ids = page.rows.map(({ id }) => id);
  // An order may have hundreds of lines, so as many orders are read as fit, and at least one.
  const fitting = fittingInSlice(await sizesOfOrders(db, ids));
  const orders = page.rows.slice(0, fitting);
  const last = fitting < page.rows.length || page.rows.length === limit ? orders.at(-1) : undefined;
  const end = "end" in page ? page.end : null;
  return {
    rows: (await wholeOrders(db, orders)).flatMap((order) => rowsOf(order, db.now)),
    next: last === undefined ? end : orderPosition(last, sort),
  };
}

/** Orders as CSV. */
export const orderCsvRoutes = routes("Orders", [
  respond("POST", "/orders/import", "orders.write", {
    id: "importOrders",
    summary: "Import orders as CSV, one row per line",
    description:
      "Creates pending orders as `POST /orders` does. Rows with the same `order_number` form one order, wherever they" +
      " are; its own fields need to be filled in only one of its rows. `customer_email` names the customer; a missing" +
      " customer or address is created. An invalid row rejects its whole order and no other; a row without an order" +
      " number rejects every order that it may belong to. An existing order stays as it is, so importing a file again" +
      ` changes nothing; with another customer or other lines it is rejected.\n\n${table}\n\n` +
      "With `history=true` the file contains past orders of another system: shipped, delivered or cancelled. They" +
      " change no stock and emit no events, their products may be inactive, and they are marked `imported`." +
      " Delivering and returning them works as with any other order; returned units are an adjustment of stock." +
      ` These columns have another meaning then:\n\n${pastTable}`,
    sends: "csv",
    query: ChooseFile,
    answers: { 200: EnvelopedView(GroupImportView("orders")) },
    answer: ({ call, query: { history, ...query } }) =>
      history ? answerImport(call, pastImport, query) : answerImport(call, orderImport, query),
  }),
  exportCsv("/orders/export.csv", "orders.read", {
    id: "exportOrders",
    summary: "Export the orders of a list as CSV, one row per line",
    description:
      "Takes the filters, the search and the sort of `GET /orders`, and returns all matching orders. The file can be" +
      " imported again. Values that a spreadsheet would take for a formula have an apostrophe before" +
      ` them.\n\n${table}`,
    query: closed({ ...FilterOrders.properties, ...csvExportFields }),
    file: ({ call, query }) => orderExport(filterOf(query, call), query.sort ?? "-created_at"),
  }),
]);
