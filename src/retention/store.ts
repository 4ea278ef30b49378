import { eq } from "drizzle-orm";
import { retention_settings } from "../../db/schema/privacy.ts";
import type { Db, Tx } from "../database/store.ts";
import {
  type Retention,
  type RetentionChange,
  type RetentionFlags,
  type RetentionKind,
  retentionKinds,
  usualRetention,
} from "./rules.ts";

/** For how long each kind of record is kept in this world. */
export async function retentionIn(db: Db, flags: RetentionFlags): Promise<Retention> {
  const rows = await db.sql.select().from(retention_settings);
  const set = rows.filter(({ days }) => days !== null).map(({ kind, days }) => [kind, days]);
  return { ...usualRetention(flags), ...(Object.fromEntries(set) as Partial<Retention>) };
}

/** Stores a change. */
export async function saveRetention(tx: Tx, change: RetentionChange): Promise<void> {
  for (const kind of retentionKinds) {
    const days = change[kind];
    if (days === undefined) continue;
    await tx.sql
      .insert(retention_settings)
      .values({ kind, days, swept_until: null })
      .onConflictDoUpdate({ target: retention_settings.kind, set: { days } });
  }
}

/** Up to which moment records of a kind were forgotten, in milliseconds. */
export async function sweptUntil(db: Db, kind: RetentionKind): Promise<number> {
  const [row] = await db.sql.select().from(retention_settings).where(eq(retention_settings.kind, kind));
  return row?.swept_until ?? 0;
}

/** Stores up to which moment records of a kind were forgotten. */
export async function saveSwept(tx: Tx, kind: RetentionKind, swept_until: number): Promise<void> {
  await tx.sql.update(retention_settings).set({ swept_until }).where(eq(retention_settings.kind, kind));
}
