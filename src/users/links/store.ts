import { and, eq, lte } from "drizzle-orm";
import { one_time_links } from "../../../db/schema/users.ts";
import type { Db, Tx } from "../../database/store.ts";

/** A link that can be used once. */
export interface OneTimeLink {
  readonly hash: string;
  readonly purpose: "setup" | "reset";
  readonly user_id: number | null;
  readonly created_at: number;
  readonly expires_at: number;
}

/** The links for a purpose that have not expired. */
export async function listLinks(db: Db, purpose: OneTimeLink["purpose"]): Promise<OneTimeLink[]> {
  const rows = await db.sql.select().from(one_time_links).where(eq(one_time_links.purpose, purpose));
  return rows.filter(({ expires_at }) => expires_at > db.now);
}

/** Stores a new link, and deletes those that have expired. */
export async function insertLink(tx: Tx, link: OneTimeLink): Promise<void> {
  await tx.sql.delete(one_time_links).where(lte(one_time_links.expires_at, tx.now));
  await tx.sql.insert(one_time_links).values(link);
}

/** Uses up the links for a purpose, of one user if given: none of them is valid any more. */
export async function deleteLinks(tx: Tx, purpose: OneTimeLink["purpose"], user_id: number | null): Promise<void> {
  const whose = user_id === null ? undefined : eq(one_time_links.user_id, user_id);
  await tx.sql.delete(one_time_links).where(and(eq(one_time_links.purpose, purpose), whose));
}
