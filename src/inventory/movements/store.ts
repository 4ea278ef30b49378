import { and, desc, eq, lt, type SQL, sql } from "drizzle-orm";
import { lots, movements, stock_items } from "../../../db/schema/inventory.ts";
import { products } from "../../../db/schema/products.ts";
import { bins } from "../../../db/schema/warehouses.ts";
import type { Db } from "../../database/store.ts";
import type { Window } from "../../kit/page.ts";
import type { MovementType } from "../status.ts";
import type { Movement } from "./movement.ts";

/** What the list of movements may be narrowed to. */
export interface MovementFilter {
  readonly sku?: string | undefined;
  readonly type?: MovementType | undefined;
}

function matching(db: Db, { sku, type }: MovementFilter): SQL | undefined {
  const named = db.sql
    .select({ id: products.id })
    .from(products)
    .where(eq(products.sku, sku ?? ""));
  return and(
    sku === undefined ? undefined : sql`${movements.product_id} = (${named})`,
    type === undefined ? undefined : eq(movements.type, type),
  );
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
