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
import { noteRoutes } from "./changes/staff_notes.routes.ts";
import { orderCsvRoutes } from "./csv/order_csv.routes.ts";
import { planRoutes } from "./fulfillment/stock_plan.routes.ts";
import { bulkRoutes } from "./lifecycle/bulk_orders.routes.ts";
import { createBatch, createOrder } from "./lifecycle/create_order.ts";
import { CreateOrder, OrderPreview, OrderView, UpdateOrder } from "./order.schema.ts";
import { type OrderStatus, orderTransitions } from "./order.transitions.ts";
import { type Order, orderAnswer } from "./order.ts";
import { actionRoutes, allocationRoutes, lockedOrder, splitRoutes } from "./order_actions.routes.ts";
import { lotRecallRoutes } from "./search/lot_recall.routes.ts";
import { historyRoutes } from "./search/order_history.routes.ts";
import { listRoutes, orderCountRoutes, orderTagRoutes } from "./search/order_list.routes.ts";
import { TransitionsView } from "./search/order_list.schema.ts";
import { ruleTrialRoutes } from "./shipping_rules/rule_trials.routes.ts";
import { shippingRuleRoutes } from "./shipping_rules/shipping_rules.routes.ts";

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
    description:
      "Reserves stock at once. Units without stock are backordered or, with `allow_backorder: false`, refuse the" +
      " order. A reservation made for the same order number is taken over. Emits `order.created` and, for the" +
      " reserved stock, `inventory.updated`. An order of a suspended merchant is created on hold.",
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
    description:
      "The table behind `allowed_actions`: which action is possible in which status, where it leads and what it" +
      " emits. An action performs the steps before it, so a pending order can be shipped at once. It is the same for" +
      " all orders.",
    view: TransitionsView,
    data: transitions,
  }),
  read("/orders/:id", "orders.read", {
    id: "getOrder",
    summary: "Get an order",
    description:
      "Returns the order with its lines, holds and parcels. The id of a platform's order is known before the import" +
      " has created it; until then, the response is 404 with the code `import_pending` and `Retry-After`, or" +
      " `order_not_imported` with the reason.",
    refuses: ["import_pending", "order_not_imported"],
    view: OrderView,
    data: async (db, { params }) => orderAnswer(await getImportedOrder(db, params.id), db.now),
  }),
  rehearsable("PATCH", "/orders/:id", "orders.write", {
    id: "updateOrder",
    summary: "Update an order",
    description:
      "Changes fields until the order is packed, `tags` at any time; lines only while it is pending or on hold and" +
      " nothing is picked. New lines or cold storage plan its stock again. Emits no event of the order. Fields that" +
      " keep their values change nothing; other values for fixed fields are refused.",
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
    .use(orderTagRoutes)
    .use(records)
    .use(bulkRoutes)
    .use(orderCsvRoutes)
    .use(cancellationRoutes(service))
    .use(actionRoutes)
    .use(historyRoutes)
    .use(noteRoutes)
    .use(allocationRoutes)
    .use(planRoutes)
    .use(splitRoutes)
    .use(lotRecallRoutes)
    .use(shippingRuleRoutes)
    .use(ruleTrialRoutes);
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
