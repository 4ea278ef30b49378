import { and, asc, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { among, columnsOf, inputField, inputRows, list, opaque } from "../../../db/kit.ts";
import { lots, movements, stock_items } from "../../../db/schema/inventory.ts";
import { products } from "../../../db/schema/products.ts";
import { bins } from "../../../db/schema/warehouses.ts";
import type { Actor } from "../../core/actor.ts";
import { engine } from "../../core/config.ts";
import { assert } from "../../core/faults.ts";
import { readIds, wireId } from "../../core/ids.ts";
import { choice, idField, several, textField } from "../../core/schema.ts";
import type { PackKind } from "../../products/product.ts";
import type { Db, Tx, WriteStatements } from "../../storage/database.ts";
import { equals, filter, isAmong, newestIds, parameter, recordList } from "../../storage/record_list.ts";
import { unscoped } from "../../storage/scope.ts";
import { insert, insertIds, prepared, type StatementArgs } from "../../storage/statements.ts";
import {
  type MovementType,
  movementTypes,
  type OutsidePlace,
  type ReferenceType,
  referenceTypes,
} from "../inventory.transitions.ts";
import type { UnitCost } from "./movement.ts";
import type { StockItem, StockSpot } from "./stock_item.ts";

/** Condition: a column names a product with this SKU, which several merchants may use. */
export function ofSku(db: Db, product_id: AnyPgColumn, sku: string): SQL {
  const { visible, owner } = db.scope;
  const { id, merchant_id } = products;
  const named = db.sql.select({ id }).from(products).where(eq(products.sku, sku));
  if (visible === null && owner === null) return inArray(product_id, named);
  // One product, so that an index that begins with it can be used; the scope's own merchant comes first.
  const own_first = sql`case when ${merchant_id} = ${owner} then 0 else 1 end`;
  return sql`${product_id} = (${named.orderBy(own_first, asc(id)).limit(1)})`;
}

/** Condition: a movement has this reason. SQLite uses the index of rare ones only if its condition is written out. */
function because(reason: string): SQL | undefined {
  const common = ["shipped", "picked", "received"].includes(reason);
  const rare = common ? undefined : sql`${movements.reason} not in ('shipped', 'picked', 'received')`;
  return and(eq(movements.reason, reason), rare);
}

/** Condition: one side of a movement is in one of these warehouses, and in this bin. */
function touching(warehouse_ids: readonly number[] | null, bin?: string): SQL {
  const inWarehouse = warehouse_ids === null ? undefined : isAmong(stock_items.warehouse_id, warehouse_ids);
  if (bin !== undefined) {
    // A bin has few items, and each has an index of its movements, so the items are looked up.
    const items = sql`(
      select ${stock_items.id} from ${stock_items} join ${bins} on ${bins.id} = ${stock_items.bin_id}
      where ${and(eq(bins.code, bin), inWarehouse)}
    )`;
    return sql`(${movements.from_item_id} in ${items} or ${movements.to_item_id} in ${items})`;
  }
  // A warehouse has many items, so the newest movements are checked one by one.
  return sql`exists (
    select 1 from ${stock_items}
    where ${stock_items.id} in (${movements.from_item_id}, ${movements.to_item_id}) and ${inWarehouse}
  )`;
}

const place = (item: typeof movements.from_item_id | typeof movements.to_item_id) =>
  sql<string | null>`(
    select ${bins.code} from ${stock_items} join ${bins} on ${bins.id} = ${stock_items.bin_id}
    where ${stock_items.id} = ${item}
  )`;
const warehouse = (item: typeof movements.from_item_id | typeof movements.to_item_id) =>
  sql<number | null>`(select ${stock_items.warehouse_id} from ${stock_items} where ${stock_items.id} = ${item})`;

const listed = {
  ...columnsOf(movements, "id", "merchant_id", "type", "quantity", "pack_level", "pack_units", "from_balance"),
  ...columnsOf(movements, "to_balance", "to_place", "reason", "notes", "reference_type", "reference_id"),
  ...columnsOf(movements, "unit_cost_cents", "unit_cost_currency", "confirmed", "actor_type", "actor_id", "created_at"),
  sku: products.sku,
  from_bin: place(movements.from_item_id),
  to_bin: place(movements.to_item_id),
  from_warehouse_id: warehouse(movements.from_item_id),
  to_warehouse_id: warehouse(movements.to_item_id),
  lot_number: lots.lot_number,
};

/** Movements, newest first. */
export const movementList = recordList(movements, {
  select: (query) =>
    query
      .select(listed)
      .from(movements)
      .innerJoin(products, eq(products.id, movements.product_id))
      .leftJoin(lots, eq(lots.id, movements.lot_id)),
  filters: {
    sku: filter(textField(100, { description: "Only movements of this SKU." }), (sku, db) =>
      ofSku(db, movements.product_id, sku),
    ),
    type: equals(movements.type, choice(movementTypes)),
    location: parameter(several(idField("warehouse", "Only units that left this warehouse or came to it."))),
    bin: parameter(textField(40, { description: "Only units that left this bin or came to it." })),
    lot_number: filter(textField(80, { description: "Only units of lots with this number." }), (lot_number, db) =>
      inArray(movements.lot_id, db.sql.select({ id: lots.id }).from(lots).where(eq(lots.lot_number, lot_number))),
    ),
    reason: filter(textField(100, { description: "Only movements with this reason." }), because),
    // The types are listed since the index begins with them.
    reference: filter(
      textField(100, { description: "The id of the record that caused it, such as ord_1042." }),
      (reference) => and(inArray(movements.reference_type, [...referenceTypes]), eq(movements.reference_id, reference)),
    ),
    actor: equals(
      movements.actor_id,
      textField(100, { description: "The id of the user or API key that did it, such as usr_7 or key_1002." }),
    ),
  },
  within: (_, { location, bin }) => {
    if (location === undefined && bin === undefined) return undefined;
    return touching(location === undefined ? null : readIds("warehouse", location), bin);
  },
  order: newestIds(movements.id),
});

/** Units of one lot (or of none) shipped for an order. */
export interface ShippedUnits {
  readonly product_id: number;
  readonly warehouse_id: number;
  readonly lot_id: number | null;
  readonly lot_number: string | null;
  readonly quantity: number;
}

/** The lots shipped for an order, by product and warehouse, from its `sale` movements; most units first. */
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
    .orderBy(asc(movements.product_id), desc(sql`sum(${movements.quantity})`), asc(stock_items.warehouse_id));
}

