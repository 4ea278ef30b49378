import { Elysia } from "elysia";
import { seal } from "../core/crypto.ts";
import { Fault, invalid } from "../core/faults.ts";
import { readId } from "../core/ids.ts";
import type { Call } from "../http/call.ts";
import { EnvelopedView, enveloped } from "../http/envelope.ts";
import { requireMatch, tagged } from "../http/preconditions.ts";
import { answerWrite } from "../http/response.ts";
import { list, read, remove, respond, routes, write } from "../http/routes.ts";
import type { Service } from "../http/service.ts";
import { directoryOf, merchantForRequest } from "../merchants/directory.sql.ts";
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
  RotateSecret,
  SubscriptionView,
  UpdateSubscription,
} from "./subscriptions/subscriptions.schema.ts";
import { getSubscription, lockSubscription, subscriptionList } from "./subscriptions/subscriptions.sql.ts";
import {
  createSubscription,
  deleteSubscription,
  merchantsRefused,
  type ResolvedMerchants,
  rotateSecret,
  updateSubscription,
} from "./subscriptions/subscriptions.ts";
import { testEventRoutes } from "./subscriptions/test_events.routes.ts";
import { endAllWaiting, fanOutWaiting } from "./webhooks.jobs.ts";

/** Subscriptions of receivers. */
const subscriptionRoutes = (service: Service) => routes("Webhooks", [...recordRows(service), ...changeRows(service)]);

const recordRows = (service: Service) => [
  write("POST", "/webhooks", "webhooks.manage", {
    id: "createWebhook",
    summary: "Create a webhook subscription",
    description:
      "Events that happen from now on are sent to the URL by POST, signed with the `secret`, which only this response" +
      " contains. There can be 50 subscriptions of the operator and of each merchant, but no two with the same URL," +
      " version, events and merchants.",
    refuses: ["blocked_address", "duplicate_subscription", "subscription_limit"],
    tagged: true,
    body: CreateSubscription,
    view: CreatedSubscriptionView,
    status: 201,
    secret_key: service.secret_key,
    long: true,
    // The address is checked before the transaction, since a name may have to be resolved.
    prepare: async ({ call, body }) => {
      const merchant_id = (await merchantForRequest(call, body.merchant_id)) ?? null;
      const found = { ...(await withFound(call, body)), merchant_id };
      await refuseAddress(call, body.url, { merchant_id }, service);
      await fanOutWaiting(call.store.base);
      return { found, secret: randomSecret() };
    },
    act: async (tx, { prepared: { found, secret } }) => {
      const sealed = seal(secret, service.secret_key, secret_purpose);
      const begins_after = await fanOutAll(tx.scoped(unscoped));
      return withSecret(await createSubscription(tx, found, sealed, begins_after), { secret });
    },
  }),
  list("/webhooks", "webhooks.read", {
    id: "listWebhooks",
    summary: "List subscriptions",
    description:
      "Webhook subscriptions with the health of their receivers. The operator's keys see those of merchants as well;" +
      " a merchant's key sees only its own. Secrets are never shown.",
    of: subscriptionList,
    view: SubscriptionView,
    views: (subscriptions) => subscriptions.map(subscriptionView),
  }),
  read("/webhooks/:id", "webhooks.read", {
    id: "getWebhook",
    summary: "Get a subscription",
    description:
      "Returns its settings and the health of its receiver: recent failures, whether sending is throttled, and how" +
      " many deliveries were skipped. The secret is not shown: rotate it if it is lost.",
    tagged: true,
    view: SubscriptionView,
    data: async (db, { params }) => subscriptionAnswer(await getSubscription(db, params.id)),
  }),
];

