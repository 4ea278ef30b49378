import { billFacts } from "../../billing/bill_facts.ts";
import type { Actor } from "../../core/actor.ts";
import { Fault, orFault } from "../../core/faults.ts";
import { transition } from "../../core/transitions.ts";
import { emit } from "../../events/emit.ts";
import { listStaged } from "../../inventory/reservations/allocations.sql.ts";
import { lockEachOrderAllocation } from "../../inventory/reservations/lock_order_allocation.ts";
import {
  commitOrderAllocation,
  currentOrderAllocation,
  mayAllLeave,
  pickAllocatedUnits,
  reportMissingUnits,
} from "../../inventory/reservations/order_allocations.ts";
import type { LineUnits, PickedUnits, TakenUnits } from "../../inventory/reservations/reservation.ts";
import { listCalendars } from "../../inventory/warehouses/warehouses.sql.ts";
import { refuseWrongPacks } from "../../products/handled_packs.ts";
import type { Tx } from "../../storage/database.ts";
import { placeHold } from "../changes/holds.ts";
import { resolveOrders, unknownOrder } from "../lifecycle/order_lookup.sql.ts";
import type { PackOrder, PickOrder } from "../order.schema.ts";
import { awaitsWork, type OrderAction, orderTransitions } from "../order.transitions.ts";
import { type Order, openUnits, orderEvent } from "../order.ts";
import { refuseForbidden, withAllocations } from "../order_lines.ts";
import { lockOrder, lockOrders, type OrderStep, saveOrder, saveSteps, stepOf } from "../orders.sql.ts";
import { packFacts, pickFacts, unshippedParcels } from "./fulfillment_facts.ts";
import {
  addedUp,
  isPacked,
  isWhollyPicked,
  missingPicks,
  missingSteps,
  namedUnits,
  nothingToTake,
  packedUnshipped,
  partsText,
  picksUpTo,
  productsOf,
  raised,
  readPicks,
  refuseEmpty,
  refuseShort,
  unitsInParcels,
  unitsOf,
} from "./order_units.ts";
import { type Packing, type PackParcelInput, packingPlaces, sharesOf } from "./packing.ts";
import { insertShipment } from "./shipments.sql.ts";

/** An act that a request asks for on an order, which it names by id or order number. */
export interface RequestedAction<Input> {
  readonly id: string;
  readonly input: Input;
  readonly actor: Actor;
}

/** An act that can be done on many orders at once. */
interface BatchableAction<Input> {
  readonly action: OrderAction;
  /** Whether a request needs no individual handling. */
  readonly isPlain: (input: Input, locked: Order) => boolean;
  /** Whether the act takes the order's units from their bins. */
  readonly opens: (locked: Order) => boolean;
  /** Refuses what stock does not allow, before anything is written. */
  readonly check: (order: Order, input: Input) => void;
  readonly act: (tx: Tx, locked: Order, input: Input, actor: Actor) => Promise<Order>;
}

/** An act on a locked order whose status allows it. */
interface AllowedAction<Input> extends RequestedAction<Input> {
  readonly order: Order;
}

// All other writes wait for a transaction, so it handles no more lines than this, or a single order.
const lines_max = 200;

const isAllowed = <Input>(one: AllowedAction<Input> | Fault | "run_individually"): one is AllowedAction<Input> =>
  !(one === "run_individually" || one instanceof Fault);

/**
 * Locks orders and their stock, all at once, then acts on one after the other. Returns each order after the act, or its
 * refusal, which has changed nothing; or "run_individually": the list names the
 * order twice, the request names particular units, a lot may not be shipped, or the list has too many lines already.
 */
