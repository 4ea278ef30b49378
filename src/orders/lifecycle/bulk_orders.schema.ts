// Bodies and results of bulk creation.
import { type Static, Type } from "@sinclair/typebox";
import { closed } from "../../core/schema.ts";
import { CreateOrder, OrderView } from "../order.schema.ts";

const orders_max = 500;

/** The body of a bulk request. Its orders are checked one by one, so that a bad one does not affect the others. */
export const CreateOrders = closed({ orders: Type.Array(Type.Unknown(), { minItems: 1, maxItems: orders_max }) });
export type CreateOrders = Static<typeof CreateOrders>;

/** The same body as the reference shows it. */
export const DocumentedCreateOrders = closed({
  orders: Type.Array(CreateOrder, {
    minItems: 1,
    maxItems: orders_max,
    description: "The orders, created one after the other.",
  }),
});

const Problem = closed({
  field: Type.String({ description: "The field, as a path within the order: `line_items[0].sku`." }),
  code: Type.String({ description: "What is wrong, such as `required`." }),
  message: Type.String(),
  pointer: Type.String({ description: "The same path as a JSON pointer." }),
});

const ErrorView = Type.Object({
  type: Type.String({ description: "The group of the code, such as `invalid_request`." }),
  code: Type.String({ description: "The error code, such as `insufficient_inventory`." }),
  message: Type.String(),
  details: Type.Array(Problem, { description: "Every invalid field of this order." }),
  doc_url: Type.String({ description: "Where the code is documented." }),
});

export const CreatedOrdersView = closed({
  created: Type.Integer({ description: "The number of orders created." }),
  failed: Type.Integer({ description: "The number of orders refused." }),
  results: Type.Array(
    closed({
      index: Type.Integer({ description: "The position of the order in the request, from 0." }),
      status: Type.Integer({ description: "The status that `POST /orders` would have returned." }),
      data: Type.Optional({ ...OrderView, description: "The new order, if it was created." }),
      error: Type.Optional({ ...ErrorView, description: "Why it was refused." }),
    }),
    { description: "One for each order, in the order of the request." },
  ),
});
