import { Type } from "@sinclair/typebox";
import { and, asc, desc, eq, gte, inArray, lt, type SQL, sql } from "drizzle-orm";
import { among, amongTexts, columnsOf, contains, isOneOf, list } from "../../../db/kit.ts";
import { lots, movements, stock_items } from "../../../db/schema/inventory.ts";
import { lot_changes } from "../../../db/schema/lots.ts";
import { products } from "../../../db/schema/products.ts";
import { allocations, reservation_lines, reservations } from "../../../db/schema/reservations.ts";
import { bins, warehouses } from "../../../db/schema/warehouses.ts";
import { type Actor, systemActor } from "../../core/actor.ts";
import { choice, type PageWindow, textField } from "../../core/schema.ts";
import type { Db, Tx, WriteStatements } from "../../storage/database.ts";
import { anyOf, exactly, filter, newestIds, recordList, search, soonest } from "../../storage/record_list.ts";
import { insert, insertIds, prepared, type StatementArgs } from "../../storage/statements.ts";
import { hasExpired, type LotStatus, lotStatuses, lotTransitions } from "../inventory.transitions.ts";
import { ofSku } from "../ledger/ledger.sql.ts";
import { dayIn, dayInRequest, type LocalDays, localDays } from "../warehouses/warehouses.sql.ts";
import type { Lot, LotChange, NamedLot, UnitsOfLot } from "./lot.ts";
import { expiringBeforeField } from "./stock.schema.ts";

const named = {
  ...columnsOf(lots, "id", "merchant_id", "product_id", "lot_number", "received_date", "expires_on", "status"),
  ...columnsOf(lots, "revision", "created_at"),
  sku: products.sku,
};

const byId = prepared((select, a: StatementArgs<{ id: number }>) =>
  select.select(named).from(lots).innerJoin(products, eq(products.id, lots.product_id)).where(eq(lots.id, a.id)),
);

/** The lot with this id and its SKU, or null. */
export async function findNamedLot(db: Db, id: number): Promise<NamedLot | null> {
  const [row] = await byId(db, { id });
  return row ?? null;
}

const expires = sql`${isOneOf(lots.status, lotTransitions.expire.from)} and ${lots.expires_on} is not null`;

/** Condition: the last day of a lot is over in every warehouse that holds its units, or in all if none does. */
function passed(days: LocalDays): SQL {
  const { lot_id, on_hand, warehouse_id } = stock_items;
  const is_over = sql`${lots.expires_on} < ${days.last}`;
  if (days.first === days.last) return is_over;
  const units = sql`${lot_id} = ${lots.id} and ${lot_id} is not null and ${on_hand} > 0`;
  return sql`${is_over} and case
    when exists (select 1 from ${stock_items} where ${units}) then not exists (
      select 1 from ${stock_items} where ${units} and ${lots.expires_on} >= ${dayIn(days, warehouse_id)}
    )
    else ${lots.expires_on} < ${days.first}
  end`;
}

const holdsUnits = sql`exists (
  select 1 from ${stock_items} where ${stock_items.lot_id} = ${lots.id} and ${stock_items.lot_id} is not null
    and ${stock_items.on_hand} > 0
)`;
const ofProduct = (piece: string) => sql`exists (
  select 1 from ${products} where ${products.id} = ${lots.product_id}
    and (${contains(products.sku, piece)} or ${contains(products.name, piece)})
)`;

