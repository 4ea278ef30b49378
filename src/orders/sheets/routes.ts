import { Elysia } from "elysia";
import type { Db } from "../../database/store.ts";
import { conventions } from "../../http/conventions.ts";
import { answerCsv, type CsvFile, type CsvPage } from "../../http/csv.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { answerGroupImport, type GroupImport, GroupImportView } from "../../http/group_imports.ts";
import { documented } from "../../http/route.ts";
import type { Position } from "../../kit/page.ts";
import { checkOf, closed, queryOf } from "../../kit/schema.ts";
import { columnTable, sheetFields, writeCells } from "../../kit/sheet.ts";
import { filterOf } from "../list/routes.ts";
import { FilterOrders } from "../list/schemas.ts";
import { listOrders, type OrderFilter, type OrderSort, orderPosition, searchOrders } from "../list/store.ts";
import { ImportLine, type OrderRow, orderColumns, rowsOf, rowView } from "./columns.ts";
import { saveOrderGroups } from "./commands.ts";

const rows_max = 100_000;
const required = ["order_number", "sku", "quantity"] as const;
const table = columnTable(orderColumns, required);

/** How a file of orders is taken in: each order once, by its number. */
export const orderImport: GroupImport<ImportLine> = {
  columns: orderColumns,
  required,
  read: checkOf(ImportLine),
  save: saveOrderGroups,
};

/** The file of the orders that match, a row for each line, in the order of the list. */
export function orderExport(filter: OrderFilter, sort: OrderSort): CsvFile<OrderRow, Position> {
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
  { after, limit }: { readonly after: Position | null; readonly limit: number },
): Promise<CsvPage<OrderRow, Position>> {
  const { search } = filter;
  const window = { limit, offset: 0, after };
  const found =
    search === undefined
      ? { rows: await listOrders(db, filter, window, sort) }
      : await searchOrders(db, { ...filter, search }, window, sort);
  const last = found.rows.length === limit ? found.rows.at(-1) : undefined;
  const end = "end" in found ? found.end : null;
  return {
    rows: found.rows.flatMap((order) => rowsOf(order, db.now)),
    next: last === undefined ? end : orderPosition(last, sort),
  };
}

/** Orders as files of CSV. */
export const orderSheetRoutes = new Elysia({ prefix: "/orders" })
  .use(conventions)
  .post("/import", ({ call }) => answerGroupImport(call, orderImport, "orders", rows_max), {
    detail: documented({
      id: "importOrders",
      summary: "Import orders as CSV, a row for each line",
      description:
        "Rows of one `order_number` make one order, wherever they stand; what its first row says holds for all of" +
        " them, and others may leave these cells empty. The first one names the customer by `customer_email`; a" +
        " customer or an address that is not there yet is made. A bad row refuses its whole order and no other. An" +
        " order that is there already stays as it is, so that a file taken in again changes nothing; one of another" +
        ` customer or of other lines is refused.\n\n${table}`,
      sends: "text/csv",
      answers: { 200: EnvelopedView(GroupImportView("orders")) },
    }),
  })
  .get(
    "/export.csv",
    ({ call, query }) => answerCsv(call, orderExport(filterOf(query), query.sort ?? "-created_at"), query),
    {
      query: queryOf(closed({ ...FilterOrders.properties, ...sheetFields })),
      detail: documented({
        id: "exportOrders",
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
