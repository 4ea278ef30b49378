import { Elysia } from "elysia";
import type { Call } from "../http/call.ts";
import { conventions } from "../http/conventions.ts";
import { answerCsv, type CsvFile, pagesOf } from "../http/csv.ts";
import { ListView } from "../http/envelope.ts";
import { answerList } from "../http/paging.ts";
import { documented } from "../http/route.ts";
import { momentOf } from "../kit/clock.ts";
import { queryOf } from "../kit/schema.ts";
import { retention } from "../retention/rules.ts";
import { type Entry, entryCells, entryColumns, entryView } from "./entry.ts";
import { EntryView, ExportEntries, ListEntries } from "./schemas.ts";
import { countEntries, type EntryFilter, listEntries } from "./store.ts";

/** The audit trail: one for both worlds, in the live store. */
export const auditRoutes = new Elysia({ prefix: "/audit" })
  .use(conventions)
  .get("", ({ call, query }) => list(call, query), {
    query: queryOf(ListEntries),
    detail: documented({
      id: "listAuditEntries",
      needs: "audit.read",
      chapter: "Audit trail",
      summary: "List the audit trail, newest first",
      description:
        "Every act of a user in either world, changes of settings by keys (keys, users, webhooks, platforms," +
        " carrier accounts, prices, warehouses), successful and failed sign-ins, and acts on the command" +
        " line. It does not contain refused requests, nor orders and stock that keys write. An entry is kept for" +
        ` ${retention.audit_trail.usual} days unless the house says otherwise (\`PATCH /settings/retention\`).` +
        " Only keys of the live world may read it.",
      answers: { 200: ListView(EntryView) },
    }),
  })
  .get("/export.csv", ({ call, query }) => answerCsv(call, sheetOf(filterOf(query)), query), {
    query: queryOf(ExportEntries),
    detail: documented({
      id: "exportAuditEntries",
      needs: "audit.read",
      chapter: "Audit trail",
      summary: "Export the audit trail as CSV",
      documents: ["text/csv"],
      answers: { 200: null },
    }),
  });

const filterOf = ({ actor, action, target, world, from, to, q }: ExportEntries): EntryFilter => ({
  actor,
  action,
  target,
  world,
  q,
  from: momentOf(from),
  to: momentOf(to),
});

function list(call: Call, query: ListEntries): Promise<Response> {
  const filter = filterOf(query);
  return answerList(
    call,
    query,
    {
      rows: (db, window) => listEntries(db, filter, window),
      count: (db) => countEntries(db, filter),
      position: ({ created_at, id }) => [created_at, id],
    },
    (entries) => entries.map(entryView),
  );
}

/** The file of the entries that match, newest first. */
function sheetOf(filter: EntryFilter): CsvFile<Entry> {
  return {
    name: "audit.csv",
    columns: entryColumns,
    page: pagesOf((db, last, limit) => {
      const after = last === null ? null : ([last.created_at, last.id] as const);
      return listEntries(db, filter, { limit, offset: 0, after });
    }),
    cells: entryCells,
  };
}
