import { type Static, Type } from "@sinclair/typebox";
import { closed } from "../../kit/schema.ts";
import { CreateOrder, OrderView } from "../schemas.ts";

const orders_max = 500;

/** What a bulk call takes: its orders are checked one by one, so that a bad one is refused by itself. */
export const CreateOrders = closed({ orders: Type.Array(Type.Unknown(), { minItems: 1, maxItems: orders_max }) });
export type CreateOrders = Static<typeof CreateOrders>;

/** The same as the documentation shows it. */
export const CreateOrdersShown = closed({ orders: Type.Array(CreateOrder, { minItems: 1, maxItems: orders_max }) });

const Problem = closed({ field: Type.String(), code: Type.String(), message: Type.String(), pointer: Type.String() });

const ErrorView = Type.Object({
  type: Type.String(),
  code: Type.String(),
  message: Type.String(),
  details: Type.Array(Problem, { description: "Every bad field of this order." }),
  doc_url: Type.String(),
});

export const CreatedOrdersView = closed({
  created: Type.Integer(),
  failed: Type.Integer(),
  results: Type.Array(
    closed({
      index: Type.Integer({ description: "The place of the order in the request, from 0." }),
      status: Type.Integer({ description: "What `POST /orders` would have answered with." }),
      data: Type.Optional(OrderView),
      error: Type.Optional(ErrorView),
    }),
    { description: "One for each order, in the order in which they were sent." },
  ),
});
