import type { TSchema } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Actor } from "../core/actor.ts";
import { Fault, invalid, invalidFields } from "../core/faults.ts";
import { readId, wireId } from "../core/ids.ts";
import { checkOf, shownBodyOf } from "../core/schema.ts";
import type { Permission } from "../http/auth/permissions.ts";
import { answerResults, eachTogether, type PartResult, resultOfPart } from "../http/bulk_results.ts";
import type { Call } from "../http/call.ts";
import { EnvelopedView } from "../http/envelope.ts";
import { type BulkPart, bulkPartOf } from "../http/idempotency.ts";
import { refuseUnmatched } from "../http/preconditions.ts";
import { answerLongWork } from "../http/response.ts";
import { respond, routes } from "../http/routes.ts";
import type { Service } from "../http/service.ts";
import { refuseForMerchants } from "../merchants/tenant_scopes.ts";
import { answerCancellation } from "../orders/changes/cancellations.routes.ts";
import { tagOrder, untagOrder } from "../orders/changes/change_order.ts";
import { holdOrder, releaseOrder } from "../orders/changes/holds.ts";
import { allocateOrder } from "../orders/fulfillment/order_stock.ts";
import { processOrder } from "../orders/fulfillment/pick_and_pack.ts";
import type { UnpackOrder, UnpickOrder } from "../orders/fulfillment/undo_steps.schema.ts";
import type { CancelOrder, DeliverOrder, PackOrder, PickOrder, ShipOrder } from "../orders/order.schema.ts";
import type { Order } from "../orders/order.ts";
import { answerOrder, fulfillmentActs } from "../orders/order_actions.routes.ts";
import type { Tx } from "../storage/database.ts";
import { accountRoutes, connectorRoutes } from "./carriers/accounts.routes.ts";
import { labelRoutes, purchases } from "./labels/labels.routes.ts";
import { manifestRoutes } from "./manifests/manifests.routes.ts";
import { shipManifestRoutes } from "./manifests/ship_manifest.routes.ts";
import {
  ActedView,
  ActOnOrders,
  ActOnOrdersQuery,
  ActOnOrdersShown,
  type BuyLabels,
  inputs,
  type OrderActionOfMany,
} from "./order_actions.schema.ts";
import { bulkRateRoutes } from "./rates/bulk_rates.routes.ts";
import { holidayRoutes } from "./rates/holidays.routes.ts";
import { quoteRoutes } from "./rates/quotes.routes.ts";
import { rateCardRoutes } from "./rates/rate_cards.routes.ts";
import { zoneRoutes } from "./zones/zones.routes.ts";

/** One action on one order of a bulk request. */
interface OrderActionRequest {
  readonly id: string;
  readonly input: unknown;
  readonly dry_run: boolean;
  readonly if_match: string | undefined;
}

type OrderActionHandler = (call: Call, act: OrderActionRequest) => Promise<Response>;

/** The route that runs one action on many orders. */
const orderActionRoutes = (service: Service) => {
  const acting = actsOf(service);
  return routes("Orders", [
    respond("POST", "/orders/actions", "order_actions", {
      id: "actOnOrders",
      summary: "Run an action on up to 500 orders",
      description:
        "Runs the action on each of the orders, with its own history and events, as separate requests" +
        " would. A refusal does not stop the others, and the response is 200. Repeating an interrupted request with" +
        " its `Idempotency-Key` continues where it stopped. Shipping hands over all parcels of an order. Each" +
        " action requires the permission of its own route: `orders.write`, `orders.fulfill` to work on parcels, and" +
        " `shipping.buy` for labels.",
      query: ActOnOrdersQuery,
      body: shownBodyOf(ActOnOrders, ActOnOrdersShown),
      answers: { 200: EnvelopedView(ActedView) },
      answer: ({ call, body, query }) => actOnAll(call, service, acting, { body, query }),
    }),
  ]);
};

/** Orders are omitted from results beyond this size of the response. */
const shown_bytes_max = 2_000_000;

