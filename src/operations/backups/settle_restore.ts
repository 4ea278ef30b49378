// Marks an environment as restored, so that no number is assigned twice and nothing is sent twice, and carries out the
// decision about everything held.

import { Fault } from "../../core/faults.ts";
import { skipPositions } from "../../events/events.sql.ts";
import { dropRestoredJobs } from "../../floor/printing/print_jobs.sql.ts";
import { endAllSessions } from "../../identity/sessions/sessions.sql.ts";
import { endInvitationLinks } from "../../identity/users/invitations.sql.ts";
import { deleteLinks } from "../../identity/users/users.sql.ts";
import { countQueuedReports, skipHeldReports } from "../../platforms/shipment_updates/shipment_updates.sql.ts";
import { queueShipmentUpdates } from "../../platforms/shipment_updates/shipment_updates.ts";
import { pauseStock } from "../../platforms/stock_updates/stock_updates.sql.ts";
import { countBeingBought, lockHeldPurchases, purchaseQueue } from "../../shipping/labels/label_purchases.sql.ts";
import { recordFailed } from "../../shipping/labels/label_purchases.ts";
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

/** How far each restore advances every number: more than can be assigned between a backup and a disaster. */
const advanced_each = 1_000_000;

/** The origin of restored data. */
interface RestoredFrom {
  readonly archive: string;
  /** The time (ms) of this environment's data. */
  readonly as_of: number;
  /**
   * Which restore of a backup in the same place it is, counted from 1. Each one skips the numbers that an earlier one
   * may have assigned.
   */
  readonly nth: number;
}

/** The result of marking an environment as restored. */
export interface MarkedRestore extends PendingAtRestore {
  /** Number of sessions ended. */
  readonly ended_sessions: number;
  /** Number of shops to which stock is no longer pushed, until someone resumes it. */
  readonly paused_shops: number;
  /** How far every number was advanced. */
  readonly advanced_by: number;
}

/**
 * Marks an environment as restored, before it is served: advances every number by a million per restore of a backup in
 * the same place, ends sessions and links, pauses pushing stock to shops, and holds everything that was about to be
 * sent. Calling it again after an interruption only advances the numbers once more.
 */
export async function markRestored(store: Store, from: RestoredFrom): Promise<MarkedRestore> {
  const begun = await store.write((tx) => begin(tx, from));
  // Events that were not queued yet at the time of the backup may have been sent since, so they are held as well.
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
  const { ended_sessions, paused_shops, advanced_by } = begun;
  return { ...waiting, ended_sessions, paused_shops, advanced_by };
}

async function begin(tx: Tx, { archive, as_of, nth }: RestoredFrom) {
  const advanced_by = nth * advanced_each;
  await advanceSequences(tx, advanced_by);
  const withdrawn_mails = (await withdrawMails(tx)) + (await endInvitationLinks(tx));
  const ended_sessions = await endAllSessions(tx);
  // The stock of the backup lacks what was received and sold since.
  const paused_shops = await pauseStock(tx);
  await dropRestoredJobs(tx);
  await deleteLinks(tx, "setup", null);
  await deleteLinks(tx, "reset", null);
  const { id } = await insertRestoration(tx, {
    archive,
    as_of,
    restored_at: tx.now,
    advanced_by,
    waiting_deliveries: 0,
    waiting_reports: 0,
    waiting_purchases: 0,
    withdrawn_mails,
    decision: null,
    decided_at: null,
    decided_by: null,
    settled_at: null,
  });
  const places = { subscription_id: null, ...(await skipPositions(tx, advanced_by)) };
  const numbers = await skipNumbers(tx, advanced_by);
  await insertGaps(
    tx,
    [places, ...numbers].map((gap) => ({ restoration_id: id, ...gap })),
  );
  return { id, withdrawn_mails, ended_sessions, paused_shops, advanced_by };
}

/** The job that carries out the decision. */
const settling_job = "backups.settle_restored";

/**
 * Decides to send or discard everything held since a restore; a job carries it out. The same decision can be repeated.
 * Refuses: invalid_state_transition, if nothing is held or another decision was made.
 */
export async function decide(tx: Tx, decision: Decision, decided_by: string): Promise<Restoration> {
  const restoration = await lockUnsettled(tx);
  const [last] = restoration === null ? await listRestorations(tx) : [];
  if (last?.decision === decision) return last;
  if (restoration === null) {
    throw new Fault("invalid_state_transition", "Nothing is held: this environment has no undecided restore.", {
      action: decision,
    });
  }
  if (restoration.decision !== null && restoration.decision !== decision) {
    throw new Fault("invalid_state_transition", `The decision has already been made: ${restoration.decision}.`, {
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

/** Carries out a part of the decision. Returns whether there is more to do. */
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
        `It was being bought at the time of the restored backup, and was dropped.${reference} Check with the carrier` +
        ` ${label.carrier} whether it was bought, and request a refund if so.`;
      await recordFailed(tx, label, { code: "dropped_after_restore", message, known: false });
    }
    if (labels.length === settled_together_max) return true;
  }
  await saveSettled(tx);
  tx.wake(purchaseQueue.job, tx.now);
  tx.wake("platforms.report", tx.now);
  return false;
}
