import { iso } from "../../core/clock.ts";
import { invalid } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import type { ContactAddress } from "../../core/postal_address.ts";
import { type TemperatureZone, temperatureZones } from "../../products/product.ts";
import { type BinKind, outsidePlaces } from "../inventory.transitions.ts";
import type { BinSpot } from "../ledger/stock_item.ts";
import type { DispatchCalendar } from "./dispatch_calendar.ts";

/** The example address of the first warehouse, until the operator enters the real one. */
export const exampleAddress = {
  address_line1: "100 Main Street",
  city: "Columbus",
  state: "OH",
  postal_code: "43215",
  country: "US",
} as const;

/** Whether an address is still the example. */
export function isExampleAddress(address: ContactAddress): boolean {
  return Object.entries(exampleAddress).every(([field, value]) => address[field as keyof ContactAddress] === value);
}

/** A place in a warehouse that holds units. */
export interface WarehouseBin {
  readonly id: number;
  readonly warehouse_id: number;
  /** Null for staging, which is outside the zones. */
  readonly zone_id: number | null;
  readonly code: string;
  readonly kind: BinKind;
  readonly pick_order: number;
  readonly capacity: number | null;
  /** The only merchant whose goods may be stored there; null for any. */
  readonly dedicated_merchant_id: number | null;
  /** Whether goods of several merchants may be stored there at once, which a storage bin otherwise refuses. */
  readonly mix_merchants: boolean;
}

/** A new bin; by default for goods of any merchant, and of one at a time. */
export type NewBin = Omit<WarehouseBin, "id" | "dedicated_merchant_id" | "mix_merchants"> &
  Partial<Pick<WarehouseBin, "dedicated_merchant_id" | "mix_merchants">>;

/** A part of a warehouse with one temperature. */
export interface WarehouseZone {
  readonly id: number;
  readonly warehouse_id: number;
  /** The client's name for the zone. */
  readonly zone_id: string;
  readonly temperature_zone: TemperatureZone;
  readonly temperature_range: string | null;
  readonly capacity: number | null;
}

/** A warehouse without its zones and bins. */
export interface PlainWarehouse extends DispatchCalendar {
  readonly id: number;
  readonly name: string;
  readonly address: ContactAddress;
  /** Lower numbers are chosen first. */
  readonly priority: number;
  readonly revision: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** A warehouse with its zones. */
export interface ZonedWarehouse extends PlainWarehouse {
  readonly zones: readonly WarehouseZone[];
}

/** A warehouse with its zones and its permanent bins. Staging bins, which are created for each order, are left out. */
export interface Warehouse extends ZonedWarehouse {
  readonly bins: readonly WarehouseBin[];
}

/** The bin fields of a spot. */
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

/** The merchant for whom a bin is reserved, as the API shows it. */
export function dedicatedView({
  dedicated_merchant_id: id,
}: Pick<WarehouseBin, "dedicated_merchant_id">): string | null {
  return id === null ? null : wireId("merchant", id);
}

/** How full a place is: the units in it, and how many more fit, if the capacity is known. */
function fillOf(capacity: number | null, used: number) {
  return { capacity, used, free: capacity === null ? null : Math.max(0, capacity - used) };
}

/**
 * The warehouse as the API shows it, with the units in each bin. Callers who see no bins do not see capacities either.
 */
export function warehouseView(warehouse: Warehouse, used: ReadonlyMap<number, number>, shows_bins: boolean) {
  const { id, name, address, priority, zones, bins, revision, created_at, updated_at } = warehouse;
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
    revision,
    created_at: iso(created_at),
    updated_at: iso(updated_at),
  };
}

/** Whether a zone is at least as cold as required. */
export function isColdEnough(zone: TemperatureZone, wanted: TemperatureZone): boolean {
  return temperatureZones.indexOf(zone) >= temperatureZones.indexOf(wanted);
}

/** The zones that may hold goods of this temperature, warmest first, then in the warehouse's order. */
export function fittingZones(zones: readonly WarehouseZone[], wanted: TemperatureZone): WarehouseZone[] {
  const coldness = (zone: WarehouseZone) => temperatureZones.indexOf(zone.temperature_zone);
  return zones
    .filter((zone) => isColdEnough(zone.temperature_zone, wanted))
    .sort((a, b) => coldness(a) - coldness(b) || a.id - b.id);
}

/** The temperature range of a zone if the client states none; null for ambient ones. */
export const defaultTemperatureRange: Readonly<Record<TemperatureZone, string | null>> = {
  ambient: null,
  refrigerated: "2-8°C",
  frozen: "-25 to -15°C",
};

/** Kinds that a client may give a bin. Staging bins are created for each order. */
export const permanentBinKinds = ["storage", "returns", "putback", "quarantine", "damage"] as const satisfies BinKind[];

/** The bins for units that cannot be sold; each warehouse has one bin of each kind. */
export const transitBinKinds = [
  { code: "RETURNS", kind: "returns" },
  { code: "PUTBACK", kind: "putback" },
  { code: "QUARANTINE", kind: "quarantine" },
  { code: "DAMAGE", kind: "damage" },
] as const;

const staging_prefix = "STAGING-";

/** The code of the bin for the picked units of an order; `order` is its id in the API. */
export function stagingCode(order: string): string {
  return staging_prefix + order;
}

const code_max = 40;

/** The code after another: `A-02` after `A-01`, `SHELF-2` after `SHELF`. */
export function nextBinCode(code: string): string {
  const [, name = code, digits] = /^(.*?)(\d{1,9})$/s.exec(code) ?? [];
  const next = digits === undefined ? "-2" : String(Number(digits) + 1).padStart(digits.length, "0");
  return [...name].slice(0, code_max - next.length).join("") + next;
}

/** Refuses: validation_failed (codes that mean something else in lists of movements). */
export function checkBinCode(code: string, field: string): void {
  if (code.startsWith(staging_prefix)) throw invalid(field, `must not begin with ${staging_prefix}`);
  if (outsidePlaces.some((place) => place === code)) throw invalid(field, "is a reserved word");
}

/** Refuses: validation_failed (another kind for one of `transitBinKinds`). */
export function checkBinKind(code: string, kind: BinKind, field: string): void {
  const transit_bin = transitBinKinds.find((bin) => bin.code === code);
  if (transit_bin && transit_bin.kind !== kind) throw invalid(field, `must be ${transit_bin.kind} for ${code}`);
}

/** Refuses a zone that is listed twice. Refuses: validation_failed. */
export function checkZonesDiffer(location_zones: readonly { readonly zone_id: string }[]): void {
  const names = location_zones.map(({ zone_id }) => zone_id);
  const twice = names.findIndex((name, at) => names.indexOf(name) < at);
  if (twice >= 0) throw invalid(`location_zones[${twice}].zone_id`, "is listed twice", "duplicate");
}
