import type { Static } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Actor } from "../core/actor.ts";
import { Fault } from "../core/faults.ts";
import { wireId } from "../core/ids.ts";
import { bodyOf, DryRunQuery, queryOf } from "../core/schema.ts";
import type { RouteNeed } from "../http/auth/permissions.ts";
import { answerBatched, type BatchableCommand } from "../http/batching.ts";
import type { Call } from "../http/call.ts";
import { conventions } from "../http/conventions.ts";
import { requireMatch, tagged } from "../http/preconditions.ts";
import { answerAct, RehearsableView, type RehearsalRequest } from "../http/rehearsals.ts";
import { documented, type RouteNotes } from "../http/route.ts";
import { allotmentView } from "../inventory/reservations/passed_over_stock.ts";
import type { Tx } from "../storage/database.ts";
import { lockRecordsFirst, trackOrderActs } from "../tracking/track_order_acts.ts";
import { acceptSuggestion } from "./changes/change_order.ts";
import { holdOrder, releaseOrder } from "./changes/holds.ts";
import { splitOrder } from "./changes/split_order.ts";
import { deliverOrder } from "./fulfillment/deliver_order.ts";
import { allocateOrder } from "./fulfillment/order_stock.ts";
import {
  packOrder,
  packOrders,
  pickOrder,
  pickOrders,
  processOrder,
  type RequestedAction,
} from "./fulfillment/pick_and_pack.ts";
import { shipOrder, shipOrders } from "./fulfillment/ship_order.ts";
import { AllocateOrder, AllocationView } from "./fulfillment/stock_plan.schema.ts";
import {
  DeliverOrder,
  HoldOrder,
  NoFields,
  OrderView,
  PackOrder,
  PickOrder,
  ReleasedOrderView,
  ReleaseOrder,
  ShipOrder,
  SplitOrder,
  SplitView,
} from "./order.schema.ts";
import { backorderedUnits, type Order, orderView } from "./order.ts";
import { lockOrder } from "./orders.sql.ts";

const order = (id: string, needs: RouteNeed, summary: string, more: Partial<RouteNotes> = {}) =>
  documented({
    id,
    needs,
    chapter: "Orders",
    summary,
    answers: { 200: RehearsableView(OrderView) },
    matches: true,
    ...more,
  });

/** What an act locks before it locks its orders. */
type LockFirst = (tx: Tx, ids: readonly string[]) => Promise<void>;

const nothing: LockFirst = async () => {};

/**
 * Performs an act on an order and returns the order. The act begins only if the order matches the request's `If-Match`.
 * Refuses: resource_missing, precondition_failed, malformed_header.
 */
export function answerOrder(
  call: Call,
  id: string,
  request: RehearsalRequest,
  work: (tx: Tx) => Promise<Order>,
  lock: LockFirst = nothing,
): Promise<Response> {
  return answerAct(call, request, async (tx) => {
    await lock(tx, [id]);
    await requireVersion(tx, call, id);
    return orderAnswer(await work(tx), tx.now);
  });
}

/** The order as single-resource responses show it. */
export const orderAnswer = (order: Order, now: number) => taggedOrder(orderView(order, now));

/** An order's view with its tag, which covers what stock, calendars and suspensions change without a new version. */
function taggedOrder<View extends ReturnType<typeof orderView>>(view: View): View {
  const lines = view.line_items.map((line) => [
    line.quantity_reserved,
    line.quantity_backordered,
    line.quantity_picked,
  ]);
  return tagged(view, view.version, [view.estimated_ship_date, lines, view.allowed_actions]);
}

/** Refuses: resource_missing, precondition_failed, malformed_header (unless the order matches `If-Match`). */
export function requireVersion(tx: Tx, call: Call, id: string): Promise<void> {
  return requireMatch(call, async () => orderAnswer(await lockOrder(tx, id), tx.now));
}

/** A request to act on one order. */
interface OrderActionCall<Input> {
  readonly call: Call;
  readonly params: { readonly id: string };
  readonly body: Input;
  readonly query: Static<typeof DryRunQuery>;
}

type SingleAction<Input> = (tx: Tx, id: string, input: Input, actor: Actor) => Promise<Order>;
type BatchAction<Input> = (
  tx: Tx,
  requests: readonly RequestedAction<Input>[],
) => Promise<readonly (Order | Fault | "run_individually")[]>;

