import { iso } from "../core/clock.ts";
import type { CsvCell } from "../core/csv.ts";
import { invalid } from "../core/faults.ts";
import { type IdNoun, wireId } from "../core/ids.ts";
import { dayText, localTime, readDay } from "../core/time_zone.ts";
import {
  type BillableKind,
  type BilledAct,
  type BilledUnit,
  billedAs,
  isRecordedByHand,
  type SourceType,
} from "./billable_kinds.ts";

/** The record of an act: what it was about, a line of that, and the version of it that the act made. */
interface FactSource {
  readonly id: number;
  readonly line?: number;
  /** Where an act of a kind can be done on the same record more than once. */
  readonly version?: number;
}

/** What was done for a merchant, before it is stored. */
export interface BillableFact {
  readonly act: BilledAct;
  readonly merchant_id: number;
  /** Where it was done: its time zone says on which day. */
  readonly warehouse: { readonly id: number; readonly timezone: string };
  readonly quantity: number;
  readonly source: FactSource;
  /** What else is known of it at this moment, as it shall be told whatever changes later. */
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** What was done for a merchant, or takes such a fact back. */
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
  readonly source_version: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly reversal_of: number | null;
}

const lineNouns: Partial<Readonly<Record<SourceType, IdNoun>>> = { order: "order_line" };

// Where in the house goods lay, and who of its people told of an act, is for the house alone.
const operator_fields: ReadonlySet<string> = new Set(["from_bin", "to_bin", "told_by"]);

/** The fact as the API shows it: to the house, or to its merchant. */
export function eventView(event: BillableEvent, to_house: boolean) {
  const { source_type, source_line, source_version, reversal_of } = event;
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
      version: source_version === 0 ? null : source_version,
    },
    attributes: to_house ? event.attributes : Object.fromEntries(known.filter(([name]) => !operator_fields.has(name))),
    reversal_of: reversal_of === null ? null : wireId("billable_event", reversal_of),
  };
}

/** The columns of facts as a file. */
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
  "source_version",
  "attributes",
  "reversal_of",
] as const;

/** The fact as a row of that file. */
export function eventCells(event: BillableEvent, to_house: boolean): readonly CsvCell[] {
  const { source, attributes, ...view } = eventView(event, to_house);
  const row: Record<(typeof eventColumns)[number], CsvCell> = {
    ...view,
    source_type: source.type,
    source_id: source.id,
    source_line: source.line,
    source_version: source.version,
    attributes: JSON.stringify(attributes),
  };
  return eventColumns.map((name) => row[name]);
}

/** A fact as it is stored, of an act at this moment (ms). */
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
  attributes: BillableFact["attributes"],
): Omit<BillableEvent, "id"> {
  if (event.reversal_of !== null || !isRecordedByHand(event.act)) {
    throw invalid("reversal_of", "is not a manually recorded event");
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
    if (text !== undefined && readDay(text) === null) throw invalid(field, "is not a valid date");
  }
}
