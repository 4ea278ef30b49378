import type { ActorType } from "../../src/core/actor.ts";
import { type Environment, environments } from "../../src/core/environment.ts";
import { id, index, int, json, oneOf, primaryKey, table, text, time } from "../kit.ts";
import { ownerOrHouse } from "./merchants.ts";

/** Who did what, in either world; the rows lie in the live store alone. */
export const audit_entries = table(
  "audit_entries",
  {
    id: id(),
    merchant_id: ownerOrHouse(),
    created_at: time().notNull(),
    actor_type: text().$type<ActorType>().notNull(),
    actor_id: text().notNull(),
    actor_name: text().notNull(),
    world: text().$type<Environment>().notNull(),
    /** The operation, as the reference names it, or what else was done: `signIn`. */
    action: text().notNull(),
    /** What it was done to, as the wire names it; the same as in `audit_targets`. */
    targets: json<string[]>().notNull(),
    request_id: text(),
    ip: text(),
    /** The HTTP status of its answer; null for what was done on the command line. */
    status: int(),
    facts: json<Record<string, unknown>>().notNull(),
  },
  (t) => [
    index("audit_entries_time").on(t.created_at, t.id),
    index("audit_entries_actor").on(t.actor_id, t.created_at, t.id),
    index("audit_entries_action").on(t.action, t.created_at, t.id),
    oneOf("audit_entries", "world", environments),
  ],
);

/** By what an entry is found. */
export const audit_targets = table(
  "audit_targets",
  {
    target: text().notNull(),
    entry_id: int()
      .notNull()
      .references(() => audit_entries.id),
  },
  (t) => [primaryKey({ columns: [t.target, t.entry_id] }), index("audit_targets_entry").on(t.entry_id)],
);
