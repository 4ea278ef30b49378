import type { ActorType } from "../../core/actor.ts";
import { iso, isoOrNull } from "../../core/clock.ts";
import { wireId, wireIdOrNull } from "../../core/ids.ts";
import type { PrintJobStatus, PrintKind } from "../floor.transitions.ts";

/** A document that is sent to a printer. */
export interface PrintJob {
  readonly id: number;
  /** The merchant of its order; null for a test page. */
  readonly merchant_id: number | null;
  readonly printer_id: number;
  readonly kind: PrintKind;
  readonly order_id: number | null;
  /** The parcel of a slip; null for the whole order. */
  readonly shipment_id: number | null;
  readonly label_id: number | null;
  readonly status: PrintJobStatus;
  /** How often it was tried to send it. */
  readonly attempts: number;
  /** When it is sent next (ms), or the end of a server's claim to send it; null when finished. */
  readonly due_at: number | null;
  /** Why it failed, or was last not sent. */
  readonly error_code: PrintErrorCode | null;
  readonly error: string | null;
  readonly reprint_of: number | null;
  readonly actor_type: ActorType;
  readonly actor_id: string;
  readonly actor_name: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly sent_at: number | null;
}

/** Why a job failed, or was last not sent. */
export const printErrorCodes = [
  ...["printer_unreachable", "printer_refused", "printer_inactive", "outcome_unknown", "blocked_address"],
  ...["label_processing", "label_failed", "label_voided", "no_label", "no_document", "not_printable"],
  "dropped_after_restore",
] as const;
export type PrintErrorCode = (typeof printErrorCodes)[number];

/** Returns a print job as the API shows it. */
export function printJobView(job: PrintJob) {
  const { error_code, error } = job;
  return {
    id: wireId("print_job", job.id),
    merchant_id: wireIdOrNull("merchant", job.merchant_id),
    printer_id: wireId("printer", job.printer_id),
    kind: job.kind,
    order_id: wireIdOrNull("order", job.order_id),
    shipment_id: wireIdOrNull("shipment", job.shipment_id),
    label_id: wireIdOrNull("label", job.label_id),
    status: job.status,
    attempts: job.attempts,
    error: error_code === null ? null : { code: error_code, message: error ?? "" },
    reprint_of: wireIdOrNull("print_job", job.reprint_of),
    created_by: { type: job.actor_type, id: job.actor_id, name: job.actor_name },
    created_at: iso(job.created_at),
    updated_at: iso(job.updated_at),
    sent_at: isoOrNull(job.sent_at),
  };
}
