import { Elysia } from "elysia";
import { answerRead, answerWrite } from "../http/answer.ts";
import type { Call } from "../http/call.ts";
import { conventions } from "../http/conventions.ts";
import { EnvelopedView, ListView } from "../http/envelope.ts";
import { answerList } from "../http/paging.ts";
import { documented } from "../http/route.ts";
import { iso, momentOf } from "../kit/clock.ts";
import { readId, wireId } from "../kit/ids.ts";
import { bodyOf, queryOf } from "../kit/schema.ts";
import { voidLabelsOfOrder } from "../shipping/commands.ts";
import { allocationRoutes } from "./allocation/routes.ts";
import { cancelOrder, createOrder, updateOrder } from "./commands.ts";
import { packOrder, pickOrder, processOrder } from "./fulfillment/commands.ts";
import { holdOrder, releaseOrder } from "./holds/commands.ts";
import { orderView } from "./order.ts";
import { putBackRoutes } from "./putbacks/routes.ts";
import {
  CancelOrder,
  CreateOrder,
  HistoryView,
  HoldOrder,
  ListHistory,
  ListOrders,
  NoFields,
  OrderView,
  PackOrder,
  PickOrder,
  ReleasedView,
  ReleaseOrder,
  ShipOrder,
  TransitionsView,
  UpdateOrder,
} from "./schemas.ts";
import { deliverOrder, shipOrder } from "./shipments/commands.ts";
import { orderMoves } from "./status.ts";
import { countHistory, countOrders, getOrder, getOrderId, type HistoryRow, listHistory, listOrders } from "./store.ts";
import { traceRoutes } from "./traces/routes.ts";

const order = (id: string, summary: string) => documented({ id, summary, answers: { 200: EnvelopedView(OrderView) } });

const records = new Elysia({ prefix: "/orders" })
  .use(conventions)
  .post(
    "",
    ({ call, body }) =>
      answerWrite(call, 201, async (tx) => orderView(await createOrder(tx, body, call.actor), tx.now)),
    {
      body: bodyOf(CreateOrder),
      detail: documented({ id: "createOrder", summary: "Create an order", answers: { 201: EnvelopedView(OrderView) } }),
    },
  )
  .get("", ({ call, query }) => list(call, query), {
    query: queryOf(ListOrders),
    detail: documented({ id: "listOrders", summary: "List orders", answers: { 200: ListView(OrderView) } }),
  })
  .get("/transitions", ({ call }) => answerRead(call, async () => transitions()), {
    detail: documented({
      id: "listOrderTransitions",
      summary: "How orders move from state to state",
      answers: { 200: EnvelopedView(TransitionsView) },
    }),
  })
  .get("/:id", ({ call, params }) => answerRead(call, async (db) => orderView(await getOrder(db, params.id), db.now)), {
    detail: order("getOrder", "Get an order"),
  })
  .patch(
    "/:id",
    ({ call, params, body }) =>
      answerWrite(call, 200, async (tx) => orderView(await updateOrder(tx, params.id, body, call.actor), tx.now)),
    { body: bodyOf(UpdateOrder), detail: order("updateOrder", "Update an order") },
  )
  .delete(
    "/:id",
    ({ call, params, query }) =>
      answerWrite(call, 200, async (tx) => {
        await voidLabelsOfOrder(tx, params.id, call.actor);
        return orderView(await cancelOrder(tx, params.id, query, call.actor), tx.now);
      }),
    { query: queryOf(CancelOrder), detail: order("cancelOrder", "Cancel an order") },
  )
  .get("/:id/history", ({ call, params, query }) => history(call, params.id, query), {
    query: queryOf(ListHistory),
    detail: documented({
      id: "listOrderHistory",
      summary: "What happened to an order, oldest first",
      answers: { 200: ListView(HistoryView) },
    }),
  });