// The update repeats the value that was read, so that it matches no row that has changed since.
const setReserved = prepared((tx: WriteStatements, a: StatementArgs<ItemReserved & { now: number }>) =>
  tx
    .update(stock_items)
    .set({ reserved: sql`${a.reserved}`, updated_at: sql`${a.now}` })
    .where(and(eq(stock_items.id, a.id), sql`${stock_items.reserved} = ${opaque(a.had)}`)),
);
const setReservedOfAll = prepared((tx: WriteStatements, a: StatementArgs<{ rows: string; now: number }>) =>
  tx
    .update(stock_items)
    .set({ reserved: inputField("reserved"), updated_at: sql`${a.now}` })
    .from(inputRows(a.rows))
    .where(and(eq(stock_items.id, inputField("id")), eq(stock_items.reserved, inputField("had"))))
    .returning({ id: stock_items.id }),
);

interface ItemReserved {
  readonly id: number;
  /** What was reserved before. */
  readonly had: number;
  readonly reserved: number;
}

/** Reserves more (or, below zero, fewer) units of items. Only reservations call this. */
export async function saveReservedUnits(tx: Tx, changes: Iterable<readonly [StockItem, number]>): Promise<void> {
  const rows: ItemReserved[] = [];
  for (const [item, by] of changes) {
    if (by === 0) continue;
    rows.push({ id: item.id, had: item.reserved, reserved: item.reserved + by });
    item.reserved += by;
    item.updated_at = tx.now;
  }
  await saveItems(tx, rows, setReserved, setReservedOfAll);
}

/** Stores rows of stock items: one by one on SQLite, where that is faster, and all at once on PostgreSQL. */
async function saveItems<Row extends { readonly id: number }>(
  tx: Tx,
  rows: readonly Row[],
  one: (tx: Tx, row: Row & { readonly now: number }) => Promise<unknown>,
  all: (tx: Tx, rows: { readonly rows: string; readonly now: number }) => Promise<readonly unknown[]>,
): Promise<void> {
  if (rows.length === 0) return;
  let saved = 0;
  if (engine === "postgres") saved = (await all(tx, { rows: JSON.stringify(rows), now: tx.now })).length;
  else
    for (const row of rows) saved += ((await one(tx, { ...row, now: tx.now })) as { readonly changes: number }).changes;
  assert(saved === rows.length, `stock items ${rows.map(({ id }) => id)} hold what was read under their lock`);
}

