// The possible actions, as fast-check commands: each is applied to the model and to the service, and both must agree on
// the refusal or on the response.

import fc from "fast-check";
import { iso } from "../../src/core/clock.ts";
import { day_ms, hour_ms } from "../../src/core/time.ts";
import { adjustStock } from "../../src/inventory/counts/adjust_stock.ts";
import { adjustmentReasons } from "../../src/inventory/inventory.transitions.ts";
import { addStock } from "../../src/inventory/receiving/receive_units.ts";
import { releaseClientReservation, reserveStock } from "../../src/inventory/reservations/client_reservations.ts";
import { cancelItems, cancelOrder } from "../../src/orders/changes/cancel_order.ts";
import { updateOrder } from "../../src/orders/changes/change_order.ts";
import { holdOrder, releaseOrder } from "../../src/orders/changes/holds.ts";
import { packOrder, pickOrder, processOrder } from "../../src/orders/fulfillment/pick_and_pack.ts";
import { shipOrder } from "../../src/orders/fulfillment/ship_order.ts";
import { unpackOrder, unpickOrder } from "../../src/orders/fulfillment/undo_steps.ts";
import { createOrder } from "../../src/orders/lifecycle/create_order.ts";
import { actionsOf, type Order } from "../../src/orders/order.ts";
import type { Tx } from "../../src/storage/database.ts";
import { type BinCode, goods, type House, houses, kitNames, lotName, type Sku, skus, type Ware } from "./business.ts";
import type { Model } from "./model.ts";
import type { NewOrder } from "./order_model.ts";
import { clerk, type Outcome, type Service } from "./service.ts";
import type { Claim, Want } from "./stock_model.ts";

/** How often each outcome occurred: the name of the act, and the code if it was refused. */
export type Tally = Map<string, number>;

type Play<Input> = (model: Model, service: Service, input: Input) => Promise<string | null>;

interface Act<Input> {
  readonly weight: number;
  readonly input: fc.Arbitrary<Input>;
  /** Whether there is a record that the act can apply to. */
  readonly ready?: (model: Model, input: Input) => boolean;
  /** Applies it to both. Returns the code of the refusal, or null. */
  readonly play: Play<Input>;
}

export const act = <Input>(one: Act<Input>) => one;

/** Compares the result of the service with that of the model. */
export function same(what: string, service: unknown, model: unknown): void {
  if (Bun.deepEquals(service, model, true)) return;
  const [said, expected] = [service, model].map((one) => JSON.stringify(one));
  throw new Error(`${what}: the service says ${said}, the model ${expected}`);
}

/** Calls the model, then the service, and compares their refusals. */
export async function both<T>(
  model: Model,
  service: Service,
  expected: () => void,
  actual: (tx: Tx) => Promise<T>,
): Promise<Outcome<T>> {
  const code = model.attempt(expected);
  const outcome = await service.attempt(actual);
  same("refusal", outcome.code, code);
  return outcome;
}

export const sku = fc.constantFrom(...skus);
export const house = fc.constantFrom(...houses);
export const storage = fc.constantFrom<BinCode>("S-1", "S-1", "S-2", "S-2", "K-1", "C-1", "C-1");
const anyBin = fc.constantFrom<BinCode>("S-1", "S-2", "K-1", "C-1", "RETURNS", "PUTBACK", "QUARANTINE");
export const nth = fc.nat({ max: 1000 });
export const days = fc.integer({ min: 0, max: 12 });
export const few = fc.integer({ min: 1, max: 6 });
const lines = fc.array(fc.record({ sku, quantity: few }), { minLength: 1, maxLength: 3 });
export const ware = fc.constantFrom<Ware>(...skus, ...skus, ...kitNames);
export const wares = fc.array(fc.record({ sku: ware, quantity: few }), { minLength: 1, maxLength: 3 });
export const option = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null, freq: 2 });
export const seldom = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });
export const rarely = fc.integer({ min: 0, max: 9 }).map((number) => number === 0);
export const usually = fc.integer({ min: 0, max: 9 }).map((number) => number !== 0);

