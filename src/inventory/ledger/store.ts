import { and, asc, desc, eq, gt, inArray, lt, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { lots, movements, stock_items } from "../../../db/schema/inventory.ts";
import { products } from "../../../db/schema/products.ts";
import { bins } from "../../../db/schema/warehouses.ts";
import { type Args, insertIds, prepared } from "../../database/statements.ts";
import type { Db, Tx, Writing } from "../../database/store.ts";
import type { Actor } from "../../kit/actor.ts";
import { assert } from "../../kit/assert.ts";
import { wireId } from "../../kit/ids.ts";
import type { Window } from "../../kit/page.ts";
import { type MovementType, type OutsidePlace, type ReferenceType, referenceTypes } from "../status.ts";
import type { Movement } from "./movement.ts";
import type { Spot, StockItem } from "./spot.ts";

/** What the list of movements may be narrowed to. */
export interface MovementFilter {
  readonly sku?: string | undefined;
  readonly type?: MovementType | undefined;
  /** Units left this warehouse or came to it. */
  readonly warehouse_id?: number | undefined;
  /** Units left this bin or came to it. */
  readonly bin?: string | undefined;
  readonly lot_number?: string | undefined;
  readonly reason?: string | undefined;
  /** The identifier of what caused it. */
  readonly reference?: string | undefined;
  /** Who did it. */
  readonly actor?: string | undefined;
  /** Both moments in milliseconds, and neither is itself among them. */
  readonly created_after?: number | undefined;
  readonly created_before?: number | undefined;
}

function matching(db: Db, filter: MovementFilter): SQL | undefined {
  const { sku, type, lot_number, reason, reference, actor, created_after, created_before } = filter;
  const named = db.sql
    .select({ id: products.id })
    .from(products)
    .where(eq(products.sku, sku ?? ""));
  const ofLot = db.sql
    .select({ id: lots.id })
    .from(lots)
    .where(eq(lots.lot_number, lot_number ?? ""));
  return and(
    sku === undefined ? undefined : sql`${movements.product_id} = (${named})`,
    type === undefined ? undefined : eq(movements.type, type),
    lot_number === undefined ? undefined : inArray(movements.lot_id, ofLot),
    reason === undefined ? undefined : because(reason),
    // The types are named since the index begins with them.
    reference === undefined
      ? undefined
      : and(inArray(movements.reference_type, [...referenceTypes]), eq(movements.reference_id, reference)),
    actor === undefined ? undefined : eq(movements.actor_id, actor),
    created_after === undefined ? undefined : gt(movements.created_at, created_after),
    created_before === undefined ? undefined : lt(movements.created_at, created_before),
    touching(filter),
  );
}

/**
 * Whether a movement has this reason. Most have one of three, and any of these is soon met; the others have an index of
 * their own, which SQLite uses only where its condition is written out.
 */
function because(reason: string): SQL | undefined {
  const usual = ["shipped", "picked", "received"].includes(reason);
  const rare = usual ? undefined : sql`${movements.reason} not in ('shipped', 'picked', 'received')`;
  return and(eq(movements.reason, reason), rare);
}

/** Whether one side of a movement lies in the warehouse and the bin asked for. */
function touching({ warehouse_id, bin }: MovementFilter): SQL | undefined {
  if (bin === undefined && warehouse_id === undefined) return undefined;
  const inWarehouse = warehouse_id === undefined ? undefined : eq(stock_items.warehouse_id, warehouse_id);
  if (bin !== undefined) {
    // A bin has few items and each an index of its movements, so these are looked up.
    const items = sql`(
      select ${stock_items.id} from ${stock_items} join ${bins} on ${bins.id} = ${stock_items.bin_id}
      where ${and(eq(bins.code, bin), inWarehouse)}
    )`;
    return sql`(${movements.from_item_id} in ${items} or ${movements.to_item_id} in ${items})`;
  }
  // A warehouse has many, so the newest movements are looked at one by one.
  return sql`exists (
    select 1 from ${stock_items}
    where ${stock_items.id} in (${movements.from_item_id}, ${movements.to_item_id}) and ${inWarehouse}
  )`;
}

/** A page of movements, newest first. */
export async function listMovements(
  db: Db,
  filter: MovementFilter,
  { limit, offset, after }: Window,
): Promise<Movement[]> {
  const place = (item: typeof movements.from_item_id | typeof movements.to_item_id) =>
    sql<string | null>`(
      select ${bins.code} from ${stock_items} join ${bins} on ${bins.id} = ${stock_items.bin_id}
      where ${stock_items.id} = ${item}
    )`;
  const warehouse = (item: typeof movements.from_item_id | typeof movements.to_item_id) =>
    sql<number | null>`(select ${stock_items.warehouse_id} from ${stock_items} where ${stock_items.id} = ${item})`;
  return db.sql
    .select({
      id: movements.id,
      sku: products.sku,
      type: movements.type,
      quantity: movements.quantity,
      from_bin: place(movements.from_item_id),
      to_bin: place(movements.to_item_id),
      to_place: movements.to_place,
      from_warehouse_id: warehouse(movements.from_item_id),
      to_warehouse_id: warehouse(movements.to_item_id),
      from_balance: movements.from_balance,
      to_balance: movements.to_balance,
      lot_number: lots.lot_number,
      reason: movements.reason,
      notes: movements.notes,
      reference_type: movements.reference_type,
      reference_id: movements.reference_id,
      unit_cost_cents: movements.unit_cost_cents,
      confirmed: movements.confirmed,
      actor_type: movements.actor_type,
      actor_id: movements.actor_id,
      created_at: movements.created_at,
    })
    .from(movements)
    .innerJoin(products, eq(products.id, movements.product_id))
    .leftJoin(lots, eq(lots.id, movements.lot_id))
    .where(and(matching(db, filter), after === null ? undefined : lt(movements.id, after[1])))
    .orderBy(desc(movements.id))
    .limit(limit)
    .offset(offset);
}

/** How many movements match. */
export async function countMovements(db: Db, filter: MovementFilter): Promise<number> {
  return db.sql.$count(movements, matching(db, filter));
}

/** Units of one lot (or of none) that left the house for an order. */
export interface ShippedUnits {
  readonly product_id: number;
  readonly warehouse_id: number;
  readonly lot_id: number | null;
  readonly lot_number: string | null;
  readonly quantity: number;
}

/** Which lots went out for an order, from its `sale` movements. */
export async function lotsShipped(db: Db, order_id: number): Promise<ShippedUnits[]> {
  const order = wireId("order", order_id);
  return db.sql
    .select({
      product_id: movements.product_id,
      warehouse_id: stock_items.warehouse_id,
      lot_id: movements.lot_id,
      lot_number: lots.lot_number,
      quantity: sql<number>`sum(${movements.quantity})`.mapWith(Number),
    })
    .from(movements)
    .innerJoin(stock_items, eq(stock_items.id, movements.from_item_id))
    .leftJoin(lots, eq(lots.id, movements.lot_id))
    .where(and(eq(movements.reference_type, "order"), eq(movements.reference_id, order), eq(movements.type, "sale")))
    .groupBy(movements.product_id, stock_items.warehouse_id, movements.lot_id, lots.lot_number)
    .orderBy(asc(movements.product_id), desc(sql`sum(${movements.quantity})`));
}

const changeReserved = prepared((tx: Writing, a: Args<{ id: number; by: number; now: number }>) =>
  tx
    .update(stock_items)
    .set({ reserved: sql`${stock_items.reserved} + ${a.by}`, updated_at: sql`${a.now}` })
    .where(and(eq(stock_items.id, a.id), sql`${stock_items.reserved} + ${a.by} between 0 and ${stock_items.on_hand}`))
    .returning({ reserved: stock_items.reserved }),
);

/** Promises more (or, below zero, fewer) units of an item. Reservations alone call this. */
export async function promiseUnits(tx: Tx, item: StockItem, by: number): Promise<void> {
  const [row] = await changeReserved(tx, { id: item.id, by, now: tx.now });
  assert(row?.reserved === item.reserved + by, `stock item ${item.id} holds what was read under its lock`);
  item.reserved += by;
  item.updated_at = tx.now;
}

/** One row of the ledger: units leave `from`, come to `to`, or both. */
export interface Posting {
  readonly type: MovementType;
  readonly quantity: number;
  readonly from: StockItem | null;
  readonly to: Spot | null;
  /** Where units went that left the house. */
  readonly to_place: OutsidePlace | null;
  /** Whether these units are promised: the promise leaves the item with them, and comes along to where they go. */
  readonly promised: boolean;
  readonly reason: string;
  readonly notes?: string | null | undefined;
  readonly reference: { readonly type: ReferenceType; readonly id: string } | null;
  readonly unit_cost_cents?: number | null | undefined;
  /** False for units that are assumed to have moved as planned. */
  readonly confirmed: boolean;
  readonly actor: Actor;
}

const take = prepared((tx: Writing, a: Args<{ id: number; quantity: number; promised: number; now: number }>) =>
  tx
    .update(stock_items)
    .set({
      on_hand: sql`${stock_items.on_hand} - ${a.quantity}`,
      reserved: sql`${stock_items.reserved} - ${a.promised}`,
      updated_at: sql`${a.now}`,
    })
    .where(and(eq(stock_items.id, a.id), sql`${stock_items.on_hand} >= ${a.quantity}`))
    .returning({ on_hand: stock_items.on_hand }),
);

interface Put {
  product_id: number;
  warehouse_id: number;
  bin_id: number;
  lot_id: number | null;
  quantity: number;
  promised: number;
  received_at: number;
  now: number;
}

const putWith = (target: AnyPgColumn[], targetWhere: SQL) =>
  prepared((tx: Writing, a: Args<Put>) =>
    tx
      .insert(stock_items)
      .values({
        product_id: sql`${a.product_id}`,
        warehouse_id: sql`${a.warehouse_id}`,
        bin_id: sql`${a.bin_id}`,
        lot_id: sql`${a.lot_id}`,
        on_hand: sql`${a.quantity}`,
        reserved: sql`${a.promised}`,
        received_at: sql`${a.received_at}`,
        updated_at: sql`${a.now}`,
      })
      .onConflictDoUpdate({
        target,
        targetWhere,
        set: {
          on_hand: sql`${stock_items.on_hand} + excluded.on_hand`,
          reserved: sql`${stock_items.reserved} + excluded.reserved`,
          received_at: sql`case when ${stock_items.on_hand} = 0 then excluded.received_at
            else ${stock_items.received_at} end`,
          updated_at: sql`excluded.updated_at`,
        },
      })
      .returning({
        id: stock_items.id,
        on_hand: stock_items.on_hand,
        reserved: stock_items.reserved,
        received_at: stock_items.received_at,
      }),
  );
const put = {
  lot: putWith([stock_items.product_id, stock_items.bin_id, stock_items.lot_id], sql`lot_id is not null`),
  noLot: putWith([stock_items.product_id, stock_items.bin_id], sql`lot_id is null`),
};

/**
 * Writes one row of the ledger and moves its units: nothing else changes what is on hand. `from` is changed in place;
 * answers the item that the units came to, as it is now, and the movement's id.
 */
export async function postMovement(tx: Tx, posting: Posting): Promise<{ id: number; to: StockItem | null }> {
  const { from, to, quantity } = posting;
  assert(from !== null || to !== null, "units move from or to a stock item");
  const promised = posting.promised ? quantity : 0;
  if (from !== null) await takeFrom(tx, from, quantity, promised);
  const came = to === null ? null : await putTo(tx, to, quantity, promised);
  const [id = 0] = await insertIds(tx, movements, [rowOf(tx, posting, came)]);
  return { id, to: came };
}

async function takeFrom(tx: Tx, from: StockItem, quantity: number, promised: number): Promise<void> {
  const [row] = await take(tx, { id: from.id, quantity, promised, now: tx.now });
  assert(row?.on_hand === from.on_hand - quantity, `stock item ${from.id} holds what was read under its lock`);
  from.on_hand -= quantity;
  from.reserved -= promised;
  from.updated_at = tx.now;
}

async function putTo(tx: Tx, to: Spot, quantity: number, promised: number): Promise<StockItem> {
  const { product_id, warehouse_id, bin_id, lot_id, received_at } = to;
  const place = { product_id, warehouse_id, bin_id, lot_id, received_at };
  const [row] = await put[lot_id === null ? "noLot" : "lot"](tx, { ...place, quantity, promised, now: tx.now });
  assert(row, "units that are put somewhere are there");
  return { ...to, ...row, updated_at: tx.now };
}

function rowOf(tx: Tx, posting: Posting, came: StockItem | null): typeof movements.$inferInsert {
  const { type, quantity, from, to_place, reason, notes, reference, unit_cost_cents, confirmed, actor } = posting;
  return {
    product_id: from?.product_id ?? came?.product_id ?? 0,
    type,
    quantity,
    from_item_id: from?.id ?? null,
    to_item_id: came?.id ?? null,
    to_place,
    from_balance: from?.on_hand ?? null,
    to_balance: came?.on_hand ?? null,
    lot_id: from?.lot_id ?? came?.lot_id ?? null,
    reason,
    notes: notes ?? null,
    reference_type: reference?.type ?? null,
    reference_id: reference?.id ?? null,
    unit_cost_cents: unit_cost_cents ?? null,
    confirmed,
    actor_type: actor.type,
    actor_id: actor.id,
    created_at: tx.now,
  };
}
