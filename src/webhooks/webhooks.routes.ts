import { Elysia } from "elysia";
import { seal } from "../core/crypto.ts";
import { Fault, invalid } from "../core/faults.ts";
import { readId, wireId } from "../core/ids.ts";
import { bodyOf, queryOf } from "../core/schema.ts";
import type { Call } from "../http/call.ts";
import { conventions } from "../http/conventions.ts";
import { EnvelopedView, enveloped, ListView } from "../http/envelope.ts";
import { answerList } from "../http/pagination.ts";
import { requireMatch, tagged } from "../http/preconditions.ts";
import { answerLongWork, answerRead, answerWrite } from "../http/response.ts";
import { documentedAs } from "../http/route.ts";
import type { Service } from "../http/service.ts";
import { directoryOf, merchantForRequest } from "../merchants/directory.sql.ts";
import type { Tx } from "../storage/database.ts";
import { unscoped } from "../storage/scope.ts";
import { unknownMerchant } from "../storage/tenant.ts";
import { deliveryRoutes, logRoutes, recoveryRoutes } from "./deliveries/deliveries.routes.ts";
import { fanOutAll } from "./deliveries/deliveries.ts";
import { requestsWritten } from "./deliveries/dispatcher.ts";
import { senderOf } from "./deliveries/send_delivery.ts";
import { noticeRoutes } from "./notices.routes.ts";
import {
  newSecret,
  type Subscription,
  secret_bytes,
  secret_purpose,
  secretProblem,
  subscriptionView,
} from "./subscriptions/subscription.ts";
import {
  CreatedSubscriptionView,
  CreateSubscription,
  DeletedSubscriptionView,
  ListSubscriptions,
  RotateSecret,
  SubscriptionView,
  UpdateSubscription,
} from "./subscriptions/subscriptions.schema.ts";
import {
  countSubscriptions,
  getSubscription,
  listSubscriptions,
  lockSubscription,
} from "./subscriptions/subscriptions.sql.ts";
import {
  createSubscription,
  deleteSubscription,
  ofOneMerchant,
  type ResolvedMerchants,
  rotateSecret,
  updateSubscription,
} from "./subscriptions/subscriptions.ts";
import { testEventRoutes } from "./subscriptions/test_events.routes.ts";
import { endAllWaiting, fanOutWaiting } from "./webhooks.jobs.ts";

const managing = documentedAs({ needs: "webhooks.manage", chapter: "Webhooks" });
const reading = documentedAs({ needs: "webhooks.read", chapter: "Webhooks" });

/** Subscriptions of receivers. */
const subscriptionRoutes = (service: Service) =>
  new Elysia({ prefix: "/webhooks" })
    .use(conventions)
    .post("", ({ call, body }) => create(call, body, service), {
      body: bodyOf(CreateSubscription),
      detail: managing({
        id: "createWebhook",
        tagged: true,
        summary: "Create a webhook subscription",
        refuses: ["blocked_address", "duplicate_subscription", "subscription_limit"],
        answers: { 201: EnvelopedView(CreatedSubscriptionView) },
      }),
    })
    .get("", ({ call, query }) => list(call, query), {
      query: queryOf(ListSubscriptions),
      detail: reading({
        id: "listWebhooks",
        summary: "List subscriptions",
        answers: { 200: ListView(SubscriptionView) },
      }),
    })
    .get(
      "/:id",
      ({ call, params }) => answerRead(call, async (db) => subscriptionAnswer(await getSubscription(db, params.id))),
      {
        detail: reading({
          id: "getWebhook",
          tagged: true,
          summary: "Get a subscription",
          answers: { 200: EnvelopedView(SubscriptionView) },
        }),
      },
    )
    .patch("/:id", ({ call, params, body }) => update(call, params.id, body, service), {
      body: bodyOf(UpdateSubscription),
      detail: managing({
        id: "updateWebhook",
        matches: true,
        tagged: true,
        summary: "Update, pause or resume a subscription",
        refuses: ["blocked_address", "duplicate_subscription", "immutable_field"],
        answers: { 200: EnvelopedView(SubscriptionView) },
      }),
    })
    .delete("/:id", ({ call, params }) => remove(call, params.id), {
      detail: managing({
        id: "deleteWebhook",
        matches: true,
        summary: "Delete a subscription",
        answers: { 200: EnvelopedView(DeletedSubscriptionView) },
      }),
    })
    .post("/:id/rotate-secret", ({ call, params, body }) => rotate(call, params.id, body, service), {
      body: bodyOf(RotateSecret),
      detail: managing({
        id: "rotateWebhookSecret",
        matches: true,
        tagged: true,
        summary: "Rotate the signing secret of a subscription",
        refuses: ["rotation_in_progress"],
        answers: { 200: EnvelopedView(CreatedSubscriptionView) },
      }),
    });

