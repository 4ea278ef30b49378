// Notifications of platforms. BigCommerce sends an API key and names its store. The others cannot: their callback
// address names the connection, and the signature of the body is the proof.
import { Elysia } from "elysia";
import { systemClock } from "../../core/clock.ts";
import { Fault } from "../../core/faults.ts";
import { bodyOf, checkOf, shownBodyOf } from "../../core/schema.ts";
import type { RouteNeed } from "../../http/auth/permissions.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { answerWrite, bare, jsonResponse } from "../../http/response.ts";
import { documented } from "../../http/route.ts";
import type { Service } from "../../http/service.ts";
import type { Store } from "../../storage/database.ts";
import { credentialsOf, isOfStore } from "../connection.ts";
import { findConnectionByKey, findConnectionsOfStores } from "../connections.sql.ts";
import { connectors } from "../connectors/connectors.ts";
import type { PlatformInbound, PlatformNotification, StoreConnection } from "../platform.ts";
import { AnyNotification, NotificationView, ThinNotification } from "../platforms.schema.ts";
import type { Platform } from "../platforms.transitions.ts";
import { platformActor } from "./import_order.ts";
import { type NotificationAnswer, notificationView, refuseUntimely, takeNotification } from "./notifications.ts";

/** The addresses that platforms call. Each is written out, since `/webhooks/:id` is a route too. */
export const notificationRoutes = (service: Service) =>
  new Elysia({ prefix: "/webhooks" })
    .use(conventions)
    .post("/bigcommerce/orders", ({ call, body }) => fromKnownStore(call, service, body), {
      body: shownBodyOf(AnyNotification, ThinNotification),
      detail: notification(
        "bigcommerce",
        "orders.write",
        "BigCommerce",
        "`producer`, else `store_id`, names the store.",
      ),
    })
    .post("/shopify/orders", ({ call }) => fromCallback(call, service, "shopify"), {
      body: bodyOf(AnyNotification),
      detail: notification(
        "shopify",
        "none",
        "Shopify",
        "Proven by `X-Shopify-Hmac-SHA256`; `?connection=` names the store.",
      ),
    })
    .post("/woocommerce/orders", ({ call }) => fromCallback(call, service, "woocommerce"), {
      body: bodyOf(AnyNotification),
      detail: notification(
        "woocommerce",
        "none",
        "WooCommerce",
        "Proven by `X-WC-Webhook-Signature`; `?connection=` names the store.",
      ),
    });

function notification(platform: Platform, needs: RouteNeed, name: string, how: string) {
  return documented({
    id: `${platform}Order`,
    needs,
    chapter: "Platforms",
    sends: "notification",
    summary: `Receive an order notification of ${name}`,
    description:
      `${how} A repeat gets the first answer again. Notifications that are not about orders are` +
      " answered and ignored.",
    // A callback whose connection is deleted meanwhile is answered as one that names no connection.
    refuses: ["invalid_signature", "resource_missing"],
    answers: { 200: NotificationView },
  });
}

const checkThin = checkOf(ThinNotification);

/** A notification whose sender has shown an API key. One that is not about orders may have any shape. */
async function fromKnownStore(call: Call, service: Service, body: Record<string, unknown>): Promise<Response> {
  const { scope } = body;
  if (typeof scope !== "string" || scope.startsWith("store/order/")) checkThin(body);
  const platform = "bigcommerce";
  const inbound = { headers: call.request.headers, raw: call.raw_body };
  const told = connectors[platform].read(inbound);
  const { store } = call;
  refuseUntimely(told.created_at, receivedAt(store));
  const found = await store.read((db) => findConnectionsOfStores(db, platform, told.stores));
  const connection = told.stores
    .map((name) => found.find((one) => isOfStore(one, [name])))
    .find((one) => one !== undefined);
  if (connection === undefined) {
    if (told.kind !== "order") return answer(call, notificationView(null, null));
    throw unknownStore();
  }
  proveSignature(connection, inbound, service, store);
  return take(call, connection, told);
}

function unknownStore(): Fault {
  const message = "names no connected store; connect it by POST /platforms";
  return new Fault("resource_missing", "There is no connection to this store.", {
    fields: [{ field: "store_id", code: "resource_missing", message }],
  });
}

/** A notification to the callback address of a connection, which also decides whether its data is live or test. */
async function fromCallback(call: Call, service: Service, platform: Platform): Promise<Response> {
  const key = new URL(call.request.url).searchParams.get("connection") ?? "";
  const store = key.startsWith("test_") ? service.stores.test : service.stores.live;
  const connection = await store.read((db) => findConnectionByKey(db, key));
  if (connection?.platform !== platform) throw unproven();
  const inbound = { headers: call.request.headers, raw: call.raw_body };
  const told = connectors[platform].read(inbound);
  // Platforms try an address before they sign anything.
  if (told.kind === "ping") return answer(call, notificationView(null, null));
  proveSignature(connection, inbound, service, store);
  // All stores of a Shopify app share one secret, so the store's name is checked. In WooCommerce each webhook has
  // its own secret, and a site's own name is not always the one that its owner uses.
  if (platform === "shopify" && !isOfStore(connection, told.stores)) throw unproven();
  refuseUntimely(told.created_at, receivedAt(store));
  return take({ ...call, store, actor: platformActor(connection) }, connection, told);
}

const unproven = () =>
  new Fault("invalid_signature", "This was not signed with the client secret of a" + " connected store.");

function proveSignature(connection: StoreConnection, inbound: PlatformInbound, service: Service, store: Store): void {
  const credentials = credentialsOf(connection, service.secret_key, store.clock.now());
  // A secret that cannot be opened proves nothing, and must not count as no secret.
  const isLost = connection.client_secret !== null && credentials.client_secrets.length === 0;
  if (isLost || !connectors[connection.platform].verify(inbound, credentials, receivedAt(store))) throw unproven();
}

const realTime = systemClock();

/** The time of platforms' signatures is real, whatever the sandbox's clock says. */
const receivedAt = ({ mode, clock }: Store): number => (mode === "live" ? clock.now() : realTime.now());

function take(call: Call, connection: StoreConnection, told: PlatformNotification): Promise<Response> {
  const { kind, external_id } = told;
  if (kind !== "order" || external_id === null) return answer(call, notificationView(null, null));
  const work = (tx: Parameters<typeof takeNotification>[0]) =>
    takeNotification(tx, connection.id, { ...told, external_id });
  return answerWrite(call, 200, async (tx) => JSON.parse(await work(tx)) as NotificationAnswer, bare);
}

async function answer(call: Call, said: NotificationAnswer): Promise<Response> {
  return jsonResponse(call, 200, JSON.stringify(said));
}
