import type { Actor } from "../kit/actor.ts";
import { iso } from "../kit/clock.ts";
import type { Cell } from "../kit/csv.ts";
import { wireId } from "../kit/ids.ts";
import type { Mode } from "../kit/mode.ts";

/** The further facts of an entry: no secrets, and no long texts. */
export type Facts = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** One act that is kept in the audit trail. */
export interface Act {
  readonly actor: Actor;
  readonly world: Mode;
  /** The name of the operation in the reference, or another act such as `signIn`. */
  readonly action: string;
  /** The record that was changed, by its id: `ord_7`, `usr_2`. */
  readonly targets: readonly string[];
  readonly ip: string | null;
  /** The HTTP status of the answer; null for acts on the command line. */
  readonly status: number | null;
  readonly facts: Facts;
}

/** An act as it is stored. */
export interface Entry extends Act {
  readonly id: number;
  readonly created_at: number;
}

/** The entry as the API shows it. */
export function entryView({ id, created_at, actor, world, action, targets, ip, status, facts }: Entry) {
  return {
    id: wireId("audit_entry", id),
    created_at: iso(created_at),
    actor: { type: actor.type, id: actor.id, name: actor.name },
    world,
    action,
    targets,
    request_id: actor.request_id,
    ip_address: ip,
    status,
    facts,
  };
}

export const entryColumns: readonly string[] = [
  ...["id", "created_at", "actor_type", "actor_id", "actor_name", "world", "action", "targets"],
  ...["request_id", "ip_address", "status", "facts"],
];

/** The entry as a row of a file. */
export function entryCells({ id, created_at, actor, world, action, targets, ip, status, facts }: Entry): Cell[] {
  const { type, id: actor_id, name, request_id } = actor;
  const who = [type, actor_id, name];
  const told = Object.keys(facts).length === 0 ? "" : JSON.stringify(facts);
  const what = [world, action, targets.join(" ")];
  return [wireId("audit_entry", id), iso(created_at), ...who, ...what, request_id, ip, status, told];
}
