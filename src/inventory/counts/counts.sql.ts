import { and, asc, eq, gt, inArray, isNotNull, lt, ne, type SQLWrapper, sql } from "drizzle-orm";
import { among, columnsOf, list } from "../../../db/kit.ts";
import { count_lines, counts } from "../../../db/schema/counts.ts";
import { lots, movements, stock_items } from "../../../db/schema/inventory.ts";
import { products } from "../../../db/schema/products.ts";
import { reservation_lines, reservations } from "../../../db/schema/reservations.ts";
import { bins } from "../../../db/schema/warehouses.ts";
import { assert } from "../../core/faults.ts";
import { choice } from "../../core/schema.ts";
import type { Db, Tx, WriteStatements } from "../../storage/database.ts";
import { equals, recordList, refersTo } from "../../storage/record_list.ts";
import { recordLookup } from "../../storage/record_lookup.ts";
import { insert, insertIds, prepared, type StatementArgs } from "../../storage/statements.ts";
import { countStatuses, initialCountStatus, type ValueSource } from "../inventory.transitions.ts";
import type { CountHeader, CountLine, CountProgress, InventoryCount } from "./count.ts";

const linesOf = prepared((select, a: StatementArgs<{ count_id: number }>) =>
  select
    .select({
      ...columnsOf(count_lines, "id", "count_id", "product_id", "bin_id", "lot_id", "expected", "counted"),
      ...columnsOf(count_lines, "counted_at", "counted_by", "unit_value_cents", "unit_value_currency"),
      ...columnsOf(count_lines, "value_source", "movement_id"),
      merchant_id: products.merchant_id,
      sku: products.sku,
      bin: bins.code,
      lot_number: lots.lot_number,
    })
    .from(count_lines)
    .innerJoin(products, eq(products.id, count_lines.product_id))
    .innerJoin(bins, eq(bins.id, count_lines.bin_id))
    .leftJoin(lots, eq(lots.id, count_lines.lot_id))
    .where(eq(count_lines.count_id, a.count_id))
    .orderBy(asc(count_lines.id)),
);

/** The count with an id. Refuses: resource_missing. */
export const { get: getCount, lock: lockCount } = recordLookup(counts, "count", {
  called: "cycle count",
  record: async (db, row): Promise<InventoryCount> => ({ ...row, lines: await linesOf(db, { count_id: row.id }) }),
});

/** Counts without their lines, newest first. */
export const countList = recordList(counts, {
  filters: {
    status: equals(counts.status, choice(countStatuses)),
    location: refersTo(counts.warehouse_id, "warehouse", "Only counts of these warehouses."),
  },
});

const progressOf = prepared((select, a: StatementArgs<{ ids: string }>) =>
  select
    .select({
      count_id: count_lines.count_id,
      lines: sql<number>`count(*)`.mapWith(Number),
      counted: sql<number>`count(${count_lines.counted})`.mapWith(Number),
    })
    .from(count_lines)
    .where(among(count_lines.count_id, a.ids))
    .groupBy(count_lines.count_id),
);

/** The progress of these counts by id. A count without lines is left out. */
export async function listProgress(db: Db, ids: readonly number[]): Promise<Map<number, CountProgress>> {
  const rows = await progressOf(db, { ids: list(ids) });
  return new Map(rows.map((row) => [row.count_id, row]));
}

/** A bin and lot with units of a product. */
export interface CountedPlace {
  readonly product_id: number;
  readonly bin_id: number;
  readonly lot_id: number | null;
  readonly on_hand: number;
}

/** What a new count is limited to; null for everything. */
interface CountScope {
  readonly bin_ids: readonly number[] | null;
  readonly product_ids: readonly number[] | null;
}

/** Bins and lots of a warehouse that hold units, along the pick path. Staging is left out. */
export async function listPlaces(
  db: Db,
  warehouse_id: number,
  scope: CountScope,
  limit: number,
): Promise<CountedPlace[]> {
  const { bin_ids, product_ids } = scope;
  const { product_id, bin_id, lot_id, on_hand } = stock_items;
  return db.sql
    .select({ product_id, bin_id, lot_id, on_hand })
    .from(stock_items)
    .innerJoin(bins, eq(bins.id, stock_items.bin_id))
    .innerJoin(products, eq(products.id, stock_items.product_id))
    .where(
      and(
        eq(bins.warehouse_id, warehouse_id),
        ne(bins.kind, "staging"),
        gt(on_hand, 0),
        bin_ids === null ? undefined : inArray(bin_id, [...bin_ids]),
        product_ids === null ? undefined : inArray(product_id, [...product_ids]),
      ),
    )
    .orderBy(asc(bins.pick_order), asc(bins.code), asc(products.sku), asc(stock_items.id))
    .limit(limit);
}

