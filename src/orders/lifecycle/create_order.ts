import type { Actor } from "../../core/actor.ts";
import { assert, Fault, faults } from "../../core/faults.ts";
import { emit } from "../../events/emit.ts";
import { lockFreshStock } from "../../inventory/reservations/backorders.ts";
import type { LockedStockMap } from "../../inventory/reservations/locked_stock.ts";
import { allocateForOrder } from "../../inventory/reservations/order_allocations.ts";
import {
  type LinePortions,
  plannedAllocation,
  planOrderAllocations,
  storeOrderAllocations,
} from "../../inventory/reservations/plan_order_allocations.ts";
import { allocationLine } from "../../inventory/reservations/reservation.ts";
import { findAdoptableRefs } from "../../inventory/reservations/reservations.sql.ts";
import type { Tx } from "../../storage/database.ts";
import { holdForMerchant, settleAddress, settleGoods } from "../changes/holds.ts";
import { dispatchOf } from "../fulfillment/ship_dates.sql.ts";
import type { CreateOrder } from "../order.schema.ts";
import { type Order, orderEvent } from "../order.ts";
import { insertLines, insertLinesOf } from "../order_lines.sql.ts";
import { allocationOf, withAllocations } from "../order_lines.ts";
import { insertAllotted, insertOrder, insertOrders, listOrdersNumbered } from "../orders.sql.ts";
import { insertFirstHistory } from "../search/order_history.sql.ts";
import { type RuledDraft, recordEffects, ruleDrafts } from "../shipping_rules/apply_rules.ts";
import {
  draftOrders,
  fromApi,
  newOrder,
  type OrderDraft,
  type OrderSource,
  type RequestedOrder,
  reservationOf,
  takenNumber,
  wantsOf,
} from "./draft_orders.ts";
import { findOrderByNumber } from "./order_lookup.sql.ts";

/** An order to be created, and its creator. */
interface OrderToCreate extends RequestedOrder {
  readonly actor: Actor;
}

/**
 * Creates an order and reserves its stock as far as there is any. The rest is backordered, unless the order forbids it.
 * Refuses: resource_missing, validation_failed, duplicate_order_number, insufficient_inventory, reservation_closed,
 * reservation_committed. Emits: order.created.
 */
export async function createOrder(tx: Tx, input: CreateOrder, actor: Actor, source = fromApi): Promise<Order> {
  return createSingle(tx, { input, actor }, source);
}

async function createSingle(tx: Tx, request: OrderToCreate, source: OrderSource): Promise<Order> {
  const [plain] = await createBatch(tx, [request], source);
  const made = plain ?? (await createAdopting(tx, request, source));
  if (made instanceof Fault) throw made;
  return made;
}

/**
 * Creates orders as if one after the other. A refused order has the refusal as its result, and the others are still
 * created. Emits: order.created.
 */
export async function createOrders(
  tx: Tx,
  orders: readonly OrderToCreate[],
  source: OrderSource = fromApi,
): Promise<(Order | Fault)[]> {
  const results: (Order | Fault)[] = [];
  for (let next = orders[0]; next !== undefined; next = orders[results.length]) {
    const rest = orders.slice(results.length);
    const together = await ifNotRefused(tx, (inner) => createBatch(inner, rest, source));
    if (Array.isArray(together) && together.length > 0) results.push(...together);
    else results.push(await ifNotRefused(tx, (inner) => createSingle(inner, next, source)));
  }
  return results;
}

/** Runs `work` in a nested part of the transaction. If it is refused, nothing but the refusal remains. */
async function ifNotRefused<Done>(tx: Tx, work: (inner: Tx) => Promise<Done>): Promise<Done | Fault> {
  try {
    return await tx.nested(work);
  } catch (error) {
    if (error instanceof Fault && faults[error.code].status < 500) return error;
    throw error;
  }
}

/**
 * Creates orders as if one after the other, with as many statements for many as for one, up to the first that adopts a
 * reservation or repeats the number of an earlier one. Returns one result for each order handled: the order, or its
 * refusal, which has changed nothing. If another server takes one of the numbers at the same time, all are refused.
 * Refuses: duplicate_order_number. Emits: order.created.
 */