const today = (model: Model) => Math.floor(model.now / day_ms);
export const lotOf = (model: Model, of: Sku, ahead: number | null) =>
  goods[of].lots && ahead !== null ? (today(model) + ahead) * day_ms : null;
const wantsOf = (input: readonly { sku: Sku; quantity: number }[]): Want[] =>
  input.map((line) => ({ ...line, order_line: null }));
export const whs = (service: Service, name: House) => service.house.get(name) ?? 0;

const add = act({
  weight: 20,
  input: fc.record({ sku, quantity: fc.integer({ min: 1, max: 20 }), house, bin: option(storage), days, old: rarely }),
  play: async (model, service, { sku, quantity, house, bin, days, old }) => {
    const lot = lotOf(model, sku, days);
    const received = old ? today(model) * day_ms : model.now;
    const { code } = await both(
      model,
      service,
      () => model.add(sku, quantity, house, bin, lot, received),
      (tx) => {
        const where = { location: whs(service, house), ...(bin === null ? {} : { bin }) };
        const batch = lot === null ? {} : { lot_number: lotName(lot), expiration_date: iso(lot) };
        return addStock(tx, { sku, quantity, ...where, ...batch, received_date: iso(received) }, clerk);
      },
    );
    return code;
  },
});

const adjust = act({
  weight: 5,
  input: fc.record({
    sku,
    by: fc.integer({ min: -6, max: 4 }).filter((by) => by !== 0),
    house,
    bin: option(anyBin),
    days: option(days),
    reason: fc.constantFrom(...adjustmentReasons),
    noted: usually,
    expected: seldom(fc.constantFrom(0, 0, 1)),
    shortfall: fc.boolean(),
  }),
  play: async (model, service, { sku, by, house, bin, days, reason, noted, expected, shortfall }) => {
    const lot = lotOf(model, sku, days);
    const inside = model.items.filter((item) => item.sku === sku && item.house === house);
    const there = inside.reduce((total, item) => total + item.on_hand, 0);
    let answer: ReturnType<Model["adjust"]> | null = null;
    const { code, value } = await both(
      model,
      service,
      () => {
        if (reason === "other" && !noted) model.refuse("validation_failed");
        answer = model.adjust(sku, { by, house, bin, lot, expected, shortfall });
      },
      (tx) => {
        const where = { location: whs(service, house), ...(bin === null ? {} : { bin }) };
        const batch = lot === null ? {} : { lot_number: lotName(lot) };
        const believed = expected === null ? {} : { expected_quantity: there + expected };
        const said = { adjustment: by, reason, notes: noted ? "as counted" : null, allow_shortfall: shortfall };
        return adjustStock(tx, sku, { ...said, ...where, ...batch, ...believed }, clerk);
      },
    );
    if (value !== null) {
      const waiting = value.backordered_orders.map((one) => ({ ref: one.order_number, quantity: one.quantity }));
      const { previous_quantity: previous, new_quantity } = value;
      same("adjustment", { previous, waiting }, answer);
      same("adjustment", new_quantity, previous + by);
    }
    return code;
  },
});

/** An order number to reserve for: mostly of an order that does not exist yet. */
export const refOf = (model: Model, ahead: number) =>
  `BOOKED-${model.orders.filter((order) => order.ref.startsWith("BOOKED")).length + ahead}`;
export const ref = fc.integer({ min: -1, max: 1 });

const reserve = act({
  weight: 6,
  input: fc.record({ ref, lines, house: seldom(house), cold: rarely, hours: fc.integer({ min: 1, max: 48 }) }),
  play: async (model, service, { ref, lines, house, cold, hours }) => {
    const expires_at = model.now + hours * hour_ms;
    const order_id = refOf(model, ref);
    let made = 0;
    const { code, value } = await both(
      model,
      service,
      () => {
        made = model.book(order_id, wantsOf(lines), house, cold, expires_at).id;
      },
      (tx) => {
        const where = house === null ? {} : { location: whs(service, house) };
        const how = { ...where, requires_cold_storage: cold, expires_at: iso(expires_at) };
        return reserveStock(tx, { order_id, items: lines, ...how });
      },
    );
    if (value !== null) service.bookings.set(made, value.id);
    return code;
  },
});

