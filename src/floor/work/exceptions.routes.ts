import { readIds } from "../../core/ids.ts";
import { list, read, routes } from "../../http/routes.ts";
import { exceptionView } from "./exception.ts";
import { CountExceptions, ExceptionCountsView, ExceptionView, ListExceptions } from "./exceptions.schema.ts";
import { countExceptions, kindsFor, listExceptions, positionOf } from "./exceptions.ts";

/** The list of everything that needs a person. */
export const exceptionRoutes = routes("Floor", [
  list("/exceptions", "any", {
    id: "listExceptions",
    summary: "List what needs a person",
    description:
      "Lists holds, short picks, units to put back, failed labels, prints, imports, reports and stock pushes, failing" +
      " webhooks, lots near expiry, returns to inspect and counts to post, each with its cause and what to do. An" +
      " exception is resolved by resolving its cause, and then leaves the list. Holds with an end, and those of" +
      " suspended merchants, are left out. Callers see the kinds whose records they may see.",
    of: {
      query: ListExceptions,
      listing: ({ call, query }) => {
        const kinds = kindsFor(call).filter((kind) => query.kind?.includes(kind) !== false);
        const filterOf = (now: number) => ({ ...filterIn(query, now), newest_first: query.sort === "-since" });
        return {
          rows: (db, window) => listExceptions(db, kinds, filterOf(db.now), window),
          count: async (db) => sum((await countExceptions(db, kinds, filterOf(db.now))).values()),
          position: positionOf,
        };
      },
    },
    view: ExceptionView,
    views: (rows) => rows.map((row) => exceptionView(row.kind, row.noun, row)),
  }),
  read("/exceptions/counts", "any", {
    id: "countExceptions",
    summary: "Count what needs a person",
    description: "Returns the number of exceptions of each kind that the caller may see.",
    query: CountExceptions,
    view: ExceptionCountsView,
    data: async (db, { call, query }) => {
      const counts = await countExceptions(db, kindsFor(call), { ...filterIn(query, db.now), newest_first: false });
      return { total: sum(counts.values()), kinds: [...counts].map(([kind, count]) => ({ kind, count })) };
    },
  }),
]);

function filterIn({ warehouse_id, min_age_minutes }: CountExceptions, now: number) {
  return {
    warehouse_ids: warehouse_id === undefined ? null : readIds("warehouse", warehouse_id),
    before: min_age_minutes === undefined ? Number.MAX_SAFE_INTEGER : now - min_age_minutes * 60_000 + 1,
  };
}

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, number) => total + number, 0);