export async function createBatch(
  tx: Tx,
  orders: readonly OrderToCreate[],
  source: OrderSource = fromApi,
): Promise<(Order | Fault)[]> {
  const some = orders.slice(0, countPlain(orders));
  const drafts = await refuseTaken(tx, await ruleDrafts(tx, await draftOrders(tx, some, source)));
  const wants = drafts.flatMap((draft) => (draft instanceof Fault ? [] : wantsOf(draft)));
  const stocks = await lockFreshStock(
    tx,
    wants.map(({ product_id }) => product_id),
  );
  // Read under the lock of the stock: a reservation that was made at the same time exists by now.
  const adoptable = await findAdoptableRefs(tx, numbersOf(drafts), source.stock);
  const end = drafts.findIndex((draft) => !(draft instanceof Fault) && adoptable.has(draft.fields.order_number));
  const actors = some.map(({ actor }) => actor);
  const planned = planDrafts(tx, stocks, end < 0 ? drafts : drafts.slice(0, end), actors);
  const made = await storePlanned(
    tx,
    stocks,
    planned.filter((plan): plan is PlannedDraft => !(plan instanceof Fault)),
    source,
  );
  let at = 0;
  return planned.map((plan) => (plan instanceof Fault ? plan : (made[at++] as Order)));
}

/** The number of orders before the first that names a reservation or repeats the number of an earlier one. */
function countPlain(orders: readonly OrderToCreate[]): number {
  const numbers = new Set<string>();
  const end = orders.findIndex(({ input }) => {
    const isPlain = reservationOf(input) === null && !numbers.has(input.order_number);
    numbers.add(input.order_number);
    return !isPlain;
  });
  return end < 0 ? orders.length : end;
}

const numbersOf = (drafts: readonly (OrderDraft | Fault)[]) =>
  drafts.flatMap((draft) => (draft instanceof Fault ? [] : draft.fields.order_number));

/** The drafts, with a refusal for each order number that is taken. */
async function refuseTaken(tx: Tx, drafts: readonly (RuledDraft | Fault)[]): Promise<(RuledDraft | Fault)[]> {
  const taken = await listOrdersNumbered(tx, numbersOf(drafts));
  if (taken.length === 0) return [...drafts];
  return drafts.map((draft) => {
    if (draft instanceof Fault) return draft;
    const { order_number, merchant_id } = draft.fields;
    const existing = taken.find((order) => order.order_number === order_number && order.merchant_id === merchant_id);
    return existing === undefined ? draft : takenNumber(order_number, existing.id);
  });
}

/** A draft with its planned stock and its creator. */
interface PlannedDraft {
  readonly draft: RuledDraft;
  readonly portions: LinePortions;
  readonly actor: Actor;
}

/** Each draft with the stock planned for it, or its refusal. */
function planDrafts(
  tx: Tx,
  stocks: LockedStockMap,
  drafts: readonly (RuledDraft | Fault)[],
  actors: readonly Actor[],
): (PlannedDraft | Fault)[] {
  const valid = drafts.filter((draft): draft is RuledDraft => !(draft instanceof Fault));
  const demands = valid.map((draft) => ({ ...draft.fields, lines: wantsOf(draft) }));
  const plans = planOrderAllocations(tx, stocks, demands);
  let next = 0;
  return drafts.map((draft, at) => {
    if (draft instanceof Fault) return draft;
    const [portions, actor] = [plans[next++], actors[at]];
    assert(portions && actor, "each draft has a plan and a creator");
    return portions instanceof Fault ? portions : { draft, portions, actor };
  });
}