export async function actOnEach<Input>(
  tx: Tx,
  requests: readonly RequestedAction<Input>[],
  { action, isPlain, opens, check, act }: BatchableAction<Input>,
): Promise<(Order | Fault | "run_individually")[]> {
  const names = requests.map(({ id }) => id);
  const ids = await resolveOrders(tx, names, null);
  const orders = await lockOrders(tx, [...new Set(ids.filter((id) => typeof id === "number"))]);
  const seen = new Set<number>();
  let lines = 0;
  const candidates = ids.map((id, at): AllowedAction<Input> | Fault | "run_individually" => {
    const [order, one] = [typeof id === "number" ? orders.get(id) : undefined, requests[at]];
    if (id instanceof Fault || one === undefined) return id instanceof Fault ? id : "run_individually";
    if (order === undefined) return unknownOrder(one.id, null);
    const isFirst = !seen.has(id);
    seen.add(id);
    lines += order.lines.length;
    const isMuch = lines > lines_max && lines > order.lines.length;
    if (!isFirst || isMuch || !isPlain(one.input, order)) return "run_individually";
    return orFault(() => refuseForbidden(order, action)) ?? { order, ...one };
  });
  const opened = candidates.flatMap((one) => (isAllowed(one) && opens(one.order) ? one.order : []));
  await lockEachOrderAllocation(
    tx,
    opened.map((order) => ({ order_id: order.id, products: productsOf(order) })),
  );
  const done: (Order | Fault | "run_individually")[] = [];
  for (const one of candidates) {
    if (!isAllowed(one)) done.push(one);
    else if (opens(one.order) && !mayAllLeave(tx, one.order.id)) done.push("run_individually");
    else {
      const order = await withCurrentAllocation(tx, one.order);
      const refused = orFault(() => check(order, one.input)) ?? null;
      done.push(refused ?? (await act(tx, one.order, one.input, one.actor)));
    }
  }
  return done;
}

/**
 * Starts work on an order: its reserved units no longer expire.
 * Refuses: resource_missing, invalid_state_transition.
 */
export async function processOrder(tx: Tx, id: string, actor: Actor): Promise<Order> {
  const before = await lockOrder(tx, id);
  refuseForbidden(before, "process");
  return saveSteps(tx, before, [await startWork(tx, before, actor)]);
}

/**
 * Records that units were picked: the items given, or all reserved units. Work on the order starts first. Units that
 * were not found (`short`) are planned again; if there are no others, the order is held.
 * Refuses: resource_missing, invalid_state_transition, validation_failed, insufficient_inventory, lot_not_pickable.
 */
export async function pickOrder(tx: Tx, id: string, input: PickOrder, actor: Actor): Promise<Order> {
  return pickLocked(tx, await lockOrder(tx, id), input, actor);
}

/**
 * As `pickOrder`, for many orders at once. Returns each order, its refusal, or "run_individually".
 */
export function pickOrders(
  tx: Tx,
  requests: readonly RequestedAction<PickOrder>[],
): Promise<(Order | Fault | "run_individually")[]> {
  return actOnEach(tx, requests, {
    action: "pick",
    isPlain: ({ items }) => items === undefined,
    opens: () => true,
    check: (order, { partial = false }) => refuseShort(order, partial),
    act: pickLocked,
  });
}

async function pickLocked(tx: Tx, locked: Order, input: PickOrder, actor: Actor): Promise<Order> {
  refuseForbidden(locked, "pick");
  const before = await withCurrentAllocation(tx, locked);
  if (input.items === undefined) refuseShort(before, input.partial ?? false);
  const { picks, misses, packed } =
    input.items === undefined
      ? { picks: before.lines.flatMap((line) => picksUpTo(line, line.reserved)), misses: [], packed: [] }
      : readPicks(before, input.items);
  await refuseWrongPacks(tx, packed, (index) => `items[${packed[index]?.at}].`);
  const steps = await intoWork(tx, before, actor);
  if (picks.length > 0) steps.push((await pick(tx, reached(before, steps), picks, { actor, confirmed: true })).step);
  const order = await saveSteps(tx, before, steps);
  return misses.length === 0 ? order : miss(tx, order, misses, actor);
}

type MissedPicks = ReturnType<typeof readPicks>["misses"];

/** Units were not found: others take their place, or the order is held until there are some. */
async function miss(tx: Tx, before: Order, misses: MissedPicks, actor: Actor): Promise<Order> {
  const { claims, short } = await reportMissingUnits(tx, before.id, misses, actor);
  const reason = [...new Set(misses.map((one) => one.reason))].join(", ");
  const note = partsText(before, misses);
  const order = await saveOrder(tx, before, withAllocations(before, claims), {
    event: "short_pick",
    actor,
    reason,
    note,
  });
  if (short.length === 0) return order;
  const words = `Not found when it was picked, and no other stock is available: ${partsText(order, short)}.`;
  const hold = { reason: "short_pick", note: words, hold_until: null, reserve_inventory: true } as const;
  return placeHold(tx, order, { ...hold, created_at: tx.now }, actor);
}

