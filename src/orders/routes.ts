import { Elysia } from "elysia";
import { answerRead, answerWrite } from "../http/answer.ts";
import type { Call } from "../http/call.ts";
import { conventions } from "../http/conventions.ts";
import { EnvelopedView, ListView } from "../http/envelope.ts";
import { answerList } from "../http/paging.ts";
import { documented } from "../http/route.ts";
import { momentOf } from "../kit/clock.ts";
import { readId } from "../kit/ids.ts";
import { bodyOf, queryOf } from "../kit/schema.ts";
import { voidLabelsOfOrder } from "../shipping/commands.ts";
import { actionRoutes, answerOrder } from "./actions/routes.ts";
import { allocationRoutes } from "./allocation/routes.ts";
import { cancelOrder } from "./cancellations/commands.ts";
import { updateOrder } from "./changes/commands.ts";
import { createOrder } from "./commands.ts";
import { historyRoutes } from "./history/routes.ts";
import { orderView } from "./order.ts";
import { putBackRoutes } from "./putbacks/routes.ts";
import { CancelOrder, CreateOrder, ListOrders, OrderView, TransitionsView, UpdateOrder } from "./schemas.ts";
import { orderMoves } from "./status.ts";
import { countOrders, getOrder, listOrders } from "./store.ts";
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
    ({ call, params, body }) => answerOrder(call, params.id, (tx) => updateOrder(tx, params.id, body, call.actor)),
    { body: bodyOf(UpdateOrder), detail: order("updateOrder", "Update an order") },
  )
  .delete(
    "/:id",
    ({ call, params, query }) =>
      answerOrder(call, params.id, async (tx) => {
        await voidLabelsOfOrder(tx, params.id, call.actor);
        return cancelOrder(tx, params.id, query, call.actor);
      }),
    { query: queryOf(CancelOrder), detail: order("cancelOrder", "Cancel an order") },
  );

/** Orders, from their creation to their delivery, and what stock can only tell with them. */
export const orderRoutes = new Elysia()
  .use(records)
  .use(actionRoutes)
  .use(historyRoutes)
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
