import { Elysia } from "elysia";
import type { Db } from "../../database/store.ts";
import { answerRead } from "../../http/answer.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView, ListView } from "../../http/envelope.ts";
import { answerList } from "../../http/paging.ts";
import { documented } from "../../http/route.ts";
import { missing } from "../../kit/fault.ts";
import { readId } from "../../kit/ids.ts";
import { queryOf } from "../../kit/schema.ts";
import { findEventContents } from "../../outbox/store.ts";
import { deliveryBody } from "../deliveries/delivery.ts";
import { eventFilterOf } from "../schemas.ts";
import { getSubscription } from "../subscriptions/store.ts";
import { attemptView } from "./log.ts";
import { AttemptView, ListAttempts, WholeAttemptView } from "./schemas.ts";
import { countAttempts, findAttempt, listAttempts } from "./store.ts";

/** The log of attempts. */
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
        summary: "Get a delivery attempt with the bytes that were sent",
        answers: { 200: EnvelopedView(WholeAttemptView) },
      }),
    },
  );

/** One entry of the log with the bytes that were sent, made from the event again as for each attempt. */
async function wholeAttempt(db: Db, id: string, log_id: string): Promise<object> {
  const subscription = await getSubscription(db, id);
  const found = await findAttempt(db, subscription.id, readId("attempt", log_id) ?? 0);
  if (found === null) throw missing("attempt", log_id);
  const { delivery } = found;
  const content = (await findEventContents(db, [delivery.event_id])).get(delivery.event_id);
  const made = content === undefined ? "" : deliveryBody(delivery, content);
  const view = attemptView(found.attempt);
  return { ...view, request: { ...view.request, body: delivery.body || made || null } };
}

function listLog(call: Call, id: string, query: ListAttempts): Promise<Response> {
  const asked = { status: query.status, ...eventFilterOf(query) };
  const filter = (subscription_id: number) => ({ subscription_id, ...asked });
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
