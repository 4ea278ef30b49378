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

/** The retention times of this environment. */
export async function retentionIn(db: Db, flags: RetentionFlags): Promise<Retention> {
  const rows = await db.sql.select().from(retention_settings);
  const set = rows.filter(({ days }) => days !== null).map(({ kind, days }) => [kind, days]);
  return { ...defaultRetention(flags), ...(Object.fromEntries(set) as Partial<Retention>) };
}

/** Stores a change of the settings. */
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

/** The progress of deleting expired records of one kind. */
interface Sweep {
  /** Records from before this time (ms) are done. */
  readonly swept_until: number;
  /** The last record that the current round has examined; null if none is running. */
  readonly round: SweepPosition | null;
}

/** The position of a record: its time (ms) and id. */
export type SweepPosition = readonly [at: number, id: number];

/** Reads the progress for a kind. */
export async function sweepOf(db: Db, kind: RetentionKind): Promise<Sweep> {
  const [row] = await db.sql.select().from(retention_settings).where(eq(retention_settings.kind, kind));
  const { swept_until = null, round_at = null, round_id = null } = row ?? {};
  return { swept_until: swept_until ?? 0, round: round_at === null ? null : [round_at, round_id ?? 0] };
}

/** Stores the progress for a kind. */
export async function saveSweep(tx: Tx, kind: RetentionKind, { swept_until, round }: Sweep): Promise<void> {
  const [round_at, round_id] = round ?? [null, null];
  await tx.sql
    .update(retention_settings)
    .set({ swept_until, round_at, round_id })
    .where(eq(retention_settings.kind, kind));
}