const changeRows = (service: Service) => [
  write("PATCH", "/webhooks/:id", "webhooks.manage", {
    id: "updateWebhook",
    summary: "Update, pause or resume a subscription",
    description:
      "`active: false` pauses it: pending deliveries are skipped, and so are new ones. `active: true` resumes a" +
      " paused or disabled one and clears its failures; what it missed is not sent unless you start a recovery. A new" +
      " URL also applies to pending deliveries.",
    refuses: ["blocked_address", "duplicate_subscription", "immutable_field"],
    tagged: true,
    body: UpdateSubscription,
    view: SubscriptionView,
    long: true,
    prepare: async ({ call, params, body }) => {
      const found = await withFound(call, body);
      if (body.url !== undefined) {
        const owner = await call.store.read((db) => getSubscription(db, params.id));
        await refuseAddress(call, body.url, owner, service);
      }
      if (body.active) await endAllWaiting(call.store.base);
      return found;
    },
    matches: async (tx, { params }) => subscriptionAnswer(await lockSubscription(tx, params.id)),
    act: async (tx, { params, prepared }) => subscriptionAnswer(await updateSubscription(tx, params.id, prepared)),
  }),
  remove("/webhooks/:id", "webhooks.manage", {
    id: "deleteWebhook",
    summary: "Delete a subscription",
    description:
      "Stops sending at once, cancels pending deliveries and deletes the secret. Its deliveries and its log can no" +
      " longer be read. To stop for a while, pause it instead.",
    noun: "subscription",
    matches: async (tx, { params }) => subscriptionAnswer(await lockSubscription(tx, params.id)),
    act: (tx, { params }) => deleteSubscription(tx, params.id),
  }),
  respond("POST", "/webhooks/:id/rotate_secret", "webhooks.manage", {
    id: "rotateWebhookSecret",
    summary: "Rotate the signing secret of a subscription",
    description:
      "Sets a new secret, which only this response contains. During the overlap, requests are signed with both" +
      " secrets, so that the receiver can switch without losing events. During an overlap, only a rotation with" +
      " `overlap_seconds: 0` is accepted.",
    refuses: ["rotation_in_progress"],
    tagged: true,
    body: RotateSecret,
    matches: true,
    answers: { 200: EnvelopedView(CreatedSubscriptionView) },
    answer: ({ call, params, body }) => rotate(call, params.id, body, service),
  }),
];

/**
 * Resolves the merchants in a client's input to sorted, unique ids. An unknown merchant is refused, and a merchant may
 * not name any. Refuses: validation_failed.
 */
async function withFound<Input extends Pick<UpdateSubscription, "merchants">>(
  { merchant_id, store }: Call,
  { merchants, ...input }: Input,
): Promise<ResolvedMerchants<Input>> {
  if (merchants === undefined || merchants === null) return { ...input, ...(merchants === null && { merchants }) };
  if (merchant_id !== null) throw merchantsRefused();
  const known = await directoryOf(store).now();
  const ids = merchants.map((name, at) => {
    const found = known.named(name);
    if (found === null) throw unknownMerchant(`merchants[${at}]`);
    return found.id;
  });
  return { ...input, merchants: [...new Set(ids)].sort((one, other) => one - other) };
}

/** Refuses a URL that webhooks of this owner may not call. */
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

/** A subscription as answers about it alone show it. Its receiver's health changes without a new revision. */
const subscriptionAnswer = (subscription: Subscription) => withSecret(subscription, {});

function withSecret<Secret extends { readonly secret?: string }>(subscription: Subscription, secret: Secret) {
  const view = subscriptionView(subscription);
  return tagged({ ...view, ...secret }, subscription.revision, view);
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
      await requireMatch(call, async () => subscriptionAnswer(await lockSubscription(tx, id)));
      return withSecret(await rotateSecret(tx, id, sealed, overlap_seconds), { secret });
    },
    enveloped,
    service.secret_key,
  );
  // A receiver that switches to the new secret immediately must not get anything signed only with the old one.
  await requestsWritten(call.store.base, readId("subscription", id) ?? 0);
  return answer;
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
