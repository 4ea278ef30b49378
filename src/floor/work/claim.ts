import type { Actor, ActorType } from "../../core/actor.ts";
import { iso } from "../../core/clock.ts";
import { Fault } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import { type TaskKind, taskKinds } from "../floor.transitions.ts";

/** A task by its kind and by the wave or order that it is about. */
export interface TaskName {
  readonly kind: TaskKind;
  readonly subject_id: number;
}

/** A task that somebody works on until the lease ends. */
export interface WorkClaim extends TaskName {
  readonly id: number;
  readonly warehouse_id: number;
  readonly device: string;
  readonly actor_type: ActorType;
  readonly actor_id: string;
  readonly actor_name: string;
  readonly claimed_at: number;
  readonly expires_at: number;
}

/** A person or key at work, and the device in their hands; null if the request names none. */
export interface Worker {
  readonly actor: Actor;
  readonly device: string | null;
}

/** How long a claim lasts after the last scan. */
export const lease_ms = 15 * 60_000;
/** Scans renew a claim once this much of the lease is over, so that most of them write nothing. */
export const renewal_ms = 60_000;

const nouns = { pick: "wave", pack: "order", put_back: "order" } as const satisfies Record<TaskKind, "wave" | "order">;

/** The id of a task in the API: `pick_wav_4`, `put_back_ord_12`. */
export function taskId({ kind, subject_id }: TaskName): string {
  return `${kind}_${wireId(nouns[kind], subject_id)}`;
}

/** Reads the id of a task; null for any other text. */
export function readTaskId(text: string): TaskName | null {
  for (const kind of taskKinds) {
    if (!text.startsWith(`${kind}_`)) continue;
    const rest = text.slice(kind.length + 1);
    const subject_id = /^[a-z]+_\d+$/.test(rest) ? readId(nouns[kind], rest) : null;
    if (subject_id !== null) return { kind, subject_id };
  }
  return null;
}

/**
 * Whether a claim is the worker's own. A person may go on with another device; a key that several devices share is a
 * different worker on each.
 */
export function isOwn(claim: WorkClaim, { actor, device }: Worker): boolean {
  const isSame = claim.actor_type === actor.type && claim.actor_id === actor.id;
  return isSame && (actor.type === "user" || device === null || claim.device === device);
}

/** The refusal of work on a task that somebody else has. */
export function taskTaken(claim: WorkClaim): Fault {
  const until = iso(claim.expires_at);
  return new Fault("task_taken", `${claim.actor_name} is working on this task on ${claim.device} until ${until}.`, {
    task: taskId(claim),
    claim: claimView(claim),
  });
}

/** A claim as the API shows it. */
export function claimView({ device, actor_type, actor_id, actor_name, claimed_at, expires_at }: WorkClaim) {
  return {
    device,
    by: { type: actor_type, id: actor_id, name: actor_name },
    claimed_at: iso(claimed_at),
    expires_at: iso(expires_at),
  };
}
