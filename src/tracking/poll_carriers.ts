import type { Actor } from "../core/actor.ts";
import type { Fault } from "../core/faults.ts";
import { plainTrackingNumber } from "../orders/fulfillment/tracking_url.ts";
import type { CarrierAccount } from "../shipping/carriers/account.ts";
import { type TrackingStatus, trackingMeanings } from "../shipping/carriers/tracking.transitions.ts";
import type { TrackingUpdate } from "../shipping/carriers/tracking_update.ts";
import type { Tx } from "../storage/database.ts";
import { noteHeld } from "../storage/servers.ts";
import { firstToldAt, lastCallbackAt, lockDuePolls, lockPlayed, nextPlayedAt, nextPollAt } from "./polling.sql.ts";
import { recordUpdate } from "./record_scan.ts";
import { playsItsDays, simulatedUpdate } from "./simulated_tracking.ts";
import { leasePolls, postponePolls, savePoll, setPoll } from "./tracking.sql.ts";
import type { TrackingRecord, UpdateSource } from "./tracking_record.ts";

const minute_ms = 60_000;
const hour_ms = 60 * minute_ms;
const day_ms = 24 * hour_ms;

/** How long until the carrier is asked again, by status. */
const waits: Readonly<Record<TrackingStatus, number>> = {
  pending: 6 * hour_ms,
  picked_up: 3 * hour_ms,
  in_transit: 3 * hour_ms,
  out_for_delivery: 45 * minute_ms,
  exception: 6 * hour_ms,
  // Once more, in case it comes back after all.
  delivered: day_ms,
  returned: day_ms,
};

const jitter = 0.2;
const told_by_itself_ms = day_ms;

/** A parcel older than this is not polled any more, and its number may be another's. */
export const retired_after_ms = 90 * day_ms;

/** What decides when the carrier is asked again. */
interface PolledRecord {
  readonly record: Pick<TrackingRecord, "tracking_number" | "status" | "created_at">;
  /** Whether the status has just changed. */
  readonly changed: boolean;
  /** Whether the carrier sends callbacks, so that polls only repair what was lost. */
  readonly called_back: boolean;
  readonly now: number;
}

/** When to poll the carrier of a parcel next; null when never again. */
export function nextPoll({ record, changed, called_back, now }: PolledRecord): number | null {
  if (now - record.created_at >= retired_after_ms) return null;
  const ended = trackingMeanings[record.status].final;
  if (ended) return changed ? now + waits[record.status] : null;
  return now + spread(called_back ? told_by_itself_ms : waits[record.status], record.tracking_number, now);
}

/** When to poll the carrier of a parcel first, after its label was bought. */
export const firstPoll = (number: string, now: number): number => now + spread(waits.pending, number, now);

/** A wait that differs a little by number and time, so that parcels of one moment are not polled all at once. */
function spread(wait_ms: number, number: string, now: number): number {
  const share = Bun.hash.crc32(`${number} ${now}`) / 2 ** 32;
  return Math.round(wait_ms * (1 + jitter * (2 * share - 1)));
}

const retry_first_ms = 5 * minute_ms;
const retry_max_ms = 6 * hour_ms;
const hint_max_ms = day_ms;

/** How long to wait after so many failures in a row, in milliseconds; longer when the carrier asked for it. */
export function retryWait(
  { tracking_number, failures }: { readonly tracking_number: string; readonly failures: number },
  retry_after_seconds: unknown,
  now: number,
): number {
  const wait_ms = Math.min(retry_first_ms * 2 ** Math.max(failures - 1, 0), retry_max_ms);
  const own = spread(wait_ms, tracking_number, now);
  const hint = typeof retry_after_seconds === "number" ? Math.min(retry_after_seconds * 1000, hint_max_ms) : 0;
  return Math.max(own, hint);
}

const callbacks_count_ms = 2 * day_ms;

/** Whether a carrier whose last callback came at this moment still sends callbacks. */
export function tellsByItself(last_callback_at: number | null, now: number): boolean {
  return last_callback_at !== null && now - last_callback_at < callbacks_count_ms;
}

/** An account whose carrier can be polled, and whether the carrier must first be told which parcels to track. */
interface PolledAccount {
  readonly account: CarrierAccount;
  readonly follows: boolean;
}

/** Parcels of one account, claimed by this server to be polled. */
export interface PollClaim {
  readonly connection: CarrierAccount;
  readonly kind: "follow" | "track";
  readonly looks: readonly TrackingRecord[];
  /** When the claim expires. */
  readonly leased: number;
}

const lease_ms = 300_000;
const asked_together_max = 50;

/**
 * Claims the parcels that are due, for each of these accounts: as many as its carrier can be asked about at once. A
 * parcel whose poll failed is asked about alone, so that it delays no other. A claim that was not recorded within five
 * minutes is due again.
 */
