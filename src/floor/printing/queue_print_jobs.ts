import type { Actor } from "../../core/actor.ts";
import type { Order } from "../../orders/order.ts";
import type { Tx } from "../../storage/database.ts";
import type { PrintJob } from "./print_job.ts";
import { insertPrintJobs } from "./print_jobs.sql.ts";
import type { Station } from "./printer.ts";

/** What a station prints for a packed parcel. */
interface PackedParcel {
  readonly station: Station;
  readonly order: Pick<Order, "id" | "merchant_id">;
  /** The parcel of the slip; null for the whole order. */
  readonly shipment_id: number | null;
  /** The label, also while it is being bought: the job waits for it. Null prints none. */
  readonly label_id: number | null;
  readonly actor: Actor;
}

/**
 * Queues the label of a parcel for the label printer of a station, and its packing slip for the document printer. A
 * station without one of them does not print that document. Nothing waits for the jobs.
 */
export async function queuePrintJobs(tx: Tx, parcel: PackedParcel): Promise<PrintJob[]> {
  const { station, order, shipment_id, label_id, actor } = parcel;
  const { label_printer_id, document_printer_id } = station;
  const common = {
    merchant_id: order.merchant_id,
    order_id: order.id,
    shipment_id,
    reprint_of: null,
    actor_type: actor.type,
    actor_id: actor.id,
    actor_name: actor.name,
  };
  return insertPrintJobs(tx, [
    ...(label_printer_id === null || label_id === null
      ? []
      : [{ ...common, kind: "label" as const, printer_id: label_printer_id, label_id }]),
    ...(document_printer_id === null
      ? []
      : [{ ...common, kind: "packing_slip" as const, printer_id: document_printer_id, label_id: null }]),
  ]);
}
