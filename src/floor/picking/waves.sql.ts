import { and, asc, eq, inArray, isNull, min, ne, not, type SQL, sql } from "drizzle-orm";
import { among, amongTexts, isOneOf, list } from "../../../db/kit.ts";
import { wave_orders, waves } from "../../../db/schema/floor.ts";
import { lots, movements, stock_items } from "../../../db/schema/inventory.ts";
import { order_history, orders } from "../../../db/schema/orders.ts";
import { products } from "../../../db/schema/products.ts";
import { allocations, reservation_lines, reservations } from "../../../db/schema/reservations.ts";
import { bins } from "../../../db/schema/warehouses.ts";
import { wireId } from "../../core/ids.ts";
import { choice } from "../../core/schema.ts";
import { cutoffFor, type DispatchCalendar } from "../../inventory/warehouses/dispatch_calendar.ts";
import { listCalendars } from "../../inventory/warehouses/warehouses.sql.ts";
import { orderTransitions, unpackedStatuses } from "../../orders/order.transitions.ts";
import type { Db, ReadStatements, Tx } from "../../storage/database.ts";
import { equals, filter, recordList, refersTo } from "../../storage/record_list.ts";
import { recordLookup } from "../../storage/record_lookup.ts";
import { insert, insertIds, prepared, preparedOf, type StatementArgs } from "../../storage/statements.ts";
import { pickableWaveStatuses, type WaveStatus, waveModes, waveStatuses } from "../floor.transitions.ts";
import {
  progressWith,
  type UnitsToPick,
  type Wave,
  type WaveOrder,
  type WavePicker,
  type WaveProgress,
  type WaveSize,
} from "./wave.ts";
import type { WaveProduct } from "./wave_units.ts";

/** The wave with an id. Refuses: resource_missing. */
export const { get: getWave, lock: lockWave } = recordLookup(waves, "wave");

/** Waves, newest first. */
export const waveList = recordList(waves, {
  filters: {
    warehouse_id: refersTo(waves.warehouse_id, "warehouse", "Only waves of these warehouses."),
    status: equals(waves.status, choice(waveStatuses, { description: "Only waves in these statuses." })),
    mode: equals(waves.mode, choice(waveModes, { description: "Only waves picked in these ways." })),
    order_id: filter(
      refersTo(wave_orders.order_id, "order", "Only waves with one of these orders.").schema,
      (ids, db) =>
        inArray(
          waves.id,
          db.sql
            .select({ id: wave_orders.wave_id })
            .from(wave_orders)
            .where(refersTo(wave_orders.order_id, "order").condition(ids, db) as ReturnType<typeof and>),
        ),
    ),
  },
});

const isOpen = sql`${wave_orders.open} = true`;
const isWorkable = and(isOneOf(orders.status, unpackedStatuses), sql`${orders.held} = false`);
const isLeft = and(isOpen, isWorkable, ne(bins.kind, "staging"), eq(stock_items.warehouse_id, waves.warehouse_id));

/** What is left to pick of waves, with columns of your choice. */
const unpicked = <Fields extends Parameters<ReadStatements["select"]>[0]>(query: ReadStatements, fields: Fields) =>
  query
    .select(fields as NonNullable<Fields>)
    .from(wave_orders)
    .innerJoin(waves, eq(waves.id, wave_orders.wave_id))
    .innerJoin(orders, eq(orders.id, wave_orders.order_id))
    .innerJoin(reservations, eq(reservations.order_id, orders.id))
    .innerJoin(reservation_lines, eq(reservation_lines.reservation_id, reservations.id))
    .innerJoin(allocations, eq(allocations.reservation_line_id, reservation_lines.id))
    .innerJoin(stock_items, eq(stock_items.id, allocations.stock_item_id))
    .innerJoin(bins, eq(bins.id, stock_items.bin_id))
    .innerJoin(products, eq(products.id, stock_items.product_id))
    .leftJoin(lots, eq(lots.id, stock_items.lot_id));

const unitColumns = {
  order_id: wave_orders.order_id,
  order_number: orders.order_number,
  merchant_id: wave_orders.merchant_id,
  position: wave_orders.position,
  product_id: stock_items.product_id,
  sku: products.sku,
  name: products.name,
  stock_item_id: stock_items.id,
  bin: bins.code,
  pick_order: bins.pick_order,
  lot_number: lots.lot_number,
  expires_on: lots.expires_on,
  quantity: allocations.quantity,
};
const unitsOf = prepared((query, a: StatementArgs<{ wave_id: number }>) =>
  unpicked(query, unitColumns).where(and(eq(wave_orders.wave_id, a.wave_id), isLeft)),
);
const unitsOfProducts = preparedOf((query, isOf, a: StatementArgs<{ wave_id: number }>) =>
  unpicked(query, unitColumns).where(
    and(eq(wave_orders.wave_id, a.wave_id), isOf(reservation_lines.product_id), isLeft),
  ),
);
const unitsOfOrder = prepared((query, a: StatementArgs<{ wave_id: number; order_id: number }>) =>
  unpicked(query, unitColumns).where(
    and(eq(wave_orders.wave_id, a.wave_id), eq(wave_orders.order_id, a.order_id), isLeft),
  ),
);

