import { and, asc, desc, eq, inArray, lte, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { amongTexts, forUpdateInOrder, list } from "../../../db/kit.ts";
import { product_components } from "../../../db/schema/bundles.ts";
import { lots, movements, stock_items } from "../../../db/schema/inventory.ts";
import { products } from "../../../db/schema/products.ts";
import { receipt_lines } from "../../../db/schema/receipts.ts";
import { reservation_lines, reservations } from "../../../db/schema/reservations.ts";
import { transfer_loads } from "../../../db/schema/transfers.ts";
import { bins, warehouses, zones } from "../../../db/schema/warehouses.ts";
import { type Args, insertIds, prepared, preparedOf } from "../../database/statements.ts";
import type { Db, Tx, Writing } from "../../database/store.ts";
import { type Actor, system } from "../../kit/actor.ts";
import { assert } from "../../kit/assert.ts";
import { invalidFields, ofFields } from "../../kit/fault.ts";
import { wireId } from "../../kit/ids.ts";
import { insertLotChanges } from "../lots/store.ts";
import type { MovementType, OutsidePlace, ReferenceType } from "../status.ts";
import { bundleProblem } from "./rules.ts";
import type { Lot, Shelf, Spot, StockedProduct, StockItem } from "./shelf.ts";

const stocked = {
  id: products.id,
  sku: products.sku,
  name: products.name,
  type: products.type,
  temperature_zone: products.temperature_zone,
  lot_tracking: products.lot_tracking,
  expiration_tracking: products.expiration_tracking,
  min_shelf_life_days: products.min_shelf_life_days,
  reorder_point: products.reorder_point,
  status: products.status,
  created_at: products.created_at,
};

const productsById = preparedOf((sql, isOf) => sql.select(stocked).from(products).where(isOf(products.id)));
const productsLocked = preparedOf((sql, isOf) =>
  forUpdateInOrder(sql.select(stocked).from(products).where(isOf(products.id)), products.id),
);

// Conditions are written out where a partial index is to be used: a bound value would hide them from SQLite.
const held = sql`${stock_items.on_hand} > 0`;
const backordered = sql<number>`(
  select coalesce(sum(${reservation_lines.wanted} - ${reservation_lines.reserved}), 0) from ${reservation_lines}
  where ${reservation_lines.product_id} = ${products.id} and ${reservation_lines.reserved} < ${reservation_lines.wanted}
)`.mapWith(Number);
const incoming = sql<number>`(
  select coalesce(sum(${receipt_lines.outstanding}), 0) from ${receipt_lines}
  where ${receipt_lines.product_id} = ${products.id} and ${receipt_lines.outstanding} > 0
) + (
  select coalesce(sum(${transfer_loads.in_transit}), 0) from ${transfer_loads}
  where ${transfer_loads.product_id} = ${products.id} and ${transfer_loads.in_transit} > 0
)`.mapWith(Number);
const lastMoved = sql<number | null>`(
  select ${movements.created_at} from ${movements} where ${movements.product_id} = ${products.id}
  order by ${movements.id} desc limit 1
)`;

const bundled = sql`exists (
  select 1 from ${product_components} where ${product_components.component_id} = ${products.id}
)`.mapWith(Boolean);

const stock = preparedOf((select, isOf, a: Args<{ now: number }>) =>
  select
    .select({
      product_id: products.id,
      backordered,
      incoming,
      overdue: sql<number>`exists (
        select 1 from ${reservations}
        where ${reservations.status} = 'reserved' and ${reservations.expires_at} is not null
          and ${reservations.expires_at} <= ${a.now}
      )`.mapWith(Number),
      bundled,
      moved_at: lastMoved,
      id: stock_items.id,
      warehouse_id: stock_items.warehouse_id,
      warehouse_priority: warehouses.priority,
      bin_id: stock_items.bin_id,
      bin: bins.code,
      bin_kind: bins.kind,
      pick_order: bins.pick_order,
      temperature_zone: zones.temperature_zone,
      temperature_range: zones.temperature_range,
      lot_id: stock_items.lot_id,
      lot_number: lots.lot_number,
      lot_status: lots.status,
      lot_received_date: lots.received_date,
      expiration_date: lots.expiration_date,
      received_at: stock_items.received_at,
      updated_at: stock_items.updated_at,
      on_hand: stock_items.on_hand,
      reserved: stock_items.reserved,
    })
    .from(products)
    .leftJoin(stock_items, and(eq(stock_items.product_id, products.id), held))
    .leftJoin(warehouses, eq(warehouses.id, stock_items.warehouse_id))
    .leftJoin(bins, eq(bins.id, stock_items.bin_id))
    .leftJoin(zones, eq(zones.id, bins.zone_id))
    .leftJoin(lots, eq(lots.id, stock_items.lot_id))
    .where(isOf(products.id)),
);

/** A shelf as it was read. */
export interface LoadedShelf extends Shelf {
  readonly items: StockItem[];
  /** When the stock last changed (ms). */
  readonly updated_at: number;
  /** Whether a bundle is made of it. */
  readonly bundled: boolean;
  /** Whether any reservation, of whatever product, is past its time and not yet put away. */
  readonly overdue: boolean;
}

/** The stock of these products, in the order of the ids; ids that name nothing are left out. */
export async function loadShelves(db: Db, ids: readonly number[]): Promise<LoadedShelf[]> {
  return shelvesOf(db, ids, await productsById(db, { ids }));
}

/**
 * As `loadShelves`, and nobody else changes the stock of these products until this transaction ends. Whoever changes
 * stock, or a reservation of it, locks the products in the order of their ids: this is the one lock of the warehouse.
 */
export async function lockShelves(tx: Tx, ids: readonly number[]): Promise<LoadedShelf[]> {
  return shelvesOf(tx, ids, await productsLocked(tx, { ids }));
}

async function shelvesOf(db: Db, ids: readonly number[], found: readonly StockedProduct[]): Promise<LoadedShelf[]> {
  if (found.length === 0) return [];
  const rows = await stock(db, { ids, now: db.now });
  const rowsOf = Map.groupBy(rows, (row) => row.product_id);
  const shelves = new Map(
    found.map((product) => {
      const own = rowsOf.get(product.id) ?? [];
      const items = own.filter((row) => row.id !== null) as unknown as StockItem[];
      // Sorted here: a sorter costs SQLite more than the query.
      items.sort((a, b) => a.id - b.id);
      const [first] = own;
      const updated_at = Math.max(first?.moved_at ?? product.created_at, ...items.map((item) => item.updated_at));
      const overdue = (first?.overdue ?? 0) > 0;
      const waits = { backordered: first?.backordered ?? 0, incoming: first?.incoming ?? 0 };
      const bundled = first?.bundled ?? false;
      return [product.id, { product, items, ...waits, bundled, updated_at, overdue }];
    }),
  );
  return ids.flatMap((id) => shelves.get(id) ?? []);
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

const lotByNumber = prepared((sql, a: Args<{ product_id: number; lot_number: string }>) =>
  sql
    .select()
    .from(lots)
    .where(and(eq(lots.product_id, a.product_id), eq(lots.lot_number, a.lot_number))),
);
const lotById = prepared((sql, a: Args<{ id: number }>) => sql.select().from(lots).where(eq(lots.id, a.id)));

/** The lot of a product with this number, or null. */
export async function findLot(db: Db, product_id: number, lot_number: string): Promise<Lot | null> {
  const [row] = await lotByNumber(db, { product_id, lot_number });
  return row ?? null;
}

/** The lot with this id, or null. */
export async function findLotById(db: Db, id: number): Promise<Lot | null> {
  const [row] = await lotById(db, { id });
  return row ?? null;
}

/** Stores a new lot and answers it. */
export async function insertLot(tx: Tx, lot: Omit<Lot, "id">): Promise<Lot> {
  const [id = 0] = await insertIds(tx, lots, [{ ...lot, created_at: tx.now }]);
  return { id, ...lot };
}

const expired = sql`${lots.status} = 'available' and ${lots.expiration_date} is not null`;

/** Lots past their expiry that nobody has put away yet, the longest past first. */
export async function listExpiredLots(db: Db, limit: number): Promise<Lot[]> {
  return db.sql
    .select()
    .from(lots)
    .where(and(expired, lte(lots.expiration_date, db.now)))
    .orderBy(asc(lots.expiration_date))
    .limit(limit);
}

/** When the next lot expires (ms), or null. */
export async function nextLotExpiry(db: Db): Promise<number | null> {
  const [row] = await db.sql
    .select({ at: lots.expiration_date })
    .from(lots)
    .where(expired)
    .orderBy(asc(lots.expiration_date))
    .limit(1);
  return row?.at ?? null;
}

const expiring = { from_status: "available", to_status: "expired" } as const;

/**
 * Marks those of these lots as expired that are available and past their expiry, with a row of the history of each. The
 * expiry of one may have been corrected since it was read.
 */
export async function markLotsExpired(tx: Tx, ids: readonly number[]): Promise<void> {
  const marked = await tx.sql
    .update(lots)
    .set({ status: "expired", version: sql`${lots.version} + 1` })
    .where(and(inArray(lots.id, [...ids]), eq(lots.status, "available"), lte(lots.expiration_date, tx.now)))
    .returning({ lot_id: lots.id });
  const why = { reason: "past its expiry", actor: system("inventory.expire_lots") };
  await insertLotChanges(
    tx,
    marked.map(({ lot_id }) => ({ lot_id, ...expiring })),
    why,
  );
}

const idsBySku = prepared((sql, a: Args<{ skus: string }>) =>
  sql
    .select({ id: products.id, sku: products.sku, type: products.type })
    .from(products)
    .where(amongTexts(products.sku, a.skus)),
);

/** The ids of the products with these SKUs; SKUs that name nothing are left out. */
export async function findStockedIds(db: Db, skus: readonly string[]): Promise<Map<string, number>> {
  const rows = await idsBySku(db, { skus: list(skus) });
  return new Map(rows.map(({ id, sku }) => [sku, id]));
}

/**
 * The id of the product of each item of a request, in their order.
 * Refuses: resource_missing, validation_failed (a bundle); both name all such fields.
 */
export async function getStockedIds(
  db: Db,
  items: readonly { readonly sku: string }[],
  field: string,
): Promise<number[]> {
  const rows = await idsBySku(db, { skus: list(items.map(({ sku }) => sku)) });
  const found = new Map(rows.map((row) => [row.sku, row]));
  const fields = items.flatMap(({ sku }, at) =>
    found.has(sku) ? [] : { field: `${field}[${at}].sku`, code: "resource_missing", message: "names no product" },
  );
  if (fields.length > 0) throw ofFields("resource_missing", fields);
  const bundles = items.flatMap(({ sku }, at) =>
    found.get(sku)?.type === "bundle" ? bundleProblem(`${field}[${at}].sku`) : [],
  );
  if (bundles.length > 0) throw invalidFields(bundles);
  return items.map(({ sku }) => found.get(sku)?.id ?? 0);
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