/** Lots with their SKUs. */
export const lotList = recordList(lots, {
  select: (query) => query.select(named).from(lots).innerJoin(products, eq(products.id, lots.product_id)),
  filters: {
    sku: filter(textField(100, { description: "Only lots of this SKU." }), (sku, db) =>
      ofSku(db, lots.product_id, sku),
    ),
    lot_number: exactly(lots.lot_number, textField(80, { description: "Only lots with this number." })),
    status: anyOf(choice(lotStatuses), async (status, db) => {
      const past = sql`(${expires} and ${passed(await localDays(db))})`;
      if (hasExpired(status)) return sql`(${isOneOf(lots.status, [lotTransitions.expire.to])} or ${past})`;
      return sql`${lots.status} = ${status} and not ${past}`;
    }),
    expiring_before: filter(expiringBeforeField("Only lots that expire before this day."), async (day, db) =>
      lt(lots.expires_on, await dayInRequest(db, day)),
    ),
    q: search("Part of the lot number, the SKU or the product's name.", [lots.lot_number, ofProduct]),
    on_hand: filter(
      Type.Boolean({ description: "If true, only lots with units on hand; if false, only lots without." }),
      (on_hand) => (on_hand ? holdsUnits : sql`not ${holdsUnits}`),
    ),
  },
  sorts: { "-created_at": newestIds(lots.id), expiration_date: soonest(lots.expires_on) },
  sort_note: "Default: `-created_at`, newest first. Lots without expiry come last.",
});

/** The time zones for a lot's days: those of the warehouses with its units, or of all warehouses if it has none. */
export async function zonesOf(db: Db, units: readonly { readonly timezone: string }[]): Promise<string[]> {
  const places = units.length > 0 ? units : (await localDays(db)).warehouses;
  return [...new Set(places.map(({ timezone }) => timezone))];
}

const unitsOf = prepared((select, a: StatementArgs<{ ids: string }>) =>
  select
    .select({
      lot_id: sql<number>`${stock_items.lot_id}`.mapWith(Number),
      ...columnsOf(stock_items, "warehouse_id", "on_hand", "reserved"),
      timezone: warehouses.timezone,
      bin: bins.code,
      bin_kind: bins.kind,
    })
    .from(stock_items)
    .innerJoin(warehouses, eq(warehouses.id, stock_items.warehouse_id))
    .innerJoin(bins, eq(bins.id, stock_items.bin_id))
    .where(and(among(stock_items.lot_id, a.ids), sql`${stock_items.lot_id} is not null and ${stock_items.on_hand} > 0`))
    .orderBy(asc(stock_items.id)),
);

/** The bins that hold units of these lots. */
export async function listLotUnits(db: Db, lot_ids: readonly number[]): Promise<UnitsOfLot[]> {
  return unitsOf(db, { ids: list(lot_ids) });
}

const changesOf = prepared((select, a: StatementArgs<{ lot_id: number }>) =>
  select.select().from(lot_changes).where(eq(lot_changes.lot_id, a.lot_id)).orderBy(asc(lot_changes.id)),
);

/** Changes of a lot, oldest first. */
export async function listLotChanges(db: Db, lot_id: number): Promise<LotChange[]> {
  return changesOf(db, { lot_id });
}

const saveStatus = prepared((tx: WriteStatements, a: StatementArgs<{ id: number; status: LotStatus }>) =>
  tx
    .update(lots)
    .set({ status: sql`${a.status}`, revision: sql`${lots.revision} + 1` })
    .where(eq(lots.id, a.id)),
);

const saveDates = prepared(
  (tx: WriteStatements, a: StatementArgs<{ id: number; received_date: number; expires_on: number | null }>) =>
    tx
      .update(lots)
      .set({ received_date: sql`${a.received_date}`, expires_on: sql`${a.expires_on}` })
      .where(eq(lots.id, a.id)),
);

/** Stores when a lot was received and when it expires. `saveLotStatus` records the change. */
export async function saveLotDates(
  tx: Tx,
  { id, received_date, expires_on }: Pick<NamedLot, "id" | "received_date" | "expires_on">,
): Promise<void> {
  await saveDates(tx, { id, received_date, expires_on });
}

/** The reason and the actor of a lot's change. */
interface LotChangeEntry {
  readonly reason: string;
  readonly notes?: string | null | undefined;
  readonly actor: Actor;
}

/** Stores a lot's status, which may be unchanged, with a row of its history. Its revision increases by one. */
export async function saveLotStatus(
  tx: Tx,
  { id, status: from_status }: Pick<NamedLot, "id" | "status">,
  to_status: LotStatus,
  entry: LotChangeEntry,
): Promise<void> {
  await saveStatus(tx, { id, status: to_status });
  await insertLotChanges(tx, [{ lot_id: id, from_status, to_status }], entry);
}

