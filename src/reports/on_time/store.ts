import { sql } from "drizzle-orm";
import { isOneOf } from "../../../db/kit.ts";
import { orders } from "../../../db/schema/orders.ts";
import { type Args, prepared } from "../../database/statements.ts";
import type { Db } from "../../database/store.ts";
import { orderMoves } from "../../orders/status.ts";
import type { Departure } from "../calendar.ts";

/** What became of the orders of a departure. */
interface Punctuality {
  readonly due: number;
  readonly on_time: number;
  /** Orders that have not left. */
  readonly open: number;
}

const figures = (a: { readonly deadline: unknown }) => ({
  due: sql<number>`count(*)`.mapWith(Number),
  on_time: sql<number>`count(case when ${orders.shipped_at} < ${a.deadline} then 1 end)`.mapWith(Number),
  open: sql<number>`count(case when ${orders.shipped_at} is null then 1 end)`.mapWith(Number),
});
const isCancelled = isOneOf(orders.status, [orderMoves.cancel.to]);
type Asked = Args<{ since: number; until: number; deadline: number }>;
const counted = (a: Asked) =>
  sql`${orders.created_at} >= ${a.since} and ${orders.created_at} < ${a.until} and not ${isCancelled}
    and ${orders.imported} = false`;
const ofAll = prepared((select, a: Asked) => select.select(figures(a)).from(orders).where(counted(a)));
const ofFirst = prepared((select, a: Asked & Args<{ id: number }>) =>
  select
    .select(figures(a))
    .from(orders)
    .where(sql`${counted(a)} and (${orders.warehouse_id} = ${a.id} or ${orders.warehouse_id} is null)`),
);
const ofOne = prepared((select, a: Asked & Args<{ id: number }>) =>
  select
    .select(figures(a))
    .from(orders)
    .where(sql`${counted(a)} and ${orders.warehouse_id} = ${a.id}`),
);

/**
 * What became of the orders that were to leave with a departure of a warehouse. An order that asks for no warehouse
 * counts with the first one.
 */
export async function punctualityOf(
  db: Db,
  { since, until, deadline }: Departure,
  warehouse: { readonly id: number; readonly isFirst: boolean; readonly isOnly: boolean },
): Promise<Punctuality> {
  const { id, isFirst, isOnly } = warehouse;
  const asked = { since, until, deadline };
  const [row] = isOnly ? await ofAll(db, asked) : await (isFirst ? ofFirst : ofOne)(db, { ...asked, id });
  return row ?? { due: 0, on_time: 0, open: 0 };
}
