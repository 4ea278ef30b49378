import { momentOf } from "../../core/clock.ts";
import { type CsvFile, pagesOf } from "../../http/csv_response.ts";
import { exportCsv, list, routes } from "../../http/routes.ts";
import { retention } from "../../storage/retention.ts";
import { type AuditLogEntry, entryCells, entryColumns, entryView } from "./audit_entry.ts";
import { EntryView, ExportAuditEntries, ListAuditEntries } from "./audit_log.schema.ts";
import { type AuditEntryFilter, countEntries, listEntries } from "./audit_log.sql.ts";

/** The routes of the audit log, which covers both environments and is in the live store. */
export const auditRoutes = routes("Audit trail", [
  list("/audit", "audit.read", {
    id: "listAuditEntries",
    summary: "List the audit trail, newest first",
    description:
      "Changes by users in both environments, changes of settings by keys (keys, users, webhooks, platforms," +
      " carrier accounts, prices, warehouses), successful and failed sign-ins, and commands on the command" +
      " line. It does not contain refused requests, nor orders and stock that keys write. Entries are kept for" +
      ` ${retention.audit_trail.usual} days by default (\`PATCH /settings/retention\`).` +
      " Only live keys may read it.",
    query: ListAuditEntries,
    view: EntryView,
    listing: ({ query }) => {
      const filter = filterOf(query);
      return {
        rows: (db, window) => listEntries(db, filter, window),
        count: (db) => countEntries(db, filter),
        position: ({ created_at, id }) => [created_at, id],
      };
    },
    views: (entries) => entries.map(entryView),
  }),
  exportCsv("/audit/export.csv", "audit.read", {
    id: "exportAuditEntries",
    summary: "Export the audit trail as CSV",
    query: ExportAuditEntries,
    file: ({ query }) => sheetOf(filterOf(query)),
  }),
]);

const filterOf = ({ actor, action, target, world, from, to, q }: ExportAuditEntries): AuditEntryFilter => ({
  actor,
  action,
  target,
  world,
  q,
  from: momentOf(from),
  to: momentOf(to),
});

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
