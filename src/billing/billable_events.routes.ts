import type { Static } from "@sinclair/typebox";
import { invalid } from "../core/faults.ts";
import type { Call } from "../http/call.ts";
import { type CsvFile, pagesOf } from "../http/csv_response.ts";
import { exportCsv, list, routes, write } from "../http/routes.ts";
import type { Viewer } from "../identity/actors.sql.ts";
import { showsBins } from "../inventory/warehouses/bin_visibility.ts";
import { calendarAt } from "../inventory/warehouses/warehouses.sql.ts";
import { warehouseNamed } from "../inventory/warehouses/warehouses.ts";
import type { Tx } from "../storage/database.ts";
import { requireOwner } from "../storage/tenant.ts";
import { addProject, reverseProject } from "./bill_facts.ts";
import { type BillableEvent, checkDays, eventCells, eventColumns, eventView } from "./billable_event.ts";
import { billableList } from "./billable_events.sql.ts";
import { AddProject, BillableEventView } from "./billing.schema.ts";
import { storageRoutes } from "./storage_days.routes.ts";

/** The routes of billable events. Invoices are created elsewhere. */
export const billingRoutes = routes("Billing", [
  list("/billing/events", "billing.read", {
    id: "listBillableEvents",
    summary: "List billable events",
    description:
      "Lists what can be charged to merchants, newest day first. Each activity in the warehouse is recorded once, as" +
      " it happens, and never changes. Prices are not included.",
    of: billableList,
    prepare: async ({ query }) => checkDays(query),
    view: BillableEventView,
    views: (events, _, { call }) => events.map((event) => eventView(event, showsBins(call))),
  }),
  exportCsv("/billing/events/export.csv", "billing.read", {
    id: "exportBillableEvents",
    summary: "Export billable events as CSV",
    description:
      "Returns all matching billable events as a CSV file, newest day first, for an invoicing system. `attributes` is" +
      " a JSON column.",
    query: billableList.export_query,
    file: ({ call, query }) => {
      checkDays(query);
      return billableExport(query, call);
    },
  }),
  write("POST", "/billing/events", "billing.write", {
    id: "createBillableEvent",
    summary: "Record time spent for a merchant",
    description:
      "Adds a `project.add` event for special work, such as relabeling. Warehouse work is recorded automatically." +
      " Events cannot be edited: to correct one, send `reversal_of` once and record it again. Repeating it without" +
      " `reversal_of` adds another event.",
    refuses: ["resource_missing"],
    body: AddProject,
    view: BillableEventView,
    status: 201,
    act: (tx, { call, body }) => recordProject(tx, call, body),
  }),
]).use(storageRoutes);

async function recordProject(tx: Tx, call: Call, input: AddProject) {
  const { description, minutes, location, approved_by = null, reversal_of } = input;
  const attributes = { description, approved_by, told_by: call.actor.id };
  if (reversal_of !== undefined) {
    if (minutes !== undefined) throw invalid("minutes", "cannot be given together with reversal_of");
    if (location !== undefined) throw invalid("location", "cannot be given together with reversal_of");
    const timezoneOf = async (id: number) => (await calendarAt(tx, id)).timezone;
    return eventView(await reverseProject(tx, reversal_of, { attributes, timezoneOf }), showsBins(call));
  }
  if (minutes === undefined) throw invalid("minutes", "is required", "required");
  const warehouse = await calendarAt(tx, await warehouseNamed(tx, location, "location"));
  const merchant_id = requireOwner(tx);
  return eventView(await addProject(tx, { merchant_id, warehouse, quantity: minutes, attributes }), showsBins(call));
}

/** The CSV file of the matching events, newest day first, with the attributes that the viewer may see. */
export function billableExport(query: Static<typeof billableList.export_query>, asker: Viewer): CsvFile<BillableEvent> {
  return {
    name: "billable_events.csv",
    columns: eventColumns,
    page: pagesOf((db, last, limit) => billableList.after(db, query, last, limit)),
    cells: (event) => eventCells(event, showsBins(asker)),
  };
}