/** An act that ships or delivers parcels, along with their tracking records, which are locked before it. */
const tracked =
  <Input>(act: SingleAction<Input>): SingleAction<Input> =>
  async (tx, id, input, actor) => {
    const done = await act(tx, id, input, actor);
    const [order = done] = await trackOrderActs(tx, [{ order: done, actor }]);
    return order;
  };

/** As `tracked`, for many orders at once, whose tracking records it locks. */
const trackedBatch =
  <Input>(act: BatchAction<Input>): BatchAction<Input> =>
  async (tx, requests) => {
    await lockRecordsFirst(
      tx,
      requests.map(({ id }) => id),
    );
    const done = await act(tx, requests);
    const isDone = (result: Order | Fault | "run_individually") =>
      !(result === "run_individually" || result instanceof Fault);
    const moved = done.flatMap((order, at) => {
      const { actor } = requests[at] ?? {};
      return isDone(order) && actor !== undefined ? { order: order as Order, actor } : [];
    });
    const orders = (await trackOrderActs(tx, moved)).values();
    return done.map((result) => (isDone(result) ? (orders.next().value ?? result) : result));
  };

/** The handler of an act on an order. Requests at the same moment run as one batch. */
function batchable<Input>(
  name: string,
  alone: SingleAction<Input>,
  together: BatchAction<Input>,
  lock: LockFirst = nothing,
) {
  const act: BatchableCommand<{ readonly id: string; readonly input: Input }, Order> = {
    name,
    status: 200,
    // All units of an order move.
    weight: () => 5,
    runOne: async (tx, { input: { id, input }, call }) => {
      await lock(tx, [id]);
      await requireVersion(tx, call, id);
      return alone(tx, id, input, call.actor);
    },
    runBatch: (tx, parts) =>
      together(
        tx,
        parts.map(({ input, call }) => ({ ...input, actor: call.actor })),
      ),
    view: (after, { now }) => orderAnswer(after, now),
  };
  return ({ call, params: { id }, body, query }: OrderActionCall<Input>) =>
    query.dry_run
      ? answerOrder(call, id, query, (tx) => alone(tx, id, body, call.actor), lock)
      : answerBatched(call, act, { id, input: body });
}

const picked = batchable("pickOrder", pickOrder, pickOrders);
const packed = batchable("packOrder", packOrder, packOrders);
const shipped = batchable("shipOrder", tracked(shipOrder), trackedBatch(shipOrders), lockRecordsFirst);
const delivered = tracked(deliverOrder);

