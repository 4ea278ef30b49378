import type { Actor } from "../core/actor.ts";
import type { Fault } from "../core/faults.ts";
import { type RetrySchedule, retryWait } from "../core/retry.ts";
import { day_ms, hour_ms, minute_ms } from "../core/time.ts";
import { plainTrackingNumber } from "../orders/fulfillment/tracking_url.ts";
import type { CarrierAccount } from "../shipping/carriers/account.ts";
import { type TrackingStatus, trackingMeanings } from "../shipping/carriers/tracking.transitions.ts";
import type { TrackingUpdate } from "../shipping/carriers/tracking_update.ts";
import { findVoidedNumbers } from "../shipping/labels/labels.sql.ts";
import type { Tx } from "../storage/database.ts";
import type { ClaimedWork } from "../storage/queue.ts";
import { firstReportAt, lastCallbackAt, pollQueue, simulatedNumbers } from "./polling.sql.ts";
import { recordUpdate } from "./record_scan.ts";
import { hasTimedJourney, simulatedUpdate } from "./simulated_tracking.ts";
import { savePoll, setPoll } from "./tracking.sql.ts";
import type { TrackingRecord, UpdateSource } from "./tracking_record.ts";

/** The time until the next poll of a carrier, by status. */
const waits: Readonly<Record<TrackingStatus, number>> = {
  pending: 6 * hour_ms,
  picked_up: 3 * hour_ms,
  in_transit: 3 * hour_ms,
  out_for_delivery: 45 * minute_ms,
  exception: 6 * hour_ms,
  // Once more, in case the parcel comes back after all.
  delivered: day_ms,
  returned: day_ms,
};

const jitter = 0.2;
const with_callbacks_ms = day_ms;

/** The age (ms) at which a parcel is no longer polled, and its number may belong to another parcel. */
export const retired_after_ms = 90 * day_ms;

/** The inputs of the next poll time. */
interface PolledRecord {
  readonly record: Pick<TrackingRecord, "tracking_number" | "status" | "created_at">;
  /** Whether the status has just changed. */
  readonly changed: boolean;
  /** Whether the carrier sends callbacks, so that polls only repair lost ones. */
  readonly called_back: boolean;
  readonly now: number;
}

/** Returns when to poll a parcel next (ms); null for never. */
export function nextPoll({ record, changed, called_back, now }: PolledRecord): number | null {
  if (now - record.created_at >= retired_after_ms) return null;
  const ended = trackingMeanings[record.status].final;
  if (ended) return changed ? now + waits[record.status] : null;
  return now + spread(called_back ? with_callbacks_ms : waits[record.status], record.tracking_number, now);
}

/** Returns when to poll a parcel first after its label was bought (ms). */
export const firstPoll = (number: string, now: number): number => now + spread(waits.pending, number, now);

/** Varies a wait a little by number and time, so that parcels of one moment are not all polled at once. */
function spread(wait_ms: number, number: string, now: number): number {
  const share = Bun.hash.crc32(`${number} ${now}`) / 2 ** 32;
  return Math.round(wait_ms * (1 + jitter * (2 * share - 1)));
}

const pollRetries: RetrySchedule = { first_ms: 5 * minute_ms, max_ms: 6 * hour_ms, hint_max_ms: day_ms };

/** Returns the wait after a number of consecutive failures (ms); longer if the carrier asks for it. */
export function pollRetryWait(
  { tracking_number, failures }: { readonly tracking_number: string; readonly failures: number },
  retry_after_seconds: unknown,
  now: number,
): number {
  const seconds = typeof retry_after_seconds === "number" ? retry_after_seconds : null;
  return retryWait(pollRetries, failures, seconds, (wait_ms) => spread(wait_ms, tracking_number, now));
}

const callbacks_count_ms = 2 * day_ms;

/** Whether a carrier still sends callbacks, by the time of the last one (ms). */
export function sendsCallbacks(last_callback_at: number | null, now: number): boolean {
  return last_callback_at !== null && now - last_callback_at < callbacks_count_ms;
}

/** An account whose carrier can be polled. `follows`: the carrier must first be asked to track each parcel. */
interface PolledAccount extends CarrierAccount {
  readonly follows: boolean;
}

/** Parcels of one account that this server has claimed for polling. */
export interface PollClaim {
  readonly connection: CarrierAccount;
  readonly kind: "follow" | "track";
  readonly records: readonly TrackingRecord[];
}

const parcels_per_poll_max = 50;

/**
 * Claims the due parcels of each account, as many as its carrier can be asked about at once. A parcel whose poll failed
 * is polled separately, so that it delays no other. A claim without a recorded result is due again after five minutes.
 */
