// What of a parcel still has to be reported to its platform.
import type { ShipmentReport } from "../platform.ts";

type Lines = ShipmentReport["lines"];

/** The units of each line that are not reported yet; entries of one line are added up. */
export function remaining(lines: Lines, known: Lines): { external_id: string; quantity: number }[] {
  const units = new Map<string, number>();
  for (const { external_id, quantity } of lines) units.set(external_id, (units.get(external_id) ?? 0) + quantity);
  for (const { external_id, quantity } of known) {
    if (units.has(external_id)) units.set(external_id, (units.get(external_id) ?? 0) - quantity);
  }
  return [...units].flatMap(([external_id, quantity]) => (quantity > 0 ? [{ external_id, quantity }] : []));
}