/** Subscribes a receiver. Its address is checked before, since a name may have to be resolved. */
function create(call: Call, body: CreateSubscription, service: Service): Promise<Response> {
  const { secret_key } = service;
  const secret = randomSecret();
  const sealed = seal(secret, secret_key, secret_purpose);
  const work = async () => {
    const merchant_id = (await merchantForRequest(call, body.merchant_id)) ?? null;
    const found = { ...(await withFound(call, body)), merchant_id };
    await refuseAddress(call, body.url, { merchant_id }, service);
    await fanOutWaiting(call.store.base);
    const made = async (tx: Tx) =>
      subscriptionAnswer(await createSubscription(tx, found, sealed, await fanOutAll(tx.scoped(unscoped))), { secret });
    return answerWrite(call, 201, made, enveloped, secret_key);
  };
  return answerLongWork(call, work, secret_key);
}

/**
 * What a client says of a subscription, with the ids of the merchants that it names, each once and in order. Refuses:
 * validation_failed, for a merchant that is not there, and for any that a merchant names.
 */
async function withFound<Input extends Pick<UpdateSubscription, "merchants">>(
  { merchant_id, store }: Call,
  { merchants, ...input }: Input,
): Promise<ResolvedMerchants<Input>> {
  if (merchants === undefined || merchants === null) return { ...input, ...(merchants === null && { merchants }) };
  if (merchant_id !== null) throw ofOneMerchant();
  const known = await directoryOf(store).now();
  const ids = merchants.map((name, at) => {
    const found = known.named(name);
    if (found === null) throw unknownMerchant(`merchants[${at}]`);
    return found.id;
  });
  return { ...input, merchants: [...new Set(ids)].sort((one, other) => one - other) };
}

/** Refuses an address that no webhook of this owner may be sent to. */
async function refuseAddress(
  call: Call,
  url: string,
  owner: Pick<Subscription, "merchant_id">,
  service: Service,
): Promise<void> {
  const unfit = await senderOf(service, call.store.mode, owner).problem(url);
  if (unfit?.code === "blocked_address") {
    throw new Fault("blocked_address", "The receiver's address is not public.", {
      fields: [{ field: "url", ...unfit }],
    });
  }
  if (unfit !== null) throw invalid("url", unfit.message, unfit.code);
}

const randomSecret = () => newSecret(crypto.getRandomValues(new Uint8Array(secret_bytes)));

function update(call: Call, id: string, body: UpdateSubscription, service: Service): Promise<Response> {
  return answerLongWork(call, async () => {
    const found = await withFound(call, body);
    if (body.url !== undefined) {
      const owner = await call.store.read((db) => getSubscription(db, id));
      await refuseAddress(call, body.url, owner, service);
    }
    if (body.active) await endAllWaiting(call.store.base);
    return answerWrite(call, 200, async (tx) => {
      await requireRevision(tx, call, id);
      return subscriptionAnswer(await updateSubscription(tx, id, found));
    });
  });
}

/** A subscription as answers about it alone show it. Its receiver's health changes without a new revision. */
function subscriptionAnswer(subscription: Subscription, made: { readonly secret?: string } = {}) {
  const view = subscriptionView(subscription);
  return tagged({ ...view, ...made }, subscription.revision, view);
}

/** Refuses: resource_missing, precondition_failed, malformed_header, unless it is as `If-Match` says. */
function requireRevision(tx: Tx, call: Call, id: string): Promise<void> {
  return requireMatch(call, async () => subscriptionAnswer(await lockSubscription(tx, id)));
}

function remove(call: Call, id: string): Promise<Response> {
  return answerWrite(call, 200, async (tx) => {
    await requireRevision(tx, call, id);
    const { id: deleted_id } = await deleteSubscription(tx, id);
    return { id: wireId("subscription", deleted_id), deleted: true };
  });
}

const overlap_seconds_default = 24 * 3600;

async function rotate(call: Call, id: string, body: RotateSecret, service: Service): Promise<Response> {
  const { secret = randomSecret(), overlap_seconds = overlap_seconds_default } = body;
  const problem = secretProblem(secret);
  if (problem !== null) throw invalid("secret", problem);
  const sealed = seal(secret, service.secret_key, secret_purpose);
  const answer = await answerWrite(
    call,
    200,
    async (tx) => {
      await requireRevision(tx, call, id);
      return subscriptionAnswer(await rotateSecret(tx, id, sealed, overlap_seconds), { secret });
    },
    enveloped,
    service.secret_key,
  );
  // A receiver that switches to the new secret at once must get nothing more that was signed without it.
  await requestsWritten(call.store.base, readId("subscription", id) ?? 0);
  return answer;
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

/** Subscriptions, test events, deliveries and their recovery, the log of attempts, and notices. */
export const webhookRoutes = (service: Service) =>
  new Elysia()
    .use(subscriptionRoutes(service))
    .use(testEventRoutes(service))
    .use(deliveryRoutes)
    .use(recoveryRoutes)
    .use(logRoutes)
    .use(noticeRoutes);
