// Plans a wave before its transaction: the queue is read in pages, so that no other request waits long.
import type { Actor } from "../../core/actor.ts";
import { momentOf } from "../../core/clock.ts";
import { Fault, invalid, ofFields } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import { listCalendars } from "../../inventory/warehouses/warehouses.sql.ts";
import { warehouseNamed } from "../../inventory/warehouses/warehouses.ts";
import { listMerchants } from "../../merchants/merchants.sql.ts";
import type { Db, Store, Tx } from "../../storage/database.ts";
import { takeTurn } from "../../storage/leases.ts";
import { initialWaveStatus } from "../floor.transitions.ts";
import { default_wave_orders, type PlanWave } from "./wave.schema.ts";
import type { Wave } from "./wave.ts";
import {
  findCandidates,
  firstPlace,
  listCandidateUnits,
  listPacked,
  type QueuePlace,
  readQueue,
} from "./wave_candidates.sql.ts";
import {
  emptyPlan,
  mayMatch,
  shipByOf,
  sortCandidates,
  takeOrder,
  type WaveCandidate,
  type WaveCriteria,
  type WavePlan,
  waitingReasonsView,
  waits,
  whyWaiting,
} from "./wave_plan.ts";
import { getWave, insertWave, insertWaveOrders, listFree, promisedBy } from "./waves.sql.ts";

// Read at once; each page takes a few milliseconds.
const queue_page = 1000;
const units_page = 100;

type Candidate = WaveCandidate & { readonly ship_by: number | null };

/**
 * Plans a wave: which orders it takes, and why others wait.
 * Refuses: resource_missing, validation_failed.
 */
export async function planWave(store: Store, input: PlanWave): Promise<WavePlan> {
  const { criteria, calendars, ids } = await store.read((db) => readCriteria(db, input));
  const shipBy = shipByOf();
  const plan = emptyPlan(criteria);
  const matching: Candidate[] = [];
  const sift = (orders: readonly WaveCandidate[]) => {
    for (const order of orders) {
      const ship_by = shipBy(order.created_at, promisedBy(calendars, order.warehouse_id));
      if (!mayMatch(order, criteria, ship_by)) continue;
      const reason = whyWaiting(order, criteria);
      if (reason === null) matching.push({ ...order, ship_by });
      else waits(plan, order, reason);
    }
  };
  if (ids !== null) sift(await store.read((db) => namedCandidates(db, ids)));
  let place: QueuePlace | null = ids === null ? await store.read(firstPlace) : null;
  while (place !== null) {
    const from: QueuePlace = place;
    const { orders, next } = await store.read((db) => readQueue(db, from, queue_page));
    sift(orders);
    place = next;
    await new Promise(setImmediate);
  }
  await takeCandidates(store, plan, sortCandidates(matching), criteria);
  return plan;
}

/** Refuses: resource_missing (lists every unknown order). */
async function namedCandidates(db: Db, ids: readonly number[]): Promise<WaveCandidate[]> {
  const found = await findCandidates(db, ids);
  const known = new Set(found.map(({ id }) => id));
  const problems = ids.flatMap((id, at) =>
    known.has(id)
      ? []
      : [{ field: `filters.order_ids[${at}]`, code: "resource_missing" as const, message: "names no order" }],
  );
  if (problems.length > 0) throw ofFields("resource_missing", problems);
  return found;
}

/** Takes orders into a plan until it is full. The others wait for its limits. */
async function takeCandidates(
  store: Store,
  plan: WavePlan,
  orders: readonly Candidate[],
  criteria: WaveCriteria,
): Promise<void> {
  let at = 0;
  while (at < orders.length && !plan.full) {
    const some = orders.slice(at, at + units_page);
    const ids = some.map(({ id }) => id);
    const { units, packed } = await store.read(async (db) => {
      return { units: await listCandidateUnits(db, ids), packed: await listPacked(db, ids) };
    });
    const of = Map.groupBy(units, ({ order_id }) => order_id);
    for (const order of some) {
      if (plan.taken.length === criteria.limits.orders) waits(plan, order, "limit");
      else takeOrder(plan, order, of.get(order.id) ?? [], packed.has(order.id), criteria);
    }
    at += some.length;
    await new Promise(setImmediate);
  }
  for (const order of orders.slice(at)) waits(plan, order, "limit");
}

