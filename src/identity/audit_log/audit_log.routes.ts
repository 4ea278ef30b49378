import { type CsvFile, pagesOf } from "../../http/csv_response.ts";
import { exportCsv, list, routes } from "../../http/routes.ts";
import { retention } from "../../storage/retention.ts";
import { type AuditLogEntry, entryCells, entryColumns, entryView } from "./audit_entry.ts";
import { EntryView } from "./audit_log.schema.ts";
import { auditList } from "./audit_log.sql.ts";

/** The routes of the audit log, which covers both environments and is in the live store. */
export const auditRoutes = routes("Audit trail", [
  list("/audit", "audit.read", {
    id: "listAuditEntries",
    summary: "List the audit trail, newest first",
    description:
      "Changes by users in both environments, changes of settings by keys (keys, users, webhooks, platforms," +
      " carrier accounts, prices, warehouses), sign-ins, also failed ones, and commands on the command line. It" +
      " contains neither refused requests nor orders and stock that keys write. Entries are kept for" +
      ` ${retention.audit_trail.default} days by default (\`PATCH /settings/retention\`).`,
    of: auditList,
    view: EntryView,
    views: (entries) => entries.map(entryView),
  }),
  exportCsv("/audit/export.csv", "audit.read", {
    id: "exportAuditEntries",
    summary: "Export the audit trail as CSV",
    description:
      "All entries that match the filters, newest first, one per row, without paging. For regular copies, filter by" +
      " `created_after`.",
    query: auditList.export_query,
    file: ({ query }): CsvFile<AuditLogEntry> => ({
      name: "audit.csv",
      columns: entryColumns,
      page: pagesOf((db, last, limit) => auditList.after(db, query, last, limit)),
      cells: entryCells,
    }),
  }),
]);
