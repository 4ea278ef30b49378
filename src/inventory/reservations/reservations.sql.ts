import { and, asc, eq, getTableColumns, inArray, isNull, or, sql } from "drizzle-orm";
import { among, amongTexts, forUpdateInOrder, inputField, inputRows, isOneOf, list, opaque } from "../../../db/kit.ts";
import { lots, stock_items } from "../../../db/schema/inventory.ts";
import { products } from "../../../db/schema/products.ts";
import { allocations, reservation_lines, reservations } from "../../../db/schema/reservations.ts";
import { bins } from "../../../db/schema/warehouses.ts";
import { engine } from "../../core/config.ts";
import { readId } from "../../core/ids.ts";
import { choice, textField } from "../../core/schema.ts";
import type { Db, Tx, WriteStatements } from "../../storage/database.ts";
import { longRecords } from "../../storage/long_records.ts";
import { anyOf, filter, newestIds, recordList } from "../../storage/record_list.ts";
import { insertIds, prepared, preparedOf, type StatementArgs } from "../../storage/statements.ts";
import {
  initialReservationStatus,
  isExpired,
  type ReservationStatus,
  reservationStatuses,
} from "../inventory.transitions.ts";
import type {
  AllocationLine,
  AvoidedItem,
  PlannedUnits,
  Reservation,
  ReservationLine,
  ReservedUnits,
} from "./reservation.ts";

const byId = prepared((sql, a: StatementArgs<{ id: number }>) =>
  sql.select().from(reservations).where(eq(reservations.id, a.id)),
);
const byOrder = prepared((sql, a: StatementArgs<{ order_id: number }>) =>
  sql.select().from(reservations).where(eq(reservations.order_id, a.order_id)),
);
const claimed = prepared((sql, a: StatementArgs<{ order_id: number }>) =>
  sql
    .select({ product_id: reservation_lines.product_id })
    .from(reservations)
    .innerJoin(reservation_lines, eq(reservation_lines.reservation_id, reservations.id))
    .where(eq(reservations.order_id, a.order_id)),
);
// The status is written out: a bound value that might use a partial index makes SQLite plan at every run.
const adoptable = prepared(
  (select, a: StatementArgs<{ order_ref: string; source: string; merchant_id: number; now: number }>) =>
    select
      .select()
      .from(reservations)
      .where(
        and(
          eq(reservations.order_ref, a.order_ref),
          eq(reservations.source, a.source),
          eq(reservations.merchant_id, a.merchant_id),
          isOneOf(reservations.status, [initialReservationStatus]),
          isNull(reservations.order_id),
          sql`${reservations.expires_at} > ${a.now}`,
        ),
      ),
);

/** The reservation with this id, or null. */
export async function findReservation(db: Db, id: number): Promise<Reservation | null> {
  const [row] = await byId(db, { id });
  return row ?? null;
}

/** The reservation of an order, or null. */
export async function findOrderReservation(db: Db, order_id: number): Promise<Reservation | null> {
  const [row] = await byOrder(db, { order_id });
  return row ?? null;
}

/** The products in an order's reservation. */
export async function listReservedProducts(db: Db, order_id: number): Promise<number[]> {
  const rows = await claimed(db, { order_id });
  return [...new Set(rows.map(({ product_id }) => product_id))];
}

/** Open reservations that a client made for this order number before the order existed, oldest first. */
export async function findAdoptable(
  db: Db,
  order_ref: string,
  source: string,
  merchant_id: number,
): Promise<Reservation[]> {
  const found = await adoptable(db, { order_ref, source, merchant_id, now: db.now });
  // Sorted here: sorting costs SQLite more than the query.
  return found.sort((a, b) => a.id - b.id);
}

const adoptables = prepared((select, a: StatementArgs<{ order_refs: string; source: string; now: number }>) =>
  select
    .select({ order_ref: reservations.order_ref })
    .from(reservations)
    .where(
      and(
        amongTexts(reservations.order_ref, a.order_refs),
        eq(reservations.source, a.source),
        isOneOf(reservations.status, [initialReservationStatus]),
        isNull(reservations.order_id),
        sql`${reservations.expires_at} > ${a.now}`,
      ),
    ),
);

/** Those of these order numbers, of any merchant, for which a client has an open reservation. */
export async function findAdoptableRefs(db: Db, order_refs: readonly string[], source: string): Promise<Set<string>> {
  const rows = await adoptables(db, { order_refs: list(order_refs), source, now: db.now });
  return new Set(rows.map(({ order_ref }) => order_ref));
}

