import { and, asc, eq, gt, inArray, isNotNull, isNull, lte, not, sql } from "drizzle-orm";
import { among, eachOf, isOneOf, list } from "../../../db/kit.ts";
import { addresses } from "../../../db/schema/customers.ts";
import { merchants } from "../../../db/schema/merchants.ts";
import { order_holds, order_lines, orders } from "../../../db/schema/orders.ts";
import { products } from "../../../db/schema/products.ts";
import { suspendedStatuses } from "../../merchants/merchant.transitions.ts";
import { orderable } from "../../products/product.ts";
import type { Db, Tx, WriteStatements } from "../../storage/database.ts";
import { insertIds, prepared, type StatementArgs } from "../../storage/statements.ts";
import { addressHoldReasons, openStatuses, unpackedStatuses } from "../order.transitions.ts";
import type { OrderHold } from "../order.ts";

type OrderHoldRow = typeof order_holds.$inferSelect;

/** Stores a new hold of an order and returns it. */
export async function insertHold(tx: Tx, order_id: number, hold: Omit<OrderHold, "id">): Promise<OrderHold> {
  const { reason, note, hold_until, reserve_inventory, created_at } = hold;
  const [id = 0] = await insertIds(tx, order_holds, [
    { order_id, reason, note, hold_until, reserve_inventory, created_at },
  ]);
  return { ...hold, id };
}

const save = prepared(
  (sql: WriteStatements, a: StatementArgs<Pick<OrderHoldRow, "id" | "note" | "hold_until" | "reserve_inventory">>) =>
    sql
      .update(order_holds)
      .set({ note: a.note, hold_until: a.hold_until, reserve_inventory: a.reserve_inventory })
      .where(eq(order_holds.id, a.id)),
);

/** Stores a hold that was placed again. */
export async function saveHold(tx: Tx, { id, note, hold_until, reserve_inventory }: OrderHold): Promise<void> {
  await save(tx, { id, note, hold_until, reserve_inventory });
}

const close = prepared((sql: WriteStatements, a: StatementArgs<{ ids: string; released_at: number }>) =>
  sql.update(order_holds).set({ released_at: a.released_at }).where(among(order_holds.id, a.ids)),
);

/** Ends holds; their rows stay. */
export async function closeHolds(tx: Tx, holds: readonly OrderHold[]): Promise<void> {
  if (holds.length > 0) await close(tx, { ids: list(holds.map(({ id }) => id)), released_at: tx.now });
}

/** Whether an order has had a hold with this id, open or not. */
export async function hasHadHold(db: Db, order_id: number, id: number): Promise<boolean> {
  return (await db.sql.$count(order_holds, and(eq(order_holds.order_id, order_id), eq(order_holds.id, id)))) > 0;
}

const timed = and(isNull(order_holds.released_at), isNotNull(order_holds.hold_until));

/** IDs of orders with a due hold, longest due first. */
export async function listOrdersWithDueHolds(db: Db, limit: number): Promise<number[]> {
  const rows = await db.sql
    .select({ order_id: order_holds.order_id })
    .from(order_holds)
    .where(and(timed, lte(order_holds.hold_until, db.now)))
    .orderBy(asc(order_holds.hold_until), asc(order_holds.id))
    .limit(limit);
  return [...new Set(rows.map((row) => row.order_id))];
}

/** When the next hold ends automatically (ms); null when none does. */
export async function nextHoldEnd(db: Db): Promise<number | null> {
  const [row] = await db.sql
    .select({ at: order_holds.hold_until })
    .from(order_holds)
    .where(and(timed, gt(order_holds.hold_until, db.now)))
    .orderBy(asc(order_holds.hold_until))
    .limit(1);
  return row?.at ?? null;
}

// Written out, since only then does SQLite use the index of these holds.
const forRecall = sql`${order_holds.released_at} is null and ${order_holds.reason} = 'recalled_lot'`;
const recalled = prepared((select, _: StatementArgs<object>) =>
  select
    .select({ order_id: order_holds.order_id })
    .from(order_holds)
    .where(forRecall)
    .orderBy(asc(order_holds.order_id)),
);

/** The ids of orders that are held for a recalled lot. */
export async function listOrdersHeldForRecall(db: Db): Promise<number[]> {
  return (await recalled(db, {})).map(({ order_id }) => order_id);
}

const forMerchant = sql`${order_holds.released_at} is null and ${order_holds.reason} = 'merchant_suspended'`;
const isOfSuspended = sql`${orders.merchant_id} in (
  select ${merchants.id} from ${merchants} where ${isOneOf(merchants.status, suspendedStatuses)}
)`;
const isHeldForMerchant = sql`exists (
  select 1 from ${order_holds} where ${order_holds.order_id} = ${orders.id} and ${forMerchant}
)`;

/**
 * IDs of orders to hold since their merchant is suspended, and of those held for that although their merchant is not,
 * oldest first.
 */
export async function listOrdersToSettle(db: Db, limit: number): Promise<number[]> {
  const toHold = await db.sql
    .select({ order_id: orders.id })
    .from(orders)
    .where(and(isOfSuspended, isOneOf(orders.status, openStatuses), not(isHeldForMerchant)))
    .orderBy(asc(orders.id))
    .limit(limit);
  const toLift = await db.sql
    .select({ order_id: order_holds.order_id })
    .from(order_holds)
    .innerJoin(orders, eq(orders.id, order_holds.order_id))
    .where(and(forMerchant, not(isOfSuspended)))
    .orderBy(asc(order_holds.order_id))
    .limit(limit);
  return [...toHold, ...toLift].map(({ order_id }) => order_id);
}

const forGoods = sql`${order_holds.released_at} is null and ${order_holds.reason} = 'unknown_sku'`;
const inactive = sql`not ${isOneOf(products.status, [orderable])}`;
const openLine = sql`${order_lines.order_id} = ${order_holds.order_id}
  and ${order_lines.quantity} > ${order_lines.quantity_cancelled} + ${order_lines.quantity_shipped}`;

/** IDs of orders that are held for unknown SKUs although all their products are active by now, oldest first. */
export async function listOrdersWithGoods(db: Db, limit: number): Promise<number[]> {
  const ofLine = sql`exists (select 1 from ${order_lines} join ${products} on ${products.id} = ${order_lines.product_id}
    where ${openLine} and ${inactive})`;
  const ofPart = sql`exists (select 1 from ${order_lines} cross join ${eachOf(order_lines.components)}
    join ${products} on ${products.id} = cast(part.value ->> 'product_id' as bigint)
    where ${openLine} and ${inactive})`;
  const rows = await db.sql
    .select({ order_id: order_holds.order_id })
    .from(order_holds)
    .where(and(forGoods, not(ofLine), not(ofPart)))
    .orderBy(asc(order_holds.order_id))
    .limit(limit);
  return rows.map(({ order_id }) => order_id);
}

const forAddress = sql`${order_holds.released_at} is null and ${isOneOf(order_holds.reason, addressHoldReasons)}`;

/** The addresses of open orders that are held for a bad address, as their customers have them now. */
export async function listHeldAddresses(
  db: Db,
): Promise<{ order_id: number; address: typeof addresses.$inferSelect }[]> {
  return db.sql
    .select({ order_id: orders.id, address: addresses })
    .from(order_holds)
    .innerJoin(orders, eq(orders.id, order_holds.order_id))
    .innerJoin(
      addresses,
      and(eq(addresses.id, orders.shipping_address_id), eq(addresses.customer_id, orders.customer_id)),
    )
    .where(and(forAddress, inArray(orders.status, unpackedStatuses)))
    .orderBy(asc(orders.id));
}