/** The reservation that a number selects, among all that there were. */
export function bookingOf(service: Service, nth: number): { model_id: number; id: number } | null {
  const all = [...service.bookings];
  // Prefers recent ones over those that ended long ago.
  const [model_id, id] = all[all.length - 1 - (nth % Math.min(8, all.length))] ?? [];
  return model_id === undefined || id === undefined ? null : { model_id, id };
}

/** Advances the clock to the exact millisecond in which a reservation ends, unless it has ended. */
export function waitFor(model: Model, service: Service, { expires_at }: Claim): void {
  const by = Math.max(0, (expires_at ?? 0) - model.now);
  model.now += by;
  service.clock.advance(by);
}

export const hasBooking = (model: Model) => model.claims.some(({ expires_at }) => expires_at !== null);

const release = act({
  weight: 3,
  input: fc.record({ nth, late: rarely }),
  ready: hasBooking,
  play: async (model, service, { nth, late }) => {
    const found = bookingOf(service, nth);
    if (found === null) return null;
    if (late) waitFor(model, service, model.booking(found.model_id));
    const { code } = await both(
      model,
      service,
      () => model.release(model.booking(found.model_id)),
      (tx) => releaseClientReservation(tx, found.id),
    );
    return code;
  },
});

const time = act({
  weight: 4,
  input: fc.record({ hours: fc.integer({ min: 1, max: 10 }), exact: fc.boolean(), jobs: fc.boolean() }),
  play: async (model, service, { hours, exact, jobs }) => {
    // Either jobs run in the exact millisecond in which something ends, or the next request comes in it.
    const left = model.nextEnd() - model.now - (jobs ? 0 : 1);
    const by = exact ? Math.min(left, 2 * day_ms) : hours * hour_ms;
    model.now += by;
    service.clock.advance(by);
    if (!jobs) return null;
    model.settleAll();
    await service.runJobs();
    return null;
  },
});

const create = act({
  weight: 8,
  input: fc.record({
    lines: wares,
    priority: fc.integer({ min: 0, max: 2 }),
    house: seldom(house),
    cold: rarely,
    backorders: usually,
    ref: seldom(ref),
    booked: rarely,
    nth,
  }),
  play: async (model, service, { lines, ref, booked, nth, ...how }) => {
    const at = model.orders.length;
    const wanted = ref === null ? `N-${at}` : refOf(model, ref);
    const named = booked ? bookingOf(service, nth) : null;
    const order: NewOrder = { ref: wanted, lines, ...how };
    const { code, value } = await both(
      model,
      service,
      () => {
        if (model.orders.some((other) => other.ref === wanted)) model.refuse("duplicate_order_number");
        model.create(order, named === null ? null : model.booking(named.model_id));
      },
      (tx) => createOrder(tx, requestOf(service, order, named?.id ?? null), clerk),
    );
    if (value !== null) service.orders[at] = value;
    return code;
  },
});

const pricedLines = (lines: NewOrder["lines"]) => lines.map((line) => ({ ...line, unit_price: "12.50" }));

export function requestOf(service: Service, order: NewOrder, reservation_id: number | null) {
  return {
    order_number: order.ref,
    ...service.buyer,
    line_items: pricedLines(order.lines),
    priority: order.priority,
    requires_cold_storage: order.cold,
    allow_backorder: order.backorders,
    ...(order.house === null ? {} : { warehouse_id: whs(service, order.house) }),
    ...(reservation_id === null ? {} : { reservation_id }),
  };
}

type Suitable = readonly string[] | ((model: Model, at: number) => boolean);