const linesOf = prepared((sql, a: StatementArgs<{ ids: string }>) =>
  sql
    .select()
    .from(reservation_lines)
    .where(among(reservation_lines.reservation_id, a.ids))
    .orderBy(asc(reservation_lines.id)),
);
/** The lines of these reservations, in their order. */
export async function listLines(db: Db, reservation_ids: readonly number[]): Promise<ReservationLine[]> {
  return linesOf(db, { ids: list(reservation_ids) });
}

/** Stores a new reservation and returns its id. */
export async function insertReservation(tx: Tx, row: Omit<Reservation, "id" | "avoids">): Promise<number> {
  const [id = 0] = await insertIds(tx, reservations, [row]);
  return id;
}

/** Stores new reservations and returns their ids. */
export async function insertReservations(tx: Tx, rows: readonly Omit<Reservation, "id">[]): Promise<number[]> {
  return insertIds(tx, reservations, rows);
}

/** Stores new lines and returns their ids. */
export async function insertLines(tx: Tx, rows: readonly Omit<ReservationLine, "id">[]): Promise<number[]> {
  return insertIds(tx, reservation_lines, rows);
}

/** Deletes lines without allocations. */
export async function deleteLines(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await tx.sql.delete(reservation_lines).where(inArray(reservation_lines.id, [...ids]));
}

const states = ["status", "priority", "paused", "requires_cold_storage", "expires_at", "released_at"] as const;
/** The fields of a reservation that change while its order, reference and warehouse stay the same. */
export type ReservationState = Pick<Reservation, (typeof states)[number]>;

const mutable = [...states, "order_id", "order_ref", "warehouse_id"] as const;

const saving = <Name extends (typeof mutable)[number]>(names: readonly Name[]) =>
  prepared((tx: WriteStatements, a: StatementArgs<Pick<Reservation, "id" | Name>>) =>
    tx
      .update(reservations)
      .set(Object.fromEntries(names.map((name) => [name, sql`${a[name]}`])))
      .where(eq(reservations.id, a.id)),
  );
// SQLite rewrites the index of each column in the statement.
const [save, saveStates] = [saving(mutable), saving(states)];

/** Stores a reservation as it is now. */
export async function saveReservation(tx: Tx, reservation: Reservation): Promise<void> {
  await save(tx, reservation);
}

/** As `saveReservation`, when order, reference and warehouse are unchanged. */
export async function saveState(tx: Tx, reservation: Pick<Reservation, "id"> & ReservationState): Promise<void> {
  await saveStates(tx, reservation);
}

const setAvoids = prepared((tx: WriteStatements, a: StatementArgs<{ id: number; avoids: string | null }>) =>
  tx
    .update(reservations)
    .set({ avoids: sql`${a.avoids}` })
    .where(eq(reservations.id, a.id)),
);

/** Stores the stock items that a reservation avoids; null for none. */
export async function saveAvoids(tx: Tx, id: number, avoids: readonly AvoidedItem[] | null): Promise<void> {
  await setAvoids(tx, { id, avoids: avoids === null ? null : JSON.stringify(avoids) });
}

const avoidsOf = prepared((tx: WriteStatements, a: StatementArgs<{ ids: string }>) =>
  forUpdateInOrder(
    tx
      .select({ id: reservations.id, avoids: reservations.avoids })
      .from(reservations)
      .where(among(reservations.id, a.ids)),
    reservations.id,
  ),
);

/** Lets reservations have units again of stock items that they avoid. The stock is locked. */
export async function endAvoidance(
  tx: Tx,
  ended: readonly { readonly reservation_id: number; readonly stock_item_id: number }[],
): Promise<void> {
  if (ended.length === 0) return;
  const of = Map.groupBy(ended, ({ reservation_id }) => reservation_id);
  for (const { id, avoids } of await avoidsOf(tx, { ids: list([...of.keys()]) })) {
    const left = (avoids ?? []).filter((item) => !of.get(id)?.some((one) => one.stock_item_id === item.stock_item_id));
    await saveAvoids(tx, id, left.length > 0 ? left : null);
  }
}

const counts = ["wanted", "reserved", "picked"] as const;
const saveCounts = prepared(
  (tx: WriteStatements, a: StatementArgs<Pick<ReservationLine, "id" | (typeof counts)[number]>>) =>
    tx
      .update(reservation_lines)
      .set({ wanted: sql`${a.wanted}`, reserved: sql`${a.reserved}`, picked: sql`${a.picked}` })
      .where(eq(reservation_lines.id, a.id)),
);
const saveCountsOfAll = prepared((tx: WriteStatements, a: StatementArgs<{ rows: string }>) =>
  tx
    .update(reservation_lines)
    .set(Object.fromEntries(counts.map((name) => [name, inputField(name)])))
    .from(inputRows(a.rows))
    .where(eq(reservation_lines.id, inputField("id"))),
);

