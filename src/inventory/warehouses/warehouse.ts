import { iso } from "../../kit/clock.ts";
import { wireId } from "../../kit/ids.ts";
import type { Place } from "../../kit/place.ts";
import type { TemperatureZone } from "../../products/status.ts";
import type { BinSpot } from "../ledger/spot.ts";
import type { BinKind } from "../status.ts";
import type { DispatchCalendar } from "./calendar.ts";
import { isExampleAddress } from "./example_address.ts";

/** A place in a warehouse where units lie. */
export interface Bin {
  readonly id: number;
  readonly warehouse_id: number;
  /** Null for staging, which lies outside the zones. */
  readonly zone_id: number | null;
  readonly code: string;
  readonly kind: BinKind;
  readonly pick_order: number;
  readonly capacity: number | null;
  /** The only merchant whose goods may lie there; null for those of any. */
  readonly dedicated_merchant_id: number | null;
  /** Whether goods of several merchants may lie there at once, which a storage bin refuses otherwise. */
  readonly mix_merchants: boolean;
}

/** A new bin; unless told otherwise for goods of any merchant, and of one at a time. */
export type NewBin = Omit<Bin, "id" | "dedicated_merchant_id" | "mix_merchants"> &
  Partial<Pick<Bin, "dedicated_merchant_id" | "mix_merchants">>;

/** A part of a warehouse that is kept at one temperature. */
export interface Zone {
  readonly id: number;
  readonly warehouse_id: number;
  /** The client's name of the zone. */
  readonly zone_id: string;
  readonly temperature_zone: TemperatureZone;
  readonly temperature_range: string | null;
  readonly capacity: number | null;
}

/** A warehouse without what is in it. */
export interface PlainWarehouse extends DispatchCalendar {
  readonly id: number;
  readonly name: string;
  readonly address: Place;
  /** Lower numbers are chosen first. */
  readonly priority: number;
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** A warehouse with its zones. */
export interface ZonedWarehouse extends PlainWarehouse {
  readonly zones: readonly Zone[];
}

/** A warehouse with its zones and its lasting bins: staging bins, which come with each order, are left out. */
export interface Warehouse extends ZonedWarehouse {
  readonly bins: readonly Bin[];
}

/** A bin of a warehouse as part of a spot. */
export function binSpot({ id, priority, timezone, zones }: ZonedWarehouse, bin: Bin): BinSpot {
  const zone = zones.find((zone) => zone.id === bin.zone_id);
  return {
    warehouse_id: id,
    warehouse_priority: priority,
    timezone,
    bin_id: bin.id,
    bin: bin.code,
    bin_kind: bin.kind,
    pick_order: bin.pick_order,
    temperature_zone: zone?.temperature_zone ?? null,
    temperature_range: zone?.temperature_range ?? null,
  };
}

/** The merchant for whom a bin is kept, as the API shows it. */
export function dedicatedView({ dedicated_merchant_id: id }: Pick<Bin, "dedicated_merchant_id">): string | null {
  return id === null ? null : wireId("merchant", id);
}

/** How full a place is: the units in it, and how many more it has room for, if that is known. */
function fillOf(capacity: number | null, used: number) {
  return { capacity, used, free: capacity === null ? null : Math.max(0, capacity - used) };
}

/**
 * The warehouse as the API shows it, with the units that lie in each bin. Whoever is not shown bins is not told either
 * how much there is room for.
 */
export function warehouseView(warehouse: Warehouse, used: ReadonlyMap<number, number>, shows_bins: boolean) {
  const { id, name, address, priority, zones, bins, version, created_at, updated_at } = warehouse;
  const { timezone, working_days, holidays, cutoff_time } = warehouse;
  const binsOf = Map.groupBy(bins, (bin) => bin.zone_id);
  return {
    warehouse_id: wireId("warehouse", id),
    name,
    address,
    example_address: isExampleAddress(address),
    timezone,
    working_days,
    holidays,
    cutoff_time,
    priority,
    location_zones: zones.map(({ id: own, zone_id, temperature_zone, temperature_range, capacity }) => {
      const its = binsOf.get(own) ?? [];
      const unitsIn = (bin: Bin) => used.get(bin.id) ?? 0;
      return {
        zone_id,
        temperature_zone,
        ...(temperature_range === null ? {} : { temperature_range }),
        ...fillOf(
          shows_bins ? capacity : null,
          its.reduce((sum, bin) => sum + unitsIn(bin), 0),
        ),
        bins: (shows_bins ? its : []).map((bin) => {
          const { code, kind, pick_order, capacity, mix_merchants } = bin;
          const dedicated_merchant_id = dedicatedView(bin);
          return { code, kind, pick_order, dedicated_merchant_id, mix_merchants, ...fillOf(capacity, unitsIn(bin)) };
        }),
      };
    }),
    version,
    created_at: iso(created_at),
    updated_at: iso(updated_at),
  };
}
