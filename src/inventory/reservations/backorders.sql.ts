import { and, asc, desc, eq, lt, sql } from "drizzle-orm";
import { among, isOneOf, list, opaque } from "../../../db/kit.ts";
import { stock_items } from "../../../db/schema/inventory.ts";
import { products } from "../../../db/schema/products.ts";
import { allocations, claim_news, reservation_lines, reservations } from "../../../db/schema/reservations.ts";
import { bins } from "../../../db/schema/warehouses.ts";
import type { Db, Tx, WriteStatements } from "../../storage/database.ts";
import { insert, prepared, type StatementArgs } from "../../storage/statements.ts";
import { type AllocationChangeKind, reservationTransitions } from "../inventory.transitions.ts";
import type { AvoidedItem, ReservationLine } from "./reservation.ts";

/** The place of a line in the queue for stock: higher priority first, then older. */
export interface BackorderRank {
  readonly priority: number;
  readonly created_at: number;
  readonly line_id: number;
}

/** A line that waits for stock, with its reservation's constraints on the choice. */
export interface BackorderedLine extends ReservationLine {
  readonly order_id: number | null;
  readonly avoids: readonly AvoidedItem[] | null;
  readonly priority: number;
  readonly created_at: number;
  readonly warehouse_id: number | null;
  readonly requires_cold_storage: boolean;
}

// A line with its reservation's place in the queue and its constraints on the stock.
const queuedLine = {
  id: reservation_lines.id,
  merchant_id: reservation_lines.merchant_id,
  reservation_id: reservation_lines.reservation_id,
  product_id: reservation_lines.product_id,
  order_line_id: reservation_lines.order_line_id,
  quantity: reservation_lines.quantity,
  wanted: reservation_lines.wanted,
  reserved: reservation_lines.reserved,
  picked: reservation_lines.picked,
  priority: reservations.priority,
  created_at: reservations.created_at,
  warehouse_id: reservations.warehouse_id,
  requires_cold_storage: reservations.requires_cold_storage,
  order_id: reservations.order_id,
  avoids: reservations.avoids,
};

const open = isOneOf(reservations.status, [...reservationTransitions.commit.from, reservationTransitions.commit.to]);
const waiting = prepared(
  (
    select,
    a: StatementArgs<{
      product_id: number;
      now: number;
      rank: number;
      created_at: number;
      line_id: number;
      limit: number;
    }>,
  ) =>
    select
      .select({
        ...queuedLine,
      })
      .from(reservation_lines)
      .innerJoin(reservations, eq(reservations.id, reservation_lines.reservation_id))
      .where(
        and(
          eq(reservation_lines.product_id, a.product_id),
          lt(reservation_lines.reserved, reservation_lines.wanted),
          open,
          eq(reservations.paused, false),
          sql`(${reservations.expires_at} is null or ${reservations.expires_at} > ${a.now})`,
          sql`(-${reservations.priority}, ${reservations.created_at}, ${reservation_lines.id})
            > (${a.rank}, ${a.created_at}, ${a.line_id})`,
        ),
      )
      .orderBy(desc(reservations.priority), asc(reservations.created_at), asc(reservation_lines.id))
      .limit(opaque(a.limit)),
);

/** Lines that wait for a product after a place in the queue: highest priority first, then oldest. */
export async function listBackorderedLines(
  db: Db,
  product_id: number,
  after: BackorderRank | null,
  limit: number,
): Promise<BackorderedLine[]> {
  const { priority, created_at, line_id } = after ?? { priority: Number.MAX_SAFE_INTEGER, created_at: 0, line_id: 0 };
  return waiting(db, { product_id, now: db.now, rank: -priority, created_at, line_id, limit });
}

/** IDs of the products with backordered lines and with unreserved units that might fill them. */
export async function listBackorderedProducts(db: Db): Promise<number[]> {
  const rows = await db.sql
    .selectDistinct({ id: reservation_lines.product_id })
    .from(reservation_lines)
    .innerJoin(reservations, eq(reservations.id, reservation_lines.reservation_id))
    .innerJoin(stock_items, eq(stock_items.product_id, reservation_lines.product_id))
    .innerJoin(bins, eq(bins.id, stock_items.bin_id))
    .where(
      and(
        lt(reservation_lines.reserved, reservation_lines.wanted),
        open,
        eq(reservations.paused, false),
        sql`${stock_items.on_hand} > 0 and ${stock_items.on_hand} > ${stock_items.reserved}`,
        eq(bins.kind, "storage"),
      ),
    )
    .orderBy(asc(reservation_lines.product_id));
  return rows.map(({ id }) => id);
}

