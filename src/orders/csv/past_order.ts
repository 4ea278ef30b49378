import type { CsvRowGroup } from "../../core/csv_columns.ts";
import { Fault, type FieldProblem, invalid, invalidFields } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import { momentIn } from "../../core/time_zone.ts";
import type { WarehouseCalendar } from "../../inventory/warehouses/dispatch_calendar.ts";
import type { PastShipment } from "../fulfillment/shipment.ts";
import { givenTrackingNumber } from "../fulfillment/tracking_url.ts";
import type { OrderDraft } from "../lifecycle/draft_orders.ts";
import { hasArrived, isCancelled, type PastStatus, pastTimestamps } from "../order.transitions.ts";
import { type OrderFields, uncancelledUnits } from "../order.ts";
import { subtotalOf } from "../order_lines.ts";
import { type CsvOrder, csvOrderOf, lineFields } from "./order_csv.ts";
import { type PastOrderCsvLine, pastReadOnly } from "./past_order_csv.schema.ts";

const own: ReadonlySet<string> = new Set([...lineFields, "quantity_cancelled", ...pastReadOnly]);
const parcels_max = 100;

type PastTimestamps = Pick<OrderFields, "created_at" | "shipped_at" | "delivered_at" | "cancelled_at">;

/** A past order as a CSV describes it. Times in ms. */
export interface PastCsvOrder extends CsvOrder<PastOrderCsvLine> {
  readonly status: PastStatus;
  readonly moments: PastTimestamps;
  /** Units of each line that were never shipped. */
  readonly cancelled: readonly number[];
  readonly tracking_numbers: readonly string[];
}

/**
 * The past order that some rows form; `now` in ms. Its timestamps follow each other and are not in the future. A date
 * alone is that day in the order's warehouse, or in the first of `warehouses`. Refuses: validation_failed.
 */
export function pastCsvOrderOf(
  group: CsvRowGroup<PastOrderCsvLine>,
  now: number,
  warehouses: readonly WarehouseCalendar[],
): PastCsvOrder {
  const sheet = csvOrderOf(group, own);
  const { first } = sheet;
  const status = statusOf(first);
  const own_id = readId("warehouse", first.warehouse_id ?? 0);
  const { timezone = "UTC" } = warehouses.find(({ id }) => id === own_id) ?? warehouses[0] ?? {};
  const moments = momentsOf(first, status, { now, timezone });
  return { ...sheet, status, moments, cancelled: cancelledOf(sheet, status), tracking_numbers: numbersOf(first) };
}

function statusOf({ status }: PastOrderCsvLine): PastStatus {
  if (status === undefined) throw invalid("status", "is required", "required");
  if (Object.hasOwn(pastTimestamps, status)) return status as PastStatus;
  const known = Object.keys(pastTimestamps).join(", ");
  throw invalid("status", `is ${status}: past orders must be ${known}; import others without history=true`);
}

const momentNames = ["shipped_at", "delivered_at", "cancelled_at"] as const;

function momentsOf(
  row: PastOrderCsvLine,
  status: PastStatus,
  { now, timezone }: { readonly now: number; readonly timezone: string },
): PastTimestamps {
  const had: readonly string[] = pastTimestamps[status];
  const problems = momentNames.flatMap((name): FieldProblem[] => {
    if ((row[name] !== undefined) === had.includes(name)) return [];
    return had.includes(name)
      ? [{ field: name, code: "required", message: `is required for ${status} orders` }]
      : [{ field: name, code: "conflict", message: `must be empty for ${status} orders` }];
  });
  if (row.created_at === undefined) problems.unshift({ field: "created_at", code: "required", message: "is required" });
  if (problems.length > 0) throw invalidFields(problems);
  const moment = (text: string | undefined) => (text === undefined ? null : momentIn(text, timezone));
  const moments: PastTimestamps = {
    created_at: moment(row.created_at) ?? 0,
    shipped_at: moment(row.shipped_at),
    delivered_at: moment(row.delivered_at),
    cancelled_at: moment(row.cancelled_at),
  };
  const names = ["created_at", ...pastTimestamps[status]] as const;
  for (const [at, name] of names.entries()) {
    const before = names[at - 1];
    const moment = moments[name] ?? 0;
    if (moment > now) throw invalid(name, "must not be in the future");
    if (before !== undefined && moment < (moments[before] ?? 0)) throw invalid(name, `must not be before ${before}`);
  }
  return moments;
}

