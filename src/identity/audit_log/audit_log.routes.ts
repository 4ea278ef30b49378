import { Elysia } from "elysia";
import { momentOf } from "../../core/clock.ts";
import { queryOf } from "../../core/schema.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { answerCsv, type CsvFile, pagesOf } from "../../http/csv_response.ts";
import { ListView } from "../../http/envelope.ts";
import { answerList } from "../../http/pagination.ts";
import { documented } from "../../http/route.ts";
import { retention } from "../../storage/retention.ts";
import { type AuditLogEntry, entryCells, entryColumns, entryView } from "./audit_entry.ts";
import { EntryView, ExportAuditEntries, ListAuditEntries } from "./audit_log.schema.ts";
import { type AuditEntryFilter, countEntries, listEntries } from "./audit_log.sql.ts";

/** The routes of the audit log, which covers both environments and is in the live store. */
export const auditRoutes = new Elysia({ prefix: "/audit" })
  .use(conventions)
  .get("", ({ call, query }) => list(call, query), {
    query: queryOf(ListAuditEntries),
    detail: documented({
      id: "listAuditEntries",
      needs: "audit.read",
      chapter: "Audit trail",
      summary: "List the audit trail, newest first",
      description:
        "Changes by users in both environments, changes of settings by keys (keys, users, webhooks, platforms," +
        " carrier accounts, prices, warehouses), successful and failed sign-ins, and commands on the command" +
        " line. It does not contain refused requests, nor orders and stock that keys write. Entries are kept for" +
        ` ${retention.audit_trail.usual} days by default (\`PATCH /settings/retention\`).` +
        " Only live keys may read it.",
      answers: { 200: ListView(EntryView) },
    }),
  })
  .get("/export.csv", ({ call, query }) => answerCsv(call, sheetOf(filterOf(query)), query), {
    query: queryOf(ExportAuditEntries),
    detail: documented({
      id: "exportAuditEntries",
      needs: "audit.read",
      chapter: "Audit trail",
      summary: "Export the audit trail as CSV",
      documents: ["text/csv"],
      answers: { 200: null },
    }),
  });

const filterOf = ({ actor, action, target, world, from, to, q }: ExportAuditEntries): AuditEntryFilter => ({
  actor,
  action,
  target,
  world,
  q,
  from: momentOf(from),
  to: momentOf(to),
});

function list(call: Call, query: ListAuditEntries): Promise<Response> {
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

/** The CSV file of the matching entries, newest first. */
function sheetOf(filter: AuditEntryFilter): CsvFile<AuditLogEntry> {
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
