import type { Static } from "@sinclair/typebox";
import type { PageWindow } from "../../core/schema.ts";
import { type CsvFile, pagesOf } from "../../http/csv_response.ts";
import { exportCsv, list, routes } from "../../http/routes.ts";
import { actorsFor, type ViewerWithUsers, viewerOf, withActorsFor } from "../../identity/actors.sql.ts";
import type { Db } from "../../storage/database.ts";
import { refuseBins, showsBins } from "../warehouses/bin_visibility.ts";
import { movementList } from "./ledger.sql.ts";
import { MovementView } from "./movement.schema.ts";
import { type Movement, movementCells, movementColumns, movementView } from "./movement.ts";

/** The ledger: every change of a quantity, as a list and as CSV. */
export const movementRoutes = routes("Warehouses", [
  list("/inventory/movements", "stock.read", {
    id: "listMovements",
    summary: "List inventory movements",
    description:
      "The stock ledger, newest first: every change of the units on hand, with its reason, its actor and the record" +
      " that caused it. Movements are never changed or deleted. Merchants see warehouses instead of bins.",
    of: {
      query: movementList.query,
      listing: async (input) => {
        const { call, query } = input;
        refuseBins(call, { bin: query.bin });
        const viewer = await viewerOf(call);
        return {
          ...movementList.listing(input),
          rows: (db, window) => listShown(db, viewer, query, window),
          count: async (db) => movementList.count(db, await shownTo(db, viewer, query)),
        };
      },
    },
    view: MovementView,
    views: (movements, _, { call }) => movements.map((movement) => movementView(movement, showsBins(call))),
  }),
  exportCsv("/inventory/movements/export.csv", "stock.read", {
    id: "exportMovements",
    summary: "Export inventory movements as CSV",
    description:
      "The movements that match the filters, newest first, one row each. Columns are named as the fields of the" +
      " list; `reference` and `actor` have two columns each.",
    query: movementList.export_query,
    file: async ({ call, query }) => {
      refuseBins(call, { bin: query.bin });
      return movementExport(query, await viewerOf(call));
    },
  }),
]);

type MovementQuery = Static<typeof movementList.export_query>;

/** The query, with its actors limited to those that the viewer can see. */
async function shownTo(db: Db, viewer: ViewerWithUsers, query: MovementQuery) {
  return { ...query, actor: await actorsFor(db, viewer, query.actor) };
}

async function listShown(db: Db, viewer: ViewerWithUsers, query: MovementQuery, window: PageWindow) {
  return withActorsFor(db, viewer, await movementList.rows(db, await shownTo(db, viewer, query), window));
}

/** The CSV of the movements that match, newest first, as the viewer may see it. */
export function movementExport(query: MovementQuery, viewer: ViewerWithUsers): CsvFile<Movement> {
  return {
    name: "movements.csv",
    columns: movementColumns,
    page: pagesOf((db, last, limit) => {
      const after = last === null ? null : ([last.created_at, last.id] as const);
      return listShown(db, viewer, query, { limit, offset: 0, after });
    }),
    cells: (movement) => movementCells(movement, showsBins(viewer)),
  };
}
