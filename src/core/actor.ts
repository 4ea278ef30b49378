// In its own file since every feature that records changes imports it.
export const actorTypes = ["api_key", "user", "system", "carrier", "platform"] as const;
export type ActorType = (typeof actorTypes)[number];

/**
 * The actor of a change, as history and stock movements store it. `id` is `key_1001`, `usr_1`, or the name of a job or
 * carrier.
 */
export interface Actor {
  readonly type: ActorType;
  readonly id: string;
  readonly name: string;
  /** The request that caused the change; null for scheduled jobs. */
  readonly request_id: string | null;
}

/** The system as an actor, identified by its job. */
export function systemActor(job: string): Actor {
  return { type: "system", id: job, name: "Packhouse", request_id: null };
}