/** Stores history rows of lots that changed for the same reason. */
async function insertLotChanges(
  tx: Tx,
  changes: readonly (Pick<LotChange, "from_status" | "to_status"> & { readonly lot_id: number })[],
  { reason, notes = null, actor }: LotChangeEntry,
): Promise<void> {
  const why = { reason, notes, actor_type: actor.type, actor_id: actor.id, created_at: tx.now };
  await insert(
    tx,
    lot_changes,
    changes.map((change) => ({ ...change, ...why })),
  );
}

const lotByNumber = prepared((sql, a: StatementArgs<{ product_id: number; lot_number: string }>) =>
  sql
    .select()
    .from(lots)
    .where(and(eq(lots.product_id, a.product_id), eq(lots.lot_number, a.lot_number))),
);
const lotById = prepared((sql, a: StatementArgs<{ id: number }>) => sql.select().from(lots).where(eq(lots.id, a.id)));

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

/** Stores a new lot and returns it. */
export async function insertLot(tx: Tx, lot: Omit<Lot, "id">): Promise<Lot> {
  const [id = 0] = await insertIds(tx, lots, [{ ...lot, created_at: tx.now }]);
  return { id, ...lot };
}

/** Available lots past their last day that no job has marked yet, the longest past first. */
export async function listExpiredLots(db: Db, days: LocalDays, limit: number): Promise<Lot[]> {
  return db.sql
    .select()
    .from(lots)
    .where(and(expires, passed(days)))
    .orderBy(asc(lots.expires_on))
    .limit(limit);
}

/** The last day of the next lot that expires on or after a day; null when none does. */
export async function nextLastDay(db: Db, from: number): Promise<number | null> {
  const [row] = await db.sql
    .select({ day: lots.expires_on })
    .from(lots)
    .where(and(expires, gte(lots.expires_on, from)))
    .orderBy(asc(lots.expires_on))
    .limit(1);
  return row?.day ?? null;
}

const [from_status] = lotTransitions.expire.from;
const expiring = { from_status, to_status: lotTransitions.expire.to };

/**
 * Marks those of these lots as expired that are available and past their last day, with a history row for each, and
 * returns their ids. The expiry of a lot may have been corrected since it was read.
 */
export async function markLotsExpired(tx: Tx, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const days = await localDays(tx);
  const marked = await tx.sql
    .update(lots)
    .set({ status: lotTransitions.expire.to, revision: sql`${lots.revision} + 1` })
    .where(and(inArray(lots.id, [...ids]), eq(lots.status, from_status), passed(days)))
    .returning({ lot_id: lots.id });
  const why = { reason: "past its expiry", actor: systemActor("inventory.expire_lots") };
  await insertLotChanges(
    tx,
    marked.map(({ lot_id }) => ({ lot_id, ...expiring })),
    why,
  );
  return new Set(marked.map(({ lot_id }) => lot_id));
}

const recalled = isOneOf(lots.status, [lotTransitions.recall.to]);

/** The ids of the orders that hold units of recalled lots, picked or not. */
export async function listOrdersWithRecalled(db: Db): Promise<number[]> {
  const rows = await db.sql
    .selectDistinct({ order_id: reservations.order_id })
    .from(lots)
    .innerJoin(stock_items, and(eq(stock_items.lot_id, lots.id), sql`${stock_items.lot_id} is not null`))
    .innerJoin(allocations, eq(allocations.stock_item_id, stock_items.id))
    .innerJoin(reservation_lines, eq(reservation_lines.id, allocations.reservation_line_id))
    .innerJoin(reservations, eq(reservations.id, reservation_lines.reservation_id))
    .where(and(recalled, sql`${reservations.order_id} is not null`))
    .orderBy(asc(reservations.order_id));
  return rows.map(({ order_id }) => order_id ?? 0);
}

