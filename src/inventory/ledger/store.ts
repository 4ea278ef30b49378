import { and, desc, eq, gt, inArray, lt, type SQL, sql } from "drizzle-orm";
import { lots, movements, stock_items } from "../../../db/schema/inventory.ts";
import { products } from "../../../db/schema/products.ts";
import { bins } from "../../../db/schema/warehouses.ts";
import type { Db } from "../../database/store.ts";
import type { Window } from "../../kit/page.ts";
import { type MovementType, referenceTypes } from "../status.ts";
import type { Movement } from "./movement.ts";

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
