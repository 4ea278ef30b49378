import type { ActorType } from "../../src/core/actor.ts";
import { type Environment, environments } from "../../src/core/environment.ts";
import { id, index, int, json, oneOf, primaryKey, table, text, time } from "../kit.ts";
import { ownerOrOperator } from "./merchants.ts";

/** Actions by users and keys in both environments. Only the live store has rows. */
export const audit_entries = table(
  "audit_entries",
  {
    id: id(),
    merchant_id: ownerOrOperator(),
    created_at: time().notNull(),
    actor_type: text().$type<ActorType>().notNull(),
    actor_id: text().notNull(),
    actor_name: text().notNull(),
    mode: text().$type<Environment>().notNull(),
    /** The operation id, or another action such as `signIn`. */
    action: text().notNull(),
    /** Wire ids of the affected records, as in `audit_targets`. */
    targets: json<string[]>().notNull(),
    request_id: text(),
    ip: text(),
    /** The HTTP status of the response; null for actions on the command line. */
    status: int(),
    facts: json<Record<string, unknown>>().notNull(),
  },
  (t) => [
    index("audit_entries_time").on(t.created_at, t.id),
    index("audit_entries_actor").on(t.actor_id, t.created_at, t.id),
    index("audit_entries_action").on(t.action, t.created_at, t.id),
    oneOf("audit_entries", "mode", environments),
  ],
);

/** The affected records of entries, for lookups. */
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
