import type { Static } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { RouteNeed } from "../../access/need.ts";
import type { Tx } from "../../database/store.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { requireMatch, tagged } from "../../http/preconditions.ts";
import { type Asked, answerAct, RehearsableView } from "../../http/rehearsals.ts";
import { documented, type RouteNotes } from "../../http/route.ts";
import { answerTogether, type SharedAct } from "../../http/together.ts";
import type { Actor } from "../../kit/actor.ts";
import { Fault } from "../../kit/fault.ts";
import { Rehearse } from "../../kit/rehearse.ts";
import { bodyOf, queryOf } from "../../kit/schema.ts";
import { lockRecordsFirst, trackMoves } from "../../tracking/moves_by_hand/commands.ts";
import { deliverOrder } from "../arrivals/commands.ts";
import { acceptSuggestion } from "../changes/commands.ts";
import { shipOrder, shipOrders } from "../departures/commands.ts";
import { type AskedAct, packOrder, packOrders, pickOrder, pickOrders, processOrder } from "../fulfillment/commands.ts";
import { holdOrder, releaseOrder } from "../holds/commands.ts";
import { type Order, orderView } from "../order.ts";
import {
  DeliverOrder,
  HoldOrder,
  NoFields,
  OrderView,
  PackOrder,
  PickOrder,
  ReleasedView,
  ReleaseOrder,
  ShipOrder,
} from "../schemas.ts";
import { lockOrder } from "../store.ts";

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

/** What an act locks before its orders. */
type LockFirst = (tx: Tx, ids: readonly string[]) => Promise<void>;

const nothing: LockFirst = async () => {};

/**
 * Answers with an order after a command, which begins only while the order is as the request's `If-Match` says.
 * Refuses: resource_missing, precondition_failed, malformed_header.
 */
export function answerOrder(
  call: Call,
  id: string,
  asked: Asked,
  work: (tx: Tx) => Promise<Order>,
  lock: LockFirst = nothing,
): Promise<Response> {
  return answerAct(call, asked, async (tx) => {
    await lock(tx, [id]);
    await requireVersion(tx, call, id);
    return orderAnswer(await work(tx), tx.now);
  });
}

/** The order as answers about it alone show it. */
export const orderAnswer = (order: Order, now: number) => taggedOrder(orderView(order, now));

/** An order's view with its tag: what stock, the calendar and its merchant's suspension decide changes no version. */
export function taggedOrder<View extends ReturnType<typeof orderView>>(view: View): View {
  const lines = view.line_items.map((line) => [
    line.quantity_reserved,
    line.quantity_backordered,
    line.quantity_picked,
  ]);
  return tagged(view, view.version, [view.estimated_ship_date, lines, view.allowed_actions]);
}

/** Refuses: resource_missing, precondition_failed, malformed_header, unless the order is as `If-Match` says. */
export function requireVersion(tx: Tx, call: Call, id: string): Promise<void> {
  return requireMatch(call, async () => orderAnswer(await lockOrder(tx, id), tx.now));
}

/** A request to act on one order. */
interface Acting<Input> {
  readonly call: Call;
  readonly params: { readonly id: string };
  readonly body: Input;
  readonly query: Static<typeof Rehearse>;
}

type ActAlone<Input> = (tx: Tx, id: string, input: Input, actor: Actor) => Promise<Order>;
type ActTogether<Input> = (tx: Tx, asked: readonly AskedAct<Input>[]) => Promise<readonly (Order | Fault | "alone")[]>;

/** An act by which parcels leave or arrive, with their tracking records, which are locked before it. */
const tracked =
  <Input>(act: ActAlone<Input>): ActAlone<Input> =>
  async (tx, id, input, actor) => {
    const done = await act(tx, id, input, actor);
    const [order = done] = await trackMoves(tx, [{ order: done, actor }]);
    return order;
  };

/** As `tracked`, of many orders at once, whose records it locks. */
const trackedTogether =
  <Input>(act: ActTogether<Input>): ActTogether<Input> =>
  async (tx, asked) => {
    await lockRecordsFirst(
      tx,
      asked.map(({ id }) => id),
    );
    const done = await act(tx, asked);
    const isDone = (one: Order | Fault | "alone") => !(one === "alone" || one instanceof Fault);
    const moved = done.flatMap((order, at) => {
      const { actor } = asked[at] ?? {};
      return isDone(order) && actor !== undefined ? { order: order as Order, actor } : [];
    });
    const orders = (await trackMoves(tx, moved)).values();
    return done.map((one) => (isDone(one) ? (orders.next().value ?? one) : one));
  };

