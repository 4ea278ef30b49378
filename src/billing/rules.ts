import { invalid } from "../kit/fault.ts";
import { dayText, localTime, readDay } from "../kit/zone.ts";
import type { BillableEvent, Fact } from "./fact.ts";
import { billedAs, isToldByHand } from "./status.ts";

/** A fact as it is stored, of an act at this moment (ms). */
export function eventOf({ act, warehouse, source, ...fact }: Fact, now: number): Omit<BillableEvent, "id"> {
  const { kind, unit, source: source_type } = billedAs[act];
  return {
    merchant_id: fact.merchant_id,
    warehouse_id: warehouse.id,
    kind,
    act,
    occurred_at: now,
    business_date: businessDate(now, warehouse.timezone),
    quantity: fact.quantity,
    unit,
    source_type,
    source_id: source.id,
    source_line: source.line ?? 0,
    source_version: source.version ?? 0,
    attributes: fact.attributes,
    reversal_of: null,
  };
}

/** The day that it is in a time zone at a moment (ms), as `YYYY-MM-DD`. */
export function businessDate(at: number, timezone: string): string {
  return dayText(localTime(at, timezone).day);
}

/** What takes a fact back. Refuses: validation_failed, for one that an act in the warehouse told. */
export function reversalOf(
  event: BillableEvent,
  now: number,
  timezone: string,
  attributes: Fact["attributes"],
): Omit<BillableEvent, "id"> {
  if (event.reversal_of !== null || !isToldByHand(event.act)) {
    throw invalid("reversal_of", "names no fact that was told by hand");
  }
  const { id: reversal_of, quantity, ...same } = event;
  return {
    ...same,
    occurred_at: now,
    business_date: businessDate(now, timezone),
    quantity: -quantity,
    attributes,
    reversal_of,
  };
}

/** Refuses: validation_failed, for days that are not in the calendar. */
export function checkDays(days: { readonly from?: string | undefined; readonly to?: string | undefined }): void {
  for (const [field, text] of Object.entries(days)) {
    if (text !== undefined && readDay(text) === null) throw invalid(field, "is no day of the calendar");
  }
}
