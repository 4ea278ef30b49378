import { iso } from "../../core/clock.ts";
import { invalid } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import type { NamedAddress } from "../../core/postal_address.ts";
import { type TemperatureZone, temperatureZones } from "../../products/product.ts";
import { type BinKind, outsidePlaces } from "../inventory.transitions.ts";
import type { BinSpot } from "../ledger/stock_item.ts";
import type { DispatchCalendar } from "./dispatch_calendar.ts";

/** The invented address of the first warehouse, until the operator enters the real one. */
export const exampleAddress = {
  address_line1: "100 Main Street",
  city: "Columbus",
  state: "OH",
  postal_code: "43215",
  country: "US",
} as const;

/** Whether an address is still the invented one. */
export function isExampleAddress(address: NamedAddress): boolean {
  return Object.entries(exampleAddress).every(([field, value]) => address[field as keyof NamedAddress] === value);
}

/** A place in a warehouse where units lie. */
export interface WarehouseBin {
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
export type NewBin = Omit<WarehouseBin, "id" | "dedicated_merchant_id" | "mix_merchants"> &
  Partial<Pick<WarehouseBin, "dedicated_merchant_id" | "mix_merchants">>;

/** A part of a warehouse that is kept at one temperature. */
export interface WarehouseZone {
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
  readonly address: NamedAddress;
  /** Lower numbers are chosen first. */
  readonly priority: number;
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** A warehouse with its zones. */
export interface ZonedWarehouse extends PlainWarehouse {
  readonly zones: readonly WarehouseZone[];
}

/** A warehouse with its zones and its lasting bins: staging bins, which come with each order, are left out. */
export interface Warehouse extends ZonedWarehouse {
  readonly bins: readonly WarehouseBin[];
}

/** A bin of a warehouse as part of a spot. */
export function binSpot({ id, priority, timezone, zones }: ZonedWarehouse, bin: WarehouseBin): BinSpot {
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
export function dedicatedView({
  dedicated_merchant_id: id,
}: Pick<WarehouseBin, "dedicated_merchant_id">): string | null {
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
      const unitsIn = (bin: WarehouseBin) => used.get(bin.id) ?? 0;
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

/** Whether a zone is as cold as is asked for, or colder. */
export function isColdEnough(zone: TemperatureZone, wanted: TemperatureZone): boolean {
  return temperatureZones.indexOf(zone) >= temperatureZones.indexOf(wanted);
}

/** The zones that may hold goods of this temperature, the warmest first, then in the warehouse's order. */
export function fittingZones(zones: readonly WarehouseZone[], wanted: TemperatureZone): WarehouseZone[] {
  const coldness = (zone: WarehouseZone) => temperatureZones.indexOf(zone.temperature_zone);
  return zones
    .filter((zone) => isColdEnough(zone.temperature_zone, wanted))
    .sort((a, b) => coldness(a) - coldness(b) || a.id - b.id);
}

/** What a zone's thermometer should read when the client says nothing; null for ambient ones. */
export const defaultTemperatureRange: Readonly<Record<TemperatureZone, string | null>> = {
  ambient: null,
  refrigerated: "2-8°C",
  frozen: "-25 to -15°C",
};

/** Kinds that a client may give a bin. Staging bins come and go with orders. */
export const permanentBinKinds = ["storage", "returns", "putback", "quarantine", "damage"] as const satisfies BinKind[];

/** Where units wait that are not for sale; each warehouse has one bin of each kind. */
export const transitBinKinds = [
  { code: "RETURNS", kind: "returns" },
  { code: "PUTBACK", kind: "putback" },
  { code: "QUARANTINE", kind: "quarantine" },
  { code: "DAMAGE", kind: "damage" },
] as const;

const staging_prefix = "STAGING-";

/** The code of the bin where the picked units of an order wait; `order` is its identifier on the wire. */
export function stagingCode(order: string): string {
  return staging_prefix + order;
}

/** Refuses: validation_failed, for codes that mean something else where movements are listed. */
export function checkBinCode(code: string, field: string): void {
  if (code.startsWith(staging_prefix)) throw invalid(field, `must not begin with ${staging_prefix}`);
  if (outsidePlaces.some((place) => place === code)) throw invalid(field, "is a reserved word");
}

/** Refuses: validation_failed, for another kind of a bin in which units wait that are not for sale. */
export function checkBinKind(code: string, kind: BinKind, field: string): void {
  const waiting = transitBinKinds.find((bin) => bin.code === code);
  if (waiting && waiting.kind !== kind) throw invalid(field, `of ${code} is ${waiting.kind}`);
}

/** Refuses: validation_failed, for a zone that is named twice. */
export function checkZonesDiffer(location_zones: readonly { readonly zone_id: string }[]): void {
  const names = location_zones.map(({ zone_id }) => zone_id);
  const twice = names.findIndex((name, at) => names.indexOf(name) < at);
  if (twice >= 0) throw invalid(`location_zones[${twice}].zone_id`, "is named twice", "duplicate");
}