/** One row of the ledger: units leave `from`, arrive at `to`, or both. */
export interface Posting {
  readonly type: MovementType;
  readonly quantity: number;
  /** The pack in which someone handled the units, if they are whole packs. */
  readonly pack?: PackKind | null | undefined;
  readonly from: StockItem | null;
  readonly to: StockSpot | null;
  /** Where units that left the warehouse went; null for others. */
  readonly to_place: OutsidePlace | null;
  /** Whether these units are reserved: they stay reserved where they go. */
  readonly promised: boolean;
  readonly reason: string;
  readonly notes?: string | null | undefined;
  readonly reference: { readonly type: ReferenceType; readonly id: string } | null;
  readonly unit_cost?: UnitCost | null | undefined;
  /** False for units that are assumed to have moved as planned. */
  readonly confirmed: boolean;
  readonly actor: Actor;
}

const all_units = Number.MAX_SAFE_INTEGER;
const setTurn = prepared(
  (tx: WriteStatements, a: StatementArgs<{ ids: string; turns_on: number | null; most: number }>) =>
    tx
      .update(stock_items)
      .set({ turns_on: sql`${a.turns_on}` })
      .where(and(among(stock_items.id, a.ids), sql`${stock_items.on_hand} <= ${a.most}`)),
);

/** Stores the day on which time next changes these items (null: never) that have at most `most` units on hand. */
export async function saveTurn(tx: Tx, ids: readonly number[], turns_on: number | null, most = all_units) {
  if (ids.length > 0) await setTurn(tx, { ids: list(ids), turns_on, most });
}

const counts = ["on_hand", "reserved", "received_at"] as const;

interface ItemCounts extends Record<(typeof counts)[number], number> {
  readonly id: number;
  /** What was on hand before. */
  readonly had: number;
}

const setCounts = prepared((tx: WriteStatements, a: StatementArgs<ItemCounts & { now: number }>) =>
  tx
    .update(stock_items)
    .set({
      on_hand: sql`${a.on_hand}`,
      reserved: sql`${a.reserved}`,
      received_at: sql`${a.received_at}`,
      updated_at: sql`${a.now}`,
    })
    .where(and(eq(stock_items.id, a.id), sql`${stock_items.on_hand} = ${opaque(a.had)}`)),
);
const setCountsOfAll = prepared((tx: WriteStatements, a: StatementArgs<{ rows: string; now: number }>) =>
  tx
    .update(stock_items)
    .set({ ...Object.fromEntries(counts.map((name) => [name, inputField(name)])), updated_at: sql`${a.now}` })
    .from(inputRows(a.rows))
    .where(and(eq(stock_items.id, inputField("id")), eq(stock_items.on_hand, inputField("had"))))
    .returning({ id: stock_items.id }),
);

interface ItemChange extends Record<(typeof counts)[number], number> {
  readonly merchant_id: number;
  readonly product_id: number;
  readonly warehouse_id: number;
  readonly bin_id: number;
  readonly lot_id: number | null;
  readonly turns_on: number | null;
  readonly count_id: number | null;
  readonly updated_at: number;
}

