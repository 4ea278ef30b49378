// Buys labels from carriers in three steps: claim in one transaction, pay in none, record in another.

import { asFault, Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import type { Service } from "../../http/service.ts";
import type { Store, Tx } from "../../storage/database.ts";
import { findAccount } from "../carriers/accounts.sql.ts";
import { accessTo, refusalOf } from "../carriers/call_carrier.ts";
import type { CarrierContext, OutsideCarrier } from "../carriers/connector.ts";
import { outsideCarriersOf } from "../carriers/connectors.ts";
import type { BoughtPostage } from "../offer.ts";
import { hasFailed } from "./label.transitions.ts";
import type { ShippingLabel } from "./label.ts";
import { type FailureReason, give_up_after_ms, isTemporary, offerFor, unknownResult } from "./label_purchase.ts";
import {
  carriageOfLabel,
  checkLater,
  type LabelCallbacks,
  preparePayment,
  recordBought,
  recordFailed,
} from "./label_purchases.ts";
import { getLabel } from "./labels.sql.ts";

/** The context of calls to a carrier: the store, the service, and the callbacks after its reply. */
export interface CarrierCallContext {
  readonly store: Store;
  readonly service: Service;
  readonly callbacks: LabelCallbacks;
  /** Turns a carrier's refusal into the one for the caller; without it, the carrier's own message is used. */
  readonly refusal?: (label: ShippingLabel, fault: Fault) => Fault;
}

/** A connector and its context for one account. */
interface CarrierSeller {
  readonly connector: OutsideCarrier;
  readonly ctx: CarrierContext;
}

/** Returns the connector of a label's carrier, or a Fault if it cannot be called. */
export async function sellerOf(
  { store, service }: CarrierCallContext,
  { account_id }: ShippingLabel,
): Promise<CarrierSeller | Fault> {
  const account = account_id === null ? null : await store.read((db) => findAccount(db, account_id));
  const connector = account === null ? undefined : outsideCarriersOf(service)[account.connector];
  if (account !== null && connector !== undefined) {
    return { connector, ctx: accessTo(account, connector, store, service) };
  }
  return new Fault(
    "carrier_unauthorized",
    "The carrier account of this label was deleted, so its carrier cannot be called.",
  );
}

/** A carrier's reply; or a fault, and whether the request certainly had no effect. */
type CarrierReply<T> = { readonly result: T } | { readonly fault: Fault; readonly certain: boolean };

/** Calls a carrier. Errors are returned, not thrown. */
export async function callCarrierFor<T>(
  { connector, ctx }: CarrierSeller,
  { service }: CarrierCallContext,
  ask: (connector: OutsideCarrier, ctx: CarrierContext) => Promise<T>,
): Promise<CarrierReply<T>> {
  try {
    return { result: await ask(connector, ctx) };
  } catch (error) {
    const certain = error instanceof Fault && error.code !== "carrier_timeout";
    return { fault: refusalOf(error, ctx, service.log), certain };
  }
}

/** The result of a purchase. */
type EndedPurchase =
  | { readonly state: "bought"; readonly label: ShippingLabel }
  | { readonly state: "failed"; readonly label: ShippingLabel; readonly fault: Fault };

/** Called in the transaction that ends a purchase. */
type OnEnd = (tx: Tx, ended: EndedPurchase) => Promise<void>;

const ignoreResult: OnEnd = async () => {};

/** A purchase in progress. */
interface PurchaseAttempt extends CarrierCallContext {
  readonly claim: ShippingLabel;
  readonly onEnd: OnEnd;
  /** Whether a temporary failure is retried later, because no client is waiting. */
  readonly retries: boolean;
}

/**
 * Continues a purchase that was just claimed: chooses an offer if none was quoted, pays for it and records the result.
 * The job finishes what stays open.
 */
export async function buyClaimed(at: CarrierCallContext, claim: ShippingLabel, onEnd: OnEnd): Promise<void> {
  const attempt = { ...at, claim, onEnd, retries: false };
  const seller = await sellerOf(at, claim);
  if (seller instanceof Fault) await fail(attempt, seller);
  else await pay(attempt, seller);
}

/**
 * Continues a purchase whose server stopped or whose carrier had not finished. If it may have been paid for, it is
 * looked up first, and paid for only if the carrier has no such purchase.
 */
export async function buyAgain(at: CarrierCallContext, claim: ShippingLabel): Promise<void> {
  const attempt = { ...at, claim, onEnd: ignoreResult, retries: true };
  const { offer_ref } = claim;
  const late = at.store.clock.now() - claim.created_at >= give_up_after_ms;
  const seller = await sellerOf(at, claim);
  if (offer_ref !== null) {
    const find = (carrier: OutsideCarrier, ctx: CarrierContext) =>
      carrier.find(offer_ref, late ? withoutDocuments(ctx) : ctx);
    const reply = seller instanceof Fault ? null : await callCarrierFor(seller, at, find);
    const lookup = reply !== null && "result" in reply ? reply.result : null;
    if (lookup?.state === "bought") return record(attempt, lookup.bought);
    if (lookup?.state !== "not_bought") {
      if (late) return giveUp(attempt);
      return wait(attempt, reply !== null && "fault" in reply ? reply.fault : null);
    }
  }
  if (seller instanceof Fault) return fail(attempt, seller);
  if (late) return fail(attempt, new Fault("carrier_error", "The label was not bought within a day."));
  return pay(attempt, seller);
}

/** A context that ignores unreadable documents, so that the purchase can be recorded without them. */
function withoutDocuments(ctx: CarrierContext): CarrierContext {
  const download = async (url: string) => {
    try {
      return await ctx.download(url);
    } catch (error) {
      throw error instanceof Fault ? new Fault(error.code, error.message, { permanent: true }) : error;
    }
  };
  return { ...ctx, download };
}

async function pay(attempt: PurchaseAttempt, seller: CarrierSeller): Promise<void> {
  const { store, claim, retries } = attempt;
  const carriage = await store.write((tx) => carriageOfLabel(tx, claim, attempt.callbacks)).catch(asFault);
  // The products may have lost customs data since the label was claimed.
  if (carriage instanceof Fault) return fail(attempt, carriage);
  let offer = null;
  if (claim.offer_ref === null) {
    const offered = await callCarrierFor(seller, attempt, (carrier, ctx) => carrier.offers(carriage, ctx));
    if ("fault" in offered) {
      return retries && isTemporary(offered.fault) ? wait(attempt, offered.fault) : fail(attempt, offered.fault);
    }
    offer = offerFor(claim, offered.result, seller.connector.code);
    if (offer instanceof Fault) return fail(attempt, offer);
  }
  // The claim is renewed before paying, so that no other server pays too. The offer is stored in case this process
  // dies.
  const prepared = await store.write((tx) => preparePayment(tx, claim, offer));
  const ref = prepared?.offer_ref ?? null;
  if (ref === null) return;
  const paid = await callCarrierFor(seller, attempt, (carrier, ctx) => carrier.buy(ref, carriage, ctx));
  if ("fault" in paid) return paid.certain ? fail(attempt, paid.fault) : wait(attempt, paid.fault);
  if (paid.result.state === "bought") return record(attempt, paid.result.bought);
  if (paid.result.state === "waiting") return wait(attempt, null);
  const words = `The carrier ${claim.carrier} did not sell the label and gave no reason.`;
  return fail(attempt, new Fault("carrier_refused", words));
}

/** Records a purchase, however it became known, and emits its event once. */
async function record(
  { store, service, callbacks, claim, onEnd }: PurchaseAttempt,
  bought: BoughtPostage,
): Promise<void> {
  const recorded = await store.write(async (tx) => {
    const done = await recordBought(tx, claim, bought);
    if (done === null) return (await getLabel(tx, claim.id)).status;
    const { label } = done;
    await callbacks.bought(tx, done);
    await onEnd(tx, { state: "bought", label: await getLabel(tx, label.id) });
    return label.status;
  });
  if (!hasFailed(recorded)) return;
  // The purchase was given up before the carrier's late reply arrived.
  const label = wireId("label", claim.id);
  service.log.error("a carrier sold a label that was given up", { label, carrier_ref: bought.carrier_ref });
}

async function fail({ store, claim, onEnd }: PurchaseAttempt, fault: Fault): Promise<void> {
  await store.write(async (tx) => {
    const { code, message } = fault;
    const label = await recordFailed(tx, claim, { code, message, known: true });
    if (label !== null) await onEnd(tx, { state: "failed", label, fault });
  });
}

/** Gives up a purchase whose result is unknown. */
async function giveUp({ store, service, claim }: PurchaseAttempt): Promise<void> {
  const reason: FailureReason = unknownResult(claim);
  const label = await store.write((tx) => recordFailed(tx, claim, { ...reason, known: false }));
  const facts = { label: wireId("label", claim.id), carrier: claim.carrier, offer_ref: claim.offer_ref };
  if (label !== null) service.log.error("a purchase was given up with an unknown result", facts);
}

async function wait({ store, claim }: PurchaseAttempt, fault: Fault | null): Promise<void> {
  const seconds = fault?.facts["retry_after_seconds"];
  await store.write((tx) => checkLater(tx, claim, typeof seconds === "number" ? seconds : null));
}
