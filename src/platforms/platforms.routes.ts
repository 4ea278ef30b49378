import { Elysia } from "elysia";
import { Fault, invalid } from "../core/faults.ts";
import { wireId } from "../core/ids.ts";
import type { Call } from "../http/call.ts";
import { originOf } from "../http/origin.ts";
import { list, read, routes, write } from "../http/routes.ts";
import type { Service } from "../http/service.ts";
import { outboundOf } from "../outbound/caller.ts";
import { connectionView, defaultApi, storeOf } from "./connection.ts";
import { connectionList, getConnection, lockConnection } from "./connections.sql.ts";
import { createConnection, deleteConnection, updateConnection } from "./connections.ts";
import { importRoutes } from "./imports/imports.routes.ts";
import { notificationRoutes } from "./imports/notifications.routes.ts";
import type { StoreConnection } from "./platform.ts";
import { ConnectionView, CreateConnection, DeletedConnectionView, UpdateConnection } from "./platforms.schema.ts";
import { reportRoutes } from "./shipment_updates/shipment_updates.routes.ts";

/** Routes of connections to stores at e-commerce platforms. */
const connectionRoutes = (service: Service) => routes("Platforms", [...recordRows(service), ...changeRows(service)]);

const recordRows = (service: Service) => [
  write("POST", "/platforms", "platforms.manage", {
    id: "createPlatform",
    summary: "Connect a store",
    description:
      "Then enter the `callback_url` at the platform. Its orders are imported as they come in or change, also those" +
      " of the last two days, and shipped parcels are reported back if there is an `api_token` or a `client_id`. A" +
      " store that was connected before gets its old connection back, so that no order is imported twice.",
    refuses: ["blocked_address", "duplicate_connection"],
    body: CreateConnection,
    view: ConnectionView,
    status: 201,
    long: true,
    prepare: ({ call, body: { platform, store_id, api_url } }) =>
      refuseAddress(call, api_url ?? defaultApi(platform, storeOf(platform, store_id)), service),
    act: async (tx, { call, body }) =>
      viewOf(service, call)(await createConnection(tx, body, ownerOf(call, service)), tx.now),
  }),
  list("/platforms", "platforms.manage", {
    id: "listPlatforms",
    summary: "List connected stores",
    description:
      "Returns the stores with their settings and callback URLs. Of each secret, only its last four characters are" +
      " shown.",
    of: connectionList,
    view: ConnectionView,
    views: (connections, db, { call }) => {
      const view = viewOf(service, call);
      return connections.map((connection) => view(connection, db.now));
    },
  }),
  read("/platforms/:id", "platforms.manage", {
    id: "getPlatform",
    summary: "Get a connected store",
    description:
      "Shows the callback URL to enter at the platform and which secrets are set. For its orders, see `GET" +
      " /platforms/{id}/imports`.",
    view: ConnectionView,
    data: async (db, { call, params }) => viewOf(service, call)(await getConnection(db, params.id), db.now),
  }),
];

const changeRows = (service: Service) => [
  write("PATCH", "/platforms/:id", "platforms.manage", {
    id: "updatePlatform",
    summary: "Update, pause or resume a connected store",
    description:
      "While `paused`, notifications are still accepted, and orders are imported and parcels reported once it is" +
      " `active` again. A new secret or `api_url` also retries everything that failed. Changing `api_url` requires" +
      " the `api_token` again, and changing it or the `client_id` requires the `client_secret` of the Shopify app.",
    refuses: ["blocked_address", "immutable_field"],
    body: UpdateConnection,
    view: ConnectionView,
    long: true,
    prepare: async ({ call, body: { api_url } }) => {
      if (api_url !== undefined) await refuseAddress(call, api_url, service);
    },
    matches: (tx, { params }) => lockConnection(tx, params.id),
    act: async (tx, { call, params, body }) =>
      viewOf(service, call)(await updateConnection(tx, params.id, body, ownerOf(call, service)), tx.now),
  }),
  write("DELETE", "/platforms/:id", "platforms.manage", {
    id: "deletePlatform",
    summary: "Disconnect a store and keep its orders",
    description:
      "Deletes the store's secrets and stops importing its orders and reporting parcels to it. Orders that were" +
      " imported stay. Connect it again with `POST /platforms`.",
    view: DeletedConnectionView,
    matches: (tx, { params }) => lockConnection(tx, params.id),
    act: async (tx, { params }) => {
      const { id } = await deleteConnection(tx, params.id);
      return { id: wireId("connection", id), deleted: true as const };
    },
  }),
];

const ownerOf = ({ merchant_id }: Call, { secret_key }: Service) => ({ is_operator: merchant_id === null, secret_key });

/** The connection as this client sees it. The callback URL starts with the origin that the client used. */
function viewOf({ secret_key }: Service, call: Call) {
  const origin = originOf(call);
  return (connection: StoreConnection, now: number) => connectionView(connection, secret_key, origin, now);
}

/** Refuses URLs that the service may not call. This runs before the transaction: it may have to resolve a name. */
async function refuseAddress(call: Call, url: string, service: Service): Promise<void> {
  if (url.includes("?")) throw invalid("api_url", "must not contain a query string");
  const chosen_by = call.merchant_id === null ? "operator" : "merchant";
  const unfit = await outboundOf(service, call.store.mode, chosen_by).problem(url);
  if (unfit?.code === "blocked_address") {
    throw new Fault("blocked_address", "The address of the platform's API is not public.", {
      fields: [{ field: "api_url", ...unfit }],
    });
  }
  if (unfit !== null) throw invalid("api_url", unfit.message, unfit.code);
}

/** Routes of connected stores, their notifications, imports and shipment reports. */
export const platformRoutes = (service: Service) =>
  new Elysia().use(connectionRoutes(service)).use(importRoutes).use(reportRoutes).use(notificationRoutes(service));
