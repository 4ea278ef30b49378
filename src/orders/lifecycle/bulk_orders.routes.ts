import { asFault, Fault, faults } from "../../core/faults.ts";
import { checkOf, shownBodyOf } from "../../core/schema.ts";
import type { Call } from "../../http/call.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { errorBody } from "../../http/errors.ts";
import { answerWrite } from "../../http/response.ts";
import { respond, routes } from "../../http/routes.ts";
import { merchantOfPart } from "../../merchants/tenant_scopes.ts";
import type { Tx } from "../../storage/database.ts";
import { CreateOrder } from "../order.schema.ts";
import { type Order, orderView } from "../order.ts";
import { CreatedOrdersView, CreateOrders, DocumentedCreateOrders } from "./bulk_orders.schema.ts";
import { createOrders } from "./create_order.ts";

/** Bulk creation of orders. */
export const bulkRoutes = routes("Orders", [
  respond("POST", "/orders/bulk", "orders.write", {
    id: "createOrders",
    summary: "Bulk-create up to 500 orders",
    description:
      "Creates each as `POST /orders` does, with its own `order.created`. An order that is refused has an error as" +
      " its result and does not stop the others; the response is still 200. Stock is reserved in the order of the" +
      " list.",
    body: shownBodyOf(CreateOrders, DocumentedCreateOrders),
    answers: { 200: EnvelopedView(CreatedOrdersView) },
    answer: ({ call, body }) => createEach(call, body),
  }),
]);

const checkOrder = checkOf(CreateOrder);

/** A valid order of the list, and the merchant that it names. */
interface ReadOrder {
  readonly input: CreateOrder;
  readonly merchant_id: number | null;
}

async function createEach(call: Call, body: CreateOrders): Promise<Response> {
  const read: (ReadOrder | Fault)[] = [];
  for (const order of body.orders) read.push(await readOrder(call, order).catch(asFault));
  return answerWrite(call, 200, (tx) => createAll(tx, call, read));
}

async function createAll(tx: Tx, call: Call, read: readonly (ReadOrder | Fault)[]) {
  const valid = read.filter((one): one is ReadOrder => !(one instanceof Fault));
  const made = await createOrders(
    tx,
    valid.map((one) => ({ ...one, actor: call.actor })),
  );
  let at = 0;
  const outcomes = read.map((one) => (one instanceof Fault ? one : (made[at++] as Order | Fault)));
  const failed = outcomes.filter((outcome) => outcome instanceof Fault).length;
  const results = outcomes.map((outcome, index) => {
    if (!(outcome instanceof Fault)) return { index, status: 201, data: orderView(outcome, tx.now) };
    const { error } = errorBody(outcome, call, tx.now);
    return { index, status: faults[outcome.code].status, error };
  });
  return { created: outcomes.length - failed, failed, results };
}

/** Refuses: validation_failed, merchant_closed. */
async function readOrder(call: Call, value: unknown): Promise<ReadOrder> {
  const input = checkOrder(value);
  return { input, merchant_id: await merchantOfPart(call, input.merchant_id) };
}
