// How a carrier is asked about one label, through the account that the label is bought with.

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
import { type FailureReason, give_up_after_ms, isPassing, nobodyKnows, offerFor } from "./label_purchase.ts";
import {
  carriageOfLabel,
  checkLater,
  type LabelNews,
  readyToPay,
  recordBought,
  recordFailed,
} from "./label_purchases.ts";
import { getLabel } from "./labels.sql.ts";

/** What a call to a carrier needs: the store, the service, and what to do after its answers. */
export interface CarrierCallContext {
  readonly store: Store;
  readonly service: Service;
  readonly news: LabelNews;
  /** Why a carrier did not do what was asked, as it is told to who asks; the carrier's own words unless given. */
  readonly refusal?: (label: ShippingLabel, fault: Fault) => Fault;
}

/** A connector, and all that it needs to call for one account. */
interface CarrierSeller {
  readonly connector: OutsideCarrier;
  readonly ctx: CarrierContext;
}

/** How to call the carrier of a label, or the Fault that says why it cannot be called. */
export async function sellerOf(
  { store, service }: CarrierCallContext,
  { account_id }: ShippingLabel,
): Promise<CarrierSeller | Fault> {
  const account = account_id === null ? null : await store.read((db) => findAccount(db, account_id));
  const connector = account === null ? undefined : outsideCarriersOf(service)[account.connector];
  if (account !== null && connector !== undefined) {
    return { connector, ctx: accessTo(account, connector, store, service) };
  }
  return new Fault("carrier_unauthorized", "The carrier account of this label was deleted.");
}

/** A carrier's answer; or why there is none, and whether the request certainly had no effect. */
type CarrierReply<Thing> = { readonly said: Thing } | { readonly fault: Fault; readonly certain: boolean };

/** Asks a carrier. Errors are answered, not thrown. */
export async function callCarrierFor<Thing>(
  { connector, ctx }: CarrierSeller,
  { service }: CarrierCallContext,
  ask: (connector: OutsideCarrier, ctx: CarrierContext) => Promise<Thing>,
): Promise<CarrierReply<Thing>> {
  try {
    return { said: await ask(connector, ctx) };
  } catch (error) {
    const certain = error instanceof Fault && error.code !== "carrier_timeout";
    return { fault: refusalOf(error, ctx, service.log), certain };
  }
}

// Buys labels from carriers in three steps: claim in one transaction, pay in none, record in another.

/** The result of a purchase. */
type EndedPurchase =
  | { readonly state: "bought"; readonly label: ShippingLabel }
  | { readonly state: "failed"; readonly label: ShippingLabel; readonly fault: Fault };

/** Called in the transaction that ends a purchase. */
type OnEnd = (tx: Tx, ended: EndedPurchase) => Promise<void>;

const nobodyWaits: OnEnd = async () => {};

/** A purchase in progress. */
interface PurchaseAttempt extends CarrierCallContext {
  readonly claim: ShippingLabel;
  readonly onEnd: OnEnd;
  /** Whether a temporary failure is retried later, since no client waits for the answer. */
  readonly patient: boolean;
}

/**
 * Continues a purchase that was just claimed: chooses the offer if none was quoted, pays for it, and records the
 * result. The job finishes what is left open.
 */
export async function buyClaimed(at: CarrierCallContext, claim: ShippingLabel, onEnd: OnEnd): Promise<void> {
  const pursuit = { ...at, claim, onEnd, patient: false };
  const seller = await sellerOf(at, claim);
  if (seller instanceof Fault) await fail(pursuit, seller);
  else await pay(pursuit, seller);
}

/**
 * Continues a purchase whose server stopped, or that its carrier had not finished. If it may be paid for, it is looked
 * up first and paid for only if the carrier has no such purchase.
 */
