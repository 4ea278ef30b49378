import { wireId } from "../../core/ids.ts";
import { unitNanograms, type WeightUnit } from "../../core/weight_units.ts";
import type { DispatchCalendar } from "../../inventory/warehouses/dispatch_calendar.ts";
import { cutoffFor } from "../../inventory/warehouses/dispatch_calendar.ts";
import type { ShippingChoice } from "../../orders/shipping_rules/shipping_choice.ts";
import type { TemperatureZone } from "../../products/product.ts";
import type { WaveMode } from "../floor.transitions.ts";
import type { waitingReasons } from "./wave.schema.ts";

/** Why an order is not taken into a wave. */
type WaitingReason = (typeof waitingReasons)[number];

/** An order that a wave may take, without its units. */
export interface WaveCandidate {
  readonly id: number;
  readonly order_number: string;
  readonly merchant_id: number;
  readonly priority: number;
  readonly created_at: number;
  readonly warehouse_id: number | null;
  /** Whether it may be worked on by its status. */
  readonly is_open: boolean;
  readonly held: boolean;
  readonly shipping_choice: ShippingChoice | null;
  readonly tags: readonly string[];
  /** The open wave that it is in, or null. */
  readonly wave_id: number | null;
}

/** The units of one line of a candidate in one stock item (null: none reserved). */
export interface CandidateUnits {
  readonly order_id: number;
  readonly line_id: number;
  readonly product_id: number;
  readonly wanted: number;
  readonly reserved: number;
  readonly quantity: number | null;
  readonly stock_item_id: number | null;
  readonly warehouse_id: number | null;
  readonly picked: boolean;
  readonly weight: string | null;
  readonly weight_unit: WeightUnit | null;
  readonly dimensions: {
    readonly length: number;
    readonly width: number;
    readonly height: number;
    unit: string;
  } | null;
  readonly temperature_zone: TemperatureZone;
}

/** What the orders of a wave must match. */
export interface WaveCriteria {
  readonly warehouse_id: number;
  readonly mode: WaveMode;
  readonly carrier: string | null;
  readonly service: string | null;
  readonly ship_by_before: number | null;
  readonly temperature_zone: TemperatureZone | null;
  readonly one_unit: boolean | null;
  readonly priority_min: number | null;
  /** The only merchants; null for all. */
  readonly merchant_ids: ReadonlySet<number> | null;
  /** Merchants whose orders share no wave with others. */
  readonly apart: ReadonlySet<number>;
  /** In lower case; null for any. */
  readonly tags: ReadonlySet<string> | null;
  readonly limits: {
    readonly orders: number;
    readonly units: number;
    readonly weight_grams: number;
    readonly volume_cm3: number;
  };
}

/** An order that a wave takes. */
interface TakenOrder {
  readonly order_id: number;
  readonly merchant_id: number;
  readonly units: number;
}

/** What a wave would take, and why other orders wait. */
export interface WavePlan {
  readonly warehouse_id: number;
  readonly mode: WaveMode;
  readonly taken: TakenOrder[];
  readonly stops: Set<number>;
  readonly totals: { units: number; weight_grams: number; volume_cm3: number };
  readonly waiting: Map<WaitingReason, { orders: number; readonly examples: WaveCandidate[] }>;
  /** Whether no further order fits. */
  full: boolean;
}

/** A plan that has taken nothing yet. */
export const emptyPlan = ({ warehouse_id, mode }: WaveCriteria): WavePlan => ({
  warehouse_id,
  mode,
  taken: [],
  stops: new Set(),
  totals: { units: 0, weight_grams: 0, volume_cm3: 0 },
  waiting: new Map(),
  full: false,
});

const examples_max = 20;

/** Notes that an order waits. */
export function waits(plan: WavePlan, order: WaveCandidate, reason: WaitingReason): void {
  const known = plan.waiting.get(reason) ?? { orders: 0, examples: [] };
  known.orders += 1;
  if (known.examples.length < examples_max) known.examples.push(order);
  plan.waiting.set(reason, known);
}

/** Whether an order matches the criteria that need no look at its units. */
export function mayMatch(order: WaveCandidate, criteria: WaveCriteria, ship_by: number | null): boolean {
  const { carrier, service, ship_by_before, priority_min, merchant_ids, tags } = criteria;
  if (merchant_ids !== null && !merchant_ids.has(order.merchant_id)) return false;
  if (priority_min !== null && order.priority < priority_min) return false;
  if (carrier !== null && order.shipping_choice?.carrier !== carrier) return false;
  if (service !== null && order.shipping_choice?.service !== service) return false;
  if (ship_by_before !== null && (ship_by === null || ship_by >= ship_by_before)) return false;
  return tags === null || order.tags.some((tag) => tags.has(tag.toLowerCase()));
}

/** Why an order waits, as far as that is known without its units; null if it may be taken. */
export function whyWaiting(order: WaveCandidate, criteria: WaveCriteria): WaitingReason | null {
  if (!order.is_open) return "not_open";
  if (order.wave_id !== null) return "in_wave";
  if (order.held) return "on_hold";
  if (order.warehouse_id !== null && order.warehouse_id !== criteria.warehouse_id) return "other_warehouse";
  return criteria.apart.has(order.merchant_id) ? "merchant_opted_out" : null;
}