const putColumns = [
  "merchant_id",
  "product_id",
  "warehouse_id",
  "bin_id",
  "lot_id",
  ...counts,
  "turns_on",
  "count_id",
  "updated_at",
] as const;
const next_id = sql`nextval(pg_get_serial_sequence('stock_items', 'id'))`;
const placed = columnsOf(stock_items, "id", "product_id", "bin_id", "lot_id", "on_hand", "reserved", "count_id");
// The item may already exist with no units left.
const onPlace = (target: AnyPgColumn[], targetWhere: SQL) => ({
  target,
  targetWhere,
  set: Object.fromEntries([...counts, "turns_on", "updated_at"].map((name) => [name, sql.raw(`excluded.${name}`)])),
  setWhere: sql`${stock_items.on_hand} = 0`,
});
const places = {
  lot: onPlace([stock_items.product_id, stock_items.bin_id, stock_items.lot_id], sql`lot_id is not null`),
  noLot: onPlace([stock_items.product_id, stock_items.bin_id], sql`lot_id is null`),
};
const putAt = (place: ReturnType<typeof onPlace>) => ({
  one: prepared((tx: WriteStatements, a: StatementArgs<ItemChange>) =>
    tx
      .insert(stock_items)
      .values(Object.fromEntries(putColumns.map((name) => [name, sql`${a[name]}`])) as never)
      .onConflictDoUpdate(place)
      .returning(placed),
  ),
  all: prepared((tx: WriteStatements, a: StatementArgs<{ rows: string }>) =>
    tx
      .insert(stock_items)
      .select(sql`select ${next_id}, ${sql.join(putColumns.map(inputField), sql`, `)} from ${inputRows(a.rows)}`)
      .onConflictDoUpdate(place)
      .returning(placed),
  ),
});
const put = { lot: putAt(places.lot), noLot: putAt(places.noLot) };

/** A movement that was written, and the item that its units came to; null when they left. */
export interface PostedMovement {
  readonly id: number;
  readonly to: StockItem | null;
}

/** Looks up what is at the spots that units come to. */
export interface PostingPlaces {
  /** The item at the spot, or null when there is none. */
  itemAt(to: StockSpot): StockItem | null;
  /** The day (since 1970-01-01) on which time next changes units at the spot, or null. */
  turnAt(to: StockSpot): number | null;
}

/**
 * Writes ledger rows in order and moves their units. Nothing else changes what is on hand. `from` and the receiving
 * item are changed in place. Returns each movement's id and its receiving item.
 */
export async function postWithIds(
  tx: Tx,
  postings: readonly Posting[],
  known: PostingPlaces,
): Promise<PostedMovement[]> {
  const rows = await moved(tx, postings, known);
  const ids = await insertIds(
    tx,
    movements,
    rows.map((row) => rowOf(tx, row)),
  );
  return rows.map(({ to }, at) => ({ id: ids[at] ?? 0, to }));
}

/** As `postWithIds`, without the movements' ids, which would cost a round trip on PostgreSQL. */
export async function postMovements(
  tx: Tx,
  postings: readonly Posting[],
  known: PostingPlaces,
): Promise<(StockItem | null)[]> {
  const rows = await moved(tx, postings, known);
  await insert(
    tx,
    movements,
    rows.map((row) => rowOf(tx, row)),
  );
  return rows.map(({ to }) => to);
}

/** The result of a posting: the receiving item and the balances. */
interface PostingResult {
  readonly posting: Posting;
  readonly to: StockItem | null;
  readonly from_balance: number | null;
  readonly to_balance: number | null;
}

/** Moves units from item to item, in memory and in the database. */
async function moved(tx: Tx, postings: readonly Posting[], known: PostingPlaces): Promise<PostingResult[]> {
  const had = new Map<StockItem, number>();
  const fresh: StockItem[] = [];
  const rows = postings.map((posting): PostingResult => {
    const { from, quantity } = posting;
    const promised = posting.promised ? quantity : 0;
    if (from !== null) {
      if (!had.has(from)) had.set(from, from.on_hand);
      change(tx, from, -quantity, -promised);
    }
    const from_balance = from?.on_hand ?? null;
    if (posting.to === null) return { posting, to: null, from_balance, to_balance: null };
    const spot = posting.to;
    const to = fresh.find((item) => isAt(item, spot)) ?? known.itemAt(spot) ?? emptyItem(tx, spot, known.turnAt(spot));
    if (to.id === 0) {
      if (!fresh.includes(to)) fresh.push(to);
    } else if (!had.has(to)) had.set(to, to.on_hand);
    if (to.on_hand === 0) Object.assign(to, { received_at: spot.received_at });
    change(tx, to, quantity, promised);
    return { posting, to, from_balance, to_balance: to.on_hand };
  });
  const changed = [...had].map(([item, before]) => {
    const { id, on_hand, reserved, received_at } = item;
    return { id, had: before, on_hand, reserved, received_at };
  });
  await saveItems(tx, changed, setCounts, setCountsOfAll);
  await putItems(tx, fresh);
  return rows;
}

type ItemKey = Pick<StockSpot, "product_id" | "bin_id" | "lot_id">;

