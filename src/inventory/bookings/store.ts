import { and, sql } from "drizzle-orm";
import { among, list } from "../../../db/kit.ts";
import { reservations } from "../../../db/schema/reservations.ts";
import { type Args, prepared } from "../../database/statements.ts";
import type { Tx, Writing } from "../../database/store.ts";
import type { ReservationStatus } from "../reservations/status.ts";

// The status is written out: a bound value that might bring a partial index into play makes SQLite plan at every run.
const expire = prepared((tx: Writing, a: Args<{ ids: string; now: number; status: ReservationStatus }>) =>
  tx
    .update(reservations)
    .set({ status: sql`${a.status}` })
    .where(
      and(
        among(reservations.id, a.ids),
        sql`${reservations.status} = 'reserved' and ${reservations.expires_at} <= ${a.now}`,
      ),
    )
    .returning({ id: reservations.id }),
);

/** Stores the state of these reservations past their time; answers which had not ended in another way before. */
export async function saveExpired(tx: Tx, ids: readonly number[], status: ReservationStatus): Promise<number[]> {
  const rows = await expire(tx, { ids: list(ids), now: tx.now, status });
  return rows.map(({ id }) => id);
}
