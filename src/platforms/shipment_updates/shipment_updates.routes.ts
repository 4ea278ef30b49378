import { closed } from "../../core/schema.ts";
import { list, routes, write } from "../../http/routes.ts";
import { findOrderId } from "../../orders/lifecycle/order_lookup.sql.ts";
import type { Db } from "../../storage/database.ts";
import { getConnection } from "../connections.sql.ts";
import { ListReports, ReportView } from "../platforms.schema.ts";
import { shipmentUpdateView } from "./shipment_update.ts";
import { countReports, listReports } from "./shipment_updates.sql.ts";
import { retryShipmentUpdate } from "./shipment_updates.ts";

/** Routes of the shipment reports of a connected store. */
export const reportRoutes = routes("Platforms", [
  list("/platforms/:id/reports", "platforms.manage", {
    id: "listPlatformReports",
    summary: "List the shipment reports of a store",
    refuses: ["ambiguous_identifier"],
    query: ListReports,
    view: ReportView,
    listing: async ({ call, params, query: { status, order_id: name } }) => {
      const orderIdOf = async (db: Db) =>
        name === undefined ? undefined : ((await findOrderId(db, name, "order_id")) ?? 0);
      const filter = { status, order_id: await call.store.read(orderIdOf) };
      return {
        rows: async (db, window) => listReports(db, (await getConnection(db, params.id)).id, filter, window),
        count: async (db) => countReports(db, (await getConnection(db, params.id)).id, filter),
        position: ({ created_at, id }) => [created_at, id],
      };
    },
    views: (reports) => reports.map(shipmentUpdateView),
  }),
  write("POST", "/platforms/:id/reports/:report_id/retry", "platforms.manage", {
    id: "retryPlatformReport",
    summary: "Retry a shipment report",
    refuses: ["invalid_state_transition"],
    body: closed({}),
    view: ReportView,
    act: async (tx, { params: { id, report_id } }) => shipmentUpdateView(await retryShipmentUpdate(tx, id, report_id)),
  }),
]);
