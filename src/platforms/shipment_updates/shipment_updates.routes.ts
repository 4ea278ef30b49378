import { closed } from "../../core/schema.ts";
import { list, routes, write } from "../../http/routes.ts";
import { ReportView } from "../platforms.schema.ts";
import { shipmentUpdateView } from "./shipment_update.ts";
import { reportList } from "./shipment_updates.sql.ts";
import { retryShipmentUpdate } from "./shipment_updates.ts";

/** Routes of the shipment reports of a connected store. */
export const reportRoutes = routes("Platforms", [
  list("/platforms/:id/reports", "platforms.manage", {
    id: "listPlatformReports",
    summary: "List the shipment reports of a store",
    refuses: ["ambiguous_identifier"],
    of: reportList,
    view: ReportView,
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
