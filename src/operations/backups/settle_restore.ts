// What a restore changes in the records of a world, so that nothing is given a second time and nothing goes out twice,
// and what becomes of what it holds.

import { Fault } from "../../core/faults.ts";
import { skipPlaces } from "../../events/events.sql.ts";
import { endAllSessions } from "../../identity/sessions/sessions.sql.ts";
import { endInvitationLinks } from "../../identity/users/invitations.sql.ts";
import { deleteLinks } from "../../identity/users/users.sql.ts";
import { countQueuedReports, skipHeldReports } from "../../platforms/shipment_updates/shipment_updates.sql.ts";
import { queueShipmentUpdates } from "../../platforms/shipment_updates/shipment_updates.ts";
import { countBeingBought, lockHeldPurchases } from "../../shipping/labels/label_purchases.sql.ts";
import { finishing_job, recordFailed } from "../../shipping/labels/label_purchases.ts";
import type { Store, Tx } from "../../storage/database.ts";
import {
  advanceSequences,
  insertGaps,
  insertRestoration,
  listRestorations,
  lockUnsettled,
  type PendingAtRestore,
  type Restoration,
  saveDecision,
  savePendingCounts,
  saveSettled,
} from "../../storage/installation.ts";
import { holdPending, releaseHeld } from "../../webhooks/deliveries/deliveries.sql.ts";
import { fanOut } from "../../webhooks/deliveries/deliveries.ts";
import { queueSome } from "../../webhooks/deliveries/recover_deliveries.ts";
import { withdrawMails } from "../../webhooks/notices.sql.ts";
import { skipNumbers } from "../../webhooks/subscriptions/subscriptions.sql.ts";
import type { Decision } from "./backup_run.transitions.ts";

/** By how much the first restore advances every number: more than was given between the backup and the disaster. */
const advanced_each = 1_000_000;

/** What is kept of a restore. */
interface RestoredFrom {
  readonly archive: string;
  /** The moment as of which the records of this world are. */
  readonly as_of: number;
  /**
   * Which restore of a backup in the same place it is, counted from 1. What an earlier one of them is served with gives
   * numbers of its own, which this one passes over.
   */
  readonly nth: number;
}

/** A world that was marked as restored. */
export interface MarkedRestore extends PendingAtRestore {
  /** How many people's sessions were ended. */
  readonly ended_sessions: number;
  /** By how much every number was advanced. */
  readonly advanced_by: number;
}

/**
 * Marks a world as restored, before anybody is served of it: every number that is given goes on by a million
 * further for each restore of a backup in the same place;
 * people sign in anew, and links that were sent end; what was about to go out waits. Called again after it was
 * interrupted it would advance the numbers once more, and do nothing else.
 */
export async function markRestored(store: Store, from: RestoredFrom): Promise<MarkedRestore> {
  const begun = await store.write((tx) => begin(tx, from));
  // What had not been made of the records yet when they were copied may have gone out since: it waits as well.
  while (await store.write(fanOut));
  while (await store.write(queueSome));
  while (await store.write(queueShipmentUpdates));
  const waiting = await store.write(async (tx) => {
    const held: PendingAtRestore = {
      waiting_deliveries: await holdPending(tx),
      waiting_reports: await countQueuedReports(tx),
      waiting_purchases: await countBeingBought(tx),
      withdrawn_mails: begun.withdrawn_mails,
    };
    await savePendingCounts(tx, begun.id, held);
    return held;
  });
  return { ...waiting, ended_sessions: begun.ended_sessions, advanced_by: begun.advanced_by };
}

async function begin(tx: Tx, { archive, as_of, nth }: RestoredFrom) {
  const advanced_by = nth * advanced_each;
  await advanceSequences(tx, advanced_by);
  const withdrawn_mails = (await withdrawMails(tx)) + (await endInvitationLinks(tx));
  const ended_sessions = await endAllSessions(tx);
  await deleteLinks(tx, "setup", null);
  await deleteLinks(tx, "reset", null);
  const { id } = await insertRestoration(tx, {
    archive,
    as_of,
    restored_at: tx.now,
    advanced_by,
    ...{ waiting_deliveries: 0, waiting_reports: 0, waiting_purchases: 0, withdrawn_mails },
    ...{ decision: null, decided_at: null, decided_by: null, settled_at: null },
  });
  const places = { subscription_id: null, ...(await skipPlaces(tx, advanced_by)) };
  const numbers = await skipNumbers(tx, advanced_by);
  await insertGaps(
    tx,
    [places, ...numbers].map((gap) => ({ restoration_id: id, ...gap })),
  );
  return { id, withdrawn_mails, ended_sessions, advanced_by };
}

/** The job that carries out what was decided. */
const settling_job = "backups.settle_restored";

/**
 * Decides that what has waited since a restore goes out, or never does. A job carries it out. The same decision may be
 * made again. Refuses: invalid_state_transition, where nothing waits for a decision, or another one was made.
 */
export async function decide(tx: Tx, decision: Decision, decided_by: string): Promise<Restoration> {
  const restoration = await lockUnsettled(tx);
  const [last] = restoration === null ? await listRestorations(tx) : [];
  if (last?.decision === decision) return last;
  if (restoration === null) {
    throw new Fault("invalid_state_transition", "Nothing waits for a decision: this world was not restored lately.", {
      action: decision,
    });
  }
  if (restoration.decision !== null && restoration.decision !== decision) {
    throw new Fault("invalid_state_transition", `It was decided already: ${restoration.decision}.`, {
      action: decision,
    });
  }
  tx.wake(settling_job, tx.now);
  if (restoration.decision !== null) return restoration;
  const facts = { decision, decided_at: tx.now, decided_by };
  await saveDecision(tx, facts);
  return { ...restoration, ...facts };
}

const settled_together_max = 500;

/** Carries out some of what was decided. Answers whether there is more to do. */
export async function settleSome(tx: Tx): Promise<boolean> {
  const restoration = await lockUnsettled(tx);
  const decision = restoration?.decision ?? null;
  if (decision === null) return false;
  const released = await releaseHeld(tx, decision, settled_together_max);
  if (released === settled_together_max) return true;
  if (decision === "drop") {
    if ((await skipHeldReports(tx, settled_together_max)) === settled_together_max) return true;
    const labels = await lockHeldPurchases(tx, settled_together_max);
    for (const label of labels) {
      const reference = label.offer_ref === null ? "" : ` Its reference is ${label.offer_ref}.`;
      const message =
        `It was being bought when the data came from a backup, and was dropped.${reference} Look at the carrier` +
        ` ${label.carrier} whether it was bought, and ask for a refund then.`;
      await recordFailed(tx, label, { code: "dropped_after_restore", message, known: false });
    }
    if (labels.length === settled_together_max) return true;
  }
  await saveSettled(tx);
  tx.wake(finishing_job, tx.now);
  tx.wake("platforms.report", tx.now);
  return false;
}
