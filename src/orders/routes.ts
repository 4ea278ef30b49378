import { Elysia } from "elysia";
import type { RouteNeed } from "../access/need.ts";
import { answerRead } from "../http/answer.ts";
import { conventions } from "../http/conventions.ts";
import { EnvelopedView } from "../http/envelope.ts";
import { answerAct, RehearsableView } from "../http/rehearsals.ts";
import { documented, type RouteNotes } from "../http/route.ts";
import type { Service } from "../http/service.ts";
import { answerTogether, type SharedAct } from "../http/together.ts";
import { actionsIn, type Move } from "../kit/moves.ts";
import { Rehearse } from "../kit/rehearse.ts";
import { bodyOf, queryOf } from "../kit/schema.ts";
import { actionRoutes, answerOrder, orderAnswer } from "./actions/routes.ts";
import { allocationRoutes } from "./allocation/routes.ts";
import { bulkRoutes } from "./bulk/routes.ts";
import { cancellationRoutes } from "./cancellations/routes.ts";
import { updateOrder } from "./changes/commands.ts";
import { countRoutes } from "./counts/routes.ts";
import { createOrder, createTogether } from "./creation/commands.ts";
import { historyRoutes } from "./history/routes.ts";
import { listRoutes } from "./list/routes.ts";
import type { Order } from "./order.ts";
import { planRoutes } from "./plans/routes.ts";
import { CreateOrder, OrderView, TransitionsView, UpdateOrder } from "./schemas.ts";
import { orderSheetRoutes } from "./sheets/routes.ts";
import { splitRoutes } from "./splits/routes.ts";
import { type OrderStatus, orderMoves } from "./status.ts";
import { getOrder } from "./store.ts";
import { traceRoutes } from "./traces/routes.ts";

const order = (id: string, needs: RouteNeed, summary: string, more: Partial<RouteNotes> = {}) =>
  documented({ id, needs, chapter: "Orders", summary, answers: { 200: EnvelopedView(OrderView) }, ...more });

const creation: SharedAct<CreateOrder, Order> = {
  name: "createOrder",
  status: 201,
  weight: ({ line_items }) => line_items.length,
  alone: (tx, { input, call }) => createOrder(tx, input, call.actor),
  together: (tx, parts) => {
    return createTogether(
      tx,
      parts.map(({ input, call }) => ({ input, actor: call.actor })),
    );
  },
  view: (created, { now }) => orderAnswer(created, now),
};

const records = new Elysia({ prefix: "/orders" })
  .use(conventions)
  .post(
    "",
    ({ call, body, query: { dry_run } }) =>
      dry_run
        ? answerAct(call, { status: 201, dry_run }, async (tx) => {
            return orderAnswer(await createOrder(tx, body, call.actor), tx.now);
          })
        : answerTogether(call, creation, body),
    {
      body: bodyOf(CreateOrder),
      query: queryOf(Rehearse),
      detail: documented({
        id: "createOrder",
        needs: "orders.write",
        chapter: "Orders",
        summary: "Create an order",
        refuses: [
          "duplicate_order_number",
          "insufficient_inventory",
          "reservation_closed",
          "reservation_committed",
          "resource_missing",
        ],
        answers: { 200: RehearsableView(OrderView), 201: EnvelopedView(OrderView) },
      }),
    },
  )
  .get("/transitions", ({ call }) => answerRead(call, async () => transitions()), {
    detail: documented({
      id: "listOrderTransitions",
      needs: "orders.read",
      chapter: "Orders",
      summary: "List the transitions of orders",
      answers: { 200: EnvelopedView(TransitionsView) },
    }),
  })
  .get(
    "/:id",
    ({ call, params }) => answerRead(call, async (db) => orderAnswer(await getOrder(db, params.id), db.now)),
    {
      detail: order("getOrder", "orders.read", "Get an order"),
    },
  )
  .patch(
    "/:id",
    ({ call, params, body, query }) =>
      answerOrder(call, params.id, query, (tx) => updateOrder(tx, params.id, body, call.actor)),
    {
      body: bodyOf(UpdateOrder),
      query: queryOf(Rehearse),
      detail: order("updateOrder", "orders.write", "Update an order", {
        matches: true,
        answers: { 200: RehearsableView(OrderView) },
        refuses: ["immutable_field", "insufficient_inventory", "invalid_state_transition"],
      }),
    },
  );

/** All routes of orders, from creation to delivery. */
export function orderRoutes(service: Service) {
  return new Elysia()
    .use(listRoutes)
    .use(countRoutes)
    .use(records)
    .use(bulkRoutes)
    .use(orderSheetRoutes)
    .use(cancellationRoutes(service))
    .use(actionRoutes)
    .use(historyRoutes)
    .use(allocationRoutes)
    .use(planRoutes)
    .use(splitRoutes)
    .use(traceRoutes);
}

/** The table as clients see it: an outcome that several actions can have stands below each of them. */
function transitions() {
  return actionsIn(orderMoves).flatMap((action) => {
    const own: Move<OrderStatus> = orderMoves[action];
    const outcomes = Object.entries<Move<OrderStatus>>(orderMoves).filter(
      ([name, { of = [] }]) => name === action || of.includes(action),
    );
    return outcomes.map(([outcome, { from, to, held, emits }]) => ({
      action,
      outcome,
      from: from.filter((status) => own.from.includes(status)),
      to,
      while_held: held && own.held,
      event: emits,
    }));
  });
}
