// Packed units, and the warehouses that they came from.
import type { LineUnits, TakenUnits } from "../../inventory/reservations/reservation.ts";
import type { Order } from "../order.ts";
import { allocationUnits, unitsOf } from "./order_units.ts";

/** A parcel as a request describes it. */
export interface PackParcelInput {
  readonly units: readonly LineUnits[];
  readonly name?: string | null | undefined;
  readonly weight?: number | null | undefined;
  readonly weight_unit?: string | null | undefined;
  readonly dimensions?: object | null | undefined;
}

/** What one act packs. */
export interface Packing {
  readonly units: readonly LineUnits[];
  /** The number of the order's parcels that have not shipped, including these. */
  readonly parcels: number;
  /** The contents of each parcel, if the request states them. */
  readonly described?: readonly PackParcelInput[];
}

/** Units of a product that came to staging in a warehouse; below zero, units that went back to the shelf. */
interface StagedUnits {
  readonly product_id: number;
  readonly warehouse_id: number;
  readonly quantity: number;
}

/** Units of a product in a parcel. */
interface PackedUnits extends LineUnits {
  readonly product_id: number;
}

/** The part of a parcel that comes from one warehouse. */
export interface PackingShare {
  /** The described parcel; null if its units are from several warehouses, so that no single parcel matches it. */
  readonly parcel: PackParcelInput | null;
  readonly warehouse_id: number;
  readonly units: readonly PackedUnits[];
}

/** The warehouses in which units of an order may be packed: where they were, and where they were taken from. */
export function packingPlaces({ calendars }: Order, taken: readonly TakenUnits[]): number[] {
  return [...new Set([...calendars.map(({ id }) => id), ...taken.map(({ warehouse_id }) => warehouse_id)])];
}

/**
 * The units in parcels by warehouse. With several warehouses it is not recorded which units were packed, so those that
 * came to staging first count as packed first. `staged` is null if all of them came from one warehouse.
 */
export function sharesOf(
  before: Order,
  { units, described }: Packing,
  default_id: number,
  staged: readonly StagedUnits[] | null,
): PackingShare[] {
  const queues = new PackingQueues(staged ?? [], default_id);
  for (const { product_id = 0, quantity } of allocationUnits(
    before,
    unitsOf(before, (line) => line.quantity_packed),
  ))
    queues.take(product_id, quantity);
  return (described ?? [{ units }]).flatMap((parcel) => {
    const packed = allocationUnits(before, parcel.units).flatMap(({ order_line_id, product_id = 0, quantity }) =>
      queues.take(product_id, quantity).map((part) => ({ order_line_id, product_id, ...part })),
    );
    const places = Map.groupBy(packed, ({ warehouse_id }) => warehouse_id);
    const isDivided = described !== undefined && places.size > 1;
    return [...places].map(([warehouse_id, own]) => {
      return { parcel: isDivided ? null : parcel, warehouse_id, units: own };
    });
  });
}

/** Units from one warehouse. */
interface PlacedUnits {
  readonly warehouse_id: number;
  quantity: number;
}

/** The units of each product that came to staging and did not go back, first in, first out. */
class PackingQueues {
  readonly #of: ReadonlyMap<number, PlacedUnits[]>;
  /** The warehouse of units with unknown origin. */
  readonly #default_id: number;

  constructor(staged: readonly StagedUnits[], default_id: number) {
    this.#default_id = default_id;
    this.#of = new Map(
      [...Map.groupBy(staged, ({ product_id }) => product_id)].map(([product_id, rows]) => [product_id, stayed(rows)]),
    );
  }

  take(product_id: number, quantity: number): PlacedUnits[] {
    const queue = this.#of.get(product_id) ?? [];
    const taken: PlacedUnits[] = [];
    let left = quantity;
    for (const first of queue) {
      const units = Math.min(left, first.quantity);
      if (units === 0) continue;
      first.quantity -= units;
      left -= units;
      taken.push({ warehouse_id: first.warehouse_id, quantity: units });
    }
    return left === 0 ? taken : [...taken, { warehouse_id: this.#default_id, quantity: left }];
  }
}

/** Units in the order in which they came, without those that went back: the last that came from their warehouse. */
function stayed(rows: readonly StagedUnits[]): PlacedUnits[] {
  const queue: PlacedUnits[] = [];
  for (const { warehouse_id, quantity } of rows) {
    if (quantity > 0) {
      queue.push({ warehouse_id, quantity });
      continue;
    }
    let gone = -quantity;
    for (const one of queue.toReversed()) {
      const units = one.warehouse_id === warehouse_id ? Math.min(gone, one.quantity) : 0;
      one.quantity -= units;
      gone -= units;
    }
  }
  return queue;
}
