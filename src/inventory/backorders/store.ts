import { and, eq, lt, sql } from "drizzle-orm";
import { reservation_lines, reservations } from "../../../db/schema/reservations.ts";
import { type Args, prepared } from "../../database/statements.ts";
import type { Db } from "../../database/store.ts";
import type { WaitingPlace } from "../reservations/store.ts";

/** What stock may be chosen for some of those who wait. */
export interface WaitingChoice {
  readonly warehouse_id: number | null;
  readonly requires_cold_storage: boolean;
}

const choices = prepared(
  (select, a: Args<{ product_id: number; now: number; rank: number; created_at: number; line_id: number }>) =>
    select
      .selectDistinct({
        warehouse_id: reservations.warehouse_id,
        requires_cold_storage: reservations.requires_cold_storage,
      })
      .from(reservation_lines)
      .innerJoin(reservations, eq(reservations.id, reservation_lines.reservation_id))
      .where(
        and(
          eq(reservation_lines.product_id, a.product_id),
          lt(reservation_lines.reserved, reservation_lines.wanted),
          sql`${reservations.status} in ('reserved', 'committed')`,
          eq(reservations.paused, false),
          sql`(${reservations.expires_at} is null or ${reservations.expires_at} > ${a.now})`,
          sql`(-${reservations.priority}, ${reservations.created_at}, ${reservation_lines.id})
            > (${a.rank}, ${a.created_at}, ${a.line_id})`,
        ),
      ),
);

/** The different choices of those who wait for a product after a place in the queue: a handful, however many wait. */
export async function listWaitingChoices(db: Db, product_id: number, after: WaitingPlace): Promise<WaitingChoice[]> {
  const { priority, created_at, line_id } = after;
  return choices(db, { product_id, now: db.now, rank: -priority, created_at, line_id });
}