const never = Number.MAX_SAFE_INTEGER;

/** Orders in the order in which waves take them: by priority, then by cut-off, then the oldest first. */
export function sortCandidates<Order extends WaveCandidate & { readonly ship_by: number | null }>(
  orders: Order[],
): Order[] {
  return orders.sort(
    (a, b) =>
      b.priority - a.priority ||
      (a.ship_by ?? never) - (b.ship_by ?? never) ||
      a.created_at - b.created_at ||
      a.id - b.id,
  );
}

/** The cut-off of orders by their creation and calendar. Orders of the same minute have the same one. */
export function shipByOf(): (created_at: number, calendar: DispatchCalendar | null) => number | null {
  const known = new Map<DispatchCalendar, Map<number, number | null>>();
  return (created_at, calendar) => {
    if (calendar === null) return null;
    const minutes = known.getOrInsertComputed(calendar, () => new Map());
    return minutes.getOrInsertComputed(Math.floor(created_at / 60_000), () => cutoffFor(created_at, calendar));
  };
}

/** Takes an order into a plan, or notes why it waits. An order that a filter of its units excludes is not noted. */
export function takeOrder(
  plan: WavePlan,
  order: WaveCandidate,
  units: readonly CandidateUnits[],
  packed: boolean,
  criteria: WaveCriteria,
): void {
  const lines = [...new Map(units.map((unit) => [unit.line_id, unit])).values()];
  const wanted = lines.reduce((sum, line) => sum + line.wanted, 0);
  const { temperature_zone, one_unit, limits } = criteria;
  if (one_unit !== null && (wanted === 1) !== one_unit) return;
  if (temperature_zone !== null && units.some((unit) => unit.temperature_zone !== temperature_zone)) return;
  const left = units.filter((unit) => unit.quantity !== null && !unit.picked);
  const whole = new Set(units.flatMap(({ warehouse_id }) => warehouse_id ?? []));
  const reason =
    (packed && "not_open") ||
    (lines.some((line) => line.wanted > line.reserved) && "backordered") ||
    ([...whole].some((id) => id !== criteria.warehouse_id) && "other_warehouse") ||
    (left.length === 0 && "picked") ||
    null;
  if (reason !== null) {
    waits(plan, order, reason);
    return;
  }
  const count = left.reduce((sum, unit) => sum + (unit.quantity ?? 0), 0);
  const weight_grams = left.reduce((sum, unit) => sum + (unit.quantity ?? 0) * gramsOf(unit), 0);
  const volume_cm3 = left.reduce((sum, unit) => sum + (unit.quantity ?? 0) * volumeOf(unit), 0);
  const { totals } = plan;
  const fits =
    plan.taken.length < limits.orders &&
    totals.units + count <= limits.units &&
    totals.weight_grams + weight_grams <= limits.weight_grams &&
    totals.volume_cm3 + volume_cm3 <= limits.volume_cm3;
  if (!fits) {
    plan.full = true;
    waits(plan, order, "limit");
    return;
  }
  totals.units += count;
  totals.weight_grams += weight_grams;
  totals.volume_cm3 += volume_cm3;
  for (const { stock_item_id } of left) if (stock_item_id !== null) plan.stops.add(stock_item_id);
  plan.taken.push({ order_id: order.id, merchant_id: order.merchant_id, units: count });
  plan.full = plan.taken.length === limits.orders;
}

const gramsOf = ({ weight, weight_unit }: CandidateUnits) =>
  weight === null ? 0 : Number(weight) * (Number(unitNanograms[weight_unit ?? "lb"]) / 1e9);

const cm_of_inch = 2.54;

function volumeOf({ dimensions }: CandidateUnits): number {
  if (dimensions === null) return 0;
  const { length, width, height, unit } = dimensions;
  return length * width * height * (unit === "in" ? cm_of_inch ** 3 : 1);
}

/** A plan as the API shows it. */
export function wavePlanView(plan: WavePlan) {
  const merchants = Map.groupBy(plan.taken, ({ merchant_id }) => merchant_id);
  const { units, weight_grams, volume_cm3 } = plan.totals;
  return {
    warehouse_id: wireId("warehouse", plan.warehouse_id),
    mode: plan.mode,
    orders: plan.taken.length,
    units,
    stops: plan.stops.size,
    weight_grams: Math.round(weight_grams),
    volume_cm3: Math.round(volume_cm3),
    merchants: [...merchants].map(([id, own]) => ({ merchant_id: wireId("merchant", id), orders: own.length })),
    order_ids: plan.taken.map(({ order_id }) => wireId("order", order_id)),
    waiting: waitingReasonsView(plan),
  };
}

/** Why orders wait, as the API shows it. */
export function waitingReasonsView({ waiting }: Pick<WavePlan, "waiting">) {
  return [...waiting].map(([reason, { orders, examples }]) => ({
    reason,
    orders,
    examples: examples.map(({ id, order_number }) => ({ order_id: wireId("order", id), order_number })),
  }));
}
