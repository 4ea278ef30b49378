import { type Static, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { columnTable, csvExportFields, writeCells } from "../../core/csv_columns.ts";
import { checkOf, closed, fittingInSlice, type PagePosition, queryOf } from "../../core/schema.ts";
import { emailKey } from "../../customers/customer.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { answerCsv, type CsvFile, type CsvPage } from "../../http/csv_response.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { fileFields } from "../../http/file_upload.ts";
import { answerImport, GroupImportView, type Import } from "../../http/imports.ts";
import { documented } from "../../http/route.ts";
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
  ...fileFields,
  history: Type.Optional(
    Type.Boolean({ description: "True: the file holds orders of the past, from another system." }),
  ),
});

const grouped = { counted_as: "orders", column: "customer_email", keyOf: emailKey };

/** How a file of orders is taken in: each order once, by its number. */
export const orderImport: Import<OrderCsvLine> = {
  columns: orderColumns,
  required,
  read: checkOf(OrderCsvLine),
  grouped,
  save: (tx, orders, _, actor) => saveOrderGroups(tx, orders, actor),
};

/** How a file of orders of the past is taken in: each once. */
export const pastImport: Import<PastOrderCsvLine> = {
  columns: pastColumns,
  required: pastRequired,
  read: checkOf(PastOrderCsvLine),
  grouped,
  save: (tx, orders, _, actor) => savePastGroups(tx, orders, actor),
};

/** The file of the orders that match, a row for each line, in the order of the list. */
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
  const found = isSearched(filter)
    ? await searchOrders(db, filter, window, sort)
    : { rows: await listOrders(db, filter, window, sort) };
  const ids = found.rows.map(({ id }) => id);
  // An order may have hundreds of lines: as many orders are read as fit, and at least one.
  const fitting = fittingInSlice(await sizesOfOrders(db, ids));
  const orders = found.rows.slice(0, fitting);
  const last = fitting < found.rows.length || found.rows.length === limit ? orders.at(-1) : undefined;
  const end = "end" in found ? found.end : null;
  return {
    rows: (await wholeOrders(db, orders)).flatMap((order) => rowsOf(order, db.now)),
    next: last === undefined ? end : orderPosition(last, sort),
  };
}

/** One file or the other: rows of each make orders. */
function answerFile(call: Call, { history, ...query }: Static<typeof ChooseFile>): Promise<Response> {
  return history ? answerImport(call, pastImport, query) : answerImport(call, orderImport, query);
}

/** Orders as files of CSV. */
export const orderCsvRoutes = new Elysia({ prefix: "/orders" })
  .use(conventions)
  .post("/import", ({ call, query }) => answerFile(call, query), {
    query: queryOf(ChooseFile),
    detail: documented({
      id: "importOrders",
      needs: "orders.write",
      chapter: "Orders",
      summary: "Import orders as CSV, a row for each line",
      description:
        "Rows of one `order_number` make one order, wherever they stand; what one of them says of it holds for all of" +
        " them, and others may leave these cells empty. One names the customer by `customer_email`; a" +
        " customer or an address that is not there yet is made. A bad row refuses its whole order and no other; one" +
        " without an order number refuses every order that it may belong to. An order that is there" +
        " already stays as it is, so that a file taken in again changes nothing; one of another" +
        ` customer or of other lines is refused.\n\n${table}\n\n` +
        "With `history=true` the file holds orders of the past, so that a change of system keeps them:" +
        " those that have shipped, were delivered or were cancelled. They touch no stock and nobody is told" +
        " of them; products may be inactive. They are marked `imported`, and what can still be done with" +
        " them (deliver, return) is done as with any other; what comes back is an adjustment of stock. An" +
        " order that is there already stays as it is here, too." +
        ` These columns mean more then:\n\n${pastTable}`,
      sends: "csv",
      answers: { 200: EnvelopedView(GroupImportView("orders")) },
    }),
  })
  .get(
    "/export.csv",
    ({ call, query }) => answerCsv(call, orderExport(filterOf(query), query.sort ?? "-created_at"), query),
    {
      query: queryOf(closed({ ...FilterOrders.properties, ...csvExportFields })),
      detail: documented({
        id: "exportOrders",
        needs: "orders.read",
        chapter: "Orders",
        summary: "Export the orders of a list as CSV, a row for each line",
        description:
          "Takes the filters, the search and the sort of the list. The file can be imported: pending orders are made" +
          " where they are not there yet. What a spreadsheet would take for a formula has an apostrophe before" +
          ` it.\n\n${table}`,
        documents: ["text/csv"],
        answers: { 200: null },
      }),
    },
  );
