// Voids labels at their carriers, outside transactions.

import type { Actor } from "../../core/actor.ts";
import { Fault } from "../../core/faults.ts";
import type { Tx } from "../../storage/database.ts";
import { type CarrierCallContext, callCarrierFor, sellerOf } from "./buy_from_carrier.ts";
import type { voidTransitions } from "./label.transitions.ts";
import type { ShippingLabel } from "./label.ts";
import { checkLater, purchaseActor } from "./label_purchases.ts";
import { getLabel } from "./labels.sql.ts";
import { notVoidable, recordVoided, recordVoidRefused } from "./void_label.ts";

/** The result of a request to void a label. */
type VoidAnswer = { readonly label: ShippingLabel } | { readonly fault: Fault };

/** Called in the transaction that records the result. */
type OnVoidAnswer = (tx: Tx, returned: VoidAnswer) => Promise<void>;

const ignoreResult: OnVoidAnswer = async () => {};

/**
 * Voids a claimed label at its carrier and returns the result; null when the carrier did not reply and the job
 * retries.
 */
export async function voidAtCarrier(
  at: CarrierCallContext,
  claim: ShippingLabel,
  onAnswer: OnVoidAnswer = ignoreResult,
): Promise<VoidAnswer | null> {
  const { store } = at;
  const refusedWith = (fault: Fault) =>
    store.write(async (tx) => {
      const label = await recordVoidRefused(tx, claim);
      if (label !== null) await onAnswer(tx, { fault });
      return label === null ? null : { fault };
    });
  const seller = await sellerOf(at, claim);
  if (seller instanceof Fault) return refusedWith(notVoidable(claim, seller.message));
  const { carrier_ref } = claim;
  if (seller.connector.void === undefined || carrier_ref === null) {
    return refusedWith(notVoidable(claim, `${seller.connector.name} cannot void labels. Contact the carrier.`));
  }
  const answer = await callCarrierFor(
    seller,
    at,
    async (carrier, ctx) => (await carrier.void?.(carrier_ref, ctx)) ?? "rejected",
  );
  if ("fault" in answer) {
    if (!answer.certain && claim.attempts < attempts_max) return later(at, claim);
    const refused = answer.fault.code === "carrier_refused";
    return refusedWith(refused ? notVoidable(claim, answer.fault.message) : answer.fault);
  }
  if (answer.result === "rejected") return refusedWith(notVoidable(claim, null));
  return recordResult(at, claim, answer.result === "submitted" ? "submit" : "accept", onAnswer);
}

async function recordResult(
  { store, callbacks }: CarrierCallContext,
  claim: ShippingLabel,
  answer: keyof typeof voidTransitions,
  onAnswer: OnVoidAnswer,
): Promise<VoidAnswer | null> {
  const actor: Actor = purchaseActor(claim);
  return store.write(async (tx) => {
    const voided = await recordVoided(tx, claim, answer, actor);
    if (voided === null) return null;
    await callbacks.voided(tx, voided, actor);
    const label = await getLabel(tx, voided.id);
    await onAnswer(tx, { label });
    return { label };
  });
}

async function later({ store }: CarrierCallContext, claim: ShippingLabel): Promise<null> {
  await store.write((tx) => checkLater(tx, claim, null));
  return null;
}

// About a day, since most waits are half an hour.
const attempts_max = 60;

/**
 * Voids labels at their carriers, before their parcels or their return are given up. `claim` checks that this is
 * possible and claims the labels; its refusals pass through. Refuses: label_not_voidable, label_in_progress.
 */
export async function voidAtCarriers(
  at: CarrierCallContext,
  claim: (tx: Tx) => Promise<readonly ShippingLabel[]>,
): Promise<void> {
  const claims = await at.store.write(claim);
  const answers: (VoidAnswer | null)[] = [];
  for (const claim of claims) {
    const answer = await voidAtCarrier(at, claim);
    const refusal = answer !== null && "fault" in answer ? at.refusal?.(claim, answer.fault) : undefined;
    answers.push(refusal === undefined ? answer : { fault: refusal });
  }
  for (const answer of answers) {
    if (answer === null) {
      throw new Fault(
        "label_in_progress",
        "A carrier has not confirmed yet whether it voids a label. Send the request again in a few seconds.",
        { retry_after_seconds: 10 },
      );
    }
    if ("fault" in answer) throw answer.fault;
  }
}
