// What was packed, and from which warehouses it came.
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
  /** How many parcels of the order stand in the house with them. */
  readonly parcels: number;
  /** What goes into which parcel, where the request says it. */
  readonly described?: readonly PackParcelInput[];
}

/** Units of a product that came to staging in a warehouse; below zero, that went from there back to the shelf. */
interface StagedUnits {
  readonly product_id: number;
  readonly warehouse_id: number;
  readonly quantity: number;
}

/** Units of a product in a parcel. */
interface PackedUnits extends LineUnits {
  readonly product_id: number;
}

/** What a parcel holds of the goods of one warehouse. */
export interface PackingShare {
  /** What was said of it; null of a parcel with goods of several warehouses, which nobody packed like that. */
  readonly parcel: PackParcelInput | null;
  readonly warehouse_id: number;
  readonly units: readonly PackedUnits[];
}

/** The warehouses that units of an order may be packed in: where they lay, and where they were taken from. */
export function packingPlaces({ calendars }: Order, taken: readonly TakenUnits[]): number[] {
  return [...new Set([...calendars.map(({ id }) => id), ...taken.map(({ warehouse_id }) => warehouse_id)])];
}

/**
 * What the parcels hold of the goods of each warehouse. Where there are several, nobody says which units were packed:
 * those that came to staging first are packed first. `staged` is null where all of them came from the one warehouse.
 */
export function sharesOf(
  before: Order,
  { units, described }: Packing,
  usual_id: number,
  staged: readonly StagedUnits[] | null,
): PackingShare[] {
  const queues = new PackingQueues(staged ?? [], usual_id);
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

/** Units of some place. */
interface PlacedUnits {
  readonly warehouse_id: number;
  quantity: number;
}

/** The units of each product that came to staging and did not go back, the first of them first. */
class PackingQueues {
  readonly #of: ReadonlyMap<number, PlacedUnits[]>;
  /** Where units lie of which nothing is known. */
  readonly #usual_id: number;

  constructor(staged: readonly StagedUnits[], usual_id: number) {
    this.#usual_id = usual_id;
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
    return left === 0 ? taken : [...taken, { warehouse_id: this.#usual_id, quantity: left }];
  }
}

/** Units in the order in which they came, without those that went back: of their warehouse, the last that came. */
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
