// Finds the warehouses that parcels leave from.

import { and, eq, sql } from "drizzle-orm";
import { amongTexts, list } from "../../db/kit.ts";
import { movements, stock_items } from "../../db/schema/inventory.ts";
import { allocations, reservation_lines, reservations } from "../../db/schema/reservations.ts";
import { assert } from "../core/faults.ts";
import { readId, wireId } from "../core/ids.ts";
import { type CompleteAddress, completeAddress } from "../core/postal_address.ts";
import type { PlainWarehouse } from "../inventory/warehouses/warehouse.ts";
import { isExampleAddress } from "../inventory/warehouses/warehouse.ts";
import { listPlainWarehouses } from "../inventory/warehouses/warehouses.sql.ts";
import { type CachedMerchant, merchantsIn } from "../merchants/directory.sql.ts";
import { senderName } from "../merchants/merchant.ts";
import type { Db } from "../storage/database.ts";
import { prepared, preparedOf, type StatementArgs } from "../storage/statements.ts";
import type { ShippingOrigin } from "./address.ts";
import { inNameOf } from "./address.ts";

const allocatedFrom = preparedOf((query, isOf) =>
  query
    .select({ order_id: reservations.order_id, warehouse_id: stock_items.warehouse_id })
    .from(reservations)
    .innerJoin(reservation_lines, eq(reservation_lines.reservation_id, reservations.id))
    .innerJoin(allocations, eq(allocations.reservation_line_id, reservation_lines.id))
    .innerJoin(stock_items, eq(stock_items.id, allocations.stock_item_id))
    .where(isOf(reservations.order_id))
    .orderBy(reservation_lines.id, allocations.id),
);

const shippedFrom = prepared((query, a: StatementArgs<{ orders: string }>) =>
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

/** The origin of the parcels of one order. */
interface OrderOrigin extends ShippingOrigin {
  /** Where returned goods are sent: the merchant's return address if it has one, otherwise the warehouse. */
  readonly return_address: CompleteAddress;
}

/** The fields of an order that decide its warehouse. */
interface LeavingOrder {
  readonly id: number;
  readonly warehouse_id: number | null;
}

/** The fields of an order that decide its warehouse and its sender. */
interface SentOrder extends LeavingOrder {
  readonly merchant_id: number;
}

/** Returns the origin of an order's parcels. */
export async function originOfOrder(db: Db, order: SentOrder): Promise<OrderOrigin> {
  const origin = (await originsOfOrders(db, [order])).get(order.id);
  assert(origin, "an order leaves a warehouse");
  return origin;
}

/** Returns the origins of several orders, by order id. */
export async function originsOfOrders(db: Db, orders: readonly SentOrder[]): Promise<Map<number, OrderOrigin>> {
  const warehouses = await warehousesOfOrders(db, orders);
  const merchants = await merchantsIn(
    db,
    orders.map(({ merchant_id }) => merchant_id),
  );
  return new Map(
    orders.flatMap(({ id, merchant_id }) => {
      const warehouse = warehouses.get(id);
      return warehouse === undefined ? [] : [[id, originOf(warehouse, merchants.ownerOf(merchant_id))]];
    }),
  );
}

function originOf(warehouse: PlainWarehouse, owner: CachedMerchant): OrderOrigin {
  const plain = originAt(warehouse);
  const address = inNameOf(senderName(owner), plain.address);
  return {
    ...plain,
    address,
    return_address: owner.return_address === null ? address : completeAddress(owner.return_address),
  };
}

/**
 * Returns the warehouse of an order: its own if set, else where its units are allocated or have left, else the first.
 */
export async function warehouseOfOrder(db: Db, order: LeavingOrder): Promise<PlainWarehouse> {
  const origin = (await warehousesOfOrders(db, [order])).get(order.id);
  assert(origin, "an order leaves a warehouse");
  return origin;
}

/** Returns the warehouse of an order, with its address in the name of the order's merchant. */
export async function senderOfOrder(db: Db, order: SentOrder): Promise<PlainWarehouse> {
  const sender = (await sendersOfOrders(db, [order])).get(order.id);
  assert(sender, "an order leaves a warehouse");
  return sender;
}

/** As `senderOfOrder`, for several orders, by order id. */
export async function sendersOfOrders(db: Db, orders: readonly SentOrder[]): Promise<Map<number, PlainWarehouse>> {
  const warehouses = await warehousesOfOrders(db, orders);
  const merchants = await merchantsIn(db, [...new Set(orders.map(({ merchant_id }) => merchant_id))]);
  return new Map(
    orders.flatMap(({ id, merchant_id }) => {
      const warehouse = warehouses.get(id);
      if (warehouse === undefined) return [];
      const name = senderName(merchants.ownerOf(merchant_id));
      return [[id, { ...warehouse, address: inNameOf(name, warehouse.address) }] as const];
    }),
  );
}

/** Returns the warehouses of several orders, by order id, in a few queries. */
export async function warehousesOfOrders(
  db: Db,
  orders: readonly LeavingOrder[],
): Promise<Map<number, PlainWarehouse>> {
  const all = await listPlainWarehouses(db);
  const [first] = all;
  assert(first, "a store has a warehouse");
  const chosen = new Map<number, number | null>(orders.map(({ id, warehouse_id }) => [id, warehouse_id]));
  const open = () => [...chosen].flatMap(([id, warehouse_id]) => (warehouse_id === null ? [id] : []));
  const take = (origin: readonly { readonly order_id: number | null; readonly warehouse_id: number }[]) => {
    for (const { order_id, warehouse_id } of origin) {
      if (order_id !== null) chosen.set(order_id, chosen.get(order_id) ?? warehouse_id);
    }
  };
  if (all.length > 1 && open().length > 0) take(await allocatedFrom(db, { ids: open() }));
  if (all.length > 1 && open().length > 0) {
    const left = await shippedFrom(db, { orders: list(open().map((id) => wireId("order", id))) });
    take(left.map(({ order, warehouse_id }) => ({ order_id: readId("order", order ?? ""), warehouse_id })));
  }
  return new Map(
    [...chosen].map(([id, warehouse_id]) => [id, all.find((warehouse) => warehouse.id === warehouse_id) ?? first]),
  );
}

/** Returns the origin of parcels without an order: the first warehouse. */
export async function defaultOrigin(db: Db): Promise<ShippingOrigin> {
  const [first] = await listPlainWarehouses(db);
  assert(first, "a store has a warehouse");
  return originAt(first);
}

function originAt({ id, name, address, timezone }: PlainWarehouse): ShippingOrigin {
  return { id, name, address: completeAddress(address), example: isExampleAddress(address), timezone };
}
