// The acts of an order, from the routes, the recorded examples and the state table. Tests of all routes try each act.
import { type OrderStatus, orderTransitions } from "../../src/orders/order.transitions.ts";
import { operationsOf } from "../../src/server/openapi/description.ts";
import recorded from "../../src/server/openapi/examples.json" with { type: "json" };
import type { Examples } from "../../src/server/openapi/operation.ts";

/** The stock that a request names instead of the stock in the example. */
interface Goods {
  readonly sku: string;
  readonly bin?: string;
}

/** A write of one order that honors `If-Match`. */
export interface OrderAct {
  /** The operation id. */
  readonly id: string;
  readonly method: string;
  /** The path below the order, such as `/split`; empty for the order itself. */
  readonly path: string;
  /** The statuses from which the act is allowed. An act that is not in the state table is tried on a new order. */
  readonly from: readonly OrderStatus[];
  /** The whole body of the recorded example, for these goods. */
  exampleFor(goods: Goods): unknown;
  /** The same with the required fields only. A PATCH requires none and sends all. */
  requiredFor(goods: Goods): unknown;
}

const order_path = "/orders/{id}";
const transitions: Readonly<Record<string, { readonly from: readonly OrderStatus[] }>> = orderTransitions;

/** Lists the acts of an order by the routes of an app, without those of its parcels. */
export function orderActs(routes: Parameters<typeof operationsOf>[0]): OrderAct[] {
  const operations = operationsOf(routes).filter(
    ({ path, matches }) => matches && (path === order_path || /^\/orders\/\{id\}\/\w+$/.test(path)),
  );
  return operations.map(({ id, method, path, body }) => {
    const example = (recorded as Examples)[id];
    if (example === undefined)
      throw new Error(`${id} has no example: add one to test/server/openapi/story/orders.ts and record the story.`);
    const below = path.slice(order_path.length);
    const name = method === "delete" ? "cancel" : below.slice(1);
    const required = new Set<string>(
      method === "patch" ? Object.keys(Object(example.body)) : (body?.["required"] ?? []),
    );
    const isRequired = ([field]: [string, unknown]) => required.has(field);
    return {
      id,
      method: method.toUpperCase(),
      path: below,
      from: transitions[name]?.from ?? ["pending"],
      exampleFor: (goods) => about(goods, example.body),
      requiredFor: (goods) =>
        example.body === undefined
          ? undefined
          : about(goods, Object.fromEntries(Object.entries(Object(example.body)).filter(isRequired))),
    };
  });
}

/** A value of an example with other goods in the place of its own. */
function about(goods: Goods, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => about(goods, item));
  if (typeof value !== "object" || value === null) return value;
  const { sku, bin } = goods;
  const named: Record<string, unknown> = { sku, bin };
  return Object.fromEntries(
    Object.entries(value).flatMap(([field, inner]) => {
      if (field === "bin" && bin === undefined) return [];
      return [[field, field in named ? named[field] : about(goods, inner)]];
    }),
  );
}
