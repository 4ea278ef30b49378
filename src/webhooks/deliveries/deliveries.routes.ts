import { Elysia } from "elysia";
import { missing } from "../../core/faults.ts";
import { readId } from "../../core/ids.ts";
import { bodyOf, queryOf } from "../../core/schema.ts";
import { findEventContents } from "../../events/events.sql.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView, ListView } from "../../http/envelope.ts";
import { answerList } from "../../http/pagination.ts";
import { tagged } from "../../http/preconditions.ts";
import { answerRead, answerWrite } from "../../http/response.ts";
import { documented } from "../../http/route.ts";
import type { Db } from "../../storage/database.ts";
import { getSubscription } from "../subscriptions/subscriptions.sql.ts";
import { attemptView } from "./attempt.ts";
import { countAttempts, findAttempt, listAttempts } from "./attempts.sql.ts";
import {
  AttemptView,
  DeliveryView,
  eventFilterOf,
  ListAttempts,
  ListDeliveries,
  RecoveryView,
  StartRecovery,
  WholeAttemptView,
} from "./deliveries.schema.ts";
import { countDeliveries, listDeliveries } from "./deliveries.sql.ts";
import { redeliver } from "./deliveries.ts";
import { deliveryBody, deliveryView } from "./delivery.ts";
import { startRecovery } from "./recover_deliveries.ts";
import { getRecovery, outcomeOf } from "./recoveries.sql.ts";
import { recoveryView } from "./recovery.ts";

/** Routes of a subscription's deliveries. */
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
  const requested = { status: query.status, ...eventFilterOf(query) };
  const filter = (subscription_id: number) => ({ subscription_id, ...requested });
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

/** Routes of the log of attempts. */
export const logRoutes = new Elysia({ prefix: "/webhooks" })
  .use(conventions)
  .get("/:id/logs", ({ call, params, query }) => listLog(call, params.id, query), {
    query: queryOf(ListAttempts),
    detail: documented({
      id: "listWebhookLogs",
      needs: "webhooks.read",
      chapter: "Webhooks",
      summary: "List the delivery attempts of a subscription",
      answers: { 200: ListView(AttemptView) },
    }),
  })
  .get(
    "/:id/logs/:log_id",
    ({ call, params }) => answerRead(call, (db) => wholeAttempt(db, params.id, params.log_id)),
    {
      detail: documented({
        id: "getWebhookLog",
        needs: "webhooks.read",
        chapter: "Webhooks",
        summary: "Get a delivery attempt with the body that was sent",
        answers: { 200: EnvelopedView(WholeAttemptView) },
      }),
    },
  );

/** Returns a log entry with the body that was sent, rebuilt from the event. */
async function wholeAttempt(db: Db, id: string, log_id: string): Promise<object> {
  const subscription = await getSubscription(db, id);
  const found = await findAttempt(db, subscription.id, readId("attempt", log_id) ?? 0);
  if (found === null) throw missing("attempt", log_id);
  const { delivery } = found;
  const content = (await findEventContents(db, [delivery.event_id])).get(delivery.event_id);
  const rebuilt = content === undefined ? "" : deliveryBody(delivery, content);
  const view = attemptView(found.attempt);
  return { ...view, request: { ...view.request, body: delivery.body || rebuilt || null } };
}

function listLog(call: Call, id: string, query: ListAttempts): Promise<Response> {
  const requested = { status: query.status, ...eventFilterOf(query) };
  const filter = (subscription_id: number) => ({ subscription_id, ...requested });
  return answerList(
    call,
    query,
    {
      rows: async (db, window) => listAttempts(db, filter((await getSubscription(db, id)).id), window),
      count: async (db) => countAttempts(db, filter((await getSubscription(db, id)).id)),
      position: (line) => [line.started_at, line.id],
    },
    (lines) => lines.map(attemptView),
  );
}

/** Routes of recoveries of missed deliveries. */
export const recoveryRoutes = new Elysia({ prefix: "/webhooks" })
  .use(conventions)
  .post(
    "/:id/recover",
    ({ call, params, body }) =>
      answerWrite(call, 202, async (tx) =>
        recoveryView(await startRecovery(tx, params.id, body), { pending: 0, delivered: 0 }),
      ),
    {
      body: bodyOf(StartRecovery),
      detail: documented({
        id: "recoverWebhook",
        needs: "webhooks.manage",
        chapter: "Webhooks",
        summary: "Recover missed deliveries of a subscription",
        refuses: ["subscription_disabled"],
        answers: { 202: EnvelopedView(RecoveryView) },
      }),
    },
  )
  .get(
    "/:id/recover/:job_id",
    ({ call, params }) =>
      answerRead(call, async (db) => {
        const recovery = await getRecovery(db, (await getSubscription(db, params.id)).id, params.job_id);
        return tagged(recoveryView(recovery, await outcomeOf(db, recovery.id)), null);
      }),
    {
      detail: documented({
        id: "getWebhookRecovery",
        needs: "webhooks.read",
        chapter: "Webhooks",
        tagged: true,
        summary: "Get the progress of a recovery",
        answers: { 200: EnvelopedView(RecoveryView) },
      }),
    },
  );