/** The order that a number selects: mostly one of the latest in these states, or that suit. */
export function orderAt(model: Model, nth: number, suitable: Suitable = () => true): number {
  const suits = (at: number) =>
    typeof suitable === "function" ? suitable(model, at) : suitable.includes(model.order(at).status);
  const found = [...model.orders.keys()].filter(suits);
  return found[found.length - 1 - (nth % Math.min(12, found.length))] ?? 0;
}

/** An act on one order, whose lines must afterwards match the model's. */
function onOrder<Input extends { readonly nth: number }>(
  weight: number,
  input: fc.Arbitrary<Input>,
  expected: (model: Model, at: number, input: Input) => void,
  actual: (tx: Tx, id: string, input: Input) => Promise<Order>,
  suitable?: Suitable,
): Act<Input> {
  return act({
    weight,
    input,
    ready: (model) => model.orders.length > 0,
    play: async (model, service, given) => {
      const at = orderAt(model, given.nth, suitable);
      const id = String(service.orders[at]?.id);
      const { code, value } = await both(
        model,
        service,
        () => expected(model, at, given),
        (tx) => actual(tx, id, given),
      );
      if (value !== null) compareOrder(model, at, value);
      return code;
    },
  });
}

/** Compares an order of the service with the model's. */
export function compareOrder(model: Model, at: number, found: Order): void {
  const { status, ref } = model.order(at);
  const lines = [...found.lines]
    .sort((a, b) => a.id - b.id)
    .map((line) => ({
      sku: line.sku,
      quantity: line.quantity,
      reserved: line.reserved,
      backordered: line.wanted - line.reserved,
      picked: line.picked + line.quantity_shipped,
      packed: line.quantity_packed,
      shipped: line.quantity_shipped,
      returned: line.quantity_returned,
      cancelled: line.quantity_cancelled,
    }));
  const undoable = actionsOf(found).filter((action) => ["unpick", "unpack"].includes(action));
  const order = { ref: found.order_number, status: found.status, held: found.held, lines, undoable };
  const held = model.isHeld(model.order(at));
  same("order", order, { ref, status, held, lines: model.levels(at), undoable: model.undoable(at) });
}

const working = ["pending", "processing"];
const open = [...working, "fulfilled"];
const partial = fc.boolean();

