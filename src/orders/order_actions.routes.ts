import type { Static, TSchema } from "@sinclair/typebox";
import type { Actor } from "../core/actor.ts";
import { Fault } from "../core/faults.ts";
import { wireId } from "../core/ids.ts";
import { DryRunQuery } from "../core/schema.ts";
import type { RouteNeed } from "../http/auth/permissions.ts";
import { answerBatched, type BatchableCommand } from "../http/batching.ts";
import type { Call } from "../http/call.ts";
import { requireMatch } from "../http/preconditions.ts";
import { answerAct, RehearsableView, type RehearsalRequest } from "../http/rehearsals.ts";
import type { RouteNotes } from "../http/route.ts";
import { rehearsable, respond, routes } from "../http/routes.ts";
import { allotmentView } from "../inventory/reservations/passed_over_stock.ts";
import { refuseLabelled } from "../shipping/labels/void_label.ts";
import type { Tx } from "../storage/database.ts";
import { lockRecordsFirst, trackOrderActs } from "../tracking/track_order_acts.ts";
import { acceptSuggestion, tagOrder, untagOrder } from "./changes/change_order.ts";
import { holdOrder, releaseOrder } from "./changes/holds.ts";
import { splitOrder } from "./changes/split_order.ts";
import { TagOrder, UntagOrder } from "./changes/tags_and_notes.schema.ts";
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
import { ReopenParcel, UnpackOrder, UnpickOrder } from "./fulfillment/undo_steps.schema.ts";
import { reopeningOf, reopenParcel, unpackingOf, unpackOrder, unpickOrder } from "./fulfillment/undo_steps.ts";
import {
  DeliverOrder,
  HoldOrder,
  NoFields,
  OrderPreview,
  OrderView,
  PackOrder,
  PickOrder,
  ReleasedOrderView,
  ReleaseOrder,
  ShipOrder,
  SplitOrder,
  SplitPreview,
  SplitView,
} from "./order.schema.ts";
import { backorderedUnits, type Order, orderAnswer, orderView, taggedOrder } from "./order.ts";
import { lockOrder } from "./orders.sql.ts";

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
    await requireRevision(tx, call, id);
    return orderAnswer(await work(tx), tx.now);
  });
}

/** Refuses: resource_missing, precondition_failed, malformed_header (unless the order matches `If-Match`). */
export function requireRevision(tx: Tx, call: Call, id: string): Promise<void> {
  return requireMatch(call, () => lockedOrder(tx, { params: { id } }));
}

