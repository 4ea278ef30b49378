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
    description:
      "Every shipped parcel of an imported order is reported to its platform, with tracking number and contents, so" +
      " that the buyer is informed there. This lists the reports, newest first, with the reason if one did not" +
      " succeed.",
    refuses: ["ambiguous_identifier"],
    of: reportList,
    view: ReportView,
    views: (reports) => reports.map(shipmentUpdateView),
  }),
  write("POST", "/platforms/:id/reports/:report_id/retry", "platforms.manage", {
    id: "retryPlatformReport",
    summary: "Retry a shipment report",
    description:
      "Queues a report that is `failed` or `skipped` again, for another five days, with the present lines of the" +
      " order. It is skipped again at once if there is still nothing to report.",
    refuses: ["invalid_state_transition"],
    body: closed({}),
    view: ReportView,
    act: async (tx, { params: { id, report_id } }) => shipmentUpdateView(await retryShipmentUpdate(tx, id, report_id)),
  }),
]);