/** The units of a wave that are left to pick now. An order that is held or cancelled has none. */
export async function listUnitsToPick(db: Db, wave_id: number): Promise<UnitsToPick[]> {
  return sumByItem((await unitsOf(db, { wave_id })) as UnitsToPick[]);
}

/** As `listUnitsToPick`, of these products only. */
export async function listProductsToPick(db: Db, wave_id: number, ids: readonly number[]): Promise<UnitsToPick[]> {
  return ids.length === 0 ? [] : sumByItem((await unitsOfProducts(db, { ids, wave_id })) as UnitsToPick[]);
}

/** As `listUnitsToPick`, of one order only. */
export async function listOrderToPick(db: Db, wave_id: number, order_id: number): Promise<UnitsToPick[]> {
  return sumByItem((await unitsOfOrder(db, { wave_id, order_id })) as UnitsToPick[]);
}

function sumByItem(rows: readonly UnitsToPick[]): UnitsToPick[] {
  // Several lines of an order may have units of the same stock item.
  const sums = new Map<string, UnitsToPick>();
  for (const row of rows) {
    const key = `${row.order_id} ${row.stock_item_id}`;
    const known = sums.get(key);
    sums.set(key, known === undefined ? row : { ...known, quantity: known.quantity + row.quantity });
  }
  return [...sums.values()];
}

const leftOf = preparedOf((query, isOf, a: StatementArgs<{ from: number }>) =>
  unpicked(query, {
    wave_id: wave_orders.wave_id,
    orders_left: sql<number>`count(distinct ${wave_orders.order_id})`.mapWith(Number),
    units_left: sql<number>`sum(${allocations.quantity})`.mapWith(Number),
    stops_left: sql<number>`count(distinct ${stock_items.id})`.mapWith(Number),
    distance: sql<number>`min(abs(${bins.pick_order} - cast(${a.from} as bigint)))`.mapWith(Number),
  })
    .where(and(isOf(wave_orders.wave_id), isLeft))
    .groupBy(wave_orders.wave_id),
);

/** The sum of the lines of an order's reservation. */
const sumOfLines = (units: SQL) => sql<number>`coalesce((
  select sum(${units}) from ${reservation_lines}
  join ${reservations} on ${reservations.id} = ${reservation_lines.reservation_id}
  where ${reservations.order_id} = ${orders.id}
), 0)`;
const backordered = sumOfLines(sql`${reservation_lines.wanted} - ${reservation_lines.reserved}`).mapWith(Number);
const unpickedUnits = sql<number>`case when ${isOpen} and ${isOneOf(orders.status, unpackedStatuses)}
  then ${sumOfLines(sql`${reservation_lines.wanted} - ${reservation_lines.picked}`)} else 0 end`;
const isCancelled = isOneOf(orders.status, [orderTransitions.cancel.to]);

const sizesOf = preparedOf((query, isOf) =>
  query
    .select({
      wave_id: wave_orders.wave_id,
      orders: sql<number>`count(*)`.mapWith(Number),
      units: sql<number>`sum(case when ${isCancelled} then 0 else ${wave_orders.units} end)`.mapWith(Number),
      unpicked: sql<number>`sum(${unpickedUnits})`.mapWith(Number),
    })
    .from(wave_orders)
    .innerJoin(orders, eq(orders.id, wave_orders.order_id))
    .where(isOf(wave_orders.wave_id))
    .groupBy(wave_orders.wave_id),
);

const oldestOf = preparedOf((query, isOf) =>
  query
    .select({
      wave_id: wave_orders.wave_id,
      warehouse_id: orders.warehouse_id,
      created_at: min(orders.created_at),
    })
    .from(wave_orders)
    .innerJoin(orders, eq(orders.id, wave_orders.order_id))
    .where(and(isOf(wave_orders.wave_id), isOpen, isWorkable))
    .groupBy(wave_orders.wave_id, orders.warehouse_id),
);

/** The size and progress of a wave, and when the first of its orders has to leave. */
interface WaveState {
  readonly progress: WaveProgress;
  readonly ship_by: number | null;
  /** How far its nearest bin is from a place on the pick path. */
  readonly distance: number;
}

/** The calendar of the promised ship date of an order that requests this warehouse (null: none). */
export function promisedBy(
  calendars: readonly (DispatchCalendar & { readonly id: number })[],
  warehouse_id: number | null,
): DispatchCalendar | null {
  return calendars.find(({ id }) => id === warehouse_id) ?? calendars[0] ?? null;
}

