// What picks and packs of orders are billed as.
import type { Fact } from "../../billing/fact.ts";
import type { LineUnits, TakenUnits } from "../../inventory/reservations/claim.ts";
import { wireId } from "../../kit/ids.ts";
import { type Order, type OrderLine, partsOf } from "../order.ts";
import { isInHouse } from "../shipments/status.ts";

interface Picking {
  readonly calendars: readonly Fact["warehouse"][];
  /** False for units that are assumed to have been picked as planned. */
  readonly confirmed: boolean;
}

/** What units are billed as that were picked: a fact for each line and the warehouse that its units were taken from. */
export function pickFacts(
  before: Order,
  { id, merchant_id, version }: Order,
  taken: readonly TakenUnits[],
  { calendars, confirmed }: Picking,
): Fact[] {
  const skus = new Set(before.lines.flatMap(partsOf).map(({ product_id }) => product_id)).size;
  const isFirst = before.lines.every(isUntouched);
  const groups = Map.groupBy(taken, ({ order_line_id, warehouse_id }) => `${order_line_id} ${warehouse_id}`);
  return [...groups.values()].flatMap((units, at) => {
    const [first] = units;
    const warehouse = calendars.find((one) => one.id === first?.warehouse_id);
    const line = before.lines.find((one) => one.id === first?.order_line_id);
    if (first === undefined || warehouse === undefined || line === undefined) return [];
    const quantity = units.reduce((sum, one) => sum + one.quantity, 0);
    const source = { id, line: line.id, version };
    const attributes = {
      order_id: wireId("order", id),
      sku: line.sku,
      skus_of_order: skus,
      first_of_order: isFirst && at === 0,
      confirmed,
      ...contentsOf(line, units),
    };
    return [{ act: "order.pick", merchant_id, warehouse, quantity, source, attributes }];
  });
}

/** What units of a line weigh; of a bundle, how many of each of its components they are. */
function contentsOf({ components }: OrderLine, units: readonly TakenUnits[]) {
  if (components === null) {
    const { weight = null, weight_unit = null } = units[0]?.product ?? {};
    return { unit_weight: weight, weight_unit };
  }
  return {
    components: components.map(({ product_id, sku, quantity: in_set }) => {
      const own = units.filter(({ product }) => product.id === product_id);
      const { weight = null, weight_unit = null } = own[0]?.product ?? {};
      return {
        sku,
        in_set,
        quantity: own.reduce((sum, one) => sum + one.quantity, 0),
        unit_weight: weight,
        weight_unit,
      };
    }),
  };
}

/** Whether nothing of a line was picked before. */
function isUntouched(line: OrderLine): boolean {
  return line.quantity_shipped === 0 && partsOf(line).every(({ picked }) => picked === 0);
}

/** What units are billed as that were packed into so many parcels. */
export function packFacts(packed: Order, units: readonly LineUnits[], parcels: number): Fact[] {
  const { id, merchant_id, version, calendars, lines } = packed;
  const [warehouse] = calendars;
  if (warehouse === undefined) return [];
  const attributes = {
    order_id: wireId("order", id),
    parcels,
    skus: new Set(units.map(({ order_line_id }) => lines.find((one) => one.id === order_line_id)?.sku)).size,
  };
  const quantity = units.reduce((sum, one) => sum + one.quantity, 0);
  return [{ act: "order.pack", merchant_id, warehouse, quantity, source: { id, version }, attributes }];
}

/** How many parcels of an order wait in the house; more cartons of the same goods count as well. */
export function parcelsInHouse({ shipments }: Order): number {
  return shipments.filter(({ status }) => isInHouse(status)).length;
}
