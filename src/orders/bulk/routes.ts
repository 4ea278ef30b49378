import { Elysia } from "elysia";
import type { Tx } from "../../database/store.ts";
import { answerWrite } from "../../http/answer.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { errorBody } from "../../http/errors.ts";
import { documented } from "../../http/route.ts";
import { Fault, faults } from "../../kit/fault.ts";
import { checkOf, shownBodyOf } from "../../kit/schema.ts";
import { createOrders } from "../creation/commands.ts";
import { type Order, orderView } from "../order.ts";
import { CreateOrder } from "../schemas.ts";
import { CreatedOrdersView, CreateOrders, CreateOrdersShown } from "./schemas.ts";

/** Orders by the hundred. */
export const bulkRoutes = new Elysia({ prefix: "/orders" })
  .use(conventions)
  .post("/bulk", ({ call, body }) => answerWrite(call, 200, (tx) => createEach(tx, call, body.orders)), {
    body: shownBodyOf(CreateOrders, CreateOrdersShown),
    detail: documented({
      id: "createOrders",
      needs: "orders.write",
      chapter: "Orders",
      summary: "Create up to 500 orders, each by itself",
      description:
        "Takes what `POST /orders` takes, as a list. A bad order is refused in its result and stops no other; the" +
        " answer is 200 all the same. They take their turn at the stock in the order in which they are sent.",
      answers: { 200: EnvelopedView(CreatedOrdersView) },
    }),
  });

const checkOrder = checkOf(CreateOrder);

async function createEach(tx: Tx, call: Call, orders: readonly unknown[]) {
  const read = orders.map(readOrder);
  const valid = read.filter((input): input is CreateOrder => !(input instanceof Fault));
  const made = await createOrders(
    tx,
    valid.map((input) => ({ input, actor: call.actor })),
  );
  let at = 0;
  const outcomes = read.map((input) => (input instanceof Fault ? input : (made[at++] as Order | Fault)));
  const failed = outcomes.filter((outcome) => outcome instanceof Fault).length;
  const results = outcomes.map((outcome, index) => {
    if (!(outcome instanceof Fault)) return { index, status: 201, data: orderView(outcome, tx.now) };
    const { error } = errorBody(outcome, call, tx.now);
    return { index, status: faults[outcome.code].status, error };
  });
  return { created: outcomes.length - failed, failed, results };
}

function readOrder(value: unknown): CreateOrder | Fault {
  try {
    return checkOrder(value);
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}
