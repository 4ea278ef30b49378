import type { Tx } from "../../database/store.ts";
import { freshShelves } from "../../inventory/backorders/commands.ts";
import { type Portions, planClaims, plannedClaim, storeClaims } from "../../inventory/claims/plans/commands.ts";
import { claimLine } from "../../inventory/reservations/reservation.ts";
import { findAdoptableRefs } from "../../inventory/reservations/store.ts";
import type { Shelves } from "../../inventory/shelves/commands.ts";
import type { Actor } from "../../kit/actor.ts";
import { assert } from "../../kit/assert.ts";
import { Fault, faults } from "../../kit/fault.ts";
import { emit } from "../../outbox/emit.ts";
import { dispatchOf } from "../dispatch/store.ts";
import { draftOrders, fromApi, newOrder, storeDraft, takenNumber } from "../drafts/commands.ts";
import { type Draft, reservationOf, type Source, wantsOf } from "../drafts/rules.ts";
import { orderEvent } from "../events.ts";
import { insertFirstHistory } from "../history/store.ts";
import { holdForMerchant } from "../holds/commands.ts";
import { findOrderByNumber } from "../names/store.ts";
import type { Order } from "../order.ts";
import { claimOf, withClaims } from "../rules.ts";
import type { CreateOrder } from "../schemas.ts";
import { insertLinesOf, insertOrder, insertOrders, listOrdersNumbered } from "../store.ts";

/** An order to be created, and who creates it. */
interface OrderToCreate {
  readonly input: CreateOrder;
  readonly actor: Actor;
  /** The merchant whose it has to be; without it, whoever its customer belongs to. */
  readonly merchant_id?: number | null;
}

/**
 * Creates an order and reserves at once what stock can promise; the rest is backordered, unless the order forbids it.
 * Refuses: resource_missing, validation_failed, duplicate_order_number, insufficient_inventory. Emits: order.created.
 */
export async function createOrder(tx: Tx, input: CreateOrder, actor: Actor, source = fromApi): Promise<Order> {
  return createAlone(tx, { input, actor }, source);
}

async function createAlone(tx: Tx, asked: OrderToCreate, source: Source): Promise<Order> {
  const [plain] = await createTogether(tx, [asked], source);
  const made = plain ?? (await createAdopting(tx, asked, source));
  if (made instanceof Fault) throw made;
  return made;
}

/**
 * Creates orders as if one after the other. One that is refused has the refusal as its result, and the others are
 * created all the same. Emits: order.created.
 */
