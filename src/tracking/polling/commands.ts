import { noteHeld } from "../../database/servers.ts";
import type { Tx } from "../../database/store.ts";
import type { Actor } from "../../kit/actor.ts";
import type { Fault } from "../../kit/fault.ts";
import { plainTrackingNumber } from "../../orders/shipments/tracking_number.ts";
import type { CarrierAccount } from "../../shipping/accounts/account.ts";
import type { TrackingUpdate } from "../../shipping/updates/update.ts";
import type { Teller, TrackingRecord } from "../record.ts";
import { recordUpdate } from "../scans/commands.ts";
import { playsItsDays, simulatedUpdate } from "../simulation.ts";
import { leaseLooks, postponeLooks, saveLook, setLook } from "../store.ts";
import { nextLook, retryWait, tellsByItself } from "./rules.ts";
import { firstToldAt, lastCallbackAt, lockDueLooks, lockPlayed, nextLookAt, nextPlayedAt } from "./store.ts";

/** An account whose carrier can be polled, and whether the carrier must first be told which parcels to track. */
interface Asked {
  readonly account: CarrierAccount;
  readonly follows: boolean;
}

/** Parcels of one account, claimed by this server to be polled. */
export interface LookClaim {
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
export async function claimLooks(
  tx: Tx,
  idle: readonly Asked[],
): Promise<{ claims: LookClaim[]; next_at: number | null }> {
  const claims: LookClaim[] = [];
  const waiting: number[] = [];
  const first_at = await nextLookAt(
    tx,
    idle.map(({ account }) => account.id),
  );
  // One query for all of them, since most of the time nothing is due.
  if (first_at === null || first_at > tx.now) return { claims, next_at: first_at };
  for (const asked of idle) {
    const due = await lockDueLooks(tx, asked.account.id, asked_together_max);
    const claim = claimOf(asked, due, tx.now + lease_ms);
    if (claim === null) {
      waiting.push(asked.account.id);
      continue;
    }
    const ids = claim.looks.map(({ id }) => id);
    await leaseLooks(tx, ids, claim.leased);
    await noteHeld(tx, "looks", ids, claim.leased);
    claims.push(claim);
  }
  return { claims, next_at: await nextLookAt(tx, waiting) };
}

function claimOf({ account, follows }: Asked, due: readonly TrackingRecord[], leased: number): LookClaim | null {
  const [first] = due;
  if (first === undefined) return null;
  const kindOf = ({ taken_up }: TrackingRecord) => (follows && !taken_up ? "follow" : "track");
  const kind = kindOf(first);
  const alone = kind === "follow" || first.look_failures > 0;
  const looks = alone ? [first] : due.filter((one) => kindOf(one) === kind && one.look_failures === 0);
  return { connection: account, kind, looks, leased };
}

/** The actor that reports on behalf of an account. */
export function tellerOf({ connector, name }: Pick<CarrierAccount, "connector" | "name">): Teller {
  return { source: connector, actor: { type: "carrier", id: connector, name, request_id: null } };
}

/**
 * Records a carrier's answer about claimed parcels; it knows nothing of those it left out. An answer is for the
 * merchant whose record was claimed: a follow moves nobody else's parcel. Emits:
 * shipment.tracking_updated, shipment.in_transit, shipment.delivered, shipment.exception.
 */
export async function recordLooked(
  tx: Tx,
  { connection, looks, leased }: LookClaim,
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
    const look_at = nextLook({ record, changed, called_back, now: tx.now });
    await saveLook(tx, look.id, leased, { look_at, look_failures: 0, taken_up: true });
  }
}

/**
 * Records that a carrier did not answer about claimed parcels. A failure of the carrier or the account postpones all of
 * its parcels: the first is tried again alone, the others only after that. A failure due to one parcel postpones that
 * parcel, once it is known which it is.
 */
export async function recordLookFailed(
  tx: Tx,
  { connection, looks, leased }: LookClaim,
  { code, facts }: Pick<Fault, "code" | "facts">,
): Promise<void> {
  const [first] = looks;
  if (first === undefined) return;
  const own = (facts["permanent"] === true || code === "carrier_refused") && code !== "carrier_unauthorized";
  const failures = first.look_failures + 1;
  const look_at = tx.now + retryWait({ ...first, failures }, facts["retry_after_seconds"], tx.now);
  if (own) {
    for (const { id, taken_up, look_failures } of looks) {
      await saveLook(tx, id, leased, { look_at, look_failures: look_failures + 1, taken_up });
    }
    return;
  }
  await saveLook(tx, first.id, leased, { look_at, look_failures: failures, taken_up: first.taken_up });
  for (const { id, taken_up } of looks.slice(1)) {
    await saveLook(tx, id, leased, { look_at: look_at + 1, look_failures: 0, taken_up });
  }
  await postponeLooks(tx, connection.id, first.id, look_at + 1);
}

/** The actor that reports the simulated carrier's parcels. */
const simulator: Teller = {
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
  await setLook(tx, id, told.next_at);
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