function cancelledOf({ lines }: CsvOrder<PastOrderCsvLine>, status: PastStatus): number[] {
  const all = isCancelled(status);
  const cancelled = lines.map(({ quantity, quantity_cancelled = all ? quantity : 0 }, at) => {
    const field = `rows[${at}].quantity_cancelled`;
    if (quantity_cancelled > quantity) throw invalid(field, `must be at most ${quantity}`, "too_large");
    if (all && quantity_cancelled < quantity)
      throw invalid(field, `must be ${quantity}, all units of a cancelled order`);
    return quantity_cancelled;
  });
  if (!all && lines.every(({ quantity }, at) => cancelled[at] === quantity)) {
    throw invalid("status", `is ${status}, but every unit is cancelled`, "conflict");
  }
  return cancelled;
}

function numbersOf({ tracking_number, tracking_numbers = "" }: PastOrderCsvLine): string[] {
  const several = tracking_numbers.split(/\s+/).map((word) => givenTrackingNumber("tracking_numbers", word));
  const numbers = [givenTrackingNumber("tracking_number", tracking_number), ...several];
  const known = [...new Set(numbers.filter((number) => number !== null))];
  if (known.length > parcels_max) throw invalid("tracking_numbers", `are more than ${parcels_max}`, "too_many");
  return known;
}

/** The fields and lines of a past order, from the draft of a new one like it. */
export function pastDraft({ fields, lines }: OrderDraft, { first, status, moments, cancelled }: PastCsvOrder) {
  const pastLines = lines.map((line, at) => {
    const quantity_cancelled = cancelled[at] ?? 0;
    const shipped = uncancelledUnits({ quantity: line.quantity, quantity_cancelled });
    const sent = { quantity_packed: shipped, quantity_shipped: shipped };
    return { ...line, ...sent, quantity_cancelled, quantity_delivered: hasArrived(status) ? shipped : 0 };
  });
  const cancel_reason = isCancelled(status) ? (first.cancel_reason ?? "other") : null;
  const subtotal_cents = subtotalOf(pastLines);
  return { fields: { ...fields, ...moments, status, cancel_reason, subtotal_cents, imported: true }, lines: pastLines };
}

/**
 * The parcels in which an order shipped. The first holds its units, the others are extra cartons of the same goods.
 */
export function pastParcels(
  { id: order_id, merchant_id }: { readonly id: number; readonly merchant_id: number },
  lines: readonly { readonly id: number; readonly quantity_shipped: number }[],
  { first, status, moments, tracking_numbers }: PastCsvOrder,
): PastShipment[] {
  const { shipped_at, delivered_at } = moments;
  if (isCancelled(status) || shipped_at === null) return [];
  const units = lines.map(({ id, quantity_shipped }) => ({ order_line_id: id, quantity: quantity_shipped }));
  const [number = null, ...others] = tracking_numbers;
  return [number, ...others].map((tracking_number, at) => ({
    order_id,
    merchant_id,
    status,
    tracking_number,
    created_at: shipped_at,
    shipped_at,
    delivered_at,
    carrier: first.carrier ?? null,
    service: first.service ?? null,
    lines: at === 0 ? units.filter(({ quantity }) => quantity > 0) : [],
  }));
}

/** Refuses: duplicate_order_number (another request has imported the order at the same moment). */
export function refuseKnown({ first: { order_number } }: PastCsvOrder, id: number): void {
  const message = `already belongs to ${wireId("order", id)}`;
  const fields = [{ field: "order_number", code: "duplicate", message }];
  throw new Fault("duplicate_order_number", `Order number ${order_number} already exists.`, { fields });
}
