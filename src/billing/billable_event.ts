import { iso } from "../core/clock.ts";
import type { CsvCell } from "../core/csv.ts";
import { invalid } from "../core/faults.ts";
import { type IdNoun, wireId } from "../core/ids.ts";
import { dayText, localTime, readDay } from "../core/time_zone.ts";
import { type PackKind, wholePacks } from "../products/product.ts";
import {
  type BillableKind,
  type BilledAct,
  type BilledUnit,
  billedAs,
  isRecordedByHand,
  type SourceType,
} from "./billable_kinds.ts";

/** The record that an act was about, with its line and revision. */
interface FactSource {
  readonly id: number;
  readonly line?: number;
  /** Only for acts that can be repeated on a record: its revision after the act. */
  readonly revision?: number;
}

/** A billable activity to be stored. */
export interface BillableFact {
  readonly act: BilledAct;
  readonly merchant_id: number;
  /** Where it was done. Its time zone determines the business date. */
  readonly warehouse: { readonly id: number; readonly timezone: string };
  readonly quantity: number;
  readonly source: FactSource;
  /** Further details, copied because they may change later. */
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A stored billable activity, or the reversal of one. */
export interface BillableEvent {
  readonly id: number;
  readonly merchant_id: number;
  readonly warehouse_id: number;
  readonly kind: BillableKind;
  readonly act: BilledAct;
  readonly occurred_at: number;
  readonly business_date: string;
  readonly quantity: number;
  readonly unit: BilledUnit;
  readonly source_type: SourceType;
  readonly source_id: number;
  readonly source_line: number;
  readonly source_revision: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly reversal_of: number | null;
}

/** Units of a fact that were handled in packs. They are priced as packs, and the others as units. */
export interface BilledPacks extends PackKind {
  readonly count: number;
}

/** The packs in which units were handled, as an attribute of their fact; nothing for single units. */
export function packsAttribute(
  units: readonly { readonly quantity: number; readonly pack?: PackKind | null | undefined }[],
): { readonly packs?: readonly BilledPacks[] } {
  const kinds = Map.groupBy(
    units.filter(({ pack }) => pack != null),
    ({ pack }) => `${pack?.level} ${pack?.quantity}`,
  );
  const packs = [...kinds.values()].flatMap((own): BilledPacks[] => {
    const sum = own.reduce((all, { quantity }) => all + quantity, 0);
    const whole = wholePacks(own[0]?.pack ?? null, sum);
    return whole === null ? [] : [{ level: whole.level, quantity: whole.quantity, count: sum / whole.quantity }];
  });
  return packs.length === 0 ? {} : { packs };
}

/** The packs that remain of a fact after units were taken back: single units go first, then whole packs. */
export function packsWithin(
  packs: readonly BilledPacks[] | undefined,
  units: number,
): { readonly packs?: readonly BilledPacks[] } {
  let room = units;
  const left = (packs ?? []).map((one) => {
    const count = Math.min(one.count, Math.floor(room / one.quantity));
    room -= count * one.quantity;
    return { ...one, count };
  });
  return packs === undefined ? {} : { packs: left.filter(({ count }) => count > 0) };
}

const lineNouns: Partial<Readonly<Record<SourceType, IdNoun>>> = { order: "order_line" };

// Attributes that only the operator sees: bins, and the user who recorded the event.
const isPrivate = (attribute: string): boolean => ["from_bin", "to_bin", "told_by"].includes(attribute);

/** The event as the API shows it, to the operator or to its merchant. */
export function eventView(event: BillableEvent, is_operator: boolean) {
  const { source_type, source_line, source_revision, reversal_of } = event;
  const known = Object.entries(event.attributes);
  const line_noun = lineNouns[source_type];
  return {
    id: wireId("billable_event", event.id),
    merchant_id: wireId("merchant", event.merchant_id),
    warehouse_id: wireId("warehouse", event.warehouse_id),
    kind: event.kind,
    act: event.act,
    occurred_at: iso(event.occurred_at),
    business_date: event.business_date,
    quantity: event.quantity,
    unit: event.unit,
    source: {
      type: source_type,
      id: wireId(source_type, event.source_id),
      line: line_noun === undefined || source_line === 0 ? null : wireId(line_noun, source_line),
      revision: source_revision === 0 ? null : source_revision,
    },
    attributes: is_operator ? event.attributes : Object.fromEntries(known.filter(([name]) => !isPrivate(name))),
    reversal_of: reversal_of === null ? null : wireId("billable_event", reversal_of),
  };
}

/** The CSV columns of billable events. */
export const eventColumns = [
  "id",
  "merchant_id",
  "warehouse_id",
  "kind",
  "act",
  "occurred_at",
  "business_date",
  "quantity",
  "unit",
  "source_type",
  "source_id",
  "source_line",
  "source_revision",
  "attributes",
  "reversal_of",
] as const;

/** The event as a CSV row. */
export function eventCells(event: BillableEvent, is_operator: boolean): readonly CsvCell[] {
  const { source, attributes, ...view } = eventView(event, is_operator);
  const row: Record<(typeof eventColumns)[number], CsvCell> = {
    ...view,
    source_type: source.type,
    source_id: source.id,
    source_line: source.line,
    source_revision: source.revision,
    attributes: JSON.stringify(attributes),
  };
  return eventColumns.map((name) => row[name]);
}

/** The event to store for an activity at `now` (ms). */
export function eventOf({ act, warehouse, source, ...fact }: BillableFact, now: number): Omit<BillableEvent, "id"> {
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
    source_revision: source.revision ?? 0,
    attributes: fact.attributes,
    reversal_of: null,
  };
}

/** The date in a time zone at a time (ms), as `YYYY-MM-DD`. */
export function businessDate(at: number, timezone: string): string {
  return dayText(localTime(at, timezone).day);
}

/** The reversal of a manually recorded event. `now` in milliseconds. Refuses: validation_failed. */
export function reversalOf(
  event: BillableEvent,
  now: number,
  timezone: string,
  attributes: BillableFact["attributes"],
): Omit<BillableEvent, "id"> {
  if (event.reversal_of !== null || !isRecordedByHand(event.act)) {
    throw invalid("reversal_of", "is not a manually recorded event");
  }
  return negated(event, now, timezone, attributes);
}

/** What cancels an event: the same with the negated quantity, at `now` (ms). */
export function negated(
  event: BillableEvent,
  now: number,
  timezone: string,
  attributes: BillableFact["attributes"] = event.attributes,
): Omit<BillableEvent, "id"> {
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

/** Refuses dates that do not exist. Refuses: validation_failed. */
export function checkDays({
  from,
  to,
}: {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}): void {
  for (const [field, text] of Object.entries({ from, to })) {
    if (text !== undefined && readDay(text) === null) throw invalid(field, "is not a valid date");
  }
}
