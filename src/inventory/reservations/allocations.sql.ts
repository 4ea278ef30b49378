import { and, asc, eq, getTableColumns, or, sql } from "drizzle-orm";
import { type AnyPgColumn, alias } from "drizzle-orm/pg-core";
import { among, inputField, inputRows, list } from "../../../db/kit.ts";
import { movements, stock_items } from "../../../db/schema/inventory.ts";
import { allocations, reservation_lines, reservations } from "../../../db/schema/reservations.ts";
import { bins } from "../../../db/schema/warehouses.ts";
import { engine } from "../../core/config.ts";
import { assert } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import type { Db, Tx, WriteStatements } from "../../storage/database.ts";
import { insertIds, prepared, preparedOf, type StatementArgs } from "../../storage/statements.ts";
import type { Allocation, HeldLine, Reservation, ReservationLine } from "./reservation.ts";

/** Units of one stock item that are allocated to a set of lines. */
interface AllocatedItem {
  readonly product_id: number;
  readonly stock_item_id: number;
  readonly units: number;
}

const held = prepared((select, a: StatementArgs<{ lines: string }>) =>
  select
    .select({
      product_id: stock_items.product_id,
      stock_item_id: stock_items.id,
      units: sql<number>`sum(${allocations.quantity})`.mapWith(Number),
    })
    .from(allocations)
    .innerJoin(stock_items, eq(stock_items.id, allocations.stock_item_id))
    .where(among(allocations.reservation_line_id, a.lines))
    .groupBy(stock_items.id)
    .orderBy(asc(stock_items.id)),
);

/** Units allocated to these lines, by stock item. */
export async function listHeld(db: Db, line_ids: readonly number[]): Promise<AllocatedItem[]> {
  return line_ids.length === 0 ? [] : held(db, { lines: list(line_ids) });
}

const places = prepared((select, a: StatementArgs<{ ids: string }>) =>
  select
    .selectDistinct({ order_id: reservations.order_id, warehouse_id: stock_items.warehouse_id })
    .from(reservations)
    .innerJoin(reservation_lines, eq(reservation_lines.reservation_id, reservations.id))
    .innerJoin(allocations, eq(allocations.reservation_line_id, reservation_lines.id))
    .innerJoin(stock_items, eq(stock_items.id, allocations.stock_item_id))
    .where(among(reservations.order_id, a.ids)),
);

/** The warehouses that hold units allocated to these orders, by order id. */
export async function warehousesOf(db: Db, order_ids: readonly number[]): Promise<Map<number, number[]>> {
  const warehouses = new Map<number, number[]>();
  if (order_ids.length === 0) return warehouses;
  for (const { order_id, warehouse_id } of await places(db, { ids: list(order_ids) })) {
    const known = warehouses.get(order_id ?? 0);
    if (known === undefined) warehouses.set(order_id ?? 0, [warehouse_id]);
    else known.push(warehouse_id);
  }
  return warehouses;
}

const forget = prepared((tx: WriteStatements, a: StatementArgs<{ lines: string }>) =>
  tx.delete(allocations).where(among(allocations.reservation_line_id, a.lines)),
);

/** Deletes all allocations of these lines. */
export async function deleteAllocations(tx: Tx, line_ids: readonly number[]): Promise<void> {
  if (line_ids.length > 0) await forget(tx, { lines: list(line_ids) });
}

const allocationsOf = prepared((sql, a: StatementArgs<{ ids: string }>) =>
  sql.select().from(allocations).where(among(allocations.reservation_line_id, a.ids)).orderBy(asc(allocations.id)),
);

/** The lines with their allocations. */
export async function withAllocations(db: Db, lines: readonly ReservationLine[]): Promise<HeldLine[]> {
  if (lines.length === 0) return [];
  const rows = await allocationsOf(db, { ids: list(lines.map((line) => line.id)) });
  const of = Map.groupBy(rows, (row) => row.reservation_line_id);
  return lines.map((line) => ({ ...line, allocations: of.get(line.id) ?? [] }));
}

const allocated = {
  allocation_id: allocations.id,
  stock_item_id: allocations.stock_item_id,
  units: allocations.quantity,
};

// Not sorted: sorting costs SQLite more than the query.
const heldOf = prepared((select, a: StatementArgs<{ reservation_id: number }>) =>
  select
    .select({ ...getTableColumns(reservation_lines), ...allocated })
    .from(reservation_lines)
    .leftJoin(allocations, eq(allocations.reservation_line_id, reservation_lines.id))
    .where(eq(reservation_lines.reservation_id, a.reservation_id)),
);

