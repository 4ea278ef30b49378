import { day_ms } from "../core/time.ts";
import { plainTrackingNumber } from "../orders/fulfillment/tracking_url.ts";
import type { CarrierAccount } from "../shipping/carriers/account.ts";
import type { TrackingUpdate } from "../shipping/carriers/tracking_update.ts";
import type { Tx } from "../storage/database.ts";
import type { Retention } from "../storage/retention.ts";
import { nextPoll, updateSourceOf } from "./poll_carriers.ts";
import { deleteCallbacks, insertCallback } from "./polling.sql.ts";
import { isParcel, recordUpdate, recordWaitingForParcel } from "./record_scan.ts";
import { deleteWaiting, insertWaiting } from "./scans.sql.ts";
import { setPoll } from "./tracking.sql.ts";

/** A callback with a valid signature. */
interface CarrierCallback {
  readonly account: CarrierAccount;
  /** An id that is equal for repeats of one callback. */
  readonly event_id: string;
  readonly updates: readonly TrackingUpdate[];
}

/** The result of a callback: the number of updated parcels, and of updates stored for unknown numbers. */
interface CallbackTaken {
  readonly repeated: boolean;
  readonly recorded: number;
  readonly waiting: number;
}

/**
 * Records a carrier's callback once. Updates of a number that is no parcel yet are stored for the parcel that will have
 * it, even while the number is tracked on request.
 * Emits: shipment.tracking_updated, shipment.in_transit, shipment.delivered, shipment.exception.
 */
export async function takeCallback(tx: Tx, { account, event_id, updates }: CarrierCallback): Promise<CallbackTaken> {
  if (!(await insertCallback(tx, account.id, event_id))) return { repeated: true, recorded: 0, waiting: 0 };
  const source = updateSourceOf(account);
  let recorded = 0;
  for (const update of updates) {
    const tracking_number = plainTrackingNumber(update.tracking_number);
    await recordWaitingForParcel(tx, tracking_number);
    const updated = await recordUpdate(tx, update, source);
    if (!isParcel(updated)) await insertWaiting(tx, account.id, tracking_number, { teller: source, update });
    if (updated.length > 0) recorded += 1;
    for (const { record, changed } of updated) {
      if (record.account_id !== account.id || record.look_at === null) continue;
      const look_at = nextPoll({ record, changed, called_back: true, now: tx.now });
      if (look_at !== null) await setPoll(tx, record.id, look_at);
    }
  }
  return { repeated: false, recorded, waiting: updates.length - recorded };
}

/**
 * Deletes up to `limit` each of callbacks and of updates for unknown numbers that are older than their retention.
 * Returns whether more may be left.
 */
export async function forgetCallbacks(tx: Tx, retention: Retention, limit: number): Promise<boolean> {
  const callbacks = await deleteCallbacks(tx, tx.now - retention.carrier_callbacks * day_ms, limit);
  const waiting = await deleteWaiting(tx, tx.now - retention.unclaimed_scans * day_ms, limit);
  return Math.max(callbacks, waiting) === limit;
}
