import { findRecipients } from "../../customers/store.ts";
import type { Tx } from "../../database/store.ts";
import { claimForOrders } from "../../inventory/claims/batches/commands.ts";
import { listPlainWarehouses } from "../../inventory/warehouses/store.ts";
import type { Actor } from "../../kit/actor.ts";
import { Fault, faults } from "../../kit/fault.ts";
import { readId } from "../../kit/ids.ts";
import { emit } from "../../outbox/emit.ts";
import { dispatchOf } from "../dispatch/store.ts";
import { checkedRecipients, createOrder, fromApi, newOrder, productsOf, takenNumber } from "../drafts/commands.ts";
import { type Draft, draftOrder, reservationOf, type Source } from "../drafts/rules.ts";
import { orderEvent } from "../events.ts";
import { insertFirstHistory } from "../history/store.ts";
import type { Order } from "../order.ts";
import { claimOf, withClaims } from "../rules.ts";
import type { CreateOrder } from "../schemas.ts";
import { findOrdersByNumber, insertLinesOf, insertOrders } from "../store.ts";

/**
 * Creates orders one after the other, as `createOrder` does. One that is refused has the refusal as its result, and the
 * others are created all the same. Orders that stock cannot refuse are stored together, which is much faster.
 * Emits: order.created.
 */
export async function createOrders(
  tx: Tx,
  inputs: readonly CreateOrder[],
  actor: Actor,
  source: Source = fromApi,
): Promise<(Order | Fault)[]> {
  const results: (Order | Fault)[] = [];
  for (const run of runsOf(inputs)) {
    const together = run.length === 1 ? null : await ifNotRefused(tx, (inner) => createRun(inner, run, actor, source));
    if (Array.isArray(together)) {
      results.push(...together);
      continue;
    }
    for (const input of run) {
      results.push(await ifNotRefused(tx, (inner) => createOrder(inner, input, actor, source)));
    }
  }
  return results;
}

/** The orders in runs that can be stored together. What stock may refuse after an order is stored is one by itself. */
function runsOf(inputs: readonly CreateOrder[]): CreateOrder[][] {
  const runs: CreateOrder[][] = [];
  let is_open = false;
  for (const input of inputs) {
    const is_safe = input.allow_backorder !== false && reservationOf(input) === null;
    if (is_safe && is_open) runs.at(-1)?.push(input);
    else runs.push([input]);
    is_open = is_safe;
  }
  return runs;
}

/** Does something in a part of the transaction; when it is refused nothing of it stays but the refusal. */
async function ifNotRefused<Done>(tx: Tx, work: (inner: Tx) => Promise<Done>): Promise<Done | Fault> {
  try {
    return await tx.nested(work);
  } catch (error) {
    if (error instanceof Fault && faults[error.code].status < 500) return error;
    throw error;
  }
}

async function createRun(
  tx: Tx,
  inputs: readonly CreateOrder[],
  actor: Actor,
  source: Source,
): Promise<(Order | Fault)[]> {
  const drafts = await draftOrders(tx, inputs, source);
  const wanted = new Map<string, Draft>();
  for (const draft of drafts) {
    if (draft instanceof Fault || wanted.has(draft.fields.order_number)) continue;
    wanted.set(draft.fields.order_number, draft);
  }
  const orders = await storeOrders(tx, [...wanted.values()], source);
  await insertFirstHistory(tx, orders, { event: "create", actor });
  await emit(
    tx,
    orders.map((order) => orderEvent("order.created", order, tx.now)),
  );
  const made = new Map(orders.map((order) => [order.order_number, order]));
  const others = drafts.flatMap((draft) => (draft instanceof Fault ? [] : draft.fields.order_number));
  const known = await findOrdersByNumber(
    tx,
    others.filter((number, at) => !made.has(number) || others.indexOf(number) < at),
  );
  return drafts.map((draft) => {
    if (draft instanceof Fault) return draft;
    const { order_number } = draft.fields;
    const order = wanted.get(order_number) === draft ? made.get(order_number) : undefined;
    return order ?? takenNumber(order_number, known.get(order_number) ?? null);
  });
}

/** Stores those whose number is free, with their lines and what stock can promise them. */
async function storeOrders(tx: Tx, drafts: readonly Draft[], source: Source): Promise<Order[]> {
  const ids = await insertOrders(
    tx,
    drafts.map(({ fields }) => fields),
  );
  const stored = drafts.flatMap(({ fields, lines }) => {
    const id = ids.get(fields.order_number);
    return id === undefined ? [] : { id, fields, lines };
  });
  const lines = await insertLinesOf(
    tx,
    stored.flatMap(({ id, lines }) => lines.map((line) => ({ order_id: id, ...line }))),
  );
  const linesOf = Map.groupBy(lines, ({ order_id }) => order_id);
  const orders = stored.map(({ id, fields }) => newOrder(tx, id, fields, linesOf.get(id) ?? []));
  const claims = await claimForOrders(
    tx,
    orders.map((order) => ({ ...claimOf(order), source: source.stock })),
  );
  const dispatch = await dispatchOf(tx, orders);
  return orders.map((order, at) => {
    return withClaims({ ...order, ...dispatch[at] }, claims[at] ?? []);
  });
}

/**
 * The orders that these inputs make, or what is wrong with each, in a handful of queries for all. Those `imported` may
 * be of inactive products and go to an address that lacks something.
 */
export async function draftOrders(
  tx: Tx,
  inputs: readonly CreateOrder[],
  source: Source,
  imported = false,
): Promise<(Draft | Fault)[]> {
  const found = await findRecipients(
    tx,
    inputs.map((input) => ({
      customer_id: readId("customer", input.customer_id) ?? 0,
      address_id: readId("address", input.shipping_address_id) ?? 0,
    })),
  );
  const recipients = await checkedRecipients(tx, found);
  const products = await productsOf(
    tx,
    inputs.flatMap(({ line_items }) => line_items),
  );
  const warehouses = await listPlainWarehouses(tx);
  return inputs.map((input, at) => {
    const id = input.warehouse_id == null ? null : readId("warehouse", input.warehouse_id);
    const asked = warehouses.find((warehouse) => warehouse.id === id) ?? null;
    const named = { recipient: recipients[at] ?? null, products, asked };
    try {
      return draftOrder(input, named, source, imported);
    } catch (error) {
      if (error instanceof Fault) return error;
      throw error;
    }
  });
}