/** Refuses: resource_missing, validation_failed. */
async function readCriteria(db: Db, { warehouse_id, mode, filters = {}, limits = {} }: PlanWave) {
  const ids = filters.order_ids?.map((id) => readId("order", id) ?? 0) ?? null;
  if (mode === "order" && ids?.length !== 1) {
    throw invalid("filters.order_ids", "must name exactly one order for the mode order", "required");
  }
  if (mode === "single" && filters.one_unit === false) {
    throw invalid("filters.one_unit", "must be true for the mode single");
  }
  const merchants = await listMerchants(db);
  const wanted = filters.merchant_ids?.map((name, at) => {
    const id = readId("merchant", name);
    const found = merchants.find((one) => (id === null ? one.code === name : one.id === id));
    if (found !== undefined) return found.id;
    const field = `filters.merchant_ids[${at}]`;
    throw ofFields("resource_missing", [{ field, code: "resource_missing", message: "names no merchant" }]);
  });
  const alone = new Set(wanted).size === 1 || merchants.length === 1 || ids?.length === 1;
  const apart = alone ? [] : merchants.filter(({ shared_waves }) => !shared_waves);
  const never = Number.MAX_SAFE_INTEGER;
  const criteria: WaveCriteria = {
    warehouse_id: await warehouseNamed(db, warehouse_id, "warehouse_id"),
    mode,
    carrier: filters.carrier ?? null,
    service: filters.service ?? null,
    ship_by_before: momentOf(filters.ship_by_before) ?? null,
    temperature_zone: filters.temperature_zone ?? null,
    one_unit: filters.one_unit ?? (mode === "single" ? true : null),
    priority_min: filters.priority_min ?? null,
    merchant_ids: wanted === undefined ? null : new Set(wanted),
    apart: new Set(apart.map(({ id }) => id)),
    tags: filters.tags === undefined ? null : new Set(filters.tags.map((tag) => tag.toLowerCase())),
    limits: {
      orders: limits.orders ?? default_wave_orders,
      units: limits.units ?? never,
      weight_grams: limits.weight_grams ?? never,
      volume_cm3: limits.volume_cm3 ?? never,
    },
  };
  return { criteria, calendars: await listCalendars(db), ids: ids === null ? null : [...new Set(ids)] };
}

/**
 * Stores a wave as planned, without orders that are no longer free.
 * Refuses: nothing_to_pick (no order is left, and why).
 */
export async function createWave(tx: Tx, plan: WavePlan, input: PlanWave, actor: Actor): Promise<Wave> {
  // So that no two plans take the same order.
  await takeTurn(tx, "waves.plan");
  const free = await listFree(
    tx,
    plan.taken.map(({ order_id }) => order_id),
  );
  const taken = plan.taken.filter(({ order_id }) => free.has(order_id));
  if (taken.length === 0) throw nothingToPick(plan, input);
  const wave_id = await insertWave(tx, {
    warehouse_id: plan.warehouse_id,
    mode: plan.mode,
    status: initialWaveStatus,
    filters: input.filters ?? {},
    limits: input.limits ?? {},
    actor_type: actor.type,
    actor_id: actor.id,
    actor_name: actor.name,
  });
  await insertWaveOrders(
    tx,
    taken.map(({ order_id, merchant_id, units }, at) => ({ wave_id, merchant_id, order_id, units, position: at + 1 })),
  );
  return getWave(tx, wave_id);
}

function nothingToPick(plan: WavePlan, { filters = {} }: PlanWave): Fault {
  const waiting = waitingReasonsView(plan);
  const reasons = waiting.map(({ reason, orders }) => `${orders} ${reason}`).join(", ");
  const none = Object.keys(filters).length === 0 ? "There are no open orders" : "No order matches the filters";
  const why = reasons === "" ? none : `The orders that match the filters wait: ${reasons}`;
  return new Fault("nothing_to_pick", `No order can be picked in ${wireId("warehouse", plan.warehouse_id)}. ${why}.`, {
    waiting,
  });
}
