import { Type } from "@sinclair/typebox";
import { and, eq, gte, isNotNull, isNull, lt, not } from "drizzle-orm";
import { forUpdate, isOneOf } from "../../db/kit.ts";
import { notices } from "../../db/schema/webhooks.ts";
import { unsentMails } from "../core/email.ts";
import { missing } from "../core/faults.ts";
import { readId } from "../core/ids.ts";
import { choice } from "../core/schema.ts";
import { minute_ms } from "../core/time.ts";
import type { Db, Tx } from "../storage/database.ts";
import { queueOf } from "../storage/queue.ts";
import { equals, filter, recordList } from "../storage/record_list.ts";
import { deleteBatch } from "../storage/row_batches.ts";
import { insert } from "../storage/statements.ts";
import type { OperatorNotice } from "./notice.ts";
import { noticeKinds } from "./webhooks.transitions.ts";

/** Notices, newest first. */
export const noticeList = recordList(notices, {
  filters: {
    kind: equals(notices.kind, choice(noticeKinds, { description: "Only notices of these kinds." })),
    acknowledged: filter(Type.Boolean({ description: "False: only unacknowledged notices." }), (acknowledged) =>
      acknowledged ? isNotNull(notices.acknowledged_at) : isNull(notices.acknowledged_at),
    ),
  },
});

/** Whether there is a notice of this kind about a subscription, or about none, since a time (ms). */
export async function isNoticed(
  db: Db,
  { subscription_id, kind, since }: Pick<OperatorNotice, "subscription_id" | "kind"> & { readonly since: number },
): Promise<boolean> {
  const about =
    subscription_id === null ? isNull(notices.subscription_id) : eq(notices.subscription_id, subscription_id);
  const own = and(about, eq(notices.kind, kind));
  return (await db.sql.$count(notices, and(own, gte(notices.created_at, since)))) > 0;
}

/** Locks the notice with a wire id. Refuses: resource_missing. */
export async function lockNotice(tx: Tx, id: string): Promise<OperatorNotice> {
  const query = tx.sql
    .select()
    .from(notices)
    .where(eq(notices.id, readId("notice", id) ?? 0));
  const [row] = await forUpdate(query);
  if (row === undefined) throw missing("notice", id);
  return row;
}

/** Stores when a notice was acknowledged. */
export async function saveAcknowledged(tx: Tx, id: number, acknowledged_at: number): Promise<void> {
  await tx.sql.update(notices).set({ acknowledged_at }).where(eq(notices.id, id));
}

/** Stores notices. */
export async function insertNotices(tx: Tx, rows: readonly Omit<OperatorNotice, "id">[]): Promise<void> {
  await insert(tx, notices, rows);
}

const isWaiting = isOneOf(notices.mail_status, unsentMails);

/** The notices whose email is due. A claim of five minutes without a recorded result is due again. */
export const noticeMails = queueOf<OperatorNotice>(notices, {
  kind: "notices",
  job: "webhooks.mail",
  due: notices.mail_next_at,
  waiting: isWaiting,
  lease_ms: 5 * minute_ms,
});

/** Discards pending emails and returns how many. The notices stay. */
export async function withdrawMails(tx: Tx): Promise<number> {
  const taken = await tx.sql
    .update(notices)
    .set({ mail_status: "none", mail_next_at: null })
    .where(isWaiting)
    .returning({ id: notices.id });
  return taken.length;
}

/** Stores the status of a notice's email. */
export async function saveMail(
  tx: Tx,
  id: number,
  mail: Pick<OperatorNotice, "mail_status" | "mail_attempts" | "mail_next_at">,
): Promise<void> {
  await tx.sql.update(notices).set(mail).where(eq(notices.id, id));
}

/** Deletes up to `limit` notices older than a time (ms) without a pending email, and returns how many. */
export async function deleteNotices(tx: Tx, before: number, limit: number): Promise<number> {
  const where = and(lt(notices.created_at, before), not(isWaiting));
  return deleteBatch(tx, notices, { where, by: [notices.created_at], limit });
}
