import { Fault, type FieldProblem } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { onFirstUse } from "../../core/memoize.ts";
import { dayEndTextOrNull } from "../../core/time_zone.ts";
import type { PlannedUnits } from "../../inventory/reservations/reservation.ts";
import type { PlainWarehouse } from "../../inventory/warehouses/warehouse.ts";
import type { MerchantCodes } from "../../storage/tenant.ts";
import { hinderedBy, type Order, partsOf, publicStatus } from "../order.ts";
import { refusal } from "../order_lines.ts";

/** The most orders in one walk, and the most stops on its list. */
export const wave_orders_max = 200;
const wave_stops_max = 2000;

/** The units of a stop for one order. */
export interface PickShare {
  readonly order: Order;
  readonly quantity: number;
}

/** A place where the picker stops: one lot of one product in one bin, for one order or several. */
export interface PickStop {
  readonly bin: string;
  readonly pick_order: number;
  readonly sku: string;
  readonly name: string;
  readonly lot_number: string | null;
  /** The lot's last day, in days since 1970-01-01. */
  readonly expires_on: number | null;
  readonly quantity: number;
  /** In the order of the request. */
  readonly shares: readonly PickShare[];
}

/** The stops within one warehouse, along its pick path. */
export interface PickWalkLeg {
  readonly warehouse: PlainWarehouse;
  readonly stops: readonly PickStop[];
}

/** Backordered units of an order. */
export interface MissingPick {
  readonly order: Order;
  readonly sku: string;
  readonly quantity: number;
}

/** The units still to pick for some orders, in the order of the pick path. */
export interface PickWalk {
  readonly orders: readonly Order[];
  readonly legs: readonly PickWalkLeg[];
  readonly missing: readonly MissingPick[];
  /** Units that were picked before. */
  readonly picked: number;
  /** The codes of the merchants whose orders these are, by id; empty if the operator has only one merchant. */
  readonly codes: MerchantCodes;
}

/** The input of a walk: orders in the order of the request, their pick plans, and the records that the plans name. */
interface WalkFacts {
  readonly orders: readonly Order[];
  readonly plans: readonly PlannedUnits[];
  readonly products: readonly { readonly id: number; readonly sku: string; readonly name: string }[];
  /** In order of priority. */
  readonly warehouses: readonly PlainWarehouse[];
  readonly codes: MerchantCodes;
}

/** Plans one walk through the bins of all orders. Refuses: validation_failed (too long a walk). */
export function walkOf({ orders, plans, products, warehouses, codes }: WalkFacts): PickWalk {
  const open = plans.filter(({ picked }) => !picked);
  const byWarehouse = Map.groupBy(open, ({ warehouse_id }) => warehouse_id);
  const legs = warehouses.flatMap((warehouse) => {
    const units = byWarehouse.get(warehouse.id) ?? [];
    return units.length === 0 ? [] : [{ warehouse, stops: stopsOf(units, orders, products) }];
  });
  if (legs.reduce((sum, { stops }) => sum + stops.length, 0) > wave_stops_max) {
    const message = `The walk would have more than ${wave_stops_max} stops. Make several lists of fewer orders.`;
    const fields = [{ field: "order_ids", code: "too_long", message: `lead to more than ${wave_stops_max} stops` }];
    throw new Fault("validation_failed", message, { fields });
  }
  const missing = orders.flatMap((order) =>
    order.lines.flatMap((line) =>
      partsOf(line).flatMap(({ sku, wanted, reserved }) =>
        wanted > reserved ? [{ order, sku, quantity: wanted - reserved }] : [],
      ),
    ),
  );
  const picked = plans.reduce((sum, units) => (units.picked ? sum + units.quantity : sum), 0);
  return { orders, legs, missing, picked, codes };
}

