// That a database came from a backup, and what that left out: numbers that are never given.
import { type Decision, decisions } from "../../src/operations/backups/backup_run.transitions.ts";
import { check, id, index, int, oneOf, table, text, time } from "../kit.ts";

/** Each time that this database was restored from a backup. */
export const restorations = table(
  "restorations",
  {
    id: id(),
    /** The file that it came from. */
    archive: text().notNull(),
    /** The moment as of which its records are those of before. */
    as_of: time().notNull(),
    restored_at: time().notNull(),
    /** By how much every number that is given was advanced. */
    advanced_by: int().notNull(),
    /** What waited to go out as of that moment, and waits for the decision. */
    waiting_deliveries: int().notNull(),
    waiting_reports: int().notNull(),
    waiting_purchases: int().notNull(),
    /** E-mails that were on their way as of that moment and were taken back. */
    withdrawn_mails: int().notNull(),
    /** What is to become of it; null until somebody has decided. */
    decision: text().$type<Decision>(),
    decided_at: time(),
    decided_by: text(),
    /** When the decision was carried out, or at once where nothing waited. Until then nothing of it goes out. */
    settled_at: time(),
  },
  () => [
    oneOf("restorations", "decision", decisions),
    check("restorations_decided", "(decision is null) = (decided_at is null)"),
  ],
);

/** Numbers that a restore left out, since the service may have given them before: from `first` to `last`. */
export const restoration_gaps = table(
  "restoration_gaps",
  {
    id: id(),
    restoration_id: int()
      .notNull()
      .references(() => restorations.id),
    /** The subscription whose deliveries are numbered; null for the places of events. */
    subscription_id: int(),
    first: int().notNull(),
    last: int().notNull(),
  },
  (t) => [
    index("restoration_gaps_subscription").on(t.subscription_id),
    check("restoration_gaps_order", "first <= last"),
  ],
);
