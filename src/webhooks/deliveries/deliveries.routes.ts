import { missing } from "../../core/faults.ts";
import { readId } from "../../core/ids.ts";
import { findEventContents } from "../../events/events.sql.ts";
import { tagged } from "../../http/preconditions.ts";
import { list, read, routes, write } from "../../http/routes.ts";
import type { Db } from "../../storage/database.ts";
import { getSubscription } from "../subscriptions/subscriptions.sql.ts";
import { attemptView } from "./attempt.ts";
import { attemptList, findAttempt } from "./attempts.sql.ts";
import { AttemptView, DeliveryView, RecoveryView, StartRecovery, WholeAttemptView } from "./deliveries.schema.ts";
import { deliveryList } from "./deliveries.sql.ts";
import { redeliver } from "./deliveries.ts";
import { deliveryBody, deliveryView } from "./delivery.ts";
import { startRecovery } from "./recover_deliveries.ts";
import { getRecovery, outcomeOf } from "./recoveries.sql.ts";
import { recoveryView } from "./recovery.ts";

/** Routes of a subscription's deliveries. */
export const deliveryRoutes = routes("Webhooks", [
  list("/webhooks/:id/deliveries", "webhooks.read", {
    id: "listWebhookDeliveries",
    summary: "List a subscription's deliveries, newest first",
    description:
      "One delivery for each event that the subscription covers, with its state, including skipped ones. For the" +
      " single attempts and the responses, see `GET /webhooks/{id}/logs`. Test events are only there.",
    of: deliveryList,
    view: DeliveryView,
    views: (deliveries) => deliveries.map(deliveryView),
  }),
  write("POST", "/webhooks/:id/deliveries/:delivery_id/redeliver", "webhooks.manage", {
    id: "redeliverWebhookDelivery",
    summary: "Redeliver a delivery",
    description:
      "Queues a delivery in any state to be sent now, with the same event id and body and a new set of retries. The" +
      " subscription must not be paused or disabled. Repeating it sends the event again, so the receiver should" +
      " ignore ids that it knows.",
    refuses: ["invalid_state_transition", "payload_expired", "subscription_disabled"],
    view: DeliveryView,
    status: 202,
    act: async (tx, { params: { id, delivery_id } }) => deliveryView(await redeliver(tx, id, delivery_id)),
  }),
]);

/** Routes of recoveries of missed deliveries. */
export const recoveryRoutes = routes("Webhooks", [
  write("POST", "/webhooks/:id/recoveries", "webhooks.manage", {
    id: "recoverWebhook",
    summary: "Recover missed deliveries of a subscription",
    description:
      "Queues the `exhausted` and `skipped` deliveries of a period again, oldest first and at most 10,000, with their" +
      " event ids and a new set of retries. Use it after an outage of the receiver. It goes on after the response:" +
      " follow it with `GET /webhooks/{id}/recoveries/{recovery_id}`.",
    refuses: ["subscription_disabled"],
    body: StartRecovery,
    view: RecoveryView,
    status: 202,
    act: async (tx, { params, body }) =>
      recoveryView(await startRecovery(tx, params.id, body), { pending: 0, delivered: 0 }),
  }),
  read("/webhooks/:id/recoveries/:recovery_id", "webhooks.read", {
    id: "getWebhookRecovery",
    summary: "Get the progress of a recovery",
    description:
      "Shows how many deliveries were queued, delivered and given up. Poll it until `status` is no longer `running`.",
    tagged: true,
    view: RecoveryView,
    data: async (db, { params: { id, recovery_id } }) => {
      const recovery = await getRecovery(db, (await getSubscription(db, id)).id, recovery_id);
      return tagged(recoveryView(recovery, await outcomeOf(db, recovery.id)), null);
    },
  }),
]);

/** Routes of the log of attempts. */
export const logRoutes = routes("Webhooks", [
  list("/webhooks/:id/logs", "webhooks.read", {
    id: "listWebhookLogs",
    summary: "List the delivery attempts of a subscription",
    description:
      "Every attempt, newest first, with the headers that were sent and the response, including test events. The log" +
      " is kept for 30 days and response bodies for 7, unless the operator changes that. The body that was sent is" +
      " shown by `GET /webhooks/{id}/logs/{log_id}`.",
    of: attemptList,
    view: AttemptView,
    views: (lines) => lines.map(attemptView),
  }),
  read("/webhooks/:id/logs/:log_id", "webhooks.read", {
    id: "getWebhookLog",
    summary: "Get a delivery attempt with the body that was sent",
    description:
      "Use it to check a signature or to reproduce a request to the receiver: the headers and the body are exactly" +
      " those that were sent.",
    view: WholeAttemptView,
    data: (db, { params: { id, log_id } }) => wholeAttempt(db, id, log_id),
  }),
]);

/** Returns a log entry with the body that was sent, rebuilt from the event. */
async function wholeAttempt(db: Db, id: string, log_id: string) {
  const subscription = await getSubscription(db, id);
  const found = await findAttempt(db, subscription.id, readId("attempt", log_id) ?? 0);
  if (found === null) throw missing("attempt", log_id);
  const { delivery } = found;
  const content = (await findEventContents(db, [delivery.event_id])).get(delivery.event_id);
  const rebuilt = content === undefined ? "" : deliveryBody(delivery, content);
  const view = attemptView(found.attempt);
  return { ...view, request: { ...view.request, body: delivery.body || rebuilt || null } };
}
