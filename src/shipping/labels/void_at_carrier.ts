// Asks carriers to void their labels, in no transaction.

import type { Actor } from "../../core/actor.ts";
import { Fault } from "../../core/faults.ts";
import type { Tx } from "../../storage/database.ts";
import { type CarrierCallContext, callCarrierFor, sellerOf } from "./buy_from_carrier.ts";
import type { voidTransitions } from "./label.transitions.ts";
import type { ShippingLabel } from "./label.ts";
import { checkLater, purchaseActor } from "./label_purchases.ts";
import { getLabel } from "./labels.sql.ts";
import { beginReturnVoids, beginVoids, notTaken, recordKept, recordVoided } from "./void_label.ts";

/** The carrier's answer to a request to void a label. */
type VoidAnswer = { readonly label: ShippingLabel } | { readonly fault: Fault };

/** Called in the transaction that records the answer. */
type OnVoidAnswer = (tx: Tx, returned: VoidAnswer) => Promise<void>;

const nobodyWaits: OnVoidAnswer = async () => {};

/**
 * Asks the carrier to void a claimed label and answers what it said; null when it did not answer, and then the job asks
 * again.
 */
export async function voidAtCarrier(
  at: CarrierCallContext,
  claim: ShippingLabel,
  onAnswer: OnVoidAnswer = nobodyWaits,
): Promise<VoidAnswer | null> {
  const { store } = at;
  const kept = (fault: Fault) =>
    store.write(async (tx) => {
      const label = await recordKept(tx, claim);
      if (label !== null) await onAnswer(tx, { fault });
      return label === null ? null : { fault };
    });
  const seller = await sellerOf(at, claim);
  if (seller instanceof Fault) return kept(notTaken(claim, seller.message));
  const { carrier_ref } = claim;
  if (seller.connector.void === undefined || carrier_ref === null) {
    return kept(notTaken(claim, `${seller.connector.name} cannot void labels. Ask the carrier itself.`));
  }
  const answer = await callCarrierFor(
    seller,
    at,
    async (one, ctx) => (await one.void?.(carrier_ref, ctx)) ?? "rejected",
  );
  if ("fault" in answer) {
    if (!answer.certain && claim.attempts < asked_in_vain_max) return later(at, claim);
    const refused = answer.fault.code === "carrier_refused";
    return kept(refused ? notTaken(claim, answer.fault.message) : answer.fault);
  }
  if (answer.said === "rejected") return kept(notTaken(claim, null));
  return taken(at, claim, answer.said === "submitted" ? "submit" : "accept", onAnswer);
}

async function taken(
  { store, news }: CarrierCallContext,
  claim: ShippingLabel,
  answer: keyof typeof voidTransitions,
  onAnswer: OnVoidAnswer,
): Promise<VoidAnswer | null> {
  const actor: Actor = purchaseActor(claim);
  return store.write(async (tx) => {
    const voided = await recordVoided(tx, claim, answer, actor);
    if (voided === null) return null;
    await news.voided(tx, voided, actor);
    const label = await getLabel(tx, voided.id);
    await onAnswer(tx, { label });
    return { label };
  });
}

async function later({ store }: CarrierCallContext, claim: ShippingLabel): Promise<null> {
  await store.write((tx) => checkLater(tx, claim, null));
  return null;
}

// About a day, since most of these waits are half an hour.
const asked_in_vain_max = 60;

/**
 * Has carriers void their labels on some parcels of an order, before these parcels are given up. `choose` locks the
 * order, checks that it may lose the parcels, and names them. Refuses: label_not_voidable, label_in_progress (a carrier
 * has not answered), and what `choose` refuses.
 */
export async function voidCarrierLabels(
  at: CarrierCallContext,
  actor: Actor,
  choose: (tx: Tx) => Promise<{ readonly order_id: number; readonly parcels: ReadonlySet<number> }>,
): Promise<void> {
  await voidAllAtCarriers(at, async (tx) => {
    const { order_id, parcels } = await choose(tx);
    return beginVoids(tx, order_id, parcels, actor);
  });
}

/**
 * Has carriers void the labels of a return before the return is cancelled. `choose` locks the return's order, checks
 * that the return may be cancelled, and answers it. Refuses: label_not_voidable, label_in_progress (a carrier has not
 * answered), and what `choose` refuses.
 */
export async function voidCarrierReturnLabels(
  at: CarrierCallContext,
  actor: Actor,
  choose: (tx: Tx) => Promise<{ readonly id: number; readonly order_id: number }>,
): Promise<void> {
  await voidAllAtCarriers(at, async (tx) => beginReturnVoids(tx, await choose(tx), actor));
}

async function voidAllAtCarriers(
  at: CarrierCallContext,
  claim: (tx: Tx) => Promise<readonly ShippingLabel[]>,
): Promise<void> {
  const claims = await at.store.write(claim);
  const answers: (VoidAnswer | null)[] = [];
  for (const claim of claims) {
    const answer = await voidAtCarrier(at, claim);
    const said = answer !== null && "fault" in answer ? at.refusal?.(claim, answer.fault) : undefined;
    answers.push(said === undefined ? answer : { fault: said });
  }
  for (const answer of answers) {
    if (answer === null) {
      throw new Fault(
        "label_in_progress",
        "A carrier has not said yet whether it voids its label. Send the request again.",
        {
          retry_after_seconds: 10,
        },
      );
    }
    if ("fault" in answer) throw answer.fault;
  }
}