/** The state of each of these waves; `from` is a place on the pick path. */
export async function statesOf(db: Db, ids: readonly number[], from = 0): Promise<ReadonlyMap<number, WaveState>> {
  if (ids.length === 0) return new Map();
  const left = new Map((await leftOf(db, { ids, from })).map((row) => [row.wave_id as number, row]));
  const sizes = new Map((await sizesOf(db, { ids })).map((row) => [row.wave_id, row]));
  const oldest = Map.groupBy(await oldestOf(db, { ids }), ({ wave_id }) => wave_id);
  const calendars = await listCalendars(db);
  const states = ids.map((id): [number, WaveState] => {
    const {
      orders_left = 0,
      units_left = 0,
      stops_left = 0,
      distance = 0,
    } = (left.get(id) ?? {}) as Partial<Record<string, number>>;
    const cutoffs = (oldest.get(id) ?? []).flatMap(({ warehouse_id, created_at }) => {
      const calendar = promisedBy(calendars, warehouse_id);
      return calendar === null || created_at === null ? [] : (cutoffFor(Number(created_at), calendar) ?? []);
    });
    const progress = progressWith(sizes.get(id) ?? noSize, { orders_left, units_left, stops_left });
    return [id, { progress, ship_by: cutoffs.length === 0 ? null : Math.min(...cutoffs), distance }];
  });
  return new Map(states);
}

const noSize: WaveSize = { orders: 0, units: 0, unpicked: 0 };

/** The size of a wave. */
export async function sizeOf(db: Db, wave_id: number): Promise<WaveSize> {
  const [size] = await sizesOf(db, { ids: [wave_id] });
  return size ?? noSize;
}

const members = (query: ReadStatements) =>
  query
    .select({
      wave_id: wave_orders.wave_id,
      order_id: wave_orders.order_id,
      order_number: orders.order_number,
      merchant_id: wave_orders.merchant_id,
      position: wave_orders.position,
      open: wave_orders.open,
      status: orders.status,
      held: orders.held,
      backordered,
      unpicked: unpickedUnits.mapWith(Number),
    })
    .from(wave_orders)
    .innerJoin(orders, eq(orders.id, wave_orders.order_id));

const ordersOf = prepared((query, a: StatementArgs<{ wave_id: number }>) =>
  members(query).where(eq(wave_orders.wave_id, a.wave_id)).orderBy(asc(wave_orders.position)),
);
const orderOf = prepared((query, a: StatementArgs<{ wave_id: number; order_id: number }>) =>
  members(query).where(and(eq(wave_orders.wave_id, a.wave_id), eq(wave_orders.order_id, a.order_id))),
);

/** The orders of a wave, by position. */
export async function listWaveOrders(db: Db, wave_id: number): Promise<WaveOrder[]> {
  return ordersOf(db, { wave_id });
}

/** The name of whoever made a movement, from the history of these orders. */
const nameIn = (order_ids: SQL) => sql`
  select max(${order_history.actor_name}) from ${order_history}
  where ${among(order_history.order_id, order_ids)} and ${order_history.actor_id} = ${movements.actor_id}
`;
type PickersArgs = StatementArgs<{ ids: string; orders: string; since: number; until: number }>;
const pickersOf = prepared((query, a: PickersArgs) => {
  const { actor_type, actor_id, quantity, reason, reference_type, reference_id, created_at } = movements;
  return query
    .select({
      type: actor_type,
      id: actor_id,
      // In a query of one table, Drizzle omits the table name in a template, but not in a nested one.
      name: sql<string | null>`(${nameIn(a.ids)})`,
      units: sql<number>`sum(${quantity})`.mapWith(Number),
    })
    .from(movements)
    .where(
      and(
        eq(reference_type, "order"),
        amongTexts(reference_id, a.orders),
        eq(reason, "picked"),
        eq(movements.confirmed, true),
        sql`${created_at} between ${a.since} and ${a.until}`,
      ),
    )
    .groupBy(actor_type, actor_id)
    .orderBy(sql`min(${movements.id})`);
});

/** Who picked units for these orders of a wave while it was open, in the order in which they began. */
export async function listPickers(db: Db, wave: Wave, ids: readonly number[]): Promise<WavePicker[]> {
  if (wave.released_at === null) return [];
  const until = wave.closed_at ?? wave.cancelled_at ?? Number.MAX_SAFE_INTEGER;
  const orders = list(ids.map((id) => wireId("order", id)));
  const rows = await pickersOf(db, { ids: list(ids), orders, since: wave.released_at, until });
  return rows.map((row) => ({ ...row, name: row.name ?? row.id }));
}