export async function buyAgain(at: CarrierCallContext, claim: ShippingLabel): Promise<void> {
  const pursuit = { ...at, claim, onEnd: nobodyWaits, patient: true };
  const { offer_ref } = claim;
  const late = at.store.clock.now() - claim.created_at >= give_up_after_ms;
  const seller = await sellerOf(at, claim);
  if (offer_ref !== null) {
    const look = (one: OutsideCarrier, ctx: CarrierContext) => one.find(offer_ref, late ? withoutPapers(ctx) : ctx);
    const found = seller instanceof Fault ? null : await callCarrierFor(seller, at, look);
    const said = found !== null && "said" in found ? found.said : null;
    if (said?.state === "bought") return record(pursuit, said.bought);
    if (said?.state !== "not_bought") {
      if (late) return giveUp(pursuit);
      return wait(pursuit, found !== null && "fault" in found ? found.fault : null);
    }
  }
  if (seller instanceof Fault) return fail(pursuit, seller);
  if (late) return fail(pursuit, new Fault("carrier_error", "The label was not bought within a day."));
  return pay(pursuit, seller);
}

/** A caller that ignores documents which cannot be read: the purchase is known all the same. */
function withoutPapers(ctx: CarrierContext): CarrierContext {
  const download = async (url: string) => {
    try {
      return await ctx.download(url);
    } catch (error) {
      throw error instanceof Fault ? new Fault(error.code, error.message, { permanent: true }) : error;
    }
  };
  return { ...ctx, download };
}

async function pay(pursuit: PurchaseAttempt, seller: CarrierSeller): Promise<void> {
  const { store, claim, patient } = pursuit;
  const carriage = await store.write((tx) => carriageOfLabel(tx, claim, pursuit.news)).catch(asFault);
  // Its products may have lost what customs ask for since the label was claimed.
  if (carriage instanceof Fault) return fail(pursuit, carriage);
  let offer = null;
  if (claim.offer_ref === null) {
    const offered = await callCarrierFor(seller, pursuit, (one, ctx) => one.offers(carriage, ctx));
    if ("fault" in offered) {
      return patient && isPassing(offered.fault) ? wait(pursuit, offered.fault) : fail(pursuit, offered.fault);
    }
    offer = offerFor(claim, offered.said, seller.connector.code);
    if (offer instanceof Fault) return fail(pursuit, offer);
  }
  // The claim is renewed before paying, so that no other server pays too, and the offer is stored in case this
  // process dies.
  const ready = await store.write((tx) => readyToPay(tx, claim, offer));
  const ref = ready?.offer_ref ?? null;
  if (ref === null) return;
  const paid = await callCarrierFor(seller, pursuit, (one, ctx) => one.buy(ref, carriage, ctx));
  if ("fault" in paid) return paid.certain ? fail(pursuit, paid.fault) : wait(pursuit, paid.fault);
  if (paid.said.state === "bought") return record(pursuit, paid.said.bought);
  if (paid.said.state === "waiting") return wait(pursuit, null);
  const words = `The carrier ${claim.carrier} did not sell the label, and did not say why.`;
  return fail(pursuit, new Fault("carrier_refused", words));
}

/** Records what was bought, whoever learnt of it, and emits its event once. */
async function record({ store, service, news, claim, onEnd }: PurchaseAttempt, bought: BoughtPostage): Promise<void> {
  const recorded = await store.write(async (tx) => {
    const done = await recordBought(tx, claim, bought);
    if (done === null) return (await getLabel(tx, claim.id)).status;
    const { label } = done;
    await news.bought(tx, done);
    await onEnd(tx, { state: "bought", label: await getLabel(tx, label.id) });
    return label.status;
  });
  if (!hasFailed(recorded)) return;
  // The purchase was given up before the carrier's late answer arrived.
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

/** Gives up a purchase whose result nobody knows. */
async function giveUp({ store, service, claim }: PurchaseAttempt): Promise<void> {
  const reason: FailureReason = nobodyKnows(claim);
  const label = await store.write((tx) => recordFailed(tx, claim, { ...reason, known: false }));
  const facts = { label: wireId("label", claim.id), carrier: claim.carrier, offer_ref: claim.offer_ref };
  if (label !== null) service.log.error("nobody knows whether a label was bought", facts);
}

async function wait({ store, claim }: PurchaseAttempt, fault: Fault | null): Promise<void> {
  const seconds = fault?.facts["retry_after_seconds"];
  await store.write((tx) => checkLater(tx, claim, typeof seconds === "number" ? seconds : null));
}
