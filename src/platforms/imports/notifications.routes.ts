// Receives platforms' notifications. BigCommerce sends an API key and names its store. For the others, the callback
// URL names the connection, and the signature proves the sender.

import { Fault } from "../../core/faults.ts";
import { checkOf, shownBodyOf } from "../../core/schema.ts";
import type { Call } from "../../http/call.ts";
import { bare, jsonResponse } from "../../http/envelope.ts";
import { answerWrite } from "../../http/response.ts";
import { respond, routes } from "../../http/routes.ts";
import type { Service } from "../../http/service.ts";
import { partyTime } from "../../outbound/caller.ts";
import type { Store, Tx } from "../../storage/database.ts";
import { credentialsOf, isOfStore } from "../connection.ts";
import { findConnectionByKey, findConnectionsOfStores } from "../connections.sql.ts";
import { connectors } from "../connectors/connectors.ts";
import type { PlatformInbound, PlatformNotification, StoreConnection } from "../platform.ts";
import { AnyNotification, NotificationView, ThinNotification } from "../platforms.schema.ts";
import type { Platform } from "../platforms.transitions.ts";
import { platformActor } from "./import_order.ts";
import { type NotificationAnswer, notificationView, refuseUntimely, takeNotification } from "./notifications.ts";

const later =
  "Queues the import of the order and returns its permanent `order_id`. Repeats get the same response; notifications" +
  " about anything else are ignored.";
const connect_first =
  "`producer`, or else `store_id`, names the store. Connect it first: `POST /platforms` with `platform: bigcommerce`," +
  " the store hash and an `api_token`.";

const notification = {
  // A connection that is deleted concurrently is treated as missing.
  refuses: ["invalid_signature", "resource_missing"],
  sends: "notification",
  answers: { 200: NotificationView },
} as const;

/** The routes that platforms call. Each has its own path, since `/webhooks/:id` is a route too. */
export const notificationRoutes = (service: Service) =>
  routes("Platforms", [
    respond("POST", "/webhooks/bigcommerce/orders", "orders.write", {
      id: "bigcommerceOrder",
      summary: "Receive an order notification from BigCommerce",
      description: `${later}\n\n${connect_first}`,
      ...notification,
      body: shownBodyOf(AnyNotification, ThinNotification),
      answer: ({ call, body }) => fromKnownStore(call, service, body),
    }),
    respond("POST", "/webhooks/shopify/orders", "none", {
      id: "shopifyOrder",
      summary: "Receive an order notification from Shopify",
      description:
        `${later}\n\n` +
        "Shopify calls the `callback_url` of the store, in which `?connection=` names it. `X-Shopify-Hmac-SHA256`" +
        " signs the body.",
      ...notification,
      body: AnyNotification,
      answer: ({ call }) => fromCallback(call, service, "shopify"),
    }),
    respond("POST", "/webhooks/woocommerce/orders", "none", {
      id: "woocommerceOrder",
      summary: "Receive an order notification from WooCommerce",
      description:
        `${later}\n\n` +
        "WooCommerce calls the `callback_url` of the store, in which `?connection=` names it." +
        " `X-WC-Webhook-Signature` signs the body.",
      ...notification,
      body: AnyNotification,
      answer: ({ call }) => fromCallback(call, service, "woocommerce"),
    }),
  ]);

const checkThin = checkOf(ThinNotification);

/** Handles a notification that was sent with an API key. One that is not about orders may have any shape. */
async function fromKnownStore(call: Call, service: Service, body: Record<string, unknown>): Promise<Response> {
  const { scope } = body;
  if (typeof scope !== "string" || scope.startsWith("store/order/")) checkThin(body);
  const platform = "bigcommerce";
  const inbound = { headers: call.request.headers, raw: call.raw_body };
  const notice = connectors[platform].read(inbound);
  const { store } = call;
  refuseUntimely(notice.created_at, partyTime(store));
  const candidates = await store.read((db) => findConnectionsOfStores(db, platform, notice.stores));
  const connection = notice.stores
    .map((name) => candidates.find((candidate) => isOfStore(candidate, [name])))
    .find((match) => match !== undefined);
  if (connection === undefined) {
    if (notice.kind !== "order") return answer(call, notificationView(null, null));
    throw unknownStore();
  }
  requireSignature(connection, inbound, service, store);
  return receive(call, connection, notice);
}

function unknownStore(): Fault {
  const input = "platform bigcommerce, the store hash as store_id, and an api_token";
  const message = `There is no connection to this store. Connect it first: POST /v1/platforms with ${input}.`;
  const problem = "is not a connected store; connect it with POST /v1/platforms";
  return new Fault("resource_missing", message, {
    fields: [{ field: "store_id", code: "resource_missing", message: problem }],
  });
}

/** Handles a notification to a connection's callback URL, which also determines the environment. */
async function fromCallback(call: Call, service: Service, platform: Platform): Promise<Response> {
  const key = new URL(call.request.url).searchParams.get("connection") ?? "";
  const store = key.startsWith("test_") ? service.stores.test : service.stores.live;
  const connection = await store.read((db) => findConnectionByKey(db, key));
  if (connection?.platform !== platform) throw unsigned();
  const inbound = { headers: call.request.headers, raw: call.raw_body };
  const notice = connectors[platform].read(inbound);
  // Platforms send an unsigned ping first.
  if (notice.kind === "ping") return answer(call, notificationView(null, null));
  requireSignature(connection, inbound, service, store);
  // All stores of a Shopify app share one secret, so the store is checked too. In WooCommerce each webhook has its
  // own secret, and a site's name may differ from the connected one.
  if (platform === "shopify" && !isOfStore(connection, notice.stores)) throw unsigned();
  refuseUntimely(notice.created_at, partyTime(store));
  return receive({ ...call, store, actor: platformActor(connection) }, connection, notice);
}

const unsigned = () =>
  new Fault("invalid_signature", "The notification is not signed with the client secret of a connected store.");

function requireSignature(connection: StoreConnection, inbound: PlatformInbound, service: Service, store: Store): void {
  const credentials = credentialsOf(connection, service.secret_key, store.clock.now());
  // A secret that cannot be opened must not count as no secret.
  const isLost = connection.client_secret !== null && credentials.client_secrets.length === 0;
  if (isLost || !connectors[connection.platform].verify(inbound, credentials, partyTime(store))) throw unsigned();
}

function receive(call: Call, connection: StoreConnection, notice: PlatformNotification): Promise<Response> {
  const { kind, external_id } = notice;
  if (kind !== "order" || external_id === null) return answer(call, notificationView(null, null));
  const take = async (tx: Tx): Promise<NotificationAnswer> =>
    JSON.parse(await takeNotification(tx, connection.id, { ...notice, external_id }));
  return answerWrite(call, 200, take, bare);
}

async function answer(call: Call, body: NotificationAnswer): Promise<Response> {
  return jsonResponse(call, 200, JSON.stringify(body));
}