/** Keeps the units of locked items from being promised until a count has ended. */
export async function closeItems(tx: Tx, items: readonly StockItem[], count_id: number): Promise<void> {
  const ids = items.map(({ id }) => id);
  await tx.sql.update(stock_items).set({ count_id }).where(inArray(stock_items.id, ids));
  for (const item of items) item.count_id = count_id;
}

/** Lets the units be promised again that a count has kept from it; `items` are the locked ones. */
export async function reopenItems(tx: Tx, items: readonly StockItem[], count_id: number): Promise<void> {
  await tx.sql.update(stock_items).set({ count_id: null }).where(eq(stock_items.count_id, count_id));
  for (const item of items) if (item.count_id === count_id) item.count_id = null;
}

/** Whether an item holds units of the same product, bin and lot. */
export function isAt(item: ItemKey, { product_id, bin_id, lot_id }: ItemKey): boolean {
  return item.bin_id === bin_id && item.lot_id === lot_id && item.product_id === product_id;
}

function change(tx: Tx, item: StockItem, on_hand: number, reserved: number): void {
  item.on_hand += on_hand;
  item.reserved += reserved;
  item.updated_at = tx.now;
}

/** An item that is not stored yet: its id is 0. */
const emptyItem = (tx: Tx, spot: StockSpot, turns_on: number | null): StockItem => ({
  ...spot,
  id: 0,
  on_hand: 0,
  reserved: 0,
  turns_on,
  count_id: null,
  updated_at: tx.now,
});

const putNew = prepared((tx: WriteStatements, a: StatementArgs<ItemChange>) =>
  tx
    .insert(stock_items)
    .values(Object.fromEntries(putColumns.map((name) => [name, sql`${a[name]}`])) as never)
    .onConflictDoNothing(),
);

/** Stores a new item on SQLite. Returns false when its place is taken, which is rare. */
async function putIfNew(tx: Tx, item: StockItem): Promise<boolean> {
  // SQLite takes twice as long when it has to return something.
  const { changes, lastInsertRowid } = (await putNew(tx, item)) as unknown as InsertResult;
  if (changes === 1) Object.assign(item, { id: lastInsertRowid });
  return changes === 1;
}

interface InsertResult {
  readonly changes: number;
  readonly lastInsertRowid: number;
}

/** Stores items in places that had none, and sets their ids. */
async function putItems(tx: Tx, items: readonly StockItem[]): Promise<void> {
  for (const [kind, some] of Map.groupBy(items, ({ lot_id }) => (lot_id === null ? "noLot" : "lot"))) {
    const { one, all } = put[kind];
    // Each row names its merchant, which the scope would otherwise set.
    const stored = engine === "postgres" ? await all(tx.scoped(unscoped), { rows: JSON.stringify(some) }) : [];
    for (const item of some) {
      if (engine === "sqlite" && (await putIfNew(tx, item))) continue;
      const [row] = engine === "postgres" ? stored.filter((row) => isAt(row, item)) : await one(tx, item);
      const isWhole = row?.on_hand === item.on_hand && row.reserved === item.reserved;
      assert(isWhole, `bin ${item.bin} held nothing that was not locked`);
      Object.assign(item, { id: row.id, count_id: row.count_id });
    }
  }
}

function rowOf(tx: Tx, { posting, to, from_balance, to_balance }: PostingResult): typeof movements.$inferInsert {
  const { type, quantity, pack, from, to_place, reason, notes, reference, unit_cost, confirmed, actor } = posting;
  const item = from ?? to;
  assert(item !== null, "units move from or to a stock item");
  return {
    merchant_id: item.merchant_id,
    product_id: item.product_id,
    type,
    quantity,
    from_item_id: from?.id ?? null,
    to_item_id: to?.id ?? null,
    to_place,
    ...{ pack_level: pack?.level ?? null, pack_units: pack?.quantity ?? null },
    from_balance,
    to_balance,
    // An inspection may find out the lot of units that it moves.
    lot_id: (to ?? item).lot_id,
    reason,
    notes: notes ?? null,
    reference_type: reference?.type ?? null,
    reference_id: reference?.id ?? null,
    unit_cost_cents: unit_cost?.cents ?? null,
    unit_cost_currency: unit_cost?.currency ?? null,
    confirmed,
    actor_type: actor.type,
    actor_id: actor.id,
    created_at: tx.now,
  };
}