/** The single-order route of each action, whose permission applies. */
const singleRoutes: Readonly<Record<OrderActionOfMany, { readonly id: string; readonly need: Permission }>> = {
  hold: { id: "holdOrder", need: "orders.write" },
  release: { id: "releaseOrder", need: "orders.write" },
  tag: { id: "tagOrder", need: "orders.write" },
  untag: { id: "untagOrder", need: "orders.write" },
  process: { id: "processOrder", need: "orders.fulfill" },
  allocate: { id: "allocateOrder", need: "orders.write" },
  pick: { id: "pickOrder", need: "orders.fulfill" },
  pack: { id: "packOrder", need: "orders.fulfill" },
  unpick: { id: "unpickOrder", need: "orders.fulfill" },
  unpack: { id: "unpackOrder", need: "orders.fulfill" },
  ship: { id: "shipOrder", need: "orders.fulfill" },
  deliver: { id: "deliverOrder", need: "orders.fulfill" },
  cancel: { id: "cancelOrder", need: "orders.write" },
  buy_label: { id: "createLabel", need: "shipping.buy" },
};
const checks: Readonly<Record<string, (value: unknown) => unknown>> = Object.fromEntries(
  Object.entries(inputs).map(([action, schema]: [string, TSchema]) => [action, checkOf(schema)]),
);

async function actOnAll(
  call: Call,
  service: Service,
  acting: Readonly<Record<OrderActionOfMany, OrderActionHandler>>,
  { body, query: { dry_run = false } }: { readonly body: ActOnOrders; readonly query: ActOnOrdersQuery },
) {
  // A precondition concerns one order, so it is refused before any action runs.
  refuseUnmatched(call);
  const { action, etags = {} } = body;
  const route = singleRoutes[action];
  const { need } = route;
  if (!call.granted.permissions.has(need)) {
    throw new Fault("insufficient_permission", `The action ${action} requires the permission ${need}.`, {
      permission: need,
    });
  }
  await refuseForMerchants(call, { ...route, writes: call.writes }, action);
  if (dry_run && action === "buy_label") throw invalid("dry_run", "is not available for labels; request rates instead");
  const ids = distinctOrderIds(body.order_ids);
  const unknown_id = Object.keys(etags).find((id) => !ids.includes(id));
  if (unknown_id !== undefined) throw invalid(`etags.${unknown_id}`, "is not in order_ids");
  const input = readInput(action, body.input ?? {});
  return answerLongWork(
    call,
    async () => {
      const act = (id: string) =>
        resultOfPart(call, () => acting[action](call, { id, input, dry_run, if_match: etags[id] }));
      const results = independent.includes(action) ? await eachTogether(call, ids, act) : await inSequence(ids, act);
      const shown = shownResults(ids, results);
      const done = results.filter(({ ok }) => ok).length;
      const answer = { action, dry_run, done, failed: results.length - done, results: shown };
      return answerResults(call, answer, service.secret_key);
    },
    service.secret_key,
  );
}

/** Validates the input of an action. Refuses: validation_failed, with the fields as the request names them. */
function readInput(action: OrderActionOfMany, input: unknown): unknown {
  try {
    return checks[action]?.(input);
  } catch (fault) {
    const fields = fault instanceof Fault ? fault.facts.fields : undefined;
    if (fields === undefined) throw fault;
    throw invalidFields(fields.map((problem) => ({ ...problem, field: `input.${problem.field}` })));
  }
}

/** The actions whose orders need not wait for each other. With others, they may need the same stock. */
const independent: readonly OrderActionOfMany[] = ["pick", "pack", "unpick", "unpack", "ship", "deliver"];

async function inSequence<Result>(ids: readonly string[], act: (id: string) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (const id of ids) results.push(await act(id));
  return results;
}

/** The results as the response shows them. */
function shownResults(ids: readonly string[], results: readonly PartResult[]) {
  let shown_bytes = 0;
  return results.map(({ ok, status, data, error, bytes }, at) => {
    const result = { id: ids[at] ?? "", ok, status };
    if (!ok) return { ...result, error };
    shown_bytes += bytes;
    if (data !== undefined && "label_id" in data) return { ...result, label: data };
    return shown_bytes > shown_bytes_max ? result : { ...result, order: data };
  });
}

