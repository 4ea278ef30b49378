import { Elysia } from "elysia";
import { conventions } from "../../http/conventions.ts";
import { answerAct, RehearsableView } from "../../http/rehearsals.ts";
import { documented } from "../../http/route.ts";
import { Rehearse } from "../../kit/rehearse.ts";
import { bodyOf, queryOf } from "../../kit/schema.ts";
import { requireVersion, taggedOrder } from "../actions/routes.ts";
import { orderView } from "../order.ts";
import { SplitOrder, SplitView } from "../schemas.ts";
import { splitOrder } from "./commands.ts";

/** Makes two orders of one. */
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
    query: queryOf(Rehearse),
    detail: documented({
      id: "splitOrder",
      needs: "orders.write",
      chapter: "Orders",
      summary: "Split an order",
      description:
        "For units that are to wait, go later or be held by themselves. The new order (`split_off`) is pending, goes" +
        " to the same customer and address, and is called `<number>-2` unless `order_number` says otherwise. What" +
        " stock holds goes with the units, of each line first what it waits for. A line's price is shared so that" +
        " both orders together cost the same; the shipping amount stays. Units that are picked or in a parcel stay," +
        " and an order of a platform cannot be split: send that in several parcels.",
      matches: true,
      refuses: ["duplicate_order_number", "invalid_state_transition"],
      answers: { 200: RehearsableView(SplitView) },
    }),
  },
);
