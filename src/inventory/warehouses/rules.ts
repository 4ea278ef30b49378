import { invalid } from "../../kit/fault.ts";
import { type TemperatureZone, temperatureZones } from "../../products/status.ts";
import { type BinKind, outsidePlaces } from "../status.ts";
import type { Zone } from "./warehouse.ts";

/** Whether a zone is as cold as is asked for, or colder. */
export function isColdEnough(zone: TemperatureZone, wanted: TemperatureZone): boolean {
  return temperatureZones.indexOf(zone) >= temperatureZones.indexOf(wanted);
}

/** The zones that may hold goods of this temperature, the warmest first, then in the warehouse's order. */
export function fittingZones(zones: readonly Zone[], wanted: TemperatureZone): Zone[] {
  const coldness = (zone: Zone) => temperatureZones.indexOf(zone.temperature_zone);
  return zones
    .filter((zone) => isColdEnough(zone.temperature_zone, wanted))
    .sort((a, b) => coldness(a) - coldness(b) || a.id - b.id);
}

/** What a zone's thermometer should read when the client says nothing; null for ambient ones. */
export const usualRange: Readonly<Record<TemperatureZone, string | null>> = {
  ambient: null,
  refrigerated: "2-8°C",
  frozen: "-25 to -15°C",
};

/** Kinds that a client may give a bin. Staging bins come and go with orders. */
export const lastingBinKinds = ["storage", "returns", "putback", "quarantine", "damage"] as const satisfies BinKind[];

/** Where units wait that are not for sale; each warehouse has one bin of each kind. */
export const waitingBins = [
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
  const waiting = waitingBins.find((bin) => bin.code === code);
  if (waiting && waiting.kind !== kind) throw invalid(field, `of ${code} is ${waiting.kind}`);
}

/** Refuses: validation_failed, for a zone that is named twice. */
export function checkZonesDiffer(location_zones: readonly { readonly zone_id: string }[]): void {
  const names = location_zones.map(({ zone_id }) => zone_id);
  const twice = names.findIndex((name, at) => names.indexOf(name) < at);
  if (twice >= 0) throw invalid(`location_zones[${twice}].zone_id`, "is named twice", "duplicate");
}
