import type { Actor } from "../core/actor.ts";
import { assert, Fault, invalid } from "../core/faults.ts";
import { readId } from "../core/ids.ts";
import { findOrderOfShipment } from "../orders/fulfillment/shipments.sql.ts";
import { givenTrackingNumber, isSameCarrier, ownCarriers } from "../orders/fulfillment/tracking_url.ts";
import { ownerOfOrder, resolveOrder } from "../orders/lifecycle/order_lookup.sql.ts";
import { isSelling } from "../shipping/carriers/account.transitions.ts";
import type { CarrierAccount } from "../shipping/carriers/account.ts";
import { trackingMeanings } from "../shipping/carriers/tracking.transitions.ts";
import { isOwnNumber } from "../shipping/labels/tracking_number.ts";
import type { Tx } from "../storage/database.ts";
import { refuseAmbiguousOwner, requireOwner } from "../storage/tenant.ts";
import { onlyCarrier } from "./number_formats.ts";
import { retired_after_ms, simulateNumber } from "./poll_carriers.ts";
import { lockKnown, recordWaiting } from "./record_scan.ts";
import { findReturnOf, listReturnOwners } from "./scans.sql.ts";
import { isSimulated } from "./simulated_tracking.ts";
import type { FollowNumber } from "./tracking.schema.ts";
import { insertFollowed, matchingParcels, type RecordFacts, saveFacts, setPoll } from "./tracking.sql.ts";
import { unknown_carrier } from "./tracking_events.ts";
import type { TrackingRecord } from "./tracking_record.ts";

/** The fields of an account that decide whether it can track a number. */
export type TrackingAccount = Pick<CarrierAccount, "id" | "status" | "carriers">;

/** The carrier of a number: the requested one, else the only one whose numbers have this form. */
function carrierOf(requested: string | null | undefined, tracking_number: string): string | null {
  if (requested) return requested.trim().toLowerCase();
  return onlyCarrier(tracking_number);
}

/** The oldest active account that sells a carrier's labels, or null. */
function accountFor(carrier: string | null, accounts: readonly TrackingAccount[]): TrackingAccount | null {
  if (carrier === null) return null;
  const sells = ({ status, carriers }: TrackingAccount) =>
    isSelling(status) && carriers.some(({ code }) => isSameCarrier(code, carrier));
  return accounts.find(sells) ?? null;
}

/** Whether the number may belong to another parcel by now, since carriers reuse numbers. */
function isRetired(record: Pick<TrackingRecord, "created_at" | "status" | "followed">, retired_at: number): boolean {
  return record.created_at <= retired_at && (record.followed || trackingMeanings[record.status].final);
}

/**
 * Tracks a number, whether or not it is a parcel of an order. A number that is already tracked keeps its record and
 * gains missing facts. An account that can track the number is called later, outside the transaction; without one the
 * number waits for scans. In test data the simulated carrier reports its own numbers at once.
 * Refuses: validation_failed, resource_missing, ambiguous_identifier, merchant_required.
 * Emits: shipment.tracking_updated, shipment.in_transit, shipment.delivered, shipment.exception.
 */
export async function followNumber(
  tx: Tx,
  input: FollowNumber,
  accounts: readonly TrackingAccount[],
  actor: Actor,
): Promise<string> {
  const tracking_number = givenTrackingNumber("tracking_number", input.tracking_number);
  if (tracking_number === null) throw invalid("tracking_number", "is required", "required");
  const carrier = carrierOf(input.carrier, tracking_number);
  const account = accountOf(input, carrier, accounts);
  const order_id = input.order_id == null ? null : await resolveOrder(tx, input.order_id);
  const is_simulated = tx.mode === "test" && isSimulated(tracking_number);
  const default_carrier = is_simulated ? ownCarriers.test : unknown_carrier;
  const record = await lockOrInsertRecord(
    tx,
    { tracking_number, carrier: carrier ?? default_carrier, order_id },
    actor,
  );
  const requested = {
    carrier: input.carrier ? carrier : null,
    account,
    order_id,
    is_explicit: input.account_id != null,
  };
  const facts = await missingFacts(tx, record, requested);
  const known = facts === null ? record : await saveFacts(tx, record, facts);
  if (facts?.account_id != null) await setPoll(tx, known.id, tx.now);
  await recordWaiting(tx, tracking_number);
  if (is_simulated && known.account_id === null && known.look_at === null) await simulateNumber(tx, known, tx.now);
  return tracking_number;
}

