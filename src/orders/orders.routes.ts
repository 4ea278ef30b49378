import { Elysia } from "elysia";
import { DryRunQuery } from "../core/schema.ts";
import { actionsIn, type Transition } from "../core/transitions.ts";
import { answerBatched, type BatchableCommand } from "../http/batching.ts";
import { EnvelopedView } from "../http/envelope.ts";
import { answerAct, DryRunView } from "../http/rehearsals.ts";
import { read, rehearsable, respond, routes } from "../http/routes.ts";
import type { Service } from "../http/service.ts";
import { getImportedOrder } from "../platforms/imports/unimported_order.ts";
import { cancellationRoutes } from "./changes/cancellations.routes.ts";
import { updateOrder } from "./changes/change_order.ts";
import { orderCsvRoutes } from "./csv/order_csv.routes.ts";
import { planRoutes } from "./fulfillment/stock_plan.routes.ts";
import { bulkRoutes } from "./lifecycle/bulk_orders.routes.ts";
import { createBatch, createOrder } from "./lifecycle/create_order.ts";
import { CreateOrder, OrderPreview, OrderView, TransitionsView, UpdateOrder } from "./order.schema.ts";
import { type OrderStatus, orderTransitions } from "./order.transitions.ts";
import { type Order, orderAnswer } from "./order.ts";
import { actionRoutes, allocationRoutes, lockedOrder, splitRoutes } from "./order_actions.routes.ts";
import { lotRecallRoutes } from "./search/lot_recall.routes.ts";
import { historyRoutes } from "./search/order_history.routes.ts";
import { listRoutes, orderCountRoutes } from "./search/order_list.routes.ts";

const creation: BatchableCommand<CreateOrder, Order> = {
  name: "createOrder",
  status: 201,
  weight: ({ line_items }) => line_items.length,
  runOne: (tx, { input, call }) => createOrder(tx, input, call.actor),
  runBatch: (tx, parts) =>
    createBatch(
      tx,
      parts.map(({ input, call }) => ({ input, actor: call.actor })),
    ),
  view: (created, { now }) => orderAnswer(created, now),
};

const records = routes("Orders", [
  respond("POST", "/orders", "orders.write", {
    id: "createOrder",
    summary: "Create an order",
    refuses: [
      "duplicate_order_number",
      "insufficient_inventory",
      "reservation_closed",
      "reservation_committed",
      "resource_missing",
    ],
    body: CreateOrder,
    query: DryRunQuery,
    answers: { 200: DryRunView(OrderPreview), 201: EnvelopedView(OrderView) },
    answer: ({ call, body, query: { dry_run } }) =>
      dry_run
        ? answerAct(call, { status: 201, dry_run }, async (tx) =>
            orderAnswer(await createOrder(tx, body, call.actor), tx.now),
          )
        : answerBatched(call, creation, body),
  }),
  read("/orders/transitions", "orders.read", {
    id: "listOrderTransitions",
    summary: "List the transitions of orders",
    view: TransitionsView,
    data: transitions,
  }),
  read("/orders/:id", "orders.read", {
    id: "getOrder",
    summary: "Get an order",
    description:
      "The id of a platform's order is known before the order exists, from the response to the platform's" +
      " notification. Until the import has created the order, the response is 404 with the code `import_pending` and" +
      " `Retry-After`, or `order_not_imported` with the reason.",
    refuses: ["import_pending", "order_not_imported"],
    view: OrderView,
    data: async (db, { params }) => orderAnswer(await getImportedOrder(db, params.id), db.now),
  }),
  rehearsable("PATCH", "/orders/:id", "orders.write", {
    id: "updateOrder",
    summary: "Update an order",
    refuses: ["immutable_field", "insufficient_inventory", "invalid_state_transition"],
    body: UpdateOrder,
    view: OrderView,
    preview: OrderPreview,
    matches: lockedOrder,
    act: async (tx, { call, params, body }) => orderAnswer(await updateOrder(tx, params.id, body, call.actor), tx.now),
  }),
]);

/** All order routes, from creation to delivery. */
export function orderRoutes(service: Service) {
  return new Elysia()
    .use(listRoutes)
    .use(orderCountRoutes)
    .use(records)
    .use(bulkRoutes)
    .use(orderCsvRoutes)
    .use(cancellationRoutes(service))
    .use(actionRoutes)
    .use(historyRoutes)
    .use(allocationRoutes)
    .use(planRoutes)
    .use(splitRoutes)
    .use(lotRecallRoutes);
}

/** The transitions as clients see them: an outcome of several actions is listed under each of them. */
function transitions() {
  return actionsIn(orderTransitions).flatMap((action) => {
    const own: Transition<OrderStatus> = orderTransitions[action];
    const outcomes = Object.entries<Transition<OrderStatus>>(orderTransitions).filter(
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