const closedBy = prepared((select, a: StatementArgs<{ count_id: number }>) =>
  select
    .selectDistinct({ product_id: stock_items.product_id })
    .from(stock_items)
    .where(eq(stock_items.count_id, a.count_id)),
);

/** The products of which units are promised to nobody until a count has ended. */
export async function listClosedBy(db: Db, count_id: number): Promise<number[]> {
  return (await closedBy(db, { count_id })).map(({ product_id }) => product_id);
}

const avoided = prepared((select, a: StatementArgs<{ count_id: number }>) =>
  select
    .select({
      reservation_id: reservations.id,
      product_id: stock_items.product_id,
      stock_item_id: stock_items.id,
      avoids: reservations.avoids,
    })
    .from(count_lines)
    .innerJoin(
      stock_items,
      and(
        eq(stock_items.product_id, count_lines.product_id),
        eq(stock_items.bin_id, count_lines.bin_id),
        sql`coalesce(${stock_items.lot_id}, 0) = coalesce(${count_lines.lot_id}, 0)`,
      ),
    )
    .innerJoin(
      reservation_lines,
      and(
        eq(reservation_lines.product_id, count_lines.product_id),
        lt(reservation_lines.reserved, reservation_lines.wanted),
      ),
    )
    .innerJoin(reservations, eq(reservations.id, reservation_lines.reservation_id))
    .where(and(eq(count_lines.count_id, a.count_id), isNotNull(count_lines.counted), isNotNull(reservations.avoids))),
);

/** The stock items that a count has counted and that backordered reservations avoid. */
export async function listAvoided(db: Db, count_id: number) {
  const rows = await avoided(db, { count_id });
  return rows.filter(({ avoids, stock_item_id }) => avoids?.some((item) => item.stock_item_id === stock_item_id));
}

const onHand = prepared((select, a: StatementArgs<{ warehouse_id: number; product_ids: string }>) =>
  select
    .select(columnsOf(stock_items, "product_id", "bin_id", "lot_id", "on_hand"))
    .from(stock_items)
    .where(
      and(
        among(stock_items.product_id, a.product_ids),
        eq(stock_items.warehouse_id, a.warehouse_id),
        sql`${stock_items.on_hand} > 0`,
      ),
    ),
);

/** Bins and lots of a warehouse that hold units of these products now. */
export async function listOnHand(
  db: Db,
  warehouse_id: number,
  product_ids: readonly number[],
): Promise<CountedPlace[]> {
  return onHand(db, { warehouse_id, product_ids: list(product_ids) });
}

/** The fields of a new count. */
type NewCount = Pick<CountHeader, "warehouse_id" | "bins" | "skus" | "blind" | "notes" | "opened_by">;

/** Stores a new count with the places to count, and returns its id. */
export async function insertCount(tx: Tx, fields: NewCount, places: readonly CountedPlace[]): Promise<number> {
  const row = { ...fields, bins: fields.bins && [...fields.bins], skus: fields.skus && [...fields.skus] };
  const [id = 0] = await insertIds(tx, counts, [
    { ...row, status: initialCountStatus, revision: 1, created_at: tx.now, updated_at: tx.now },
  ]);
  const lines = places.map(({ on_hand, ...place }) => ({ count_id: id, ...place, expected: on_hand }));
  await insert(tx, count_lines, lines);
  return id;
}

const save = prepared(
  (
    tx: WriteStatements,
    a: StatementArgs<
      Pick<CountHeader, "id" | "status" | "posted_by" | CountMoments> & { revision: number; now: number }
    >,
  ) =>
    tx
      .update(counts)
      .set({
        status: sql`${a.status}`,
        posted_by: sql`${a.posted_by}`,
        reviewed_at: sql`${a.reviewed_at}`,
        posted_at: sql`${a.posted_at}`,
        cancelled_at: sql`${a.cancelled_at}`,
        revision: sql`${a.revision} + 1`,
        updated_at: sql`${a.now}`,
      })
      .where(and(eq(counts.id, a.id), eq(counts.revision, a.revision)))
      .returning({ id: counts.id }),
);
type CountMoments = "reviewed_at" | "posted_at" | "cancelled_at";