export async function createOrders(
  tx: Tx,
  orders: readonly OrderToCreate[],
  source: Source = fromApi,
): Promise<(Order | Fault)[]> {
  const results: (Order | Fault)[] = [];
  for (let next = orders[0]; next !== undefined; next = orders[results.length]) {
    const rest = orders.slice(results.length);
    const together = await ifNotRefused(tx, (inner) => createTogether(inner, rest, source));
    if (Array.isArray(together) && together.length > 0) results.push(...together);
    else results.push(await ifNotRefused(tx, (inner) => createAlone(inner, next, source)));
  }
  return results;
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

/**
 * Creates orders as if one after the other, by as many statements for many as for one, up to the first that adopts a
 * reservation or has the number of one before it. Answers those that it came to: each as it was made, or its refusal,
 * which has changed nothing. When another server takes one of their numbers meanwhile, all are refused.
 * Refuses: duplicate_order_number. Emits: order.created.
 */
export async function createTogether(
  tx: Tx,
  orders: readonly OrderToCreate[],
  source: Source = fromApi,
): Promise<(Order | Fault)[]> {
  const some = orders.slice(0, plainOnes(orders));
  const drafts = await withoutTaken(tx, await draftsOf(tx, some, source));
  const wants = drafts.flatMap((draft) => (draft instanceof Fault ? [] : wantsOf(draft)));
  const shelves = await freshShelves(
    tx,
    wants.map(({ product_id }) => product_id),
  );
  // Read under the lock of the stock: a reservation that was made at the same moment is there by now.
  const adoptable = await findAdoptableRefs(tx, numbersOf(drafts), source.stock);
  const end = drafts.findIndex((draft) => !(draft instanceof Fault) && adoptable.has(draft.fields.order_number));
  const actors = some.map(({ actor }) => actor);
  const planned = planDrafts(tx, shelves, end < 0 ? drafts : drafts.slice(0, end), actors);
  const made = await storePlanned(
    tx,
    shelves,
    planned.filter((plan): plan is PlannedDraft => !(plan instanceof Fault)),
    source,
  );
  let at = 0;
  return planned.map((plan) => (plan instanceof Fault ? plan : (made[at++] as Order)));
}

function draftsOf(tx: Tx, asked: readonly OrderToCreate[], source: Source): Promise<(Draft | Fault)[]> {
  const inputs = asked.map(({ input }) => input);
  const owners = asked.map(({ merchant_id = null }) => merchant_id);
  return draftOrders(tx, inputs, source, false, owners);
}

/** How many orders come before the first that names a reservation or has the number of one before it. */
function plainOnes(orders: readonly OrderToCreate[]): number {
  const numbers = new Set<string>();
  const end = orders.findIndex(({ input }) => {
    const isPlain = reservationOf(input) === null && !numbers.has(input.order_number);
    numbers.add(input.order_number);
    return !isPlain;
  });
  return end < 0 ? orders.length : end;
}

const numbersOf = (drafts: readonly (Draft | Fault)[]) =>
  drafts.flatMap((draft) => (draft instanceof Fault ? [] : draft.fields.order_number));

/** The drafts, those whose number another order has as their refusals. */
async function withoutTaken(tx: Tx, drafts: readonly (Draft | Fault)[]): Promise<(Draft | Fault)[]> {
  const taken = await listOrdersNumbered(tx, numbersOf(drafts));
  if (taken.length === 0) return [...drafts];
  return drafts.map((draft) => {
    if (draft instanceof Fault) return draft;
    const { order_number, merchant_id } = draft.fields;
    const existing = taken.find((order) => order.order_number === order_number && order.merchant_id === merchant_id);
    return existing === undefined ? draft : takenNumber(order_number, existing.id);
  });
}

/** A draft with the stock that was planned for it, and who creates it. */
interface PlannedDraft {
  readonly draft: Draft;
  readonly portions: Portions;
  readonly actor: Actor;
}

/** Each draft with what it gets of the stock, or its refusal. */
function planDrafts(
  tx: Tx,
  shelves: Shelves,
  drafts: readonly (Draft | Fault)[],
  actors: readonly Actor[],
): (PlannedDraft | Fault)[] {
  const valid = drafts.filter((draft): draft is Draft => !(draft instanceof Fault));
  const wishes = valid.map((draft) => ({ ...draft.fields, lines: wantsOf(draft) }));
  const plans = planClaims(tx, shelves, wishes);
  let next = 0;
  return drafts.map((draft, at) => {
    if (draft instanceof Fault) return draft;
    const [portions, actor] = [plans[next++], actors[at]];
    assert(portions && actor, "each draft has a plan and who creates it");
    return portions instanceof Fault ? portions : { draft, portions, actor };
  });
}

/** Stores orders with their lines, what was planned for them and their first history. */
async function storePlanned(
  tx: Tx,
  shelves: Shelves,
  planned: readonly PlannedDraft[],
  source: Source,
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
  const claims = await storeClaims(
    tx,
    shelves,
    plain.map((order, at) => {
      return plannedClaim(tx, { ...claimOf(order), source: source.stock }, stored[at]?.portions ?? []);
    }),
  );
  const dispatch = await dispatchOf(tx, plain);
  const orders = plain.map((order, at) => {
    return withClaims({ ...order, ...dispatch[at] }, (claims[at]?.lines ?? []).map(claimLine));
  });
  await insertFirstHistory(
    tx,
    stored.map(({ id, draft, actor }) => ({ id, status: draft.fields.status, event: "create", actor })),
  );
  const settled: Order[] = [];
  for (const [at, order] of orders.entries()) {
    const plan = stored[at];
    settled.push(plan?.draft.suspended ? await holdForMerchant(tx, order, plan.actor) : order);
  }
  await emit(
    tx,
    settled.map((order) => orderEvent("order.created", order, tx.now)),
  );
  return settled;
}

/** Creates an order that takes over earlier reservations: the one it names, or those made for its number. */
async function createAdopting(tx: Tx, asked: OrderToCreate, source: Source): Promise<Order> {
  const { input, actor } = asked;
  const [draft] = await draftsOf(tx, [asked], source);
  assert(draft, "an order has a draft");
  if (draft instanceof Fault) throw draft;
  const id = await insertOrder(tx, draft.fields);
  if (id === null) throw takenNumber(input.order_number, await findOrderByNumber(tx, input.order_number));
  const plain = await storeDraft(tx, id, draft, { stock: source.stock, reservation_id: reservationOf(input), actor });
  const order = draft.suspended ? await holdForMerchant(tx, plain, actor) : plain;
  await emit(tx, [orderEvent("order.created", order, tx.now)]);
  return order;
}
