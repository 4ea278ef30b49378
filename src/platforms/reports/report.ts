import { iso, isoOrNull } from "../../kit/clock.ts";
import { wireId } from "../../kit/ids.ts";
import type { ShipmentReport, StoreConnection } from "../platform.ts";
import type { ReportStatus } from "./status.ts";

/** Units of a platform's line. */
export type ReportedLine = ShipmentReport["lines"][number];

/** A parcel that has left, and the state of its report to the order's platform. */
export interface Report {
  readonly id: number;
  readonly connection_id: number;
  readonly order_id: number;
  readonly shipment_id: number;
  /** The platform's lines and how many units of each are in the parcel. */
  readonly lines: readonly ReportedLine[];
  readonly status: ReportStatus;
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
export interface ReportClaim {
  readonly connection: StoreConnection;
  readonly report: Report;
  readonly told: ShipmentReport;
}

/** The report as the API shows it. */
export function reportView(report: Report) {
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