/** The order as its GET shows it, locked. */
export async function lockedOrder(tx: Tx, { params }: { readonly params: { readonly id: string } }) {
  return orderAnswer(await lockOrder(tx, params.id), tx.now);
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

interface ActFacts<Input> {
  readonly act: SingleAction<Input>;
  /** The act for many orders at once. With it, requests at the same moment run as one batch. */
  readonly batch?: BatchAction<Input>;
  readonly lock?: LockFirst;
}

/** An act on one order, as a request asks for it. */
interface ActRequest<Input> extends RehearsalRequest {
  readonly id: string;
  readonly input: Input;
}

/** Performs or rehearses an act on an order, in a batch if possible, and responds with the order. */
type AnswerAction<Input> = (call: Call, request: ActRequest<Input>) => Promise<Response>;

function answering<Input>(name: string, { act, batch, lock = nothing }: ActFacts<Input>): AnswerAction<Input> {
  const command = batch === undefined ? null : batchable(name, act, batch, lock);
  return (call, { id, input, ...rehearsal }) =>
    command === null || rehearsal.dry_run
      ? answerOrder(call, id, rehearsal, (tx) => act(tx, id, input, call.actor), lock)
      : answerBatched(call, command, { id, input });
}

/** The acts of fulfillment, for one order or as parts of a request for many. */
export const fulfillmentActs = {
  pick: answering<PickOrder>("pickOrder", { act: pickOrder, batch: pickOrders }),
  pack: answering<PackOrder>("packOrder", { act: packOrder, batch: packOrders }),
  ship: answering<ShipOrder>("shipOrder", {
    act: tracked(shipOrder),
    batch: trackedBatch(shipOrders),
    lock: lockRecordsFirst,
  }),
  deliver: answering<DeliverOrder>("deliverOrder", { act: tracked(deliverOrder), lock: lockRecordsFirst }),
  unpick: answering<UnpickOrder>("unpickOrder", { act: unpickOrder }),
  unpack: answering<UnpackOrder>("unpackOrder", {
    act: async (tx, id, input, actor) => {
      const order = await lockOrder(tx, id);
      await refuseLabelled(tx, order, unpackingOf(order, input).parcels);
      return unpackOrder(tx, id, input, actor);
    },
  }),
};

/** What a route that performs an act on an order declares. */
interface ActionFacts<Body extends TSchema> extends Pick<RouteNotes, "id" | "summary" | "description" | "refuses"> {
  readonly body: Body;
  readonly act: SingleAction<Static<Body>> | { readonly answer: AnswerAction<Static<Body>> };
}

/** A route that performs an act on an order, or rehearses it, and shows the order. */
function action<Body extends TSchema>(
  path: `/orders/:id/${string}`,
  needs: RouteNeed,
  { body, act, ...notes }: ActionFacts<Body>,
) {
  const answer = typeof act === "function" ? answering(notes.id, { act }) : act.answer;
  return respond<"/orders/:id", Body, typeof DryRunQuery>("POST", path as "/orders/:id", needs, {
    ...notes,
    matches: true,
    body,
    query: DryRunQuery,
    answers: { 200: RehearsableView(OrderView, OrderPreview) },
    answer: ({ call, params: { id }, body: input, query }) => answer(call, { id, input, ...query }),
  });
}

function batchable<Input>(
  name: string,
  act: SingleAction<Input>,
  batch: BatchAction<Input>,
  lock: LockFirst,
): BatchableCommand<{ readonly id: string; readonly input: Input }, Order> {
  return {
    name,
    status: 200,
    // All units of an order move.
    weight: () => 5,
    runOne: async (tx, { input: { id, input }, call }) => {
      await lock(tx, [id]);
      await requireRevision(tx, call, id);
      return act(tx, id, input, call.actor);
    },
    runBatch: (tx, parts) =>
      batch(
        tx,
        parts.map(({ input, call }) => ({ ...input, actor: call.actor })),
      ),
    view: (after, { now }) => orderAnswer(after, now),
  };
}

const picking_refuses = ["bin_full", "insufficient_inventory", "invalid_state_transition", "lot_not_pickable"] as const;

const undo_refuses = ["invalid_state_transition", "label_in_progress", "labels_not_voided"] as const;

/** Routes of acts on one order. */
export const actionRoutes = routes("Orders", [
  action("/orders/:id/accept_suggestion", "orders.write", {
    id: "acceptOrderSuggestion",
    summary: "Accept the suggested address of an order",
    description:
      "Replaces the order's shipping address with `shipping_address.verification.suggestion`, and ends a" +
      " `bad_address` hold. Allowed until the order is packed or a label is bought. The customer's address does not" +
      " change.",
    refuses: ["invalid_state_transition", "no_suggestion"],
    body: NoFields,
    act: (tx, id, _, actor) => acceptSuggestion(tx, id, actor),
  }),
  action("/orders/:id/hold", "orders.write", {
    id: "holdOrder",
    summary: "Hold an order",
    description:
      "Stops work on a pending or processing order of which nothing is picked, and its `status` becomes `on_hold`." +
      " Holds for different reasons add up; a second one for the same reason replaces note, end and" +
      " `reserve_inventory` of the first. A hold ends with a release or at `hold_until`.",
    refuses: ["invalid_state_transition"],
    body: HoldOrder,
    act: holdOrder,
  }),
  rehearsable("POST", "/orders/:id/release", "orders.write", {
    id: "releaseOrder",
    summary: "Release an order",
    description:
      "Lifts the holds that clients placed, or one of them. Without holds, the order continues from `held_from`, and" +
      " stock that it gave up is reserved again as far as there is any. System holds stay until their cause ends." +
      " Releasing an order that is not held changes nothing.",
    refuses: ["insufficient_inventory"],
    body: ReleaseOrder,
    view: ReleasedOrderView,
    matches: lockedOrder,
    act: async (tx, { call, params, body }) => {
      const released = await releaseOrder(tx, params.id, body, call.actor);
      return taggedOrder({ ...orderView(released, tx.now), still_on_hold: released.held });
    },
  }),
  action("/orders/:id/tag", "orders.write", {
    id: "tagOrder",
    summary: "Add tags to an order",
    description:
      "Possible in any status. Tags that it has already, in any spelling, stay as they are. `tags` of" +
      " `PATCH /orders/:id` replaces all of them.",
    body: TagOrder,
    act: tagOrder,
  }),
  action("/orders/:id/untag", "orders.write", {
    id: "untagOrder",
    summary: "Remove tags from an order",
    description: "Possible in any status. Tags that it does not have are ignored.",
    body: UntagOrder,
    act: untagOrder,
  }),
  action("/orders/:id/process", "orders.fulfill", {
    id: "processOrder",
    summary: "Process an order",
    description:
      "Starts work on a pending order: its allocation is planned again by expiry, and the order becomes `processing`." +
      " No units move. Picking, packing or shipping a pending order starts work on it, so this call is optional.",
    refuses: ["invalid_state_transition"],
    body: NoFields,
    act: (tx, id, _, actor) => processOrder(tx, id, actor),
  }),
  action("/orders/:id/pick", "orders.fulfill", {
    id: "pickOrder",
    summary: "Pick an order",
    description:
      "Records what was taken from the bins: the units move to a staging location, and the picks are billable." +
      " Without `items`, everything reserved was picked as planned. Units reported `short` are planned from other" +
      " stock; if there is none, they become backorders and the order gets the hold `short_pick`.",
    refuses: picking_refuses,
    body: PickOrder,
    act: { answer: fulfillmentActs.pick },
  }),
  action("/orders/:id/pack", "orders.fulfill", {
    id: "packOrder",
    summary: "Pack an order",
    description:
      "Packs all open units, or those of `packages`, each of which becomes a parcel. Missing steps come first;" +
      " unscanned picks are assumed to follow the plan. Once every open unit is packed, the order is `fulfilled`," +
      " which emits `order.fulfilled`. Packing is billable.",
    refuses: picking_refuses,
    body: PackOrder,
    act: { answer: fulfillmentActs.pack },
  }),
  action("/orders/:id/unpick", "orders.fulfill", {
    id: "unpickOrder",
    summary: "Return picked units to their bins",
    description:
      "Undoes a pick of a `processing` order: units that are not packed go back to the bin and lot they came from, or" +
      " to another bin if that one no longer takes them, as the history shows. They stay reserved for the order." +
      " Their billable events are reversed.",
    refuses: ["bin_full", "invalid_state_transition"],
    body: UnpickOrder,
    act: { answer: fulfillmentActs.unpick },
  }),
  action("/orders/:id/unpack", "orders.fulfill", {
    id: "unpackOrder",
    summary: "Unpack an order",
    description:
      "Undoes a pack, of a `fulfilled` order or of a `processing` one with packed units: those that have not shipped" +
      " count as picked again, and the order is `processing`. Parcels that lose all units are given up; void their" +
      " labels first. Billable events are reversed. Once all is packed again, `order.fulfilled` is emitted again.",
    refuses: undo_refuses,
    body: UnpackOrder,
    act: { answer: fulfillmentActs.unpack },
  }),
  rehearsable("POST", "/orders/:id/shipments/:shipment_id/reopen", "orders.fulfill", {
    id: "reopenOrderShipment",
    summary: "Reopen a packed parcel",
    description:
      "Gives up a parcel that has not shipped and unpacks its units, as `unpack` does. Void its label first. The" +
      " units can then be packed again, in another parcel.",
    refuses: undo_refuses,
    body: ReopenParcel,
    view: OrderView,
    matches: lockedOrder,
    act: async (tx, { call, params: { id, shipment_id }, body }) => {
      const order = await lockOrder(tx, id);
      await refuseLabelled(tx, order, reopeningOf(order, shipment_id).parcels);
      return orderAnswer(await reopenParcel(tx, id, shipment_id, body, call.actor), tx.now);
    },
  }),
  action("/orders/:id/ship", "orders.fulfill", {
    id: "shipOrder",
    summary: "Ship an order",
    description:
      "Hands over a parcel: after any missing steps, its units leave stock. If no parcel has a tracking number, all" +
      " of the order ships; otherwise one parcel ships with each call. `order.shipped` is emitted once, when nothing" +
      " is left to ship. The first scan by the carrier has the same effect.",
    refuses: picking_refuses,
    body: ShipOrder,
    act: { answer: fulfillmentActs.ship },
  }),
  action("/orders/:id/deliver", "orders.fulfill", {
    id: "deliverOrder",
    summary: "Deliver an order",
    description:
      "Marks shipped parcels as delivered if no carrier reports it; their tracking follows. Parcels with a tracking" +
      " number emit `shipment.delivered`. The last parcel makes the order `delivered` and emits `order.delivered`.",
    refuses: ["invalid_state_transition"],
    body: DeliverOrder,
    act: { answer: fulfillmentActs.deliver },
  }),
]);

/** Allocates stock to an order again, or previews the allocation, with the reasons. */
export const allocationRoutes = routes("Orders", [
  rehearsable("POST", "/orders/:id/allocate", "orders.write", {
    id: "allocateOrder",
    summary: "Allocate stock to an order, or preview the allocation",
    description:
      "Plans the unpicked units again with the present stock, missing ones included, and explains each choice. Useful" +
      " after a short pick or a new delivery; backorders fill without it. Refused while any hold but `short_pick`" +
      " is open. Repeating it with the same stock changes nothing.",
    refuses: ["invalid_state_transition"],
    query: AllocateOrder,
    body: NoFields,
    view: AllocationView,
    matches: lockedOrder,
    act: async (tx, { call, params, query: { dry_run = false } }) => {
      const { order, allotments } = await allocateOrder(tx, params.id, call.actor);
      const backordered_units = backorderedUnits(order);
      return {
        order_id: wireId("order", order.id),
        dry_run,
        allocation: { complete: backordered_units === 0, backordered_units },
        items: allotments.map(allotmentView),
      };
    },
  }),
]);

/** Splits an order in two. */
export const splitRoutes = routes("Orders", [
  rehearsable("POST", "/orders/:id/split", "orders.write", {
    id: "splitOrder",
    summary: "Split an order",
    description:
      "Moves units that should wait or ship separately to a new pending order (`split_off`) for the same customer and" +
      " address; it emits `order.created`. Backordered units move first, reserved stock moves along. Each line's" +
      " price is divided exactly; the shipping amount stays. An order from a platform cannot be split.",
    refuses: ["duplicate_order_number", "invalid_state_transition"],
    body: SplitOrder,
    view: SplitView,
    preview: SplitPreview,
    matches: lockedOrder,
    act: async (tx, { call, params, body }) => {
      const { order, split_off } = await splitOrder(tx, params.id, body, call.actor);
      return taggedOrder({ ...orderView(order, tx.now), split_off: orderView(split_off, tx.now) });
    },
  }),
]);
