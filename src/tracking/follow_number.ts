import type { Actor } from "../core/actor.ts";
import { assert, Fault, invalid } from "../core/faults.ts";
import { readId } from "../core/ids.ts";
import { findOrderOfShipment } from "../orders/fulfillment/shipments.sql.ts";
import { givenTrackingNumber, ownCarriers } from "../orders/fulfillment/tracking_url.ts";
import { ownerOfOrder, resolveOrder } from "../orders/lifecycle/order_lookup.sql.ts";
import { isSelling } from "../shipping/carriers/account.transitions.ts";
import type { CarrierAccount } from "../shipping/carriers/account.ts";
import { trackingMeanings } from "../shipping/carriers/tracking.transitions.ts";
import { isOwnNumber } from "../shipping/labels/tracking_number.ts";
import type { Tx } from "../storage/database.ts";
import { refuseAmbiguousOwner, requireOwner } from "../storage/tenant.ts";
import { onlyCarrier } from "./number_formats.ts";
import { playNumber, retired_after_ms } from "./poll_carriers.ts";
import { lockKnown, recordWaiting } from "./record_scan.ts";
import { findReturnOf, listReturnOwners } from "./scans.sql.ts";
import { isSimulated } from "./simulated_tracking.ts";
import type { FollowNumber } from "./tracking.schema.ts";
import { insertFollowed, matchingParcels, type RecordFacts, saveFacts, setPoll } from "./tracking.sql.ts";
import { unknown_carrier } from "./tracking_events.ts";
import type { TrackingRecord } from "./tracking_record.ts";

/** An account that can report on parcels. */
type Follower = Pick<CarrierAccount, "id" | "status" | "carriers">;

/** The carrier of a number: the one that was named, else the only one whose numbers have this form. */
function carrierOf(named: string | null | undefined, tracking_number: string): string | null {
  if (named) return named.trim().toLowerCase();
  return onlyCarrier(tracking_number);
}

/** Carrier names are compared by letters and digits only: `dhl_express` equals `DHLExpress`. */
const plain = (carrier: string) => carrier.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** The oldest active account that sells for a carrier, or null. */
function accountFor(carrier: string | null, followers: readonly Follower[]): Follower | null {
  if (carrier === null) return null;
  const sells = ({ status, carriers }: Follower) =>
    isSelling(status) && carriers.some(({ code }) => plain(code) === plain(carrier));
  return followers.find(sells) ?? null;
}

/** Whether the number may be another parcel's by now: carriers reuse their numbers. */
function isPast(record: Pick<TrackingRecord, "created_at" | "status" | "followed">, retired_at: number): boolean {
  return record.created_at <= retired_at && (record.followed || trackingMeanings[record.status].final);
}

/**
 * Tracks a number, whether or not it is a parcel of an order. A number that is tracked already keeps its record, which
 * gains what it lacked. An account that can report on it is asked to, later and in no transaction; without one the
 * number waits for scans. In the sandbox the simulated carrier reports its own numbers at once. Refuses:
 * validation_failed, resource_missing, ambiguous_identifier, merchant_required. Emits: shipment.tracking_updated,
 * shipment.in_transit, shipment.delivered, shipment.exception.
 */
export async function followNumber(
  tx: Tx,
  input: FollowNumber,
  followers: readonly Follower[],
  actor: Actor,
): Promise<string> {
  const tracking_number = givenTrackingNumber("tracking_number", input.tracking_number);
  if (tracking_number === null) throw invalid("tracking_number", "is required", "required");
  const carrier = carrierOf(input.carrier, tracking_number);
  const account = accountOf(input, carrier, followers);
  const order_id = input.order_id == null ? null : await resolveOrder(tx, input.order_id);
  const plays = tx.mode === "test" && isSimulated(tracking_number);
  const usual = plays ? ownCarriers.test : unknown_carrier;
  const record = await beginning(tx, { tracking_number, carrier: carrier ?? usual, order_id }, actor);
  const named = { carrier: input.carrier ? carrier : null, account, order_id, insists: input.account_id != null };
  const facts = await newlyKnown(tx, record, named);
  const known = facts === null ? record : await saveFacts(tx, record, facts);
  if (facts?.account_id != null) await setPoll(tx, known.id, tx.now);
  await recordWaiting(tx, tracking_number);
  if (plays && known.account_id === null && known.look_at === null) await playNumber(tx, known);
  return tracking_number;
}