const actions = new Elysia({ prefix: "/orders/:id" })
  .use(conventions)
  .post(
    "/hold",
    ({ call, params, body }) =>
      answerWrite(call, 200, async (tx) => orderView(await holdOrder(tx, params.id, body, call.actor), tx.now)),
    { body: bodyOf(HoldOrder), detail: order("holdOrder", "Put an order on hold") },
  )
  .post(
    "/release",
    ({ call, params, body }) =>
      answerWrite(call, 200, async (tx) => {
        const released = await releaseOrder(tx, params.id, body, call.actor);
        return { ...orderView(released, tx.now), still_on_hold: released.held };
      }),
    {
      body: bodyOf(ReleaseOrder),
      detail: documented({
        id: "releaseOrder",
        summary: "Release an order from hold",
        answers: { 200: EnvelopedView(ReleasedView) },
      }),
    },
  )
  .post(
    "/process",
    ({ call, params }) =>
      answerWrite(call, 200, async (tx) => orderView(await processOrder(tx, params.id, call.actor), tx.now)),
    { body: bodyOf(NoFields), detail: order("processOrder", "Take an order into work") },
  )
  .post(
    "/pick",
    ({ call, params, body }) =>
      answerWrite(call, 200, async (tx) => orderView(await pickOrder(tx, params.id, body, call.actor), tx.now)),
    { body: bodyOf(PickOrder), detail: order("pickOrder", "Note that units were picked") },
  )
  .post(
    "/pack",
    ({ call, params, body }) =>
      answerWrite(call, 200, async (tx) => orderView(await packOrder(tx, params.id, body, call.actor), tx.now)),
    { body: bodyOf(PackOrder), detail: order("packOrder", "Note that units were packed") },
  )
  .post(
    "/ship",
    ({ call, params, body }) =>
      answerWrite(call, 200, async (tx) => orderView(await shipOrder(tx, params.id, body, call.actor), tx.now)),
    { body: bodyOf(ShipOrder), detail: order("shipOrder", "Hand a parcel of an order over to the carrier") },
  )
  .post(
    "/deliver",
    ({ call, params }) =>
      answerWrite(call, 200, async (tx) => orderView(await deliverOrder(tx, params.id, call.actor), tx.now)),
    { body: bodyOf(NoFields), detail: order("deliverOrder", "Note that an order has arrived") },
  );

/** Orders, from their creation to their delivery, and what stock can only tell with them. */
export const orderRoutes = new Elysia()
  .use(records)
  .use(actions)
  .use(allocationRoutes)
  .use(traceRoutes)
  .use(putBackRoutes);

function transitions() {
  return Object.entries(orderMoves).map(([action, { from, to, held, tells }]) => ({
    action,
    from,
    to,
    while_held: held,
    event: tells,
  }));
}

function list(call: Call, query: ListOrders): Promise<Response> {
  const { status, customer_id, order_number, sort = "-created_at" } = query;
  const filter = {
    status,
    customer_id: customer_id === undefined ? undefined : (readId("customer", customer_id) ?? 0),
    order_number,
    created_after: momentOf(query.created_after),
    created_before: momentOf(query.created_before),
    updated_after: momentOf(query.updated_after),
  };
  return answerList(
    call,
    query,
    {
      rows: (db, window) => listOrders(db, filter, window, sort),
      count: (db) => countOrders(db, filter),
      position: (found) => [sort === "priority" ? found.priority : found.created_at, found.id],
    },
    (found, db) => found.map((one) => orderView(one, db.now)),
  );
}

function history(call: Call, id: string, query: ListHistory): Promise<Response> {
  return answerList(
    call,
    query,
    {
      rows: async (db, window) => listHistory(db, await getOrderId(db, id), window),
      count: async (db) => countHistory(db, await getOrderId(db, id)),
      position: (row) => [row.created_at, row.id],
    },
    (rows) => rows.map(historyView),
  );
}

function historyView(row: HistoryRow) {
  return {
    id: wireId("history", row.id),
    event: row.event,
    from_status: row.from_status,
    to_status: row.to_status,
    reason: row.reason,
    note: row.note,
    actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
    request_id: row.request_id,
    created_at: iso(row.created_at),
  };
}
