// Where parcels leave from.
import { and, eq, sql } from "drizzle-orm";
import { among, amongTexts, list } from "../../db/kit.ts";
import { movements, stock_items } from "../../db/schema/inventory.ts";
import { allocations, reservation_lines, reservations } from "../../db/schema/reservations.ts";
import { type Args, prepared } from "../database/statements.ts";
import type { Db } from "../database/store.ts";
import { listPlainWarehouses } from "../inventory/warehouses/store.ts";
import type { PlainWarehouse } from "../inventory/warehouses/warehouse.ts";
import { assert } from "../kit/assert.ts";
import { readId, wireId } from "../kit/ids.ts";
import { type Address, addressOf } from "./address.ts";

const promisedFrom = prepared((sql, a: Args<{ order_id: number }>) =>
  sql
    .select({ warehouse_id: stock_items.warehouse_id })
    .from(reservations)
    .innerJoin(reservation_lines, eq(reservation_lines.reservation_id, reservations.id))
    .innerJoin(allocations, eq(allocations.reservation_line_id, reservation_lines.id))
    .innerJoin(stock_items, eq(stock_items.id, allocations.stock_item_id))
    .where(eq(reservations.order_id, a.order_id))
    .orderBy(reservation_lines.id, allocations.id),
);

const promisedFromAll = prepared((query, a: Args<{ order_ids: string }>) =>
  query
    .select({ order_id: reservations.order_id, warehouse_id: stock_items.warehouse_id })
    .from(reservations)
    .innerJoin(reservation_lines, eq(reservation_lines.reservation_id, reservations.id))
    .innerJoin(allocations, eq(allocations.reservation_line_id, reservation_lines.id))
    .innerJoin(stock_items, eq(stock_items.id, allocations.stock_item_id))
    .where(among(reservations.order_id, a.order_ids))
    .orderBy(reservation_lines.id, allocations.id),
);

const leftFromAll = prepared((query, a: Args<{ orders: string }>) =>
  query
    .select({ order: movements.reference_id, warehouse_id: stock_items.warehouse_id })
    .from(movements)
    .innerJoin(stock_items, eq(stock_items.id, movements.from_item_id))
    .where(
      and(
        sql`${movements.reference_type} = 'order'`,
        amongTexts(movements.reference_id, a.orders),
        sql`${movements.type} = 'sale'`,
      ),
    )
    .orderBy(movements.id),
);

const leftFrom = prepared((select, a: Args<{ order: string }>) =>
  select
    .select({ warehouse_id: stock_items.warehouse_id })
    .from(movements)
    .innerJoin(stock_items, eq(stock_items.id, movements.from_item_id))
    .where(
      and(
        sql`${movements.reference_type} = 'order'`,
        eq(movements.reference_id, a.order),
        sql`${movements.type} = 'sale'`,
      ),
    )
    .orderBy(movements.id),
);

/** Where parcels leave from. */
interface Origin {
  readonly address: Address;
  readonly timezone: string;
}

/** The warehouse that a parcel leaves, by its order. */
export async function originOfOrder(db: Db, order_id: number, warehouse_id: number | null): Promise<Origin> {
  return originAt(await warehouseOfOrder(db, order_id, warehouse_id));
}

/** The warehouse that an order leaves: the one it names, else where its units lie or have left, else the first one. */
export async function warehouseOfOrder(db: Db, order_id: number, warehouse_id: number | null): Promise<PlainWarehouse> {
  const [first, ...others] = await listPlainWarehouses(db);
  assert(first, "a store has a warehouse");
  if (others.length === 0) return first;
  const [lying] = warehouse_id === null ? await promisedFrom(db, { order_id }) : [{ warehouse_id }];
  const chosen = lying ?? (await leftFrom(db, { order: wireId("order", order_id) }))[0];
  return others.find(({ id }) => id === chosen?.warehouse_id) ?? first;
}

/** The warehouses that some orders leave, chosen as in `warehouseOfOrder`, in a handful of queries. */
export async function warehousesOfOrders(
  db: Db,
  orders: readonly { readonly id: number; readonly warehouse_id: number | null }[],
): Promise<Map<number, PlainWarehouse>> {
  const all = await listPlainWarehouses(db);
  const [first] = all;
  assert(first, "a store has a warehouse");
  const chosen = new Map<number, number | null>(orders.map(({ id, warehouse_id }) => [id, warehouse_id]));
  const open = () => [...chosen].flatMap(([id, warehouse_id]) => (warehouse_id === null ? [id] : []));
  const take = (found: readonly { readonly order_id: number | null; readonly warehouse_id: number }[]) => {
    for (const { order_id, warehouse_id } of found) {
      if (order_id !== null) chosen.set(order_id, chosen.get(order_id) ?? warehouse_id);
    }
  };
  if (all.length > 1) {
    take(await promisedFromAll(db, { order_ids: list(open()) }));
    const left = await leftFromAll(db, { orders: list(open().map((id) => wireId("order", id))) });
    take(left.map(({ order, warehouse_id }) => ({ order_id: readId("order", order ?? ""), warehouse_id })));
  }
  return new Map([...chosen].map(([id, warehouse_id]) => [id, all.find((one) => one.id === warehouse_id) ?? first]));
}

/** The warehouse that parcels leave when no order names one. */
export async function usualOrigin(db: Db): Promise<Origin> {
  const [first] = await listPlainWarehouses(db);
  assert(first, "a store has a warehouse");
  return originAt(first);
}

function originAt({ address, timezone }: PlainWarehouse): Origin {
  return { address: addressOf(address), timezone };
}