/** The refusal of a carrier account that cannot report on a number. */
export const noSuchAccount = (): Fault => invalid("account_id", "is not a carrier account that can track parcels");

/** The account that is to report on a number; null for none. Refuses: validation_failed, resource_missing. */
function accountOf(
  { account_id }: FollowNumber,
  carrier: string | null,
  followers: readonly Follower[],
): Follower | null {
  if (account_id == null) return accountFor(carrier, followers);
  const found = followers.find(({ id }) => id === readId("carrier_account", account_id));
  if (found !== undefined) return found;
  throw noSuchAccount();
}

/**
 * The record of a number, locked. It is created unless the number has a record that cannot be an earlier parcel's. A
 * number of our own is given out once, so it has its owner's record or none. Refuses: resource_missing.
 */
async function beginning(
  tx: Tx,
  fields: Pick<TrackingRecord, "tracking_number" | "carrier" | "order_id">,
  actor: Actor,
): Promise<TrackingRecord> {
  const { tracking_number } = fields;
  const owner = fields.order_id === null ? tx.scope.makes : await ownerOfOrder(tx, fields.order_id);
  const own = await matchingParcels(tx, tracking_number, await lockKnown(tx, tracking_number, actor, owner));
  refuseAmbiguousOwner(own, () => tracking_number);
  const [known] = own;
  const ours = isOwnNumber(tx, tracking_number);
  if (known !== undefined && (ours || !isPast(known, tx.now - retired_after_ms))) return known;
  if (ours) throw ownNumberUnknown(tracking_number);
  if (known?.followed) await saveFacts(tx, known, { followed: false, look_at: null });
  const merchant_id = owner ?? (await ownerOfComing(tx, tracking_number));
  const coming = await findReturnOf(tx, { tracking_number, merchant_id });
  await insertFollowed(tx, { ...fields, merchant_id, order_id: fields.order_id ?? coming?.order_id ?? null });
  const [made] = await lockKnown(tx, tracking_number, actor, merchant_id);
  assert(made !== undefined, "a number that was just stored is there");
  return made;
}

/** The refusal for a number of our own that is no parcel of who asks: the same whether or not it was given out. */
function ownNumberUnknown(tracking_number: string): Fault {
  const message =
    `No such tracking number: ${tracking_number}. Numbers of this form belong to parcels with a label of this` +
    " warehouse, and only the merchant who sends the parcel can track it: check the number.";
  const form = { detected_carriers: [], wrong_check_digits: [] };
  return new Fault("resource_missing", message, { resource: "tracking number", ...form });
}

/** Whose return comes back under a number; the maker's where none does. Refuses: merchant_required. */
async function ownerOfComing(tx: Tx, tracking_number: string): Promise<number> {
  const owners = await listReturnOwners(tx, tracking_number);
  refuseAmbiguousOwner(owners, () => tracking_number);
  return owners[0]?.merchant_id ?? requireOwner(tx);
}

/** The fields of a request that the record lacks, or null. Refuses: validation_failed, where the two contradict. */
async function newlyKnown(
  tx: Tx,
  record: TrackingRecord,
  asked: {
    readonly carrier: string | null;
    readonly account: Follower | null;
    /** Whether the request names another account than the one that reports on the number now. */
    readonly insists: boolean;
    readonly order_id: number | null;
  },
): Promise<RecordFacts | null> {
  const { carrier, account, insists, order_id } = asked;
  const owner = record.shipment_id === null ? record.order_id : await findOrderOfShipment(tx, record.shipment_id);
  if (order_id !== null && owner !== null && order_id !== owner) {
    throw invalid("order_id", "differs from the order that the number belongs to");
  }
  const silent = record.account_id === null && record.carrier !== ownCarriers[tx.mode];
  const asks = account !== null && (silent || (insists && record.account_id !== account.id));
  const facts: RecordFacts = {
    ...(carrier !== null && record.carrier === unknown_carrier && { carrier }),
    ...(order_id !== null && owner === null && { order_id }),
    ...(asks && { account_id: account.id, taken_up: false }),
  };
  return Object.keys(facts).length === 0 ? null : facts;
}