/** Stores the counts of lines. */
export async function saveLines(tx: Tx, lines: readonly ReservationLine[]): Promise<void> {
  if (lines.length === 0) return;
  const rows = lines.map(({ id, wanted, reserved, picked }) => ({ id, wanted, reserved, picked }));
  if (engine === "postgres") await saveCountsOfAll(tx, { rows: JSON.stringify(rows) });
  else for (const row of rows) await saveCounts(tx, row);
}

const close = prepared((tx: WriteStatements, a: StatementArgs<{ lines: string }>) =>
  tx.update(reservation_lines).set({ wanted: sql`0`, reserved: sql`0` }).where(among(reservation_lines.id, a.lines)),
);

/** Sets what these lines want and hold to zero. The caller deletes their allocations. */
export async function closeLines(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await close(tx, { lines: list(ids) });
}

// The status is written out: a bound value that might use a partial index makes SQLite plan at every run.
const expire = prepared(
  (tx: WriteStatements, a: StatementArgs<{ ids: string; now: number; status: ReservationStatus }>) =>
    tx
      .update(reservations)
      .set({ status: sql`${a.status}` })
      .where(
        and(
          among(reservations.id, a.ids),
          sql`${isOneOf(reservations.status, [initialReservationStatus])} and ${reservations.expires_at} <= ${a.now}`,
        ),
      )
      .returning({ id: reservations.id }),
);

/** Stores the status of these overdue reservations. Returns the ids of those that had not ended otherwise before. */
export async function saveExpired(tx: Tx, ids: readonly number[], status: ReservationStatus): Promise<number[]> {
  const rows = await expire(tx, { ids: list(ids), now: tx.now, status });
  return rows.map(({ id }) => id);
}

// Not sorted: sorting costs SQLite more than the query.
const claims = preparedOf((sql, isOf) =>
  sql
    .select({
      id: reservation_lines.id,
      order_line_id: reservation_lines.order_line_id,
      product_id: reservation_lines.product_id,
      wanted: reservation_lines.wanted,
      reserved: reservation_lines.reserved,
      picked: reservation_lines.picked,
    })
    .from(reservations)
    .innerJoin(reservation_lines, eq(reservation_lines.reservation_id, reservations.id))
    .where(isOf(reservations.order_id)),
);

/** The allocations of these orders, line by line. */
export async function listOrderReservations(db: Db, order_ids: readonly number[]): Promise<AllocationLine[]> {
  const rows = await claims(db, { ids: order_ids });
  // Every line of an order's reservation has an order line.
  return rows.sort((a, b) => a.id - b.id) as (AllocationLine & { id: number })[];
}

const plans = prepared((sql, a: StatementArgs<{ ids: string }>) =>
  sql
    .select({
      order_id: reservations.order_id,
      order_line_id: reservation_lines.order_line_id,
      product_id: reservation_lines.product_id,
      warehouse_id: stock_items.warehouse_id,
      bin: bins.code,
      bin_kind: bins.kind,
      pick_order: bins.pick_order,
      lot_number: lots.lot_number,
      expires_on: lots.expires_on,
      quantity: allocations.quantity,
    })
    .from(reservations)
    .innerJoin(reservation_lines, eq(reservation_lines.reservation_id, reservations.id))
    .innerJoin(allocations, eq(allocations.reservation_line_id, reservation_lines.id))
    .innerJoin(stock_items, eq(stock_items.id, allocations.stock_item_id))
    .innerJoin(bins, eq(bins.id, stock_items.bin_id))
    .leftJoin(lots, eq(lots.id, stock_items.lot_id))
    .where(among(reservations.order_id, a.ids))
    .orderBy(asc(stock_items.warehouse_id), asc(bins.pick_order), asc(bins.code), asc(allocations.id)),
);

/** The units allocated to these orders and where they are, along the pick path of each warehouse. */
export async function plansOf(db: Db, order_ids: readonly number[]): Promise<PlannedUnits[]> {
  const rows = await plans(db, { ids: list(order_ids) });
  return rows.map(({ order_id, order_line_id, bin_kind, ...row }) => ({
    ...row,
    order_id: order_id ?? 0,
    order_line_id: order_line_id ?? 0,
    picked: bin_kind === "staging",
  }));
}

const overdue = sql`${isOneOf(reservations.status, [initialReservationStatus])}
  and ${reservations.expires_at} is not null`;