/** A line that holds units of a stock item. */
export interface AllocationHolder extends BackorderedLine {
  readonly order_ref: string;
  readonly allocation_id: number;
  readonly held: number;
}

/**
 * Lines that hold units of a stock item, in the order in which they lose them: lowest priority, then youngest first.
 */
export async function listAllocationHolders(db: Db, stock_item_id: number, limit: number): Promise<AllocationHolder[]> {
  return db.sql
    .select({
      ...queuedLine,
      order_ref: reservations.order_ref,
      allocation_id: allocations.id,
      held: allocations.quantity,
    })
    .from(allocations)
    .innerJoin(reservation_lines, eq(reservation_lines.id, allocations.reservation_line_id))
    .innerJoin(reservations, eq(reservations.id, reservation_lines.reservation_id))
    .where(eq(allocations.stock_item_id, stock_item_id))
    .orderBy(asc(reservations.priority), desc(reservations.created_at), desc(reservation_lines.id))
    .limit(limit);
}

/** What stock may be chosen for a backordered line. */
export interface BackorderChoice {
  readonly warehouse_id: number | null;
  readonly requires_cold_storage: boolean;
  readonly avoids: readonly AvoidedItem[] | null;
}

const choices = prepared(
  (select, a: StatementArgs<{ product_id: number; now: number; rank: number; created_at: number; line_id: number }>) =>
    select
      .selectDistinct({
        warehouse_id: reservations.warehouse_id,
        requires_cold_storage: reservations.requires_cold_storage,
        // As text, since PostgreSQL cannot compare JSON values.
        avoids: sql<string | null>`cast(${reservations.avoids} as text)`,
      })
      .from(reservation_lines)
      .innerJoin(reservations, eq(reservations.id, reservation_lines.reservation_id))
      .where(
        and(
          eq(reservation_lines.product_id, a.product_id),
          lt(reservation_lines.reserved, reservation_lines.wanted),
          open,
          eq(reservations.paused, false),
          sql`(${reservations.expires_at} is null or ${reservations.expires_at} > ${a.now})`,
          sql`(-${reservations.priority}, ${reservations.created_at}, ${reservation_lines.id})
            > (${a.rank}, ${a.created_at}, ${a.line_id})`,
        ),
      ),
);

/**
 * The distinct constraints of lines that wait for a product after a place in the queue: few, however many lines wait.
 */
export async function listBackorderChoices(
  db: Db,
  product_id: number,
  after: BackorderRank,
): Promise<BackorderChoice[]> {
  const { priority, created_at, line_id } = after;
  const rows = await choices(db, { product_id, now: db.now, rank: -priority, created_at, line_id });
  return rows.map((row) => ({ ...row, avoids: row.avoids === null ? null : JSON.parse(row.avoids) }));
}

/** What happened to some units of an order's allocation. */
interface AllocationChange {
  readonly order_id: number;
  readonly product_id: number;
  readonly kind: AllocationChangeKind;
  readonly quantity: number;
}

/** Records what happened to an order's allocation, until the order has handled it. */
export async function insertAllocationChange(tx: Tx, change: AllocationChange): Promise<void> {
  await insert(tx, claim_news, [{ ...change, created_at: tx.now }]);
}

const inQueue = prepared((select, a: StatementArgs<{ limit: number }>) =>
  select.select({ order_id: claim_news.order_id }).from(claim_news).orderBy(asc(claim_news.id)).limit(opaque(a.limit)),
);

/** Orders with allocation changes to handle, those that have waited longest first. */
export async function listOrdersWithAllocationChanges(db: Db, limit: number): Promise<number[]> {
  return [...new Set((await inQueue(db, { limit })).map(({ order_id }) => order_id))];
}

const ofOrder = prepared((select, a: StatementArgs<{ order_id: number }>) =>
  select
    .select({ id: claim_news.id, kind: claim_news.kind, quantity: claim_news.quantity, sku: products.sku })
    .from(claim_news)
    .innerJoin(products, eq(products.id, claim_news.product_id))
    .where(eq(claim_news.order_id, opaque(a.order_id)))
    .orderBy(asc(claim_news.id)),
);
const forget = prepared((tx: WriteStatements, a: StatementArgs<{ ids: string }>) =>
  tx.delete(claim_news).where(among(claim_news.id, a.ids)),
);

/**
 * Takes and deletes the changes of an order's allocation, oldest first: each is handled once. The order's row is
 * locked.
 */
export async function takeAllocationChanges(tx: Tx, order_id: number) {
  const changes = await ofOrder(tx, { order_id });
  if (changes.length > 0) await forget(tx, { ids: list(changes.map(({ id }) => id)) });
  return changes;
}