/** The lines of a reservation with their allocations, both in order of id. */
export async function listHeldLines(db: Db, reservation_id: number): Promise<HeldLine[]> {
  return heldLinesOf(await heldOf(db, { reservation_id }));
}

type HeldLineRow = Awaited<ReturnType<typeof heldOf>>[number];

function heldLinesOf(rows: readonly HeldLineRow[]): HeldLine[] {
  const lines = new Map<number, HeldLine>();
  for (const { allocation_id, stock_item_id, units, ...row } of rows) {
    const line = lines.getOrInsertComputed(row.id, () => ({ ...row, allocations: [] }));
    if (allocation_id === null || stock_item_id === null) continue;
    const { id: reservation_line_id, merchant_id } = row;
    const quantity = units ?? 0;
    line.allocations.push({ id: allocation_id, merchant_id, reservation_line_id, stock_item_id, quantity });
  }
  for (const { allocations } of lines.values()) allocations.sort((a, b) => a.id - b.id);
  return [...lines.values()].sort((a, b) => a.id - b.id);
}

const allocatedOf = preparedOf((select, isOf) =>
  select
    .select({
      ...getTableColumns(reservations),
      line_id: reservation_lines.id,
      product_id: reservation_lines.product_id,
      order_line_id: reservation_lines.order_line_id,
      quantity: reservation_lines.quantity,
      wanted: reservation_lines.wanted,
      reserved: reservation_lines.reserved,
      picked: reservation_lines.picked,
      ...allocated,
    })
    .from(reservations)
    .innerJoin(reservation_lines, eq(reservation_lines.reservation_id, reservations.id))
    .leftJoin(allocations, eq(allocations.reservation_line_id, reservation_lines.id))
    .where(isOf(reservations.order_id)),
);

/** A reservation with its lines and their allocations. */
interface AllocatedReservation {
  readonly reservation: Reservation;
  readonly lines: HeldLine[];
}

/** The reservations of orders, by order id. An order without one has no entry. */
export async function findAllocatedReservations(
  db: Db,
  order_ids: readonly number[],
): Promise<Map<number, AllocatedReservation>> {
  const of = Map.groupBy(await allocatedOf(db, { ids: order_ids }), ({ order_id }) => order_id ?? 0);
  return new Map([...of].map(([order_id, rows]) => [order_id, allocatedReservationOf(rows)]));
}

type AllocatedReservationRow = Awaited<ReturnType<typeof allocatedOf>>[number];

function allocatedReservationOf(rows: readonly AllocatedReservationRow[]): AllocatedReservation {
  const [first] = rows;
  assert(first !== undefined, "a group of rows has one");
  const held = rows.map((row): HeldLineRow => {
    const { line_id: id, merchant_id, product_id, order_line_id, quantity, wanted, reserved, picked } = row;
    const { id: reservation_id, allocation_id, stock_item_id, units } = row;
    const counts = { quantity, wanted, reserved, picked };
    const line = { id, merchant_id, reservation_id, product_id, order_line_id, ...counts };
    return { ...line, allocation_id, stock_item_id, units };
  });
  const { id, merchant_id, order_id, order_ref, source, status, priority, paused } = first;
  const { warehouse_id, requires_cold_storage, avoids, expires_at, released_at, created_at } = first;
  const named = { id, merchant_id, order_id, order_ref, source };
  const choice = { warehouse_id, requires_cold_storage, avoids };
  const times = { expires_at, released_at, created_at };
  const reservation = { ...named, status, priority, paused, ...choice, ...times };
  return { reservation, lines: heldLinesOf(held) };
}

/** Stores new allocations and returns their ids. */
export async function insertAllocations(tx: Tx, rows: readonly Omit<Allocation, "id">[]): Promise<number[]> {
  return insertIds(tx, allocations, rows);
}

const addTo = prepared((tx: WriteStatements, a: StatementArgs<Omit<Allocation, "id">>) =>
  tx
    .insert(allocations)
    .values({
      merchant_id: sql`${a.merchant_id}`,
      reservation_line_id: sql`${a.reservation_line_id}`,
      stock_item_id: sql`${a.stock_item_id}`,
      quantity: sql`${a.quantity}`,
    })
    .onConflictDoUpdate({
      target: [allocations.reservation_line_id, allocations.stock_item_id],
      set: { quantity: sql`${allocations.quantity} + excluded.quantity` },
    })
    .returning(getTableColumns(allocations)),
);

/** Adds units of an item to a line's allocations. Returns the allocation as it is now. */
export async function addAllocation(tx: Tx, added: Omit<Allocation, "id">): Promise<Allocation> {
  const [allocation] = await addTo(tx, added);
  assert(allocation, "the allocation is stored");
  return allocation;
}

