import { Elysia } from "elysia";
import { Fault, invalid } from "../core/faults.ts";
import { wireId } from "../core/ids.ts";
import { bodyOf, queryOf } from "../core/schema.ts";
import type { Call } from "../http/call.ts";
import { conventions } from "../http/conventions.ts";
import { EnvelopedView, ListView } from "../http/envelope.ts";
import { originOf } from "../http/origin.ts";
import { answerList } from "../http/pagination.ts";
import { requireMatch } from "../http/preconditions.ts";
import { answerLongWork, answerRead, answerWrite } from "../http/response.ts";
import { documented } from "../http/route.ts";
import type { Service } from "../http/service.ts";
import { outboundOf } from "../outbound/caller.ts";
import type { Tx } from "../storage/database.ts";
import { connectionView, defaultApi, storeOf } from "./connection.ts";
import { countConnections, getConnection, listConnections, lockConnection } from "./connections.sql.ts";
import { createConnection, deleteConnection, updateConnection } from "./connections.ts";
import { importRoutes } from "./imports/imports.routes.ts";
import { notificationRoutes } from "./imports/notifications.routes.ts";
import type { StoreConnection } from "./platform.ts";
import {
  ConnectionView,
  CreateConnection,
  DeletedConnectionView,
  ListConnections,
  UpdateConnection,
} from "./platforms.schema.ts";
import { reportRoutes } from "./shipment_updates/shipment_updates.routes.ts";

/** Routes of connections to stores at e-commerce platforms. */
const connectionRoutes = (service: Service) =>
  new Elysia({ prefix: "/platforms" })
    .use(conventions)
    .post("", ({ call, body }) => create(call, body, service), {
      body: bodyOf(CreateConnection),
      detail: documented({
        id: "createPlatform",
        needs: "platforms.manage",
        chapter: "Platforms",
        summary: "Connect a store",
        description:
          "A store that was connected before gets its old connection back, so that no order is imported twice.",
        refuses: ["blocked_address", "duplicate_connection"],
        answers: { 201: EnvelopedView(ConnectionView) },
      }),
    })
    .get("", ({ call, query }) => list(call, query, service), {
      query: queryOf(ListConnections),
      detail: documented({
        id: "listPlatforms",
        needs: "platforms.manage",
        chapter: "Platforms",
        summary: "List connected stores",
        answers: { 200: ListView(ConnectionView) },
      }),
    })
    .get(
      "/:id",
      ({ call, params }) =>
        answerRead(call, async (db) => viewOf(service, call)(await getConnection(db, params.id), db.now)),
      {
        detail: documented({
          id: "getPlatform",
          needs: "platforms.manage",
          chapter: "Platforms",
          summary: "Get a connected store",
          answers: { 200: EnvelopedView(ConnectionView) },
        }),
      },
    )
    .patch("/:id", ({ call, params, body }) => update(call, params.id, body, service), {
      body: bodyOf(UpdateConnection),
      detail: documented({
        id: "updatePlatform",
        needs: "platforms.manage",
        chapter: "Platforms",
        summary: "Update, pause or resume a connected store",
        matches: true,
        refuses: ["blocked_address", "immutable_field"],
        answers: { 200: EnvelopedView(ConnectionView) },
      }),
    })
    .delete("/:id", ({ call, params }) => remove(call, params.id), {
      detail: documented({
        id: "deletePlatform",
        needs: "platforms.manage",
        chapter: "Platforms",
        summary: "Disconnect a store and keep its orders",
        matches: true,
        answers: { 200: EnvelopedView(DeletedConnectionView) },
      }),
    });

/** The connection as this client sees it. The callback URL starts with the origin that the client used. */
function viewOf({ secret_key }: Service, call: Call) {
  const origin = originOf(call);
  return (connection: StoreConnection, now: number) => connectionView(connection, secret_key, origin, now);
}

function create(call: Call, body: CreateConnection, service: Service): Promise<Response> {
  const view = viewOf(service, call);
  const { platform, store_id, api_url } = body;
  return answerLongWork(call, async () => {
    await refuseAddress(call, api_url ?? defaultApi(platform, storeOf(platform, store_id)), service);
    const by = { is_operator: call.merchant_id === null, secret_key: service.secret_key };
    return answerWrite(call, 201, async (tx) => view(await createConnection(tx, body, by), tx.now));
  });
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

function update(call: Call, id: string, body: UpdateConnection, service: Service): Promise<Response> {
  const view = viewOf(service, call);
  return answerLongWork(call, async () => {
    if (body.api_url !== undefined) await refuseAddress(call, body.api_url, service);
    return answerWrite(call, 200, async (tx) => {
      await requireVersion(tx, call, id);
      const by = { is_operator: call.merchant_id === null, secret_key: service.secret_key };
      return view(await updateConnection(tx, id, body, by), tx.now);
    });
  });
}

function remove(call: Call, id: string): Promise<Response> {
  return answerWrite(call, 200, async (tx) => {
    await requireVersion(tx, call, id);
    const { id: deleted_id } = await deleteConnection(tx, id);
    return { id: wireId("connection", deleted_id), deleted: true };
  });
}

function requireVersion(tx: Tx, call: Call, id: string): Promise<void> {
  return requireMatch(call, () => lockConnection(tx, id));
}

function list(call: Call, query: ListConnections, service: Service): Promise<Response> {
  const view = viewOf(service, call);
  return answerList(
    call,
    query,
    {
      rows: listConnections,
      count: countConnections,
      position: ({ created_at, id }) => [created_at, id],
    },
    (connections, db) => connections.map((connection) => view(connection, db.now)),
  );
}

/** Routes of connected stores, their notifications, imports and shipment reports. */
export const platformRoutes = (service: Service) =>
  new Elysia().use(connectionRoutes(service)).use(importRoutes).use(reportRoutes).use(notificationRoutes(service));
