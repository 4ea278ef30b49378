import { parseMoment } from "../../core/clock.ts";
import { readId } from "../../core/ids.ts";
import { type CsvFile, pagesOf } from "../../http/csv_response.ts";
import { exportCsv, list, routes } from "../../http/routes.ts";
import { actorFor, type ViewerWithUsers, viewerOf, withActorsFor } from "../../identity/actors.sql.ts";
import type { Db } from "../../storage/database.ts";
import { refuseBins, showsBins } from "../warehouses/bin_visibility.ts";
import { countMovements, listMovements } from "./ledger.sql.ts";
import { ExportMovements, ListMovements, MovementView } from "./movement.schema.ts";
import { type Movement, type MovementFilter, movementCells, movementColumns, movementView } from "./movement.ts";

/** The ledger: every change of a quantity, as a list and as CSV. */
export const movementRoutes = routes("Warehouses", [
  list("/inventory/movements", "stock.read", {
    id: "listMovements",
    summary: "List inventory movements",
    query: ListMovements,
    view: MovementView,
    listing: async ({ call, query }) => {
      refuseBins(call, { bin: query.bin });
      const viewer = await viewerOf(call);
      const filterFor = async (db: Db) => shownTo(db, viewer, filterOf(query));
      return {
        rows: async (db, window) => withActorsFor(db, viewer, await listMovements(db, await filterFor(db), window)),
        count: async (db) => countMovements(db, await filterFor(db)),
        position: ({ created_at, id }) => [created_at, id],
      };
    },
    views: (movements, _, { call }) => movements.map((movement) => movementView(movement, showsBins(call))),
  }),
  exportCsv("/inventory/movements/export.csv", "stock.read", {
    id: "exportMovements",
    summary: "Export inventory movements as CSV",
    query: ExportMovements,
    file: async ({ call, query }) => {
      refuseBins(call, { bin: query.bin });
      return movementExport(filterOf(query), await viewerOf(call));
    },
  }),
]);

/** The filter, with its actor limited to those that the viewer can see. */
async function shownTo(db: Db, viewer: ViewerWithUsers, filter: MovementFilter): Promise<MovementFilter> {
  return { ...filter, actor: await actorFor(db, viewer, filter.actor) };
}

/** The CSV of the movements that match, newest first, as the viewer may see it. */
export function movementExport(filter: MovementFilter, viewer: ViewerWithUsers): CsvFile<Movement> {
  return {
    name: "movements.csv",
    columns: movementColumns,
    page: pagesOf(async (db, last, limit) => {
      const after = last === null ? null : ([last.created_at, last.id] as const);
      const shown = await shownTo(db, viewer, filter);
      return withActorsFor(db, viewer, await listMovements(db, shown, { limit, offset: 0, after }));
    }),
    cells: (movement) => movementCells(movement, showsBins(viewer)),
  };
}

const momentOf = (text: string | undefined) => (text === undefined ? undefined : (parseMoment(text) ?? 0));

function filterOf(query: ExportMovements): MovementFilter {
  const { sku, type, location, bin, lot_number, reason, reference, actor } = query;
  return {
    sku,
    type,
    // A warehouse that does not exist has no movements.
    warehouse_id: location === undefined ? undefined : (readId("warehouse", location) ?? 0),
    bin,
    lot_number,
    reason,
    reference,
    actor,
    created_after: momentOf(query.created_after),
    created_before: momentOf(query.created_before),
  };
}
