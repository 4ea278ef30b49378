import { momentOf } from "../../core/clock.ts";
import { csvExportFields } from "../../core/csv_columns.ts";
import { missing } from "../../core/faults.ts";
import { readId } from "../../core/ids.ts";
import { closed, fittingInSlice, type PagePosition } from "../../core/schema.ts";
import type { CsvFile } from "../../http/csv_response.ts";
import { exportCsv, list, routes } from "../../http/routes.ts";
import type { NamedLot } from "../../inventory/stock/lot.ts";
import {
  countRecalledOrders,
  findNamedLot,
  listAssumed,
  listRecalledOrders,
  type RecalledOrder,
} from "../../inventory/stock/lots.sql.ts";
import type { Db } from "../../storage/database.ts";
import { sizesOfOrders } from "../lifecycle/order_lookup.sql.ts";
import { findOrders } from "../orders.sql.ts";
import { lotRecallCells, lotRecallColumns, lotRecallView } from "./lot_recall.ts";
import { ListLotRecall, LotRecallView, recallFilters } from "./order_list.schema.ts";

/**
 * Traces a lot to every order that was shipped units of it. Its path is below `/inventory`, but only orders know
 * customers.
 */
export const lotRecallRoutes = routes("Lots", [
  list("/inventory/lots/:id/trace", "stock.read", {
    id: "traceLot",
    summary: "Trace a lot to its orders",
    description:
      "Lists the orders that were shipped units of the lot, most recent first, with customers and parcels: everyone" +
      " to warn in a recall. Units whose pick was not scanned count as `assumed_quantity`.",
    of: {
      query: ListLotRecall,
      listing: ({ params: { id }, query }) => ({
        rows: async (db, window) => listRecalledOrders(db, (await lotOf(db, id)).id, filterOf(query), window),
        count: async (db) => countRecalledOrders(db, (await lotOf(db, id)).id, filterOf(query)),
        position: positionOf,
        // Little of an order is shown, but much of it may be read.
        long: { bytes: (db, rows) => sizesOfOrders(db, idsOf(rows)) },
      }),
    },
    view: LotRecallView,
    views: async (rows, db, { params }) => viewsOf(db, await lotOf(db, params.id), rows),
  }),
  exportCsv("/inventory/lots/:id/trace/export.csv", "stock.read", {
    id: "exportLotTrace",
    summary: "Export the trace of a lot as CSV",
    description:
      "The orders of the trace, one row each, with the customer's email address and the tracking numbers: the mailing" +
      " list of a recall.",
    query: closed({ ...recallFilters, ...csvExportFields }),
    file: ({ params, query }) => lotRecallExport(params.id, filterOf(query)),
  }),
]);

async function lotOf(db: Db, id: string): Promise<NamedLot> {
  const lot = await findNamedLot(db, readId("lot", id) ?? 0);
  if (lot === null) throw missing("lot", id);
  return lot;
}

const filterOf = ({ created_after, created_before }: ListLotRecall) => ({
  created_after: momentOf(created_after),
  created_before: momentOf(created_before),
});

const positionOf = ({ last_at, movement_id }: RecalledOrder): PagePosition => [last_at, movement_id];

const idsOf = (rows: readonly RecalledOrder[]) => rows.map(({ order }) => readId("order", order) ?? 0);

async function viewsOf(db: Db, { id, product_id }: NamedLot, rows: readonly RecalledOrder[]) {
  const assumed = await listAssumed(
    db,
    id,
    rows.map(({ order }) => order),
  );
  const ids = idsOf(rows);
  const orders = new Map((await findOrders(db, ids)).map((order) => [order.id, order]));
  return rows.flatMap((row, at) => {
    const order = orders.get(ids[at] ?? 0);
    return order === undefined
      ? []
      : [lotRecallView(order, product_id, { ...row, assumed: assumed.get(row.order) ?? 0 })];
  });
}

/** The CSV of the orders that were shipped units of a lot, most recent first. */
function lotRecallExport(
  id: string,
  filter: ReturnType<typeof filterOf>,
): CsvFile<ReturnType<typeof lotRecallView>, PagePosition> {
  return {
    name: "trace.csv",
    columns: lotRecallColumns,
    page: async (db, after, limit) => {
      const lot = await lotOf(db, id);
      const rows = await listRecalledOrders(db, lot.id, filter, { limit, offset: 0, after });
      // An order may have hundreds of lines, so as many orders are read as fit.
      const read = rows.slice(0, fittingInSlice(await sizesOfOrders(db, idsOf(rows))));
      const last = read.at(-1);
      return { rows: await viewsOf(db, lot, read), next: last === undefined ? null : positionOf(last) };
    },
    cells: lotRecallCells,
  };
}
