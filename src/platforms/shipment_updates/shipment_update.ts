import { iso, isoOrNull } from "../../core/clock.ts";
import { wireId } from "../../core/ids.ts";
import type { Shipment } from "../../orders/fulfillment/shipment.ts";
import { type OrderStatus, openStatuses } from "../../orders/order.transitions.ts";
import type { Order } from "../../orders/order.ts";
import { hasApiAccess } from "../connection.ts";
import type { ImportedLine } from "../imports/import.ts";
import type { ShipmentReport, StoreConnection } from "../platform.ts";
import type { ShipmentUpdateStatus } from "../platforms.transitions.ts";

/** Units of a platform's order line. */
type ReportedLine = ShipmentReport["lines"][number];

/** A shipped parcel, and the state of its report to the order's platform. */
export interface ShipmentUpdate {
  readonly id: number;
  readonly connection_id: number;
  readonly order_id: number;
  readonly shipment_id: number;
  /** The platform's lines, with the units of each in the parcel. */
  readonly lines: readonly ReportedLine[];
  readonly status: ShipmentUpdateStatus;
  /** Attempts since it was queued. */
  readonly attempts: number;
  /** The time of the next attempt; during an attempt, the end of its claim. Null unless it is queued. */
  readonly next_at: number | null;
  readonly give_up_at: number;
  /** The platform's id of the parcel. */
  readonly external_id: string | null;
  /** The reason why the parcel is not reported. */
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly reported_at: number | null;
}

/** A report that this server has claimed, with its content. */
export interface ShipmentUpdateClaim {
  readonly connection: StoreConnection;
  readonly report: ShipmentUpdate;
  readonly content: ShipmentReport;
}

/** Returns the report as the API shows it. */
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

/** Returns when a report whose first attempt is now is given up (ms). */
export const giveUpUpdateAt = (now: number): number => now + give_up_after_ms;

/** The reason why a parcel cannot be reported. */
interface ShipmentUpdateProblem {
  readonly error_code: string;
  readonly error_message: string;
}

/** The error code of a report without API access. */
export const no_token = "no_api_token";

/** Returns why a parcel cannot be reported, or null. A deleted connection may come back, so it is no reason. */
export function reportProblem(
  { lines }: Shipment,
  reported: readonly ReportedLine[],
  connection: Pick<StoreConnection, "api_token" | "client_id"> | null,
): ShipmentUpdateProblem | null {
  if (lines.length === 0) {
    const error_message = "The parcel is an additional carton without units of its own.";
    return { error_code: "no_units", error_message };
  }
  if (reported.length === 0) {
    const error_message = "The platform's order has none of the parcel's units left to ship.";
    return { error_code: "not_ordered", error_message };
  }
  if (connection === null || hasApiAccess(connection)) return null;
  return { error_code: no_token, error_message: "The connection has no api_token. Add it to report parcels." };
}

/**
 * Allocates a parcel's units to the platform's lines, by SKU and up to the ordered units that are in no other report.
 * Units that the platform did not order are omitted.
 */
export function allocateToLines(
  order: Order,
  shipment: Shipment,
  ordered: readonly ImportedLine[],
  others: readonly Pick<ShipmentUpdate, "lines" | "status">[],
): ReportedLine[] {
  const left = new Map(ordered.map(({ external_id, quantity }) => [external_id, quantity]));
  for (const { external_id, quantity } of others.flatMap(({ lines }) => lines)) {
    left.set(external_id, (left.get(external_id) ?? 0) - quantity);
  }
  const reported = new Map<string, number>();
  for (const { order_line_id, quantity } of shipment.lines) {
    const sku = order.lines.find(({ id }) => id === order_line_id)?.sku;
    let units = quantity;
    for (const { external_id } of ordered.filter((line) => line.sku === sku)) {
      const count = Math.min(units, Math.max(left.get(external_id) ?? 0, 0));
      if (count === 0) continue;
      left.set(external_id, (left.get(external_id) ?? 0) - count);
      reported.set(external_id, (reported.get(external_id) ?? 0) + count);
      units -= count;
    }
  }
  return [...reported].map(([external_id, quantity]) => ({ external_id, quantity }));
}

/** Whether every unit of an order that is to ship has shipped. */
export function isSent({ status, cancelled_at }: Order): boolean {
  const open: readonly OrderStatus[] = openStatuses;
  return !open.includes(status) && cancelled_at === null;
}