/** The actions that move an order from status to status. */
export const actionRoutes = new Elysia({ prefix: "/orders/:id" })
  .use(conventions)
  .post(
    "/accept_suggestion",
    ({ call, params, query }) =>
      answerOrder(call, params.id, query, (tx) => acceptSuggestion(tx, params.id, call.actor)),
    {
      body: bodyOf(NoFields),
      query: queryOf(DryRunQuery),
      detail: order("acceptOrderSuggestion", "orders.write", "Accept the suggested address of an order", {
        description: "Allowed until the order is packed or a label is bought. The customer's address does not change.",
        refuses: ["invalid_state_transition", "no_suggestion"],
      }),
    },
  )
  .post(
    "/hold",
    ({ call, params, body, query }) =>
      answerOrder(call, params.id, query, (tx) => holdOrder(tx, params.id, body, call.actor)),
    {
      body: bodyOf(HoldOrder),
      query: queryOf(DryRunQuery),
      detail: order("holdOrder", "orders.write", "Hold an order", { refuses: ["invalid_state_transition"] }),
    },
  )
  .post(
    "/release",
    ({ call, params, body, query }) =>
      answerAct(call, query, async (tx) => {
        await requireVersion(tx, call, params.id);
        const released = await releaseOrder(tx, params.id, body, call.actor);
        return taggedOrder({ ...orderView(released, tx.now), still_on_hold: released.held });
      }),
    {
      body: bodyOf(ReleaseOrder),
      query: queryOf(DryRunQuery),
      detail: documented({
        id: "releaseOrder",
        needs: "orders.write",
        chapter: "Orders",
        summary: "Release an order",
        matches: true,
        refuses: ["insufficient_inventory"],
        answers: { 200: RehearsableView(ReleasedOrderView) },
      }),
    },
  )
  .post(
    "/process",
    ({ call, params, query }) => answerOrder(call, params.id, query, (tx) => processOrder(tx, params.id, call.actor)),
    {
      body: bodyOf(NoFields),
      query: queryOf(DryRunQuery),
      detail: order("processOrder", "orders.fulfil", "Process an order", {
        refuses: ["invalid_state_transition"],
      }),
    },
  )
  .post("/pick", picked, {
    body: bodyOf(PickOrder),
    query: queryOf(DryRunQuery),
    detail: order("pickOrder", "orders.fulfil", "Pick an order", {
      refuses: ["bin_full", "insufficient_inventory", "invalid_state_transition", "lot_not_pickable"],
    }),
  })
  .post("/pack", packed, {
    body: bodyOf(PackOrder),
    query: queryOf(DryRunQuery),
    detail: order("packOrder", "orders.fulfil", "Pack an order", {
      refuses: ["bin_full", "insufficient_inventory", "invalid_state_transition", "lot_not_pickable"],
    }),
  })
  .post("/ship", shipped, {
    body: bodyOf(ShipOrder),
    query: queryOf(DryRunQuery),
    detail: order("shipOrder", "orders.fulfil", "Ship an order", {
      refuses: ["bin_full", "insufficient_inventory", "invalid_state_transition", "lot_not_pickable"],
    }),
  })
  .post(
    "/deliver",
    ({ call, params, body, query }) =>
      answerOrder(call, params.id, query, (tx) => delivered(tx, params.id, body, call.actor), lockRecordsFirst),
    {
      body: bodyOf(DeliverOrder),
      query: queryOf(DryRunQuery),
      detail: order("deliverOrder", "orders.fulfil", "Deliver an order", {
        refuses: ["invalid_state_transition"],
      }),
    },
  );

/** Allocates stock to an order again, or previews the allocation, with the reasons. */
export const allocationRoutes = new Elysia({ prefix: "/orders/:id" }).use(conventions).post(
  "/allocate",
  ({ call, params, query: { dry_run = false } }) =>
    answerAct(call, { dry_run }, async (tx) => {
      await requireVersion(tx, call, params.id);
      const { order, allotments } = await allocateOrder(tx, params.id, call.actor);
      const backordered_units = backorderedUnits(order);
      return {
        order_id: wireId("order", order.id),
        dry_run,
        allocation: { complete: backordered_units === 0, backordered_units },
        items: allotments.map(allotmentView),
      };
    }),
  {
    query: queryOf(AllocateOrder),
    body: bodyOf(NoFields),
    detail: documented({
      id: "allocateOrder",
      needs: "orders.write",
      chapter: "Orders",
      summary: "Allocate stock to an order, or preview the allocation",
      matches: true,
      refuses: ["invalid_state_transition"],
      answers: { 200: RehearsableView(AllocationView) },
    }),
  },
);

/** Splits an order in two. */
export const splitRoutes = new Elysia({ prefix: "/orders/:id" }).use(conventions).post(
  "/split",
  ({ call, params, body, query }) =>
    answerAct(call, query, async (tx) => {
      await requireVersion(tx, call, params.id);
      const { order, split_off } = await splitOrder(tx, params.id, body, call.actor);
      return taggedOrder({ ...orderView(order, tx.now), split_off: orderView(split_off, tx.now) });
    }),
  {
    body: bodyOf(SplitOrder),
    query: queryOf(DryRunQuery),
    detail: documented({
      id: "splitOrder",
      needs: "orders.write",
      chapter: "Orders",
      summary: "Split an order",
      description:
        "For units that should wait, ship later or be held separately. The new order (`split_off`) is pending, goes" +
        " to the same customer and address, and has the number `<number>-2` unless `order_number` is set. Reserved" +
        " stock moves with the units; backordered units of a line move first. A line's price is divided so that" +
        " both orders together cost the same; the shipping amount stays. Units that are picked or in a parcel stay," +
        " and an order from a platform cannot be split: ship that in several parcels.",
      matches: true,
      refuses: ["duplicate_order_number", "invalid_state_transition"],
      answers: { 200: RehearsableView(SplitView) },
    }),
  },
);
