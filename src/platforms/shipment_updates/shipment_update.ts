import { iso, isoOrNull } from "../../core/clock.ts";
import { wireId } from "../../core/ids.ts";
import type { Shipment } from "../../orders/fulfillment/shipment.ts";
import { type OrderStatus, openStatuses } from "../../orders/order.transitions.ts";
import type { Order } from "../../orders/order.ts";
import type { ImportedLine } from "../imports/import.ts";
import type { ShipmentReport, StoreConnection } from "../platform.ts";
import type { ShipmentUpdateStatus } from "../platforms.transitions.ts";

/** Units of a platform's line. */
type ReportedLine = ShipmentReport["lines"][number];

/** A parcel that has left, and the state of its report to the order's platform. */
export interface ShipmentUpdate {
  readonly id: number;
  readonly connection_id: number;
  readonly order_id: number;
  readonly shipment_id: number;
  /** The platform's lines and how many units of each are in the parcel. */
  readonly lines: readonly ReportedLine[];
  readonly status: ShipmentUpdateStatus;
  /** Tries begun since it was queued. */
  readonly attempts: number;
  /** When it is tried next; during a try, when the try counts as lost. Null unless it is queued. */
  readonly next_at: number | null;
  readonly give_up_at: number;
  /** The platform's id of the parcel. */
  readonly external_id: string | null;
  /** Why it is not reported. */
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly reported_at: number | null;
}

/** A report claimed by this server, and what it contains. */
export interface ShipmentUpdateClaim {
  readonly connection: StoreConnection;
  readonly report: ShipmentUpdate;
  readonly told: ShipmentReport;
}

/** The report as the API shows it. */
export function shipmentUpdateView(report: ShipmentUpdate) {
  const { error_code: code, error_message: message } = report;
  return {
    id: wireId("report", report.id),
    order_id: wireId("order", report.order_id),
    shipment_id: wireId("shipment", report.shipment_id),
    status: report.status,
    items: report.lines.map(({ external_id, quantity }) => ({ external_line_id: external_id, quantity })),
    external_id: report.external_id,
    reason: code === null ? null : { code, message: message ?? "" },
    attempts: report.attempts,
    next_attempt_at: isoOrNull(report.next_at),
    reported_at: isoOrNull(report.reported_at),
    created_at: iso(report.created_at),
    updated_at: iso(report.updated_at),
  };
}

const give_up_after_ms = 5 * 24 * 3_600_000;

/** When a report whose first try is now is given up. */
export const giveUpUpdateAt = (now: number): number => now + give_up_after_ms;

/** Why a parcel cannot be reported. */
interface ShipmentUpdateProblem {
  readonly error_code: string;
  readonly error_message: string;
}

/** The code of a report for which the platform could not be called. */
export const no_token = "no_api_token";

/** Why a parcel cannot be reported to the platform, or null. A connection that was deleted may come back. */
export function hindranceOf(
  { lines }: Shipment,
  dealt: readonly ReportedLine[],
  connection: Pick<StoreConnection, "api_token"> | null,
): ShipmentUpdateProblem | null {
  if (lines.length === 0) {
    const error_message = "The parcel is one more carton of the same goods and has no units of its own.";
    return { error_code: "no_units", error_message };
  }
  if (dealt.length === 0) {
    const error_message = "The platform's order has none of the parcel's units left to send.";
    return { error_code: "not_ordered", error_message };
  }
  if (connection === null || connection.api_token !== null) return null;
  return { error_code: no_token, error_message: "The connection has no api_token, so the platform cannot be called." };
}

/**
 * The platform's lines of a parcel's units: by SKU, each line up to its ordered units less those in other reports.
 * Units that the platform did not order are left out.
 */
export function dealtOut(
  order: Order,
  shipment: Shipment,
  ordered: readonly ImportedLine[],
  others: readonly Pick<ShipmentUpdate, "lines" | "status">[],
): ReportedLine[] {
  const left = new Map(ordered.map(({ external_id, quantity }) => [external_id, quantity]));
  for (const { external_id, quantity } of others.flatMap(({ lines }) => lines)) {
    left.set(external_id, (left.get(external_id) ?? 0) - quantity);
  }
  const dealt = new Map<string, number>();
  for (const { order_line_id, quantity } of shipment.lines) {
    const sku = order.lines.find(({ id }) => id === order_line_id)?.sku;
    let units = quantity;
    for (const { external_id } of ordered.filter((line) => line.sku === sku)) {
      const some = Math.min(units, Math.max(left.get(external_id) ?? 0, 0));
      if (some === 0) continue;
      left.set(external_id, (left.get(external_id) ?? 0) - some);
      dealt.set(external_id, (dealt.get(external_id) ?? 0) + some);
      units -= some;
    }
  }
  return [...dealt].map(([external_id, quantity]) => ({ external_id, quantity }));
}

/** Whether every unit of an order that is to be sent has left. */
export function isSent({ status, cancelled_at }: Order): boolean {
  const open: readonly OrderStatus[] = openStatuses;
  return !open.includes(status) && cancelled_at === null;
}