/** Stores orders with their lines, their allocations and their first history. */
async function storePlanned(
  tx: Tx,
  stocks: LockedStockMap,
  planned: readonly PlannedDraft[],
  source: OrderSource,
): Promise<Order[]> {
  if (planned.length === 0) return [];
  const ids = await insertOrders(
    tx,
    planned.map(({ draft }) => draft.fields),
  );
  const lost = planned.find(({ draft }) => !ids.has(draft.fields.order_number))?.draft.fields.order_number;
  if (lost !== undefined) throw takenNumber(lost, await findOrderByNumber(tx, lost));
  const stored = planned.map((plan) => ({ ...plan, id: ids.get(plan.draft.fields.order_number) ?? 0 }));
  const lines = await insertLinesOf(
    tx,
    stored.flatMap(({ id, draft }) =>
      draft.lines.map((line) => ({ order_id: id, merchant_id: draft.fields.merchant_id, ...line })),
    ),
  );
  const linesOf = Map.groupBy(lines, ({ order_id }) => order_id);
  const plain = stored.map(({ id, draft }) => newOrder(tx, id, draft, linesOf.get(id) ?? []));
  const claims = await storeOrderAllocations(
    tx,
    stocks,
    plain.map((order, at) => {
      return plannedAllocation(tx, { ...allocationOf(order), source: source.stock }, stored[at]?.portions ?? []);
    }),
  );
  const dispatch = await dispatchOf(tx, plain);
  const orders = plain.map((order, at) => {
    return withAllocations({ ...order, ...dispatch[at] }, (claims[at]?.lines ?? []).map(allocationLine));
  });
  await insertFirstHistory(
    tx,
    stored.map(({ id, draft, actor }) => ({ id, status: draft.fields.status, event: "create", actor })),
  );
  const settled: Order[] = [];
  for (const [at, order] of orders.entries()) {
    const plan = stored[at];
    settled.push(plan === undefined ? order : await settleNew(tx, order, plan.draft, plan.actor));
  }
  await emit(
    tx,
    settled.map((order) => orderEvent("order.created", order, tx.now)),
  );
  return settled;
}

/** Records the effects of rules on an order that was just stored, and holds it if its merchant is suspended. */
async function settleNew(tx: Tx, order: Order, { suspended, effects }: RuledDraft, actor: Actor): Promise<Order> {
  const ruled = await recordEffects(tx, order, effects, actor);
  return suspended ? holdForMerchant(tx, ruled, actor) : ruled;
}

/** Creates an order that adopts earlier reservations: the one it names, or those made for its number. */
async function createAdopting(tx: Tx, request: OrderToCreate, source: OrderSource): Promise<Order> {
  const { input, actor } = request;
  const [draft] = await ruleDrafts(tx, await draftOrders(tx, [request], source));
  assert(draft, "an order has a draft");
  if (draft instanceof Fault) throw draft;
  const id = await insertOrder(tx, draft.fields);
  if (id === null) throw takenNumber(input.order_number, await findOrderByNumber(tx, input.order_number));
  const plain = await storeDraft(tx, id, draft, { stock: source.stock, reservation_id: reservationOf(input), actor });
  const order = await settleNew(tx, plain, draft, actor);
  await emit(tx, [orderEvent("order.created", order, tx.now)]);
  return order;
}

/** Stores the lines of an order whose row is stored, allocates stock to them, and begins its history. */
async function storeDraft(
  tx: Tx,
  id: number,
  draft: OrderDraft,
  how: { readonly stock: string; readonly reservation_id: number | null; readonly actor: Actor },
): Promise<Order> {
  const { fields, lines } = draft;
  const plain = newOrder(tx, id, draft, await insertLines(tx, { id, merchant_id: fields.merchant_id }, lines));
  const claim = { ...allocationOf(plain), reservation_id: how.reservation_id, source: how.stock };
  const claims = await allocateForOrder(tx, claim);
  const [dispatch] = await dispatchOf(tx, [plain]);
  await insertFirstHistory(tx, [{ id, status: fields.status, event: "create", actor: how.actor }]);
  return withAllocations({ ...plain, ...dispatch }, claims);
}

/**
 * Creates a platform's order with its reserved id. Inactive products and an incomplete address are accepted; the order
 * is held until they are corrected.
 * Refuses: resource_missing, validation_failed, duplicate_order_number. Emits: order.created.
 */
export async function importOrder(
  tx: Tx,
  order_id: number,
  input: CreateOrder,
  actor: Actor,
  source: OrderSource,
): Promise<Order> {
  const [draft] = await ruleDrafts(tx, await draftOrders(tx, [{ input }], source, true));
  assert(draft, "an order has a draft");
  if (draft instanceof Fault) throw draft;
  const id = await insertAllotted(tx, order_id, draft.fields);
  if (id === null) throw takenNumber(input.order_number, await findOrderByNumber(tx, input.order_number));
  const plain = await storeDraft(tx, id, draft, { stock: source.stock, reservation_id: reservationOf(input), actor });
  const settled = await settleGoods(
    tx,
    await settleAddress(tx, plain, actor, { hidden: source.is_address_hidden === true }),
    actor,
  );
  const order = await settleNew(tx, settled, draft, actor);
  await emit(tx, [orderEvent("order.created", order, tx.now)]);
  return order;
}