/**
 * Records that units were packed: all open ones, or those of the packages, each of which becomes a parcel. Performs the
 * missing steps first. Refuses: resource_missing, invalid_state_transition, validation_failed, insufficient_inventory.
 * Emits: order.fulfilled (when every open unit is packed).
 */
export async function packOrder(tx: Tx, id: string, input: PackOrder, actor: Actor): Promise<Order> {
  return packLocked(tx, await lockOrder(tx, id), input, actor);
}

/**
 * Packs units of a locked order as one parcel, which is opened with its label. `packed` are those of its units that are
 * packed already, of each line.
 * Refuses: invalid_state_transition, insufficient_inventory, lot_not_pickable. Emits: order.fulfilled.
 */
export async function packParcel(
  tx: Tx,
  locked: Order,
  parcel: PackParcelInput,
  packed: (line_id: number) => number,
  actor: Actor,
): Promise<Order> {
  const order = await withCurrentAllocation(tx, locked);
  const packs = parcel.units.flatMap(({ order_line_id, quantity }) => {
    const missing = quantity - packed(order_line_id);
    return missing > 0 ? [{ order_line_id, quantity: missing }] : [];
  });
  if (packs.length === 0) return order;
  refuseForbidden(order, "pack");
  return stepThrough(tx, order, { actor, parcels: 1, described: [{ ...parcel, units: packs }] }, (working) => {
    return { picks: missingPicks(working, packs), packs };
  });
}

/**
 * As `packOrder`, for many orders at once. Returns each order, its refusal, or "run_individually".
 */
export function packOrders(
  tx: Tx,
  requests: readonly RequestedAction<PackOrder>[],
): Promise<(Order | Fault | "run_individually")[]> {
  return actOnEach(tx, requests, {
    action: "pack",
    isPlain: ({ packages }) => packages === undefined,
    opens: (order) => !isWhollyPicked(order),
    check: (order, { partial = false }) => refuseEmpty(order, partial),
    act: packLocked,
  });
}

async function packLocked(tx: Tx, locked: Order, input: PackOrder, actor: Actor): Promise<Order> {
  refuseForbidden(locked, "pack");
  const order = await withCurrentAllocation(tx, locked);
  if (input.packages === undefined) {
    refuseShort(order, input.partial ?? false);
    const units = unitsOf(order, (line) => line.reserved);
    return stage(tx, order, { units, parcels: Math.max(1, unshippedParcels(order)) }, actor);
  }
  const parcelled = unitsInParcels(order);
  const packages = input.packages.map(({ items }) => items);
  const fields = packages.flatMap((items, at) => items.map((_, place) => `packages[${at}].items[${place}]`));
  const left = namedUnits(
    order,
    packages.flat(),
    (line) => Math.min(openUnits(line) - packedUnshipped(line), openUnits(line) - (parcelled.get(line.id) ?? 0)),
    (at) => fields[at] ?? "packages",
  );
  const packs = addedUp(left);
  const described = input.packages.map(({ items, ...parcel }) => {
    return { ...parcel, units: addedUp(left.filter(({ item }) => items.includes(item))) };
  });
  const shipments = [...order.shipments];
  for (const { units } of described)
    shipments.push(await insertShipment(tx, order, { carrier: null, service: null }, units));
  return stepThrough(tx, { ...order, shipments }, { actor, parcels: described.length, described }, (working) => {
    return { picks: missingPicks(working, packs), packs };
  });
}

/**
 * Packs units of a locked order after the missing steps. Picks are assumed to follow the plan.
 * Refuses: insufficient_inventory, lot_not_pickable. Emits: order.fulfilled.
 */