/** Overdue reservations that no job has ended yet, the longest overdue first. */
export async function listOverdue(db: Db, limit: number): Promise<Reservation[]> {
  return db.sql
    .select()
    .from(reservations)
    .where(sql`${overdue} and ${reservations.expires_at} <= ${db.now}`)
    .orderBy(asc(reservations.expires_at), asc(reservations.id))
    .limit(limit);
}

const overdueLines = prepared((select, a: StatementArgs<{ products: string; now: number; limit: number }>) =>
  select
    .select(getTableColumns(reservation_lines))
    .from(reservations)
    .innerJoin(reservation_lines, eq(reservation_lines.reservation_id, reservations.id))
    .where(
      and(
        sql`${overdue} and ${reservations.expires_at} <= ${a.now}`,
        among(reservation_lines.product_id, a.products),
        sql`${reservation_lines.wanted} > 0`,
      ),
    )
    .limit(opaque(a.limit)),
);

/** Lines of overdue reservations that still want any of these products. */
export async function listOverdueLines(
  db: Db,
  product_ids: readonly number[],
  limit: number,
): Promise<ReservationLine[]> {
  return overdueLines(db, { products: list(product_ids), now: db.now, limit });
}

/** When the next reservation expires (ms), or null. */
export async function nextExpiry(db: Db): Promise<number | null> {
  const [row] = await db.sql
    .select({ at: reservations.expires_at })
    .from(reservations)
    .where(overdue)
    .orderBy(asc(reservations.expires_at))
    .limit(1);
  return row?.at ?? null;
}

/** Reservations, newest first. */
export const reservationList = recordList(reservations, {
  filters: {
    status: anyOf(choice(reservationStatuses), (status, { now }) => {
      const past = sql`(${overdue} and ${reservations.expires_at} <= ${now})`;
      if (isExpired(status)) return sql`(${eq(reservations.status, status)} or ${past})`;
      return sql`${reservations.status} = ${status} and not ${past}`;
    }),
    order_id: anyOf(
      textField(100, { description: "Only reservations for these orders, by id or order number." }),
      (name) => {
        const id = readId("order", name);
        return or(eq(reservations.order_ref, name), id === null ? undefined : eq(reservations.order_id, id));
      },
    ),
    sku: filter(
      textField(100, { description: "Only reservations of this SKU." }),
      (sku) => sql`exists (
        select 1 from ${reservation_lines} join ${products} on ${products.id} = ${reservation_lines.product_id}
        where ${reservation_lines.reservation_id} = ${reservations.id} and ${products.sku} = ${sku}
      )`,
    ),
  },
  order: newestIds(reservations.id),
  // One may have hundreds of items.
  long: longRecords(reservations, reservation_lines.reservation_id, { record: 500, part: 150 }),
});

const wantedBy = preparedOf((sql, isOf) =>
  sql
    .select({ ...getTableColumns(reservation_lines), sku: products.sku })
    .from(reservation_lines)
    .innerJoin(products, eq(products.id, reservation_lines.product_id))
    .where(isOf(reservation_lines.reservation_id))
    .orderBy(asc(reservation_lines.id)),
);
const total = sql<number>`sum(${allocations.quantity})`.mapWith(Number);
const heldBy = preparedOf((sql, isOf) =>
  sql
    .select({
      line_id: reservation_lines.id,
      warehouse_id: stock_items.warehouse_id,
      quantity: total,
    })
    .from(reservation_lines)
    .innerJoin(allocations, eq(allocations.reservation_line_id, reservation_lines.id))
    .innerJoin(stock_items, eq(stock_items.id, allocations.stock_item_id))
    .where(isOf(reservation_lines.reservation_id))
    .groupBy(reservation_lines.id, stock_items.warehouse_id)
    .orderBy(asc(stock_items.warehouse_id)),
);

/**
 * What these reservations hold, by SKU and warehouse. Units that they want and do not hold have no warehouse, nor do
 * the units of reservations that are over.
 */
export async function reservedUnits(db: Db, reservation_ids: readonly number[]): Promise<ReservedUnits[]> {
  const ofLine = await wantedBy(db, { ids: reservation_ids });
  const held = await heldBy(db, { ids: reservation_ids });
  const heldOf = Map.groupBy(held, (row) => row.line_id);
  return ofLine.flatMap(({ id, reservation_id, sku, quantity, wanted, reserved }) => {
    const without = wanted > reserved ? wanted - reserved : wanted === 0 ? quantity : 0;
    const own = (heldOf.get(id) ?? []).map((row) => ({
      reservation_id,
      sku,
      quantity: row.quantity,
      warehouse_id: row.warehouse_id,
    }));
    return without > 0 ? [...own, { reservation_id, sku, quantity: without, warehouse_id: null }] : own;
  });
}
