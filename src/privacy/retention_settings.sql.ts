import { eq } from "drizzle-orm";
import { retention_settings } from "../../db/schema/privacy.ts";
import type { Db, Tx } from "../storage/database.ts";
import {
  defaultRetention,
  type Retention,
  type RetentionChange,
  type RetentionFlags,
  type RetentionKind,
  retentionKinds,
} from "../storage/retention.ts";

/** For how long each kind of record is kept in this world. */
export async function retentionIn(db: Db, flags: RetentionFlags): Promise<Retention> {
  const rows = await db.sql.select().from(retention_settings);
  const set = rows.filter(({ days }) => days !== null).map(({ kind, days }) => [kind, days]);
  return { ...defaultRetention(flags), ...(Object.fromEntries(set) as Partial<Retention>) };
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

/** How far the forgetting of a kind has come. */
interface Sweep {
  /** Records of before this moment (ms) have been forgotten. */
  readonly swept_until: number;
  /** The last record that the round under way has looked at; null when none is under way. */
  readonly round: SweepPosition | null;
}

/** A record by a moment and its id. */
export type SweepPosition = readonly [at: number, id: number];

/** How far the forgetting of a kind has come. */
export async function sweepOf(db: Db, kind: RetentionKind): Promise<Sweep> {
  const [row] = await db.sql.select().from(retention_settings).where(eq(retention_settings.kind, kind));
  const { swept_until = null, round_at = null, round_id = null } = row ?? {};
  return { swept_until: swept_until ?? 0, round: round_at === null ? null : [round_at, round_id ?? 0] };
}

/** Stores how far the forgetting of a kind has come. */
export async function saveSweep(tx: Tx, kind: RetentionKind, { swept_until, round }: Sweep): Promise<void> {
  const [round_at, round_id] = round ?? [null, null];
  await tx.sql
    .update(retention_settings)
    .set({ swept_until, round_at, round_id })
    .where(eq(retention_settings.kind, kind));
}
