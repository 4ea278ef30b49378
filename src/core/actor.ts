export const actorTypes = ["api_key", "user", "system", "carrier", "platform"] as const;
export type ActorType = (typeof actorTypes)[number];

/** Who did something, as history and movements keep it; `id` is `key_1001`, `usr_1`, or a job's or carrier's name. */
export interface Actor {
  readonly type: ActorType;
  readonly id: string;
  readonly name: string;
  /** The request that asked for it; null for acts of the clock. */
  readonly request_id: string | null;
}

/** The system as an actor, named by its job. */
export function systemActor(job: string): Actor {
  return { type: "system", id: job, name: "Packhouse", request_id: null };
}
