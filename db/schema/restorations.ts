// Restores of this database, and the numbers that they skipped.
import { type Decision, decisions } from "../../src/operations/backups/backup_run.transitions.ts";
import { check, id, index, int, oneOf, table, text, time } from "../kit.ts";

/** Restores of this database from a backup. */
export const restorations = table(
  "restorations",
  {
    id: id(),
    /** The backup file. */
    archive: text().notNull(),
    /** The time of the restored state. */
    as_of: time().notNull(),
    restored_at: time().notNull(),
    /** How far every sequence was advanced. */
    advanced_by: int().notNull(),
    /** Pending deliveries and reports of the restored state, which wait for the decision. */
    waiting_deliveries: int().notNull(),
    waiting_reports: int().notNull(),
    waiting_purchases: int().notNull(),
    /** Pending emails of the restored state, which were discarded. */
    withdrawn_mails: int().notNull(),
    /** Whether to send or discard them; null until decided. */
    decision: text().$type<Decision>(),
    decided_at: time(),
    decided_by: text(),
    /** When the decision was carried out. Until then nothing is sent. Set at once if nothing was pending. */
    settled_at: time(),
  },
  () => [
    oneOf("restorations", "decision", decisions),
    check("restorations_decided", "(decision is null) = (decided_at is null)"),
  ],
);

/** Numbers from `first` to `last` that a restore skipped, since they may have been assigned after the backup. */
export const restoration_gaps = table(
  "restoration_gaps",
  {
    id: id(),
    restoration_id: int()
      .notNull()
      .references(() => restorations.id),
    /** The subscription whose deliveries are numbered; null for positions of events. */
    subscription_id: int(),
    first: int().notNull(),
    last: int().notNull(),
  },
  (t) => [
    index("restoration_gaps_subscription").on(t.subscription_id),
    check("restoration_gaps_order", "first <= last"),
  ],
);
