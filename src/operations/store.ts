import { sql as template } from "drizzle-orm";
import type { Db } from "../database/store.ts";

/** Whether the database answers; it reads nothing. Refuses: storage_unavailable. */
export async function ping(db: Db): Promise<boolean> {
  const rows = await db.sql.select({ one: template`1` }).from(template`(select 1) as one`);
  return rows.length === 1;
}