/** Returns the wire ids of the orders. Refuses: validation_failed (a duplicate order). */
function distinctOrderIds(order_ids: ActOnOrders["order_ids"]): string[] {
  const ids = order_ids.map((name) => wireId("order", readId("order", name) ?? 0));
  const again = ids.findIndex((id, at) => ids.indexOf(id) < at);
  if (again >= 0) throw invalid(`order_ids[${again}]`, "is a duplicate", "duplicate");
  return ids;
}

function actsOf(service: Service): Readonly<Record<OrderActionOfMany, OrderActionHandler>> {
  const buy = purchases(service);
  const post = (call: Call, action: string, act: OrderActionRequest) => bulkPartOf(call, partOfOrder(action, act));
  const plain =
    <Input>(action: string, run: (tx: Tx, id: string, input: Input, actor: Actor) => Promise<Order>) =>
    (call: Call, act: OrderActionRequest) =>
      answerOrder(post(call, action, act), act.id, act, (tx) => run(tx, act.id, act.input as Input, call.actor));
  return {
    hold: plain("hold", holdOrder),
    release: plain("release", releaseOrder),
    tag: plain("tag", tagOrder),
    untag: plain("untag", untagOrder),
    process: plain("process", (tx, id, _, actor) => processOrder(tx, id, actor)),
    allocate: plain("allocate", async (tx, id, _, actor) => (await allocateOrder(tx, id, actor)).order),
    pick: (call, act) => fulfillmentActs.pick(post(call, "pick", act), { ...act, input: act.input as PickOrder }),
    pack: (call, act) => fulfillmentActs.pack(post(call, "pack", act), { ...act, input: act.input as PackOrder }),
    unpick: (call, act) =>
      fulfillmentActs.unpick(post(call, "unpick", act), { ...act, input: act.input as UnpickOrder }),
    unpack: (call, act) =>
      fulfillmentActs.unpack(post(call, "unpack", act), { ...act, input: act.input as UnpackOrder }),
    ship: (call, act) => fulfillmentActs.ship(post(call, "ship", act), { ...act, input: act.input as ShipOrder }),
    deliver: (call, act) =>
      fulfillmentActs.deliver(post(call, "deliver", act), { ...act, input: act.input as DeliverOrder }),
    cancel: (call, { id, input, dry_run, if_match }) => {
      const query = { ...(input as CancelOrder), dry_run };
      const texts = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
      const part = { method: "DELETE", route: "/orders/:id", path: `/orders/${id}`, query: texts, if_match };
      return answerCancellation(bulkPartOf(call, part), service, id, query);
    },
    buy_label: (call, { id, input, if_match }) => {
      const { quotes = {}, ...options } = input as BuyLabels;
      const quote_id = quotes[id];
      const body = { ...options, order_id: readId("order", id) ?? 0, ...(quote_id && { quote_id }) };
      const route = "/shipping/labels";
      // All of them have the same path, so the order is part of the idempotency key.
      const query = { order_id: id };
      return buy(bulkPartOf(call, { method: "POST", route, path: route, query, body, if_match }), body);
    },
  };
}

function partOfOrder(action: string, { id, input, dry_run, if_match }: OrderActionRequest): BulkPart {
  const query = dry_run ? { dry_run: "true" } : {};
  return {
    method: "POST",
    route: `/orders/:id/${action}`,
    path: `/orders/${id}/${action}`,
    query,
    body: input,
    if_match,
  };
}

/** The routes of rates, carriers, labels, manifests and bulk actions on orders. */
export const shippingRoutes = (service: Service) =>
  new Elysia()
    .use(quoteRoutes(service))
    .use(bulkRateRoutes(service))
    .use(rateCardRoutes)
    .use(zoneRoutes)
    .use(holidayRoutes)
    .use(accountRoutes(service))
    .use(connectorRoutes(service))
    .use(labelRoutes(service))
    .use(manifestRoutes(service))
    .use(shipManifestRoutes(service))
    .use(orderActionRoutes(service));