/** Stores changes of a locked count without its lines; its revision increases by one. */
export async function saveCount(
  tx: Tx,
  before: CountHeader,
  fields: Partial<Pick<CountHeader, "status" | "posted_by" | CountMoments>>,
): Promise<void> {
  const { id, status, posted_by, reviewed_at, posted_at, cancelled_at, revision } = { ...before, ...fields };
  const row = { id, status, posted_by, reviewed_at, posted_at, cancelled_at, revision };
  const saved = await save(tx, { ...row, now: tx.now });
  assert(saved.length === 1, `count ${id} is locked and cannot have changed`);
}

interface CountTally {
  readonly expected: number;
  readonly counted: number;
  readonly counted_by: string;
}

const saveTally = prepared((tx: WriteStatements, a: StatementArgs<CountTally & { id: number; now: number }>) =>
  tx
    .update(count_lines)
    .set({
      expected: sql`${a.expected}`,
      counted: sql`${a.counted}`,
      counted_by: sql`${a.counted_by}`,
      counted_at: sql`${a.now}`,
      unit_value_cents: sql`null`,
      unit_value_currency: sql`null`,
      value_source: sql`null`,
    })
    .where(eq(count_lines.id, a.id)),
);

/** Stores the counted units of a line. */
export async function saveCounted(tx: Tx, id: number, { expected, counted, counted_by }: CountTally): Promise<void> {
  await saveTally(tx, { id, expected, counted, counted_by, now: tx.now });
}

/** Stores units that were counted where none were expected. */
export async function insertFound(
  tx: Tx,
  count_id: number,
  { product_id, bin_id, lot_id }: Pick<CountLine, "product_id" | "bin_id" | "lot_id">,
  { expected, counted, counted_by }: CountTally,
): Promise<void> {
  const tally = { expected, counted, counted_by, counted_at: tx.now };
  await insert(tx, count_lines, [{ count_id, product_id, bin_id, lot_id, ...tally }]);
}

// The table names are written out, since Drizzle omits them in a query of one table.
const newest = (column: SQLWrapper) => sql`(
  select ${movements}.${column} from ${movements}
  where ${movements}.product_id = ${products}.id and ${movements}.unit_cost_cents is not null
  order by ${movements}.id desc limit 1
)`;

const valuesOf = prepared((select, a: StatementArgs<{ ids: string }>) =>
  select
    .select({
      product_id: products.id,
      price_cents: products.price_cents,
      currency: products.currency,
      cost_cents: newest(sql`unit_cost_cents`).mapWith((cents) => (cents === null ? null : Number(cents))),
      cost_currency: newest(sql`unit_cost_currency`).mapWith((code: string | null) => code),
    })
    .from(products)
    .where(among(products.id, a.ids)),
);
const saveValue = prepared(
  (
    tx: WriteStatements,
    a: StatementArgs<{ count_id: number; product_id: number; cents: number; currency: string; source: ValueSource }>,
  ) =>
    tx
      .update(count_lines)
      .set({
        unit_value_cents: sql`${a.cents}`,
        unit_value_currency: sql`${a.currency}`,
        value_source: sql`${a.source}`,
      })
      .where(and(eq(count_lines.count_id, a.count_id), eq(count_lines.product_id, a.product_id))),
);

/** Stores the current unit value of these products on the lines of a count, where it is known. */
export async function noteValues(tx: Tx, count_id: number, product_ids: readonly number[]): Promise<void> {
  for (const { product_id, price_cents, cost_cents, ...codes } of await valuesOf(tx, { ids: list(product_ids) })) {
    const cents = cost_cents ?? price_cents;
    if (cents === null) continue;
    const source = cost_cents === null ? "price" : "cost";
    const currency = (cost_cents === null ? null : codes.cost_currency) ?? codes.currency;
    await saveValue(tx, { count_id, product_id, cents, currency, source });
  }
}

const saveMovement = prepared((tx: WriteStatements, a: StatementArgs<{ id: number; movement_id: number }>) =>
  tx
    .update(count_lines)
    .set({ movement_id: sql`${a.movement_id}` })
    .where(eq(count_lines.id, a.id)),
);

/** Stores the movement by which a line's count was posted. */
export async function notePosted(tx: Tx, id: number, movement_id: number): Promise<void> {
  await saveMovement(tx, { id, movement_id });
}