/** Answers an act on an order. Orders for which it is asked at the same moment are acted on together. */
function sharing<Input>(name: string, alone: ActAlone<Input>, together: ActTogether<Input>, lock: LockFirst = nothing) {
  const act: SharedAct<{ readonly id: string; readonly input: Input }, Order> = {
    name,
    status: 200,
    // All units of an order move.
    weight: () => 5,
    alone: async (tx, { input: { id, input }, call }) => {
      await lock(tx, [id]);
      await requireVersion(tx, call, id);
      return alone(tx, id, input, call.actor);
    },
    together: (tx, parts) =>
      together(
        tx,
        parts.map(({ input, call }) => ({ ...input, actor: call.actor })),
      ),
    view: (after, { now }) => orderAnswer(after, now),
  };
  return ({ call, params: { id }, body, query }: Acting<Input>) =>
    query.dry_run
      ? answerOrder(call, id, query, (tx) => alone(tx, id, body, call.actor), lock)
      : answerTogether(call, act, { id, input: body });
}

const picked = sharing("pickOrder", pickOrder, pickOrders);
const packed = sharing("packOrder", packOrder, packOrders);
const shipped = sharing("shipOrder", tracked(shipOrder), trackedTogether(shipOrders), lockRecordsFirst);
const delivered = tracked(deliverOrder);

/** The acts that move an order from state to state. */
export const actionRoutes = new Elysia({ prefix: "/orders/:id" })
  .use(conventions)
  .post(
    "/accept_suggestion",
    ({ call, params, query }) =>
      answerOrder(call, params.id, query, (tx) => acceptSuggestion(tx, params.id, call.actor)),
    {
      body: bodyOf(NoFields),
      query: queryOf(Rehearse),
      detail: order(
        "acceptOrderSuggestion",
        "orders.write",
        "Accept the address that the last check suggests for an order",
        {
          description:
            "Possible until it is packed, and while no label is bought. The customer's address stays as it is.",
          refuses: ["invalid_state_transition", "no_suggestion"],
        },
      ),
    },
  )
  .post(
    "/hold",
    ({ call, params, body, query }) =>
      answerOrder(call, params.id, query, (tx) => holdOrder(tx, params.id, body, call.actor)),
    {
      body: bodyOf(HoldOrder),
      query: queryOf(Rehearse),
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
      query: queryOf(Rehearse),
      detail: documented({
        id: "releaseOrder",
        needs: "orders.write",
        chapter: "Orders",
        summary: "Release an order",
        matches: true,
        refuses: ["insufficient_inventory"],
        answers: { 200: RehearsableView(ReleasedView) },
      }),
    },
  )
  .post(
    "/process",
    ({ call, params, query }) => answerOrder(call, params.id, query, (tx) => processOrder(tx, params.id, call.actor)),
    {
      body: bodyOf(NoFields),
      query: queryOf(Rehearse),
      detail: order("processOrder", "orders.fulfil", "Process an order", {
        refuses: ["invalid_state_transition"],
      }),
    },
  )
  .post("/pick", picked, {
    body: bodyOf(PickOrder),
    query: queryOf(Rehearse),
    detail: order("pickOrder", "orders.fulfil", "Pick an order", {
      refuses: ["bin_full", "insufficient_inventory", "invalid_state_transition", "lot_not_pickable"],
    }),
  })
  .post("/pack", packed, {
    body: bodyOf(PackOrder),
    query: queryOf(Rehearse),
    detail: order("packOrder", "orders.fulfil", "Pack an order", {
      refuses: ["bin_full", "insufficient_inventory", "invalid_state_transition", "lot_not_pickable"],
    }),
  })
  .post("/ship", shipped, {
    body: bodyOf(ShipOrder),
    query: queryOf(Rehearse),
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
      query: queryOf(Rehearse),
      detail: order("deliverOrder", "orders.fulfil", "Deliver an order", {
        refuses: ["invalid_state_transition"],
      }),
    },
  );
