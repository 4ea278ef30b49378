import type { Tx } from "../../storage/database.ts";
import { isOwn, lease_ms, renewal_ms, type TaskName, taskTaken, type WorkClaim, type Worker } from "./claim.ts";
import { deleteClaim, insertClaim, lockClaim, saveClaim } from "./claims.sql.ts";

const heldBy = ({ actor, device }: Worker, now: number) => ({
  ...(device !== null && { device }),
  actor_type: actor.type,
  actor_id: actor.id,
  actor_name: actor.name,
  expires_at: now + lease_ms,
});

/**
 * Renews the claim of a task with a scan. Work on a task that nobody has claimed needs no claim.
 * Refuses: task_taken.
 */
export async function renewClaim(tx: Tx, task: TaskName, worker: Worker): Promise<void> {
  const claim = await lockClaim(tx, task);
  if (claim === null) return;
  if (!isOwn(claim, worker)) {
    if (claim.expires_at > tx.now) throw taskTaken(claim);
    return;
  }
  if (claim.expires_at - tx.now > lease_ms - renewal_ms) return;
  await saveClaim(tx, { ...claim, ...heldBy(worker, tx.now) });
}

/** Claims a task, or goes on with it. Returns null if somebody else has it. */
export async function tryClaim(
  tx: Tx,
  task: TaskName & { readonly warehouse_id: number },
  worker: Worker & { readonly device: string },
): Promise<WorkClaim | null> {
  const { kind, subject_id, warehouse_id } = task;
  const held = { device: worker.device, ...heldBy(worker, tx.now) };
  const claimed = await insertClaim(tx, { kind, subject_id, warehouse_id, claimed_at: tx.now, ...held });
  if (claimed !== null) return claimed;
  const claim = await lockClaim(tx, task);
  if (claim === null || !isOwn(claim, worker)) return null;
  const renewed = { ...claim, ...held };
  await saveClaim(tx, renewed);
  return renewed;
}

/** As `tryClaim`. Refuses: task_taken. */
export async function claimTask(
  tx: Tx,
  task: TaskName & { readonly warehouse_id: number },
  worker: Worker & { readonly device: string },
): Promise<WorkClaim> {
  const claim = await tryClaim(tx, task, worker);
  if (claim !== null) return claim;
  const other = await lockClaim(tx, task);
  // It ended in between.
  if (other === null) return claimTask(tx, task, worker);
  throw taskTaken(other);
}

/** Takes a task from whoever has it. */
export async function takeOverTask(
  tx: Tx,
  task: TaskName & { readonly warehouse_id: number },
  worker: Worker & { readonly device: string },
): Promise<WorkClaim> {
  await deleteClaim(tx, task);
  return claimTask(tx, task, worker);
}

/** Gives up a task. Giving up one that nobody has changes nothing. Refuses: task_taken. */
export async function releaseTask(tx: Tx, task: TaskName, worker: Worker): Promise<void> {
  const claim = await lockClaim(tx, task);
  if (claim === null) return;
  if (!isOwn(claim, worker) && claim.expires_at > tx.now) throw taskTaken(claim);
  await deleteClaim(tx, task);
}
