import { and, eq, isNull, sql } from "drizzle-orm";
import { amongTexts, list } from "../../../../db/kit.ts";
import { reservations } from "../../../../db/schema/reservations.ts";
import { type Args, insertIds, prepared } from "../../../database/statements.ts";
import type { Db, Tx } from "../../../database/store.ts";
import type { Reservation } from "../../reservations/reservation.ts";

/** Stores new reservations and answers their ids. */
export async function insertReservations(tx: Tx, rows: readonly Omit<Reservation, "id">[]): Promise<number[]> {
  return insertIds(tx, reservations, rows);
}

const adoptables = prepared((select, a: Args<{ order_refs: string; source: string; now: number }>) =>
  select
    .select({ order_ref: reservations.order_ref })
    .from(reservations)
    .where(
      and(
        amongTexts(reservations.order_ref, a.order_refs),
        eq(reservations.source, a.source),
        sql`${reservations.status} = 'reserved'`,
        isNull(reservations.order_id),
        sql`${reservations.expires_at} > ${a.now}`,
      ),
    ),
);

/** Those of these order numbers for which a client has made an open reservation already. */
export async function findAdoptableRefs(db: Db, order_refs: readonly string[], source: string): Promise<Set<string>> {
  const rows = await adoptables(db, { order_refs: list(order_refs), source, now: db.now });
  return new Set(rows.map(({ order_ref }) => order_ref));
}
