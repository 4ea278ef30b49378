import { Elysia } from "elysia";
import { answerWrite } from "../../http/answer.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { documented } from "../../http/route.ts";
import { bodyOf } from "../../kit/schema.ts";
import { packOrder, pickOrder, processOrder } from "../fulfillment/commands.ts";
import { holdOrder, releaseOrder } from "../holds/commands.ts";
import { orderView } from "../order.ts";
import {
  HoldOrder,
  NoFields,
  OrderView,
  PackOrder,
  PickOrder,
  ReleasedView,
  ReleaseOrder,
  ShipOrder,
} from "../schemas.ts";
import { deliverOrder, shipOrder } from "../shipments/commands.ts";

const order = (id: string, summary: string) => documented({ id, summary, answers: { 200: EnvelopedView(OrderView) } });

/** The acts that move an order from state to state. */
export const actionRoutes = new Elysia({ prefix: "/orders/:id" })
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
