import { and, asc, eq, inArray, lte, min, sql as template } from "drizzle-orm";
import { skipLocked } from "../../../db/kit.ts";
import { notices } from "../../../db/schema/webhooks.ts";
import { insert } from "../../database/statements.ts";
import type { Db, Tx } from "../../database/store.ts";
import type { Notice } from "./notice.ts";

/** Stores notices. */
export async function insertNotices(tx: Tx, rows: readonly Omit<Notice, "id">[]): Promise<void> {
  await insert(tx, notices, rows);
}

// The condition of a partial index stands in the text, since the engines do not look into parameters.
const isWaiting = template`${notices.mail_status} = 'waiting'`;

/** The notices whose e-mail is due, oldest first, locked; those that others hold are left out. */
export async function lockDueMails(tx: Tx, limit: number): Promise<Notice[]> {
  return skipLocked(
    tx.sql
      .select()
      .from(notices)
      .where(and(isWaiting, lte(notices.mail_next_at, tx.now)))
      .orderBy(asc(notices.mail_next_at))
      .limit(limit),
  );
}

/** When the next e-mail is due, or null. */
export async function nextMailAt(db: Db): Promise<number | null> {
  const [row] = await db.sql
    .select({ at: min(notices.mail_next_at) })
    .from(notices)
    .where(isWaiting);
  return row?.at ?? null;
}

/** Keeps others from sending these e-mails until a moment. */
export async function leaseMails(tx: Tx, ids: readonly number[], until: number): Promise<void> {
  await tx.sql.update(notices).set({ mail_next_at: until }).where(inArray(notices.id, ids));
}

/** Stores where the e-mail of a notice stands. */
export async function saveMail(
  tx: Tx,
  id: number,
  mail: Pick<Notice, "mail_status" | "mail_attempts" | "mail_next_at">,
): Promise<void> {
  await tx.sql.update(notices).set(mail).where(eq(notices.id, id));
}
