import { Elysia } from "elysia";
import { answerRead, answerWrite } from "../../http/answer.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView, enveloped, ListView } from "../../http/envelope.ts";
import { answerList } from "../../http/paging.ts";
import { documented } from "../../http/route.ts";
import type { Service } from "../../http/service.ts";
import { Fault, invalid } from "../../kit/fault.ts";
import { bodyOf, queryOf } from "../../kit/schema.ts";
import { seal } from "../../kit/seal.ts";
import { senderOf } from "../deliveries/jobs.ts";
import { newSecret, secret_bytes } from "../signing.ts";
import { createSubscription } from "./commands.ts";
import { CreatedSubscriptionView, CreateSubscription, ListSubscriptions, SubscriptionView } from "./schemas.ts";
import { countSubscriptions, getSubscription, listSubscriptions } from "./store.ts";
import { secret_purpose, subscriptionView } from "./subscription.ts";

/** Subscriptions of receivers. */
export const subscriptionRoutes = (service: Service) =>
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
    );

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
