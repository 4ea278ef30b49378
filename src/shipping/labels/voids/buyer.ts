// Gives labels back to their carriers.
import type { Tx } from "../../../database/store.ts";
import type { Actor } from "../../../kit/actor.ts";
import { Fault } from "../../../kit/fault.ts";
import type { Label } from "../label.ts";
import { type At, asked, counterOf } from "../purchases/asker.ts";
import { lookLater, whoAsked } from "../purchases/commands.ts";
import type { voidMoves } from "../status.ts";
import { getLabel } from "../store.ts";
import { beginReturnVoids, beginVoids, notTaken, recordKept, recordVoided } from "./commands.ts";

/** What a carrier said to a label that it is to take back. */
type Returned = { readonly label: Label } | { readonly fault: Fault };

/** Called in the transaction that records it. */
type OnReturned = (tx: Tx, returned: Returned) => Promise<void>;

const nobodyWaits: OnReturned = async () => {};

/**
 * Gives a claimed label back, and answers what the carrier said; null when it did not answer, and the job asks again.
 */
export async function giveBack(at: At, claim: Label, onReturned: OnReturned = nobodyWaits): Promise<Returned | null> {
  const { store } = at;
  const kept = (fault: Fault) =>
    store.write(async (tx) => {
      const label = await recordKept(tx, claim);
      if (label !== null) await onReturned(tx, { fault });
      return label === null ? null : { fault };
    });
  const counter = await counterOf(at, claim);
  if (counter instanceof Fault) return kept(notTaken(claim, counter.message));
  const { carrier_ref } = claim;
  if (counter.connector.void === undefined || carrier_ref === null) {
    return kept(notTaken(claim, `${counter.connector.name} offers no way to ask for it; ask the carrier itself.`));
  }
  const answer = await asked(counter, at, async (one, ctx) => (await one.void?.(carrier_ref, ctx)) ?? "rejected");
  if ("fault" in answer) {
    if (!answer.certain && claim.attempts < asked_in_vain_max) return later(at, claim);
    const refused = answer.fault.code === "carrier_refused";
    return kept(refused ? notTaken(claim, answer.fault.message) : answer.fault);
  }
  if (answer.said === "rejected") return kept(notTaken(claim, null));
  return taken(at, claim, answer.said === "submitted" ? "submit" : "accept", onReturned);
}

async function taken(
  { store, news }: At,
  claim: Label,
  answer: keyof typeof voidMoves,
  onReturned: OnReturned,
): Promise<Returned | null> {
  const actor: Actor = whoAsked(claim);
  return store.write(async (tx) => {
    const voided = await recordVoided(tx, claim, answer, actor);
    if (voided === null) return null;
    await news.voided(tx, voided, actor);
    const label = await getLabel(tx, voided.id);
    await onReturned(tx, { label });
    return { label };
  });
}

async function later({ store }: At, claim: Label): Promise<null> {
  await store.write((tx) => lookLater(tx, claim, null));
  return null;
}

// About a day: most of these times are half an hour apart.
const asked_in_vain_max = 60;

/**
 * Gives back the labels of carriers on some parcels of an order, before these are given up. `choose` locks the order,
 * checks that it may lose them, and answers which.
 * Refuses: label_not_voidable, label_in_progress (a carrier has not answered), and what `choose` refuses.
 */
export async function giveBackLabels(
  at: At,
  actor: Actor,
  choose: (tx: Tx) => Promise<{ readonly order_id: number; readonly parcels: ReadonlySet<number> }>,
): Promise<void> {
  await giveAllBack(at, async (tx) => {
    const { order_id, parcels } = await choose(tx);
    return beginVoids(tx, order_id, parcels, actor);
  });
}

/**
 * Gives back the labels of carriers with which a return was to come, before it is called off. `choose` locks the
 * return's order, checks that the return may be called off, and answers it.
 * Refuses: label_not_voidable, label_in_progress (a carrier has not answered), and what `choose` refuses.
 */
export async function giveBackReturnLabels(
  at: At,
  actor: Actor,
  choose: (tx: Tx) => Promise<{ readonly id: number; readonly order_id: number }>,
): Promise<void> {
  await giveAllBack(at, async (tx) => beginReturnVoids(tx, await choose(tx), actor));
}

async function giveAllBack(at: At, claim: (tx: Tx) => Promise<readonly Label[]>): Promise<void> {
  const claims = await at.store.write(claim);
  const answers: (Returned | null)[] = [];
  for (const claim of claims) answers.push(await giveBack(at, claim));
  for (const answer of answers) {
    if (answer === null) {
      throw new Fault("label_in_progress", "A carrier has not said yet whether it takes its label back. Try again.", {
        retry_after_seconds: 10,
      });
    }
    if ("fault" in answer) throw answer.fault;
  }
}
