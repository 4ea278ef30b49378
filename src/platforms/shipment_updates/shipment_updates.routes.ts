import { Elysia } from "elysia";
import { bodyOf, closed, queryOf } from "../../core/schema.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView, ListView } from "../../http/envelope.ts";
import { answerList } from "../../http/pagination.ts";
import { answerWrite } from "../../http/response.ts";
import { documented } from "../../http/route.ts";
import { findOrderId } from "../../orders/lifecycle/order_lookup.sql.ts";
import type { Db } from "../../storage/database.ts";
import { getConnection } from "../connections.sql.ts";
import { ListReports, ReportView } from "../platforms.schema.ts";
import { shipmentUpdateView } from "./shipment_update.ts";
import { countReports, listReports } from "./shipment_updates.sql.ts";
import { retryShipmentUpdate } from "./shipment_updates.ts";

/** Routes of the shipment reports of a connected store. */
export const reportRoutes = new Elysia({ prefix: "/platforms" })
  .use(conventions)
  .get("/:id/reports", ({ call, params, query }) => list(call, params.id, query), {
    query: queryOf(ListReports),
    detail: documented({
      id: "listPlatformReports",
      needs: "platforms.manage",
      chapter: "Platforms",
      summary: "List the shipment reports of a store",
      refuses: ["ambiguous_identifier"],
      answers: { 200: ListView(ReportView) },
    }),
  })
  .post(
    "/:id/reports/:report_id/retry",
    ({ call, params }) =>
      answerWrite(call, 200, async (tx) =>
        shipmentUpdateView(await retryShipmentUpdate(tx, params.id, params.report_id)),
      ),
    {
      body: bodyOf(closed({})),
      detail: documented({
        id: "retryPlatformReport",
        needs: "platforms.manage",
        chapter: "Platforms",
        summary: "Retry a shipment report",
        refuses: ["invalid_state_transition"],
        answers: { 200: EnvelopedView(ReportView) },
      }),
    },
  );

async function list(call: Call, id: string, query: ListReports): Promise<Response> {
  const { status, order_id: name } = query;
  const orderIdOf = async (db: Db) =>
    name === undefined ? undefined : ((await findOrderId(db, name, "order_id")) ?? 0);
  const filter = { status, order_id: await call.store.read(orderIdOf) };
  return answerList(
    call,
    query,
    {
      rows: async (db, window) => listReports(db, (await getConnection(db, id)).id, filter, window),
      count: async (db) => countReports(db, (await getConnection(db, id)).id, filter),
      position: ({ created_at, id: last }) => [created_at, last],
    },
    (reports) => reports.map(shipmentUpdateView),
  );
}