const orderActs = {
  process: onOrder(
    2,
    fc.record({ nth }),
    (model, at) => model.process(at),
    (tx, id) => processOrder(tx, id, clerk),
    working,
  ),
  pick: onOrder(
    5,
    fc.record({ nth, named: seldom(fc.record({ sku: ware, quantity: few, bin: option(storage) })), partial }),
    (model, at, { named, partial }) => model.pick(at, named, partial),
    (tx, id, { named, partial }) => pickOrder(tx, id, named === null ? { partial } : { items: [pickOf(named)] }, clerk),
    working,
  ),
  pack: onOrder(
    4,
    fc.record({ nth, partial }),
    (model, at, { partial }) => model.pack(at, partial),
    (tx, id, { partial }) => packOrder(tx, id, { partial }, clerk),
    working,
  ),
  ship: onOrder(
    6,
    fc.record({ nth, partial }),
    (model, at, { partial }) => model.ship(at, partial),
    (tx, id, { partial }) => shipOrder(tx, id, { partial }, clerk),
    open,
  ),
  cancel: onOrder(
    3,
    fc.record({ nth }),
    (model, at) => model.cancel(at),
    (tx, id) => cancelOrder(tx, id, {}, clerk),
  ),
  miss: onOrder(
    4,
    fc.record({ nth, sku: ware, quantity: fc.integer({ min: 1, max: 3 }), bin: seldom(storage) }),
    (model, at, { nth: _nth, ...named }) => model.miss(at, named),
    (tx, id, { nth: _nth, ...named }) =>
      pickOrder(tx, id, { items: [{ ...pickOf(named), short: true, reason: "lost" }] }, clerk),
    working,
  ),
  // Mostly the order has no such line, so it is tried often.
  cancelUnits: onOrder(
    8,
    fc.record({ nth, sku: ware, quantity: fc.integer({ min: 1, max: 3 }) }),
    (model, at, { sku, quantity }) => model.cancelUnits(at, sku, quantity),
    (tx, id, { sku, quantity }) => cancelItems(tx, id, { items: [{ sku, quantity }] }, clerk),
    open,
  ),
  hold: onOrder(
    2,
    fc.record({ nth, free: fc.boolean() }),
    (model, at, { free }) => model.stop(at, free),
    (tx, id, { free }) => holdOrder(tx, id, { reserve_inventory: !free }, clerk),
    working,
  ),
  resume: onOrder(
    3,
    fc.record({ nth }),
    (model, at) => model.resume(at),
    (tx, id) => releaseOrder(tx, id, {}, clerk),
    working,
  ),
  priority: onOrder(
    1,
    fc.record({ nth, priority: fc.integer({ min: 0, max: 2 }) }),
    (model, at, { priority }) => model.setPriority(at, priority),
    (tx, id, { priority }) => updateOrder(tx, id, { priority }, clerk),
    open,
  ),
  cold: onOrder(
    1,
    fc.record({ nth, cold: fc.boolean() }),
    (model, at, { cold }) => model.setCold(at, cold),
    (tx, id, { cold }) => updateOrder(tx, id, { requires_cold_storage: cold }, clerk),
    open,
  ),
  revise: onOrder(
    2,
    fc.record({ nth, lines: wares }),
    (model, at, { lines }) => model.setLines(at, lines),
    (tx, id, { lines }) => updateOrder(tx, id, { line_items: pricedLines(lines) }, clerk),
    open,
  ),
};

type Named = { readonly nth: number; readonly named: { sku: Ware; quantity: number } | null };

const undoInput = fc.record({
  nth,
  named: seldom(fc.record({ sku: ware, quantity: fc.integer({ min: 1, max: 3 }) })),
});

/** An act that takes back a step. If no order has come so far, one is brought there first. */
function undoing(step: "unpick" | "unpack", play: Play<Named>): Act<Named> {
  return act({
    weight: 5,
    input: undoInput,
    ready: (model) => model.orders.length > 0,
    play: async (model, service, input) => {
      if (![...model.orders.keys()].some((at) => model.undoable(at).includes(step))) {
        const whole = { nth: input.nth, partial: true, named: null };
        await (step === "unpick"
          ? orderActs.pick.play(model, service, whole)
          : orderActs.pack.play(model, service, whole));
        model.settleRecalls();
        await service.followRecalls();
        model.now += 1;
        service.clock.advance(1);
      }
      return play(model, service, input);
    },
  });
}

const undoActs = {
  unpick: undoing(
    "unpick",
    onOrder(
      1,
      undoInput,
      (model, at, { named }) => model.unpick(at, named),
      (tx, id, { named }) => unpickOrder(tx, id, undoOf(named), clerk),
      (model, at) => model.undoable(at).includes("unpick"),
    ).play,
  ),
  unpack: undoing(
    "unpack",
    onOrder(
      1,
      undoInput,
      (model, at, { named }) => model.unpack(at, named),
      (tx, id, { named }) => unpackOrder(tx, id, undoOf(named), clerk),
      (model, at) => model.undoable(at).includes("unpack"),
    ).play,
  ),
};

function undoOf(named: { sku: Ware; quantity: number } | null) {
  return { reason: "mistake", ...(named === null ? {} : { items: [named] }) } as const;
}

function pickOf({ sku, quantity, bin }: { sku: Ware; quantity: number; bin: BinCode | null }) {
  return { sku, quantity, ...(bin === null ? {} : { bin }) };
}

/** All acts on stock and orders, by name. */
export const acts = { add, adjust, reserve, release, time, create, ...orderActs, ...undoActs };
