import { Elysia } from "elysia";
import { answerRead, answerWrite, jsonResponse } from "../http/answer.ts";
import type { Call } from "../http/call.ts";
import { conventions } from "../http/conventions.ts";
import { EnvelopedView, enveloped, ListView } from "../http/envelope.ts";
import { answerList } from "../http/paging.ts";
import { documented } from "../http/route.ts";
import type { Service } from "../http/service.ts";
import { momentOf } from "../kit/clock.ts";
import { Fault, invalid } from "../kit/fault.ts";
import { wireId } from "../kit/ids.ts";
import { bodyOf, queryOf } from "../kit/schema.ts";
import { seal } from "../kit/seal.ts";
import type { EventType } from "../outbox/catalog.ts";
import { attemptStatus } from "./attempt.ts";
import { eventDescriptions } from "./catalog.ts";
import { beginTest, createSubscription, endTest } from "./commands.ts";
import { attemptView, type Finished } from "./delivery.ts";
import { attempt, senderOf } from "./jobs.ts";
import {
  AttemptView,
  CreatedSubscriptionView,
  CreateSubscription,
  ListAttempts,
  ListSubscriptions,
  SendTest,
  SubscriptionView,
  TestView,
} from "./schemas.ts";
import { newSecret, secret_bytes } from "./signing.ts";
import { countAttempts, countSubscriptions, getSubscription, listAttempts, listSubscriptions } from "./store.ts";
import { secret_purpose, subscriptionView } from "./subscription.ts";

/** Subscriptions of receivers, test events, and the log of what was sent. */
export const webhookRoutes = (service: Service) =>
  new Elysia({ prefix: "/webhooks" })
    .use(conventions)
    .post("", ({ call, body }) => create(call, body, service), {
      body: bodyOf(CreateSubscription),
      detail: documented({
        id: "createWebhook",
        summary: "Subscribe a receiver to types of events",
        answers: { 201: EnvelopedView(CreatedSubscriptionView) },
      }),
    })
    .get("", ({ call, query }) => list(call, query), {
      query: queryOf(ListSubscriptions),
      detail: documented({
        id: "listWebhooks",
        summary: "List subscriptions",
        answers: { 200: ListView(SubscriptionView) },
      }),
    })
    .get(
      "/:id",
      ({ call, params }) => answerRead(call, async (db) => subscriptionView(await getSubscription(db, params.id))),
      {
        detail: documented({
          id: "getWebhook",
          summary: "Get a subscription",
          answers: { 200: EnvelopedView(SubscriptionView) },
        }),
      },
    )
    .post("/:id/test", ({ call, params, body }) => sendTest(call, params.id, body, service), {
      body: bodyOf(SendTest),
      detail: documented({
        id: "testWebhook",
        summary: "Send a test event and wait for the answer",
        answers: { 200: EnvelopedView(TestView) },
      }),
    })
    .get("/:id/logs", ({ call, params, query }) => listLog(call, params.id, query), {
      query: queryOf(ListAttempts),
      detail: documented({
        id: "listWebhookLogs",
        summary: "List the attempts made at a subscription's deliveries",
        answers: { 200: ListView(AttemptView) },
      }),
    });

/** Subscribes a receiver. Its address is checked before, since a name may have to be resolved. */
async function create(call: Call, body: CreateSubscription, service: Service): Promise<Response> {
  const unfit = await senderOf(service, call.store.mode).problem(body.url);
  if (unfit?.code === "blocked_address") {
    throw new Fault("blocked_address", "The receiver's address is not public.", {
      fields: [{ field: "url", ...unfit }],
    });
  }
  if (unfit !== null) throw invalid("url", unfit.message, unfit.code);
  const secret = newSecret(crypto.getRandomValues(new Uint8Array(secret_bytes)));
  const sealed = seal(secret, service.secret_key, secret_purpose);
  return await answerWrite(
    call,
    201,
    async (tx) => ({ ...subscriptionView(await createSubscription(tx, body, sealed)), secret }),
    enveloped,
    service.secret_key,
  );
}

function list(call: Call, query: ListSubscriptions): Promise<Response> {
  return answerList(
    call,
    query,
    {
      rows: listSubscriptions,
      count: countSubscriptions,
      position: ({ created_at, id }) => [created_at, id],
    },
    (subscriptions) => subscriptions.map(subscriptionView),
  );
}

/** Sends the published example of a type of event, once, and answers what came of it. */
async function sendTest(call: Call, id: string, body: SendTest, service: Service): Promise<Response> {
  const { type, data } = exampleOf(body);
  const { store } = call;
  const claim = await store.write((tx) => beginTest(tx, id, type, data));
  const finished = await attempt(claim, store, service, true);
  await store.write((tx) => endTest(tx, finished));
  const answer = enveloped(testView(finished), call.request_id, store.clock.now());
  return jsonResponse(call, 200, JSON.stringify(answer));
}

function exampleOf({ event, event_type }: SendTest) {
  if (event !== undefined && event_type !== undefined && event !== event_type) {
    throw invalid("event_type", "differs from event, which is the same field by another name");
  }
  const type: EventType | undefined = event ?? event_type;
  if (type === undefined) throw invalid("event", "is required", "required");
  return { type, data: eventDescriptions[type].example };
}

function testView({ claim, result }: Finished) {
  const { status_code, body, error, duration_ms } = result;
  return {
    delivery_id: wireId("delivery", claim.delivery.id),
    event_id: claim.delivery.event_id,
    event_type: claim.delivery.event_type,
    status: attemptStatus(result),
    response: status_code === null ? null : { status_code, body_excerpt: body },
    error,
    duration_ms,
  };
}

function listLog(call: Call, id: string, query: ListAttempts): Promise<Response> {
  const { status, event_type, event_id } = query;
  const moments = { since: momentOf(query.since), until: momentOf(query.until) };
  const filter = (subscription_id: number) => ({ subscription_id, status, event_type, event_id, ...moments });
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