export async function claimPolls(
  tx: Tx,
  idle: readonly PolledAccount[],
): Promise<{ claims: PollClaim[]; next_at: number | null }> {
  const claims: PollClaim[] = [];
  const waiting: number[] = [];
  const first_at = await nextPollAt(
    tx,
    idle.map(({ account }) => account.id),
  );
  // One query for all of them, since most of the time nothing is due.
  if (first_at === null || first_at > tx.now) return { claims, next_at: first_at };
  for (const asked of idle) {
    const due = await lockDuePolls(tx, asked.account.id, asked_together_max);
    const claim = claimOf(asked, due, tx.now + lease_ms);
    if (claim === null) {
      waiting.push(asked.account.id);
      continue;
    }
    const ids = claim.looks.map(({ id }) => id);
    await leasePolls(tx, ids, claim.leased);
    await noteHeld(tx, "looks", ids, claim.leased);
    claims.push(claim);
  }
  return { claims, next_at: await nextPollAt(tx, waiting) };
}

function claimOf(
  { account, follows }: PolledAccount,
  due: readonly TrackingRecord[],
  leased: number,
): PollClaim | null {
  const [first] = due;
  if (first === undefined) return null;
  const kindOf = ({ taken_up }: TrackingRecord) => (follows && !taken_up ? "follow" : "track");
  const kind = kindOf(first);
  const alone = kind === "follow" || first.look_failures > 0;
  const looks = alone ? [first] : due.filter((one) => kindOf(one) === kind && one.look_failures === 0);
  return { connection: account, kind, looks, leased };
}

/** The actor that reports on behalf of an account. */
export function tellerOf({ connector, name }: Pick<CarrierAccount, "connector" | "name">): UpdateSource {
  return { source: connector, actor: { type: "carrier", id: connector, name, request_id: null } };
}

/**
 * Records a carrier's answer about claimed parcels; it knows nothing of those it left out. An answer is for the
 * merchant whose record was claimed: a follow moves nobody else's parcel. Emits:
 * shipment.tracking_updated, shipment.in_transit, shipment.delivered, shipment.exception.
 */
export async function recordPolled(
  tx: Tx,
  { connection, looks, leased }: PollClaim,
  updates: readonly TrackingUpdate[],
): Promise<void> {
  const told = new Map(updates.map((update) => [plainTrackingNumber(update.tracking_number), update]));
  const called_back = tellsByItself(await lastCallbackAt(tx, connection.id), tx.now);
  for (const look of looks) {
    const update = told.get(look.tracking_number);
    const { merchant_id } = look;
    const teller = tellerOf(connection);
    const [own] = update === undefined ? [] : await recordUpdate(tx, update, teller, merchant_id);
    const { record, changed } = own ?? { record: look, changed: false };
    const look_at = nextPoll({ record, changed, called_back, now: tx.now });
    await savePoll(tx, look.id, leased, { look_at, look_failures: 0, taken_up: true });
  }
}

/**
 * Records that a carrier did not answer about claimed parcels. A failure of the carrier or the account postpones all of
 * its parcels: the first is tried again alone, the others only after that. A failure due to one parcel postpones that
 * parcel, once it is known which it is.
 */
export async function recordPollFailed(
  tx: Tx,
  { connection, looks, leased }: PollClaim,
  { code, facts }: Pick<Fault, "code" | "facts">,
): Promise<void> {
  const [first] = looks;
  if (first === undefined) return;
  const own = (facts["permanent"] === true || code === "carrier_refused") && code !== "carrier_unauthorized";
  const failures = first.look_failures + 1;
  const look_at = tx.now + retryWait({ ...first, failures }, facts["retry_after_seconds"], tx.now);
  if (own) {
    for (const { id, taken_up, look_failures } of looks) {
      await savePoll(tx, id, leased, { look_at, look_failures: look_failures + 1, taken_up });
    }
    return;
  }
  await savePoll(tx, first.id, leased, { look_at, look_failures: failures, taken_up: first.taken_up });
  for (const { id, taken_up } of looks.slice(1)) {
    await savePoll(tx, id, leased, { look_at: look_at + 1, look_failures: 0, taken_up });
  }
  await postponePolls(tx, connection.id, first.id, look_at + 1);
}

/** The actor that reports the simulated carrier's parcels. */
const simulator: UpdateSource = {
  source: "sim",
  actor: { type: "carrier", id: "sim", name: "The simulated carrier", request_id: null } satisfies Actor,
};

/**
 * Lets the simulated carrier report what has happened to a number by now, to the merchant of its record alone. Its days
 * begin with the first poll. Emits: shipment.tracking_updated, shipment.in_transit, shipment.delivered,
 * shipment.exception.
 */
export async function playNumber(tx: Tx, { id, merchant_id, tracking_number }: TrackingRecord): Promise<void> {
  const began_at = await firstToldAt(tx, id, simulator.source);
  if (began_at !== null && !playsItsDays(tracking_number)) return;
  const told = simulatedUpdate(tracking_number, began_at ?? tx.now, tx.now);
  if (told === null) return;
  await recordUpdate(tx, told.update, simulator, merchant_id);
  await setPoll(tx, id, told.next_at);
}

const played_together_max = 100;

/**
 * Lets the simulated carrier report every number with news, and answers when there will be more. Emits:
 * shipment.tracking_updated, shipment.in_transit, shipment.delivered, shipment.exception.
 */
export async function playNumbers(tx: Tx): Promise<number | null> {
  for (const record of await lockPlayed(tx, played_together_max)) await playNumber(tx, record);
  return nextPlayedAt(tx);
}
