import { Elysia } from "elysia";
import { answerWrite } from "../../http/answer.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView, ListView } from "../../http/envelope.ts";
import { answerList } from "../../http/paging.ts";
import { documented } from "../../http/route.ts";
import { queryOf } from "../../kit/schema.ts";
import { eventFilterOf } from "../schemas.ts";
import { getSubscription } from "../subscriptions/store.ts";
import { redeliver } from "./commands.ts";
import { deliveryView } from "./delivery.ts";
import { DeliveryView, ListDeliveries } from "./schemas.ts";
import { countDeliveries, listDeliveries } from "./store.ts";

/** The deliveries of a subscription, and sending them again. */
export const deliveryRoutes = new Elysia({ prefix: "/webhooks" })
  .use(conventions)
  .get("/:id/deliveries", ({ call, params, query }) => list(call, params.id, query), {
    query: queryOf(ListDeliveries),
    detail: documented({
      id: "listWebhookDeliveries",
      needs: "webhooks.read",
      chapter: "Webhooks",
      summary: "List a subscription's deliveries, newest first",
      answers: { 200: ListView(DeliveryView) },
    }),
  })
  .post(
    "/:id/deliveries/:delivery_id/redeliver",
    ({ call, params }) =>
      answerWrite(call, 202, async (tx) => deliveryView(await redeliver(tx, params.id, params.delivery_id))),
    {
      detail: documented({
        id: "redeliverWebhookDelivery",
        needs: "webhooks.manage",
        chapter: "Webhooks",
        summary: "Redeliver a delivery",
        refuses: ["invalid_state_transition", "payload_expired", "subscription_disabled"],
        answers: { 202: EnvelopedView(DeliveryView) },
      }),
    },
  );

function list(call: Call, id: string, query: ListDeliveries): Promise<Response> {
  const asked = { status: query.status, ...eventFilterOf(query) };
  const filter = (subscription_id: number) => ({ subscription_id, ...asked });
  return answerList(
    call,
    query,
    {
      rows: async (db, window) => listDeliveries(db, filter((await getSubscription(db, id)).id), window),
      count: async (db) => countDeliveries(db, filter((await getSubscription(db, id)).id)),
      position: (delivery) => [delivery.sequence, delivery.id],
    },
    (deliveries) => deliveries.map(deliveryView),
  );
}