const setQuantity = prepared((tx: WriteStatements, a: StatementArgs<{ id: number; quantity: number }>) =>
  tx
    .update(allocations)
    .set({ quantity: sql`${a.quantity}` })
    .where(eq(allocations.id, a.id)),
);
const setQuantities = prepared((tx: WriteStatements, a: StatementArgs<{ rows: string }>) =>
  tx
    .update(allocations)
    .set({ quantity: inputField("quantity") })
    .from(inputRows(a.rows))
    .where(eq(allocations.id, inputField("id"))),
);
const remove = preparedOf((tx: WriteStatements, isOf) => tx.delete(allocations).where(isOf(allocations.id)));

/** Stores the quantities of allocations, and deletes those with none left. */
export async function saveAllocations(tx: Tx, changed: readonly Allocation[]): Promise<void> {
  const ids = changed.filter(({ quantity }) => quantity === 0).map(({ id }) => id);
  const rows = changed.filter(({ quantity }) => quantity > 0).map(({ id, quantity }) => ({ id, quantity }));
  if (engine === "postgres") {
    if (ids.length > 0) await remove(tx, { ids });
    if (rows.length > 0) await setQuantities(tx, { rows: JSON.stringify(rows) });
    return;
  }
  for (const id of ids) await remove(tx, { ids: [id] });
  for (const row of rows) await setQuantity(tx, row);
}

type MovedAllocation = Pick<Allocation, "id" | "stock_item_id" | "quantity">;

const setPlace = prepared((tx: WriteStatements, a: StatementArgs<MovedAllocation>) =>
  tx
    .update(allocations)
    .set({ stock_item_id: sql`${a.stock_item_id}`, quantity: sql`${a.quantity}` })
    .where(eq(allocations.id, a.id)),
);
const setPlaces = prepared((tx: WriteStatements, a: StatementArgs<{ rows: string }>) =>
  tx
    .update(allocations)
    .set({ stock_item_id: inputField("stock_item_id"), quantity: inputField("quantity") })
    .from(inputRows(a.rows))
    .where(eq(allocations.id, inputField("id"))),
);

/** Stores the stock item and the quantity of allocations that have moved. */
export async function moveAllocations(tx: Tx, moved: readonly Allocation[]): Promise<void> {
  if (moved.length === 0) return;
  const rows = moved.map(({ id, stock_item_id, quantity }) => ({ id, stock_item_id, quantity }));
  if (engine === "postgres") await setPlaces(tx, { rows: JSON.stringify(rows) });
  else for (const row of rows) await setPlace(tx, row);
}

const staged = prepared((query, a: StatementArgs<{ order: string }>) => {
  const left = alias(stock_items as never, "left_items") as unknown as typeof stock_items;
  const came = alias(stock_items as never, "came_items") as unknown as typeof stock_items;
  const isStaging = (bin_id: AnyPgColumn) =>
    sql`((select ${bins.kind} from ${bins} where ${bins.id} = ${bin_id}) = 'staging')`;
  return query
    .select({
      product_id: movements.product_id,
      warehouse_id: left.warehouse_id,
      quantity: sql<number>`case when ${isStaging(came.bin_id)} then 1 else -1 end * ${movements.quantity}`.mapWith(
        Number,
      ),
    })
    .from(movements)
    .innerJoin(left, eq(left.id, movements.from_item_id))
    .innerJoin(came, eq(came.id, movements.to_item_id))
    .where(
      and(
        eq(movements.reference_type, "order"),
        eq(movements.reference_id, a.order),
        eq(movements.type, "transfer"),
        sql`${isStaging(came.bin_id)} <> ${isStaging(left.bin_id)}`,
      ),
    )
    .orderBy(asc(movements.id));
});

/** Units that came to staging for an order, oldest first; below zero, units that went back to the shelf. */
export async function listStaged(db: Db, order_id: number) {
  return staged(db, { order: wireId("order", order_id) });
}

const throughItems = prepared((query, a: StatementArgs<{ ids: string }>) =>
  query
    .select({
      from_item_id: movements.from_item_id,
      to_item_id: movements.to_item_id,
      quantity: movements.quantity,
      reason: movements.reason,
      from_bin: bins.code,
    })
    .from(movements)
    .leftJoin(stock_items, eq(stock_items.id, movements.from_item_id))
    .leftJoin(bins, eq(bins.id, stock_items.bin_id))
    .where(or(among(movements.from_item_id, a.ids), among(movements.to_item_id, a.ids)))
    .orderBy(asc(movements.id)),
);

/** The movements into and out of these stock items, oldest first, with the bins that they came from. */
export async function listMovesThrough(db: Db, item_ids: readonly number[]) {
  return throughItems(db, { ids: list(item_ids) });
}