export async function stage(tx: Tx, before: Order, { units, parcels }: Packing, actor: Actor): Promise<Order> {
  if (units.length === 0) throw nothingToTake(before);
  return stepThrough(tx, before, { actor, parcels }, (working) => missingSteps(working, units));
}

/** Performs the missing steps in turn and stores the order once, with a history row for each step. */
async function stepThrough(
  tx: Tx,
  before: Order,
  { actor, ...how }: Omit<Packing, "units"> & { readonly actor: Actor },
  missing: (working: Order) => { readonly picks: readonly PickedUnits[]; readonly packs: readonly LineUnits[] },
): Promise<Order> {
  const steps = await intoWork(tx, before, actor);
  const { picks, packs } = missing(reached(before, steps));
  const taken: TakenUnits[] = [];
  if (picks.length > 0) {
    const { step, ...picked } = await pick(tx, reached(before, steps), picks, { actor, confirmed: false });
    steps.push(step);
    taken.push(...picked.taken);
  }
  const picked = reached(before, steps);
  if (packs.length > 0) steps.push(await pack(tx, picked, { ...how, units: packs }, taken, actor));
  const order = await saveSteps(tx, before, steps);
  if (packs.length > 0 && isPacked(order)) await emit(tx, [orderEvent("order.fulfilled", order, tx.now, picked)]);
  return order;
}

/** The order after these steps, or as it was when there are none. */
const reached = (before: Order, steps: readonly OrderStep[]): Order => steps.at(-1)?.order ?? before;

/**
 * A locked order with its allocation under the lock of the stock: units may have been taken from it since it was read,
 * and a backordered one may get units that others release now. An order with all of its units in staging loses none to
 * a transaction that has not locked it.
 */
export async function withCurrentAllocation(tx: Tx, order: Order): Promise<Order> {
  if (isWhollyPicked(order)) return order;
  return withAllocations(order, await currentOrderAllocation(tx, order.id, productsOf(order)));
}

/** The step that starts work on an order, if it has not started. */
async function intoWork(tx: Tx, order: Order, actor: Actor): Promise<OrderStep[]> {
  return awaitsWork(order.status) ? [await startWork(tx, order, actor)] : [];
}

async function startWork(tx: Tx, before: Order, actor: Actor): Promise<OrderStep> {
  const order = withAllocations(before, await commitOrderAllocation(tx, before.id));
  const status = transition(orderTransitions, "process", before.status);
  const worked: Order = { ...order, status, processing_at: tx.now };
  return stepOf(tx, before, worked, { event: "process", actor });
}

async function pick(
  tx: Tx,
  before: Order,
  picks: readonly PickedUnits[],
  how: { readonly actor: Actor; readonly confirmed: boolean },
): Promise<{ readonly step: OrderStep; readonly taken: readonly TakenUnits[] }> {
  const { claims, taken } = await pickAllocatedUnits(tx, before.id, picks, how);
  const order: Order = {
    ...withAllocations(before, claims),
    status: transition(orderTransitions, "pick", before.status),
  };
  const note = how.confirmed ? null : "assumed";
  const step = stepOf(tx, before, order, { event: "pick", actor: how.actor, note });
  billFacts(tx, pickFacts(before, step.order, taken, { calendars: await listCalendars(tx), confirmed: how.confirmed }));
  return { step, taken };
}

async function pack(
  tx: Tx,
  before: Order,
  packing: Packing,
  taken: readonly TakenUnits[],
  actor: Actor,
): Promise<OrderStep> {
  const packed = raised(before, "quantity_packed", packing.units);
  const whole = isPacked(packed);
  const status = transition(orderTransitions, whole ? "pack" : "pack_part", before.status);
  const after: Order = { ...packed, status, fulfilled_at: whole ? tx.now : packed.fulfilled_at };
  const step = stepOf(tx, before, after, { event: "pack", actor });
  const places = packingPlaces(before, taken);
  const [default_id] = places;
  if (default_id === undefined) return step;
  const shares = sharesOf(before, packing, default_id, places.length === 1 ? null : await listStaged(tx, before.id));
  const parcels = packing.described === undefined ? packing.parcels : null;
  billFacts(tx, packFacts(before, step.order, { shares, parcels, taken }, await listCalendars(tx)));
  return step;
}