export async function claimPolls(tx: Tx, accounts: readonly PolledAccount[]): Promise<ClaimedWork<PollClaim>> {
  return pollQueue.claimLanes(tx, accounts, async (connection) => {
    const due = await pollQueue.lockDue(tx, { lane: connection.id, limit: parcels_per_poll_max });
    const [first] = due;
    if (first === undefined) return null;
    const kindOf = ({ taken_up }: TrackingRecord) => (connection.follows && !taken_up ? "follow" : "track");
    const kind = kindOf(first);
    const is_single = kind === "follow" || first.look_failures > 0;
    const together = due.filter((record) => kindOf(record) === kind && record.look_failures === 0);
    return { connection, kind, records: await pollQueue.lease(tx, is_single ? [first] : together) };
  });
}

/** Returns the source of an account's reports. */
export function updateSourceOf({ connector, name }: Pick<CarrierAccount, "connector" | "name">): UpdateSource {
  return { source: connector, actor: { type: "carrier", id: connector, name, request_id: null } };
}

/**
 * Records a carrier's reply about claimed parcels. Omitted parcels are unknown to it. A reply concerns only the
 * merchant whose record was claimed.
 * Emits: shipment.tracking_updated, shipment.in_transit, shipment.delivered, shipment.exception.
 */
export async function recordPolled(
  tx: Tx,
  { connection, records }: PollClaim,
  updates: readonly TrackingUpdate[],
): Promise<void> {
  const by_number = new Map(updates.map((update) => [plainTrackingNumber(update.tracking_number), update]));
  const called_back = sendsCallbacks(await lastCallbackAt(tx, connection.id), tx.now);
  for (const claimed of records) {
    const update = by_number.get(claimed.tracking_number);
    const { merchant_id } = claimed;
    const source = updateSourceOf(connection);
    const [own] = update === undefined ? [] : await recordUpdate(tx, update, source, merchant_id);
    const { record, changed } = own ?? { record: claimed, changed: false };
    const look_at = nextPoll({ record, changed, called_back, now: tx.now });
    await savePoll(tx, claimed, { look_at, look_failures: 0, taken_up: true });
  }
}

/**
 * Records that a poll failed. A failure of the carrier or the account postpones all its parcels: the first is retried
 * separately, and the others after it. A failure caused by one parcel postpones only that parcel, once it is known.
 */
export async function recordPollFailed(
  tx: Tx,
  { connection, records }: PollClaim,
  { code, facts }: Pick<Fault, "code" | "facts">,
): Promise<void> {
  const [first] = records;
  if (first === undefined) return;
  const is_of_parcel = (facts["permanent"] === true || code === "carrier_refused") && code !== "carrier_unauthorized";
  const failures = first.look_failures + 1;
  const look_at = tx.now + pollRetryWait({ ...first, failures }, facts["retry_after_seconds"], tx.now);
  if (is_of_parcel) {
    for (const record of records) {
      await savePoll(tx, record, { look_at, look_failures: record.look_failures + 1, taken_up: record.taken_up });
    }
    return;
  }
  await savePoll(tx, first, { look_at, look_failures: failures, taken_up: first.taken_up });
  for (const record of records.slice(1)) {
    await savePoll(tx, record, { look_at: look_at + 1, look_failures: 0, taken_up: record.taken_up });
  }
  await pollQueue.postpone(tx, connection.id, look_at + 1, first.id);
}

/** The source of the simulated carrier's reports. */
const simulator: UpdateSource = {
  source: "sim",
  actor: { type: "carrier", id: "sim", name: "The simulated carrier", request_id: null } satisfies Actor,
};

/**
 * Has the simulated carrier report the present state of a number to its record's merchant. Unless it has reported
 * before, its days start at `begins_at` (ms).
 * Emits: shipment.tracking_updated, shipment.in_transit, shipment.delivered, shipment.exception.
 */
export async function simulateNumber(
  tx: Tx,
  { id, merchant_id, tracking_number }: TrackingRecord,
  begins_at: number,
): Promise<void> {
  const started_at = await firstReportAt(tx, id, simulator.source);
  if (started_at !== null && !hasTimedJourney(tracking_number)) return;
  const report = simulatedUpdate(tracking_number, started_at ?? begins_at, tx.now);
  if (report === null) return;
  await recordUpdate(tx, report.update, simulator, merchant_id);
  await setPoll(tx, id, report.next_at);
}

// Each takes several dozen statements, and other writes wait for the transaction.
const simulated_batch_size = 20;

/**
 * Has the simulated carrier report due numbers, unless their label was voided or a person has recorded the end of their
 * journey. A parcel whose label was bought here is on its way since then. Returns the next due time (ms), or null.
 * Emits: shipment.tracking_updated, shipment.in_transit, shipment.delivered, shipment.exception.
 */
export async function simulateDueNumbers(tx: Tx): Promise<number | null> {
  const due = await simulatedNumbers.lockDue(tx, { limit: simulated_batch_size });
  const numbers = due.map(({ tracking_number }) => tracking_number);
  const voided = await findVoidedNumbers(tx, numbers);
  for (const record of due) {
    const ended = voided.has(record.tracking_number) || trackingMeanings[record.status].final;
    if (ended) await setPoll(tx, record.id, null);
    else await simulateNumber(tx, record, record.created_at);
  }
  return simulatedNumbers.nextAt(tx);
}