/** The recalled lots of which an order holds units. */
export async function listRecalledIn(db: Db, order_id: number): Promise<{ sku: string; lot_number: string }[]> {
  return db.sql
    .selectDistinct({ sku: products.sku, lot_number: lots.lot_number })
    .from(reservations)
    .innerJoin(reservation_lines, eq(reservation_lines.reservation_id, reservations.id))
    .innerJoin(allocations, eq(allocations.reservation_line_id, reservation_lines.id))
    .innerJoin(stock_items, eq(stock_items.id, allocations.stock_item_id))
    .innerJoin(lots, eq(lots.id, stock_items.lot_id))
    .innerJoin(products, eq(products.id, lots.product_id))
    .where(and(eq(reservations.order_id, order_id), recalled))
    .orderBy(asc(products.sku), asc(lots.lot_number));
}

/** An order that was shipped units of a lot: how many, and when (ms). */
export interface RecalledOrder {
  /** The newest of the movements. */
  readonly movement_id: number;
  /** The order's id in the API. */
  readonly order: string;
  readonly quantity: number;
  readonly first_at: number;
  readonly last_at: number;
}

const sold = sql`${movements.type} = 'sale' and ${movements.lot_id} is not null
  and ${movements.reference_type} = 'order'`;

/** When the first units of a lot shipped with an order (ms): at this time or later, and before this time. */
interface RecallFilter {
  readonly created_after?: number | undefined;
  readonly created_before?: number | undefined;
}

const first_at = sql<number>`min(${movements.created_at})`.mapWith(Number);

const firstShipped = ({ created_after, created_before }: RecallFilter) =>
  and(
    created_after === undefined ? undefined : gte(first_at, created_after),
    created_before === undefined ? undefined : lt(first_at, created_before),
  );

/** A page of the orders that were shipped units of a lot, most recently shipped first. */
export async function listRecalledOrders(
  db: Db,
  lot_id: number,
  filter: RecallFilter,
  { limit, offset, after }: PageWindow,
): Promise<RecalledOrder[]> {
  const newest = sql`max(${movements.id})`;
  const number = (value: SQL) => sql<number>`${value}`.mapWith(Number);
  const rows = await db.sql
    .select({
      movement_id: number(newest),
      order: movements.reference_id,
      quantity: number(sql`sum(${movements.quantity})`),
      first_at,
      last_at: number(sql`max(${movements.created_at})`),
    })
    .from(movements)
    .where(and(eq(movements.lot_id, lot_id), sold))
    .groupBy(movements.reference_id)
    .having(and(firstShipped(filter), after === null ? undefined : sql`${newest} < ${after[1]}`))
    .orderBy(desc(newest))
    .limit(limit)
    .offset(offset);
  return rows.map((row) => ({ ...row, order: row.order ?? "" }));
}

/** The number of orders that were shipped units of a lot. */
export async function countRecalledOrders(db: Db, lot_id: number, filter: RecallFilter): Promise<number> {
  const matching = db.sql
    .select({ order: movements.reference_id })
    .from(movements)
    .where(and(eq(movements.lot_id, lot_id), sold))
    .groupBy(movements.reference_id)
    .having(firstShipped(filter))
    .as("matching");
  const [row] = await db.sql.select({ count: sql<number>`count(*)`.mapWith(Number) }).from(matching);
  return row?.count ?? 0;
}

const assumed = prepared((select, a: StatementArgs<{ lot_id: number; orders: string }>) =>
  select
    .select({ order: movements.reference_id, units: sql<number>`sum(${movements.quantity})`.mapWith(Number) })
    .from(movements)
    .where(
      and(
        eq(movements.reference_type, "order"),
        amongTexts(movements.reference_id, a.orders),
        eq(movements.lot_id, a.lot_id),
        sql`(${movements.reason} = 'picked' or ${movements.type} = 'sale') and not ${movements.confirmed}`,
      ),
    )
    .groupBy(movements.reference_id),
);

/** Units of a lot, by order id, whose pick or shipment no scan confirmed, so that their lot is assumed. */
export async function listAssumed(db: Db, lot_id: number, orders: readonly string[]): Promise<Map<string, number>> {
  const rows = await assumed(db, { lot_id, orders: list(orders) });
  return new Map(rows.map(({ order, units }) => [order ?? "", units]));
}
