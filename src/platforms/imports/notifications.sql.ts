import { and, eq, lt } from "drizzle-orm";
import { platform_notifications } from "../../../db/schema/platforms.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { deleteBatch } from "../../storage/row_batches.ts";
import { prepared, type StatementArgs } from "../../storage/statements.ts";

const storedAnswer = prepared((sql, a: StatementArgs<{ connection_id: number; dedupe_key: string }>) =>
  sql
    .select({ answer: platform_notifications.answer })
    .from(platform_notifications)
    .where(
      and(
        eq(platform_notifications.connection_id, a.connection_id),
        eq(platform_notifications.dedupe_key, a.dedupe_key),
      ),
    ),
);

/** Finds the stored response to a notification, as JSON; null when the notification is new. */
export async function findAnswer(db: Db, connection_id: number, dedupe_key: string): Promise<string | null> {
  const [row] = await storedAnswer(db, { connection_id, dedupe_key });
  return row?.answer ?? null;
}

/** Inserts a notification with its response; false if it is stored already. */
export async function insertNotification(
  tx: Tx,
  row: Omit<typeof platform_notifications.$inferInsert, "id" | "created_at">,
): Promise<boolean> {
  const inserted = await tx.sql
    .insert(platform_notifications)
    .values({ ...row, created_at: tx.now })
    .onConflictDoNothing({ target: [platform_notifications.connection_id, platform_notifications.dedupe_key] })
    .returning({ id: platform_notifications.id });
  return inserted.length === 1;
}

/** Deletes up to `limit` notifications created before a time (ms), and returns how many. */
export async function deleteNotifications(tx: Tx, before: number, limit: number): Promise<number> {
  const { created_at } = platform_notifications;
  return deleteBatch(tx, platform_notifications, { where: lt(created_at, before), by: [created_at], limit });
}