/** Creates the refusal of a carrier account that cannot track a number. */
export const unknownTrackingAccount = (): Fault =>
  invalid("account_id", "is not a carrier account that can track parcels");

/** The account that is to track a number; null for none. Refuses: validation_failed. */
function accountOf(
  { account_id }: FollowNumber,
  carrier: string | null,
  accounts: readonly TrackingAccount[],
): TrackingAccount | null {
  if (account_id == null) return accountFor(carrier, accounts);
  const account = accounts.find(({ id }) => id === readId("carrier_account", account_id));
  if (account !== undefined) return account;
  throw unknownTrackingAccount();
}

/**
 * Locks the record of a number. A new one is inserted unless the existing record is still current. A built-in number is
 * given out once, so it has its owner's record or none. Refuses: resource_missing, merchant_required.
 */
async function lockOrInsertRecord(
  tx: Tx,
  fields: Pick<TrackingRecord, "tracking_number" | "carrier" | "order_id">,
  actor: Actor,
): Promise<TrackingRecord> {
  const { tracking_number } = fields;
  const owner = fields.order_id === null ? tx.scope.owner : await ownerOfOrder(tx, fields.order_id);
  const own = await matchingParcels(tx, tracking_number, await lockKnown(tx, tracking_number, actor, owner));
  refuseAmbiguousOwner(own, () => tracking_number);
  const [known] = own;
  const is_built_in = isOwnNumber(tx, tracking_number);
  if (known !== undefined && (is_built_in || !isRetired(known, tx.now - retired_after_ms))) return known;
  if (is_built_in) throw unknownBuiltInNumber(tracking_number);
  if (known?.followed) await saveFacts(tx, known, { followed: false, look_at: null });
  const merchant_id = owner ?? (await ownerOfReturn(tx, tracking_number));
  const return_order = await findReturnOf(tx, { tracking_number, merchant_id });
  await insertFollowed(tx, { ...fields, merchant_id, order_id: fields.order_id ?? return_order?.order_id ?? null });
  const [inserted] = await lockKnown(tx, tracking_number, actor, merchant_id);
  assert(inserted !== undefined, "an inserted record is found");
  return inserted;
}

/**
 * The refusal of a built-in number that is no parcel of the caller. It is the same whether or not the number exists.
 */
function unknownBuiltInNumber(tracking_number: string): Fault {
  const message =
    `No such tracking number: ${tracking_number}. Numbers of this form are on labels of this` +
    " warehouse, and only the merchant that sends the parcel can track it. Check the number.";
  const form = { detected_carriers: [], wrong_check_digits: [] };
  return new Fault("resource_missing", message, { resource: "tracking number", ...form });
}

/** The merchant of the return with this number; without one, the caller's merchant. Refuses: merchant_required. */
async function ownerOfReturn(tx: Tx, tracking_number: string): Promise<number> {
  const owners = await listReturnOwners(tx, tracking_number);
  refuseAmbiguousOwner(owners, () => tracking_number);
  return owners[0]?.merchant_id ?? requireOwner(tx);
}

/** The requested fields that the record lacks, or null. Refuses: validation_failed, when the orders differ. */
async function missingFacts(
  tx: Tx,
  record: TrackingRecord,
  requested: {
    readonly carrier: string | null;
    readonly account: TrackingAccount | null;
    /** Whether the request names an account, which may replace the present one. */
    readonly is_explicit: boolean;
    readonly order_id: number | null;
  },
): Promise<RecordFacts | null> {
  const { carrier, account, is_explicit, order_id } = requested;
  const owner = record.shipment_id === null ? record.order_id : await findOrderOfShipment(tx, record.shipment_id);
  if (order_id !== null && owner !== null && order_id !== owner) {
    throw invalid("order_id", "is not the order of this number");
  }
  const has_no_source = record.account_id === null && record.carrier !== ownCarriers[tx.mode];
  const sets_account = account !== null && (has_no_source || (is_explicit && record.account_id !== account.id));
  const facts: RecordFacts = {
    ...(carrier !== null && record.carrier === unknown_carrier && { carrier }),
    ...(order_id !== null && owner === null && { order_id }),
    ...(sets_account && { account_id: account.id, taken_up: false }),
  };
  return Object.keys(facts).length === 0 ? null : facts;
}