function stopsOf(
  units: readonly PlannedUnits[],
  orders: readonly Order[],
  products: WalkFacts["products"],
): PickStop[] {
  const known = new Map(products.map((product) => [product.id, product]));
  const places = Map.groupBy(units, ({ bin, product_id, lot_number }) => JSON.stringify([bin, product_id, lot_number]));
  const stops = [...places.values()].flatMap((here) => {
    const [first] = here;
    if (first === undefined) return [];
    const { bin, pick_order, lot_number, expires_on } = first;
    const { sku = "", name = "" } = known.get(first.product_id) ?? {};
    const counts = new Map<number, number>();
    for (const { order_id, quantity } of here) counts.set(order_id, (counts.get(order_id) ?? 0) + quantity);
    const shares = orders.flatMap((order) => {
      const quantity = counts.get(order.id);
      return quantity === undefined ? [] : [{ order, quantity }];
    });
    const quantity = shares.reduce((sum, share) => sum + share.quantity, 0);
    return [{ bin, pick_order, sku, name, lot_number, expires_on, quantity, shares }];
  });
  return stops.sort(
    (a, b) =>
      a.pick_order - b.pick_order ||
      compared(a.bin, b.bin) ||
      compared(a.sku, b.sku) ||
      compared(a.lot_number ?? "", b.lot_number ?? ""),
  );
}

// Bin A-2 comes before A-10.
const collator = onFirstUse(() => new Intl.Collator("en", { numeric: true }));
const compared = (a: string, b: string) => collator().compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);

/** Why nothing of an order can be picked; null when something can. */
export function unpickable(order: Order): string | null {
  const status = publicStatus(order);
  const reasons = hinderedBy(order);
  if (reasons.length > 0) return `is on hold (${reasons.join(", ")})`;
  return status === "pending" || status === "processing" ? null : `is ${status} and has nothing to pick`;
}

/** Refuses: invalid_state_transition (an order of which nothing can be picked). */
export function refuseUnpickable(order: Order): void {
  if (unpickable(order) === null) return;
  throw refusal(order, "list the picks", hinderedBy(order).length > 0 ? null : "nothing is left to pick");
}

/**
 * The orders of a walk, in the order of the request. A refusal lists every order that is unknown, on hold, cancelled or
 * packed. Refuses: resource_missing, invalid_state_transition.
 */
export function ordersOfWave(
  names: readonly string[],
  orders: readonly Order[],
  ids: readonly (number | null)[],
): Order[] {
  const known = new Map(orders.map((order) => [order.id, order]));
  const wave = ids.map((id) => known.get(id ?? 0));
  const fields = wave.flatMap((order, at): FieldProblem[] => {
    const field = `order_ids[${at}]`;
    if (order === undefined) return [{ field, code: "resource_missing", message: `${names[at]} is not an order` }];
    const why = unpickable(order);
    return why === null ? [] : [{ field, code: publicStatus(order), message: `${wireId("order", order.id)} ${why}` }];
  });
  if (fields.length > 0) {
    const unknown = fields.some(({ code }) => code === "resource_missing");
    const first = fields.slice(0, 10).map(({ message }) => message);
    const more = fields.length > 10 ? `; and ${fields.length - 10} more` : "";
    const message = `No pick list created: ${first.join("; ")}${more}.`;
    throw new Fault(unknown ? "resource_missing" : "invalid_state_transition", message, { fields });
  }
  return wave.filter((order) => order !== undefined);
}

/** The walk as the API shows it. */
export function walkView({ orders, legs, missing, picked }: PickWalk) {
  const named = (order: Order) => ({ order_id: wireId("order", order.id), order_number: order.order_number });
  return {
    orders: orders.map((order) => ({ ...named(order), merchant_id: wireId("merchant", order.merchant_id) })),
    warehouses: legs.map(({ warehouse, stops }) => ({
      warehouse_id: wireId("warehouse", warehouse.id),
      name: warehouse.name,
      stops: stops.map(({ shares, expires_on, ...stop }) => ({
        ...stop,
        expiration_date: dayEndTextOrNull(expires_on),
        orders: shares.map(({ order, quantity }) => ({ ...named(order), quantity })),
      })),
    })),
    backordered: missing.map(({ order, sku, quantity }) => ({ ...named(order), sku, quantity })),
    picked_units: picked,
  };
}