/** An order of a wave, or null. */
export async function findWaveOrder(db: Db, wave_id: number, order_id: number): Promise<WaveOrder | null> {
  const [order] = await orderOf(db, { wave_id, order_id });
  return order ?? null;
}

const productsOf = prepared((query, a: StatementArgs<{ wave_id: number }>) =>
  query
    .selectDistinct({
      product_id: products.id,
      merchant_id: products.merchant_id,
      sku: products.sku,
      name: products.name,
    })
    .from(wave_orders)
    .innerJoin(reservations, eq(reservations.order_id, wave_orders.order_id))
    .innerJoin(reservation_lines, eq(reservation_lines.reservation_id, reservations.id))
    .innerJoin(products, eq(products.id, reservation_lines.product_id))
    .where(eq(wave_orders.wave_id, a.wave_id)),
);

/** The products of a wave's orders, whether they are picked or not. */
export async function listWaveProducts(db: Db, wave_id: number): Promise<WaveProduct[]> {
  return productsOf(db, { wave_id });
}

const leaving = prepared((query, _: StatementArgs<object>) =>
  query
    .selectDistinct({ wave_id: wave_orders.wave_id })
    .from(wave_orders)
    .innerJoin(orders, eq(orders.id, wave_orders.order_id))
    .where(and(isOpen, not(isOneOf(orders.status, unpackedStatuses)))),
);

/** The waves with orders that are packed or cancelled and still belong to them. */
export async function listUnsettledWaves(db: Db): Promise<number[]> {
  return (await leaving(db, {})).map(({ wave_id }) => wave_id);
}

const pickable = prepared((query, _: StatementArgs<object>) =>
  query.select().from(waves).where(isOneOf(waves.status, pickableWaveStatuses)).orderBy(asc(waves.id)),
);

/** The waves that are being picked in a warehouse, or in all (null). */
export async function listPickable(db: Db, warehouse_id: number | null): Promise<Wave[]> {
  const all = await pickable(db, {});
  return warehouse_id === null ? all : all.filter((wave) => wave.warehouse_id === warehouse_id);
}

/** Stores a wave and returns its id. */
export async function insertWave(
  tx: Tx,
  fields: Pick<
    Wave,
    "warehouse_id" | "mode" | "status" | "filters" | "limits" | "actor_type" | "actor_id" | "actor_name"
  >,
): Promise<number> {
  const times = { created_at: tx.now, updated_at: tx.now };
  const [id = 0] = await insertIds(tx, waves, [{ ...fields, revision: 1, ...times }]);
  return id;
}

/** Takes orders into a wave. None of them may be in another open wave. */
export async function insertWaveOrders(
  tx: Tx,
  rows: readonly (Pick<WaveOrder, "wave_id" | "merchant_id" | "order_id" | "position"> & { readonly units: number })[],
): Promise<void> {
  await insert(
    tx,
    wave_orders,
    rows.map((row) => ({ ...row, open: true })),
  );
}

const stillFree = preparedOf((query, isOf) =>
  query
    .select({ id: orders.id })
    .from(orders)
    .leftJoin(wave_orders, and(eq(wave_orders.order_id, orders.id), isOpen))
    .where(and(isOf(orders.id), isWorkable, isNull(wave_orders.order_id))),
);

/** Which of these orders a wave can take: neither packed, cancelled, on hold nor in an open wave. */
export async function listFree(db: Db, ids: readonly number[]): Promise<ReadonlySet<number>> {
  return new Set(ids.length === 0 ? [] : (await stillFree(db, { ids })).map(({ id }) => id));
}

/** Stores changes of a wave. */
export async function saveWave(
  tx: Tx,
  { id, revision }: Wave,
  change: { readonly status?: WaveStatus } & Partial<
    Pick<Wave, "released_at" | "picked_at" | "closed_at" | "cancelled_at">
  >,
): Promise<Wave> {
  await tx.sql
    .update(waves)
    .set({ ...change, revision: revision + 1, updated_at: tx.now })
    .where(eq(waves.id, id));
  return getWave(tx, id);
}

/** Ends the membership of all open orders of a wave, or of those given. */
export async function closeWaveOrders(tx: Tx, wave_id: number, order_ids: readonly number[] | null): Promise<void> {
  const which = order_ids === null ? undefined : inArray(wave_orders.order_id, [...order_ids]);
  await tx.sql
    .update(wave_orders)
    .set({ open: false })
    .where(and(eq(wave_orders.wave_id, wave_id), isOpen, which));
}

/** Removes an order from a wave. */
export async function deleteWaveOrder(tx: Tx, wave_id: number, order_id: number): Promise<void> {
  await tx.sql.delete(wave_orders).where(and(eq(wave_orders.wave_id, wave_id), eq(wave_orders.order_id, order_id)));
}
