import { Elysia } from "elysia";
import { assert, Fault, invalid } from "../core/faults.ts";
import type { Call } from "../http/call.ts";
import { originOf } from "../http/origin.ts";
import { taggedByRevision } from "../http/preconditions.ts";
import { list, read, remove, routes, write } from "../http/routes.ts";
import type { Service } from "../http/service.ts";
import { outboundOf } from "../outbound/caller.ts";
import type { Db } from "../storage/database.ts";
import { callbackUrl, connectionView, defaultApi, storeOf } from "./connection.ts";
import { healthOf } from "./connection_health.sql.ts";
import { healthView, warningsOf } from "./connection_state.ts";
import { connectionList, getConnection, lockConnection } from "./connections.sql.ts";
import { createConnection, deleteConnection, updateConnection } from "./connections.ts";
import { accessTo } from "./connectors/call_platform.ts";
import { connectors } from "./connectors/connectors.ts";
import { importRoutes } from "./imports/imports.routes.ts";
import { notificationRoutes } from "./imports/notifications.routes.ts";
import type { StoreConnection } from "./platform.ts";
import {
  type ConnectionCheck,
  ConnectionTestView,
  ConnectionView,
  CreateConnection,
  TestConnection,
  UpdateConnection,
} from "./platforms.schema.ts";
import { reportRoutes } from "./shipment_updates/shipment_updates.routes.ts";
import { stockRoutes } from "./stock_updates/stock_updates.routes.ts";
import { testConnection } from "./test_connection.ts";

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
      viewOf(service, call)(tx, await createConnection(tx, body, ownerOf(call, service))),
  }),
  list("/platforms", "platforms.manage", {
    id: "listPlatforms",
    summary: "List connected stores",
    description:
      "Returns the stores with their settings and callback URLs. Of each secret, only its last four characters are" +
      " shown.",
    of: connectionList,
    view: ConnectionView,
    views: (connections, db, { call }) => viewsOf(service, call)(db, connections),
  }),
  read("/platforms/:id", "platforms.manage", {
    id: "getPlatform",
    summary: "Get a connected store",
    description:
      "Shows the callback URL to enter at the platform and which secrets are set. For its orders, see `GET" +
      " /platforms/{id}/imports`.",
    view: ConnectionView,
    data: async (db, { call, params }) => viewOf(service, call)(db, await getConnection(db, params.id)),
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
    matches: async (tx, { call, params }) => viewOf(service, call)(tx, await lockConnection(tx, params.id)),
    act: async (tx, { call, params, body }) =>
      viewOf(service, call)(tx, await updateConnection(tx, params.id, body, ownerOf(call, service))),
  }),
  write("POST", "/platforms/:id/test", "platforms.manage", {
    id: "testPlatform",
    summary: "Test a connected store",
    description:
      "Calls the platform and returns a line for the credentials, each scope, the webhooks, the locations and the" +
      " addresses: whether it works, and what to do. Nothing is changed there, unless `create_webhooks` is true.",
    body: TestConnection,
    view: ConnectionTestView,
    long: true,
    prepare: ({ call, params, body }) => test(call, params.id, body, service),
    act: async (_tx, { prepared: checks }) => ({ checks }),
  }),
  remove("/platforms/:id", "platforms.manage", {
    id: "deletePlatform",
    summary: "Disconnect a store and keep its orders",
    description:
      "Deletes the store's secrets and stops importing its orders and reporting parcels to it. Orders that were" +
      " imported stay. Connect it again with `POST /platforms`.",
    noun: "connection",
    matches: async (tx, { call, params }) => viewOf(service, call)(tx, await lockConnection(tx, params.id)),
    act: (tx, { params }) => deleteConnection(tx, params.id),
  }),
];

const ownerOf = ({ merchant_id }: Call, { secret_key }: Service) => ({ is_operator: merchant_id === null, secret_key });

/** Connections as this client sees them. The callback URL starts with the origin that the client used. */
function viewsOf({ secret_key }: Service, call: Call) {
  const origin = originOf(call);
  return async (db: Db, connections: readonly StoreConnection[]) => {
    const ids = connections.map(({ id }) => id);
    const all = await healthOf(db, ids);
    return connections.map((connection) => {
      const health = all.get(connection.id);
      assert(health !== undefined, `connection ${connection.id} exists`);
      const shown = { health: healthView(health), warnings: warningsOf(health) };
      const view = { ...connectionView(connection, secret_key, origin, db.now), ...shown };
      // Its health does not change the connection, so its revision stays.
      return taggedByRevision(view, connection.revision, shown);
    });
  };
}

function viewOf(service: Service, call: Call) {
  const views = viewsOf(service, call);
  return async (db: Db, connection: StoreConnection) => {
    const [view] = await views(db, [connection]);
    assert(view !== undefined, "each connection has a view");
    return view;
  };
}

/** Tests a connection at its platform, outside any transaction. */
async function test(call: Call, id: string, body: TestConnection, service: Service): Promise<ConnectionCheck[]> {
  const { store } = call;
  const connection = await store.read((db) => getConnection(db, id));
  const health = (await store.read((db) => healthOf(db, [connection.id]))).get(connection.id);
  const callback_url = callbackUrl(connection, originOf(call));
  const access = accessTo(connection, store, service);
  return testConnection({ connection, callback_url, health }, access, connectors[connection.platform], body);
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

/** Routes of connected stores, their notifications, imports, shipment reports and stock. */
export const platformRoutes = (service: Service) =>
  new Elysia()
    .use(connectionRoutes(service))
    .use(importRoutes)
    .use(reportRoutes)
    .use(stockRoutes)
    .use(notificationRoutes(service));
