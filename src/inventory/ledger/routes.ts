import { Elysia } from "elysia";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { answerCsv, type CsvFile, pagesOf } from "../../http/csv.ts";
import { ListView } from "../../http/envelope.ts";
import { answerList } from "../../http/paging.ts";
import { documented } from "../../http/route.ts";
import { type Asker, withActorsFor } from "../../keys/actors/store.ts";
import { parseMoment } from "../../kit/clock.ts";
import { readId } from "../../kit/ids.ts";
import { queryOf } from "../../kit/schema.ts";
import { refuseBins, showsBins } from "../bin_codes.ts";
import { type Movement, movementCells, movementColumns, movementView } from "./movement.ts";
import { ExportMovements, ListMovements, MovementView } from "./schemas.ts";
import { countMovements, listMovements, type MovementFilter } from "./store.ts";

/** The ledger: every change of a quantity, as a list and as a file. */
export const movementRoutes = new Elysia({ prefix: "/inventory/movements" })
  .use(conventions)
  .get(
    "",
    ({ call, query }) => {
      refuseBins(call, { bin: query.bin });
      const filter = filterOf(query);
      return answerList(
        call,
        query,
        {
          rows: async (db, window) => withActorsFor(db, call, await listMovements(db, filter, window)),
          count: (db) => countMovements(db, filter),
          position: ({ created_at, id }) => [created_at, id],
        },
        (movements) => movements.map((movement) => movementView(movement, showsBins(call))),
      );
    },
    {
      query: queryOf(ListMovements),
      detail: documented({
        id: "listMovements",
        needs: "stock.read",
        chapter: "Warehouses",
        summary: "List inventory movements",
        answers: { 200: ListView(MovementView) },
      }),
    },
  )
  .get("/export.csv", ({ call, query }) => exported(call, query), {
    query: queryOf(ExportMovements),
    detail: documented({
      id: "exportMovements",
      needs: "stock.read",
      chapter: "Warehouses",
      summary: "Export inventory movements as CSV",
      documents: ["text/csv"],
      answers: { 200: null },
    }),
  });

function exported(call: Call, query: ExportMovements): Promise<Response> {
  refuseBins(call, { bin: query.bin });
  return answerCsv(call, movementExport(filterOf(query), call), query);
}

/** The file of the movements that match, newest first, as it is shown to who asks. */
export function movementExport(filter: MovementFilter, asker: Asker): CsvFile<Movement> {
  return {
    name: "movements.csv",
    columns: movementColumns,
    page: pagesOf(async (db, last, limit) => {
      const after = last === null ? null : ([last.created_at, last.id] as const);
      return withActorsFor(db, asker, await listMovements(db, filter, { limit, offset: 0, after }));
    }),
    cells: (movement) => movementCells(movement, showsBins(asker)),
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
