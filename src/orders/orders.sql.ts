import { and, asc, eq, inArray, isNull, sql as template } from "drizzle-orm";
import { amongTexts, forUpdateInOrder, list } from "../../db/kit.ts";
import { order_holds, order_lines, orders } from "../../db/schema/orders.ts";
import { returns } from "../../db/schema/returns.ts";
import { engine } from "../core/config.ts";
import { assert, missing } from "../core/faults.ts";
import { readId } from "../core/ids.ts";
import { listOrderReservations } from "../inventory/reservations/reservations.sql.ts";
import type { Db, Tx, WriteStatements } from "../storage/database.ts";
import { allotId, prepared, preparedOf, type StatementArgs } from "../storage/statements.ts";
import { refuseAmbiguousOwner } from "../storage/tenant.ts";
import { dispatchOf } from "./fulfillment/ship_dates.sql.ts";
import { findOrderOfShipment, listShipments } from "./fulfillment/shipments.sql.ts";
import { findOrderId, findOrderRows, isOrderId, orderRow, type StoredOrderRow } from "./lifecycle/order_lookup.sql.ts";
import { isOpen, isUnpacked, unpackedStatuses } from "./order.transitions.ts";
import { type Order, type OrderFields, type OrderParcel, publicStatus } from "./order.ts";
import { countReturned, linesOf, saveLines } from "./order_lines.sql.ts";
import { allocatedLine, subtotalOf } from "./order_lines.ts";
import { type HistoryEntry, insertHistories, insertHistory } from "./search/order_history.sql.ts";
import { insertTags, replaceTags } from "./search/order_tags.sql.ts";

type StoredOrder = typeof orders.$inferSelect;

const byId = prepared((sql, a: StatementArgs<{ id: number }>) =>
  sql.select(orderRow).from(orders).where(eq(orders.id, a.id)),
);
const locked = preparedOf((sql, isOf) =>
  forUpdateInOrder(sql.select(orderRow).from(orders).where(isOf(orders.id)), orders.id),
);
const holdsOf = preparedOf((sql, isOf) =>
  sql
    .select()
    .from(order_holds)
    .where(and(isOf(order_holds.order_id), isNull(order_holds.released_at)))
    .orderBy(asc(order_holds.id)),
);
const returnsOf = preparedOf((sql, isOf) =>
  sql
    .select({ id: returns.id, order_id: returns.order_id })
    .from(returns)
    .where(isOf(returns.order_id))
    .orderBy(asc(returns.id)),
);

/** The order that a client names by its id or its order number. Refuses: resource_missing, ambiguous_identifier. */
export async function getOrder(db: Db, name: string | number): Promise<Order> {
  return only(db, await byId(db, { id: await idOf(db, name) }), name);
}

async function idOf(db: Db, name: string | number): Promise<number> {
  return (isOrderId(name) ? readId("order", name) : await findOrderId(db, name, null)) ?? 0;
}

/** The orders with these ids and everything that belongs to them. Unknown ids are left out. */
export async function findOrders(db: Db, ids: readonly number[]): Promise<Order[]> {
  return wholeOrders(db, await findOrderRows(db, ids));
}

/** As `getOrder`, with the order's row locked until the transaction ends. Every act begins with this. */
export async function lockOrder(tx: Tx, name: string | number): Promise<Order> {
  return only(tx, await locked(tx, { ids: [await idOf(tx, name)] }), name);
}

/** As `lockOrder`, for orders by their ids. Unknown ids are left out. */
export async function lockOrders(tx: Tx, ids: readonly number[]): Promise<Map<number, Order>> {
  const locked_orders = ids.length === 0 ? [] : await wholeOrders(tx, await locked(tx, { ids }));
  return new Map(locked_orders.map((order) => [order.id, order]));
}

/** A parcel and its order, whose row is locked until the transaction ends. Refuses: resource_missing. */
export async function lockParcel(tx: Tx, shipment_id: number): Promise<OrderParcel> {
  const order_id = await findOrderOfShipment(tx, shipment_id);
  if (order_id === null) throw missing("shipment", shipment_id);
  const order = await lockOrder(tx, order_id);
  const shipment = order.shipments.find(({ id }) => id === shipment_id);
  assert(shipment !== undefined, "an order has the parcels that name it");
  return { order, shipment };
}

async function only(db: Db, rows: readonly StoredOrderRow[], id: string | number): Promise<Order> {
  const [order] = await wholeOrders(db, rows);
  if (order === undefined) throw missing("order", id);
  return order;
}

/** Loads everything that belongs to orders, in a few queries however many there are. */
export async function wholeOrders(db: Db, rows: readonly StoredOrderRow[]): Promise<Order[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const open = rows.filter(({ status }) => isOpen(status)).map((row) => row.id);
  const held = rows.filter((row) => row.held).map((row) => row.id);
  // Sent together, which is one round trip to PostgreSQL.
  const [lines, claims, holds, shipments, dispatch] = await Promise.all([
    linesOf(db, ids),
    listOrderReservations(db, open),
    held.length === 0 ? [] : holdsOf(db, { ids: held }),
    listShipments(db, ids),
    dispatchOf(db, rows),
  ]);
  const left = new Set(lines.filter((line) => line.quantity_shipped > 0).map((line) => line.order_id));
  const returned = left.size === 0 ? [] : await returnsOf(db, { ids: [...left] });
  const own = Map.groupBy(claims, (claim) => claim.order_line_id);
  const of = {
    lines: Map.groupBy(lines, (line) => line.order_id),
    holds: Map.groupBy(holds, (hold) => hold.order_id),
    shipments: Map.groupBy(shipments, (shipment) => shipment.order_id),
    returns: Map.groupBy(returned, (row) => row.order_id),
  };
  return rows.map((row, at) =>
    Object.assign(row, {
      calendars: dispatch[at]?.calendars ?? [],
      promised_by: dispatch[at]?.promised_by ?? null,
      lines: of.lines.get(row.id)?.map((line) => allocatedLine(line, own.get(line.id) ?? [])) ?? [],
      holds: of.holds.get(row.id) ?? [],
      shipments: of.shipments.get(row.id) ?? [],
      returns: of.returns.get(row.id)?.map(({ id }) => id) ?? [],
    }),
  );
}

const openTo = prepared((sql, a: StatementArgs<{ customer_id: number; address_id: number }>) =>
  sql
    .select({ id: orders.id })
    .from(orders)
    .where(
      and(
        eq(orders.customer_id, a.customer_id),
        eq(orders.shipping_address_id, a.address_id),
        inArray(orders.status, unpackedStatuses),
      ),
    )
    .orderBy(asc(orders.id)),
);

/** The orders, not packed yet, that go to an address of a customer. */
export async function listOpenOrdersTo(db: Db, customer_id: number, address_id: number): Promise<number[]> {
  return (await openTo(db, { customer_id, address_id })).map(({ id }) => id);
}

/** A new order before it is stored. It is created now, unless it has a `created_at` from elsewhere. */
export type NewOrder = Omit<OrderFields, "revision" | "created_at" | "updated_at"> &
  Partial<Pick<OrderFields, "created_at">>;

const stored = (tx: Tx, fields: NewOrder) => ({ created_at: tx.now, ...fields, revision: 1, updated_at: tx.now });

// Order numbers are unique for each merchant.
const numbered = [orders.order_number, orders.merchant_id];

const insertRow = prepared((sql: WriteStatements, a: StatementArgs<Pick<StoredOrder, (typeof columns)[number]>>) =>
  sql
    .insert(orders)
    .values(Object.fromEntries(columns.map((name) => [name, a[name]])) as never)
    .onConflictDoNothing({ target: numbered })
    .returning({ id: orders.id }),
);

/** Stores a new order without its lines and returns its id; null when its number is taken. */
export async function insertOrder(tx: Tx, fields: NewOrder): Promise<number | null> {
  const [row] = await insertRow(tx, stored(tx, fields));
  const id = row?.id ?? null;
  await insertTags(tx, { ...fields, id });
  return id;
}

/** Reserves the id of an order that is stored later. No other order gets it. */
export async function allotOrderId(tx: Tx): Promise<number> {
  return allotId(tx, "orders");
}

/** As `insertOrder`, with an id that `allotOrderId` reserved. */
export async function insertAllotted(tx: Tx, id: number, fields: NewOrder): Promise<number | null> {
  const row = { id, ...stored(tx, fields) };
  const query = tx.sql.insert(orders).values(row).onConflictDoNothing({ target: numbered });
  const [inserted] = await query.returning({ id: orders.id });
  await insertTags(tx, { ...fields, id: inserted?.id ?? null });
  return inserted?.id ?? null;
}

/** Stores new orders without their lines. Returns the id of each by its number, except where that was taken. */
export async function insertOrders(tx: Tx, all: readonly NewOrder[]): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  if (all.length === 0) return ids;
  if (engine === "postgres") {
    const rows = all.map((fields) => stored(tx, fields));
    const query = tx.sql.insert(orders).values(rows).onConflictDoNothing({ target: numbered });
    const inserted = await query.returning({ id: orders.id, order_number: orders.order_number });
    for (const { id, order_number } of inserted) ids.set(order_number, id);
    for (const fields of all) await insertTags(tx, { ...fields, id: ids.get(fields.order_number) ?? null });
    return ids;
  }
  for (const fields of all) {
    const id = await insertOrder(tx, fields);
    if (id !== null) ids.set(fields.order_number, id);
  }
  return ids;
}

const byNumbers = prepared((sql, a: StatementArgs<{ numbers: string }>) =>
  sql
    .select({ id: orders.id, order_number: orders.order_number, merchant_id: orders.merchant_id })
    .from(orders)
    .where(amongTexts(orders.order_number, a.numbers)),
);

/** The ids of the orders with these numbers, by number. Refuses: merchant_required. */
export async function findOrdersByNumber(db: Db, numbers: readonly string[]): Promise<Map<string, number>> {
  const rows = await listOrdersNumbered(db, numbers);
  refuseAmbiguousOwner(rows, ({ order_number }) => order_number);
  return new Map(rows.map(({ id, order_number }) => [order_number, id]));
}

/** The orders of all merchants with these numbers, each with its merchant. */
export async function listOrdersNumbered(db: Db, numbers: readonly string[]) {
  return numbers.length === 0 ? [] : byNumbers(db, { numbers: list(numbers) });
}

/** Stores these columns of an order, and counts `steps` new rows of its history. */
const saving = <Name extends (typeof mutable)[number]>(names: readonly Name[]) =>
  prepared(
    (sql: WriteStatements, a: StatementArgs<Pick<StoredOrder, "id" | Name> & { before: number; steps: number }>) =>
      sql
        .update(orders)
        .set({
          ...Object.fromEntries(names.map((name) => [name, a[name]])),
          history_rows: template`${orders.history_rows} + ${a.steps}`,
        })
        .where(and(eq(orders.id, a.id), eq(orders.revision, a.before)))
        .returning({ number: orders.history_rows }),
  );

/** The order after one step of an act, and the step's history entry. */
export interface OrderStep {
  readonly order: Order;
  readonly entry: HistoryEntry;
}

/**
 * A step to be stored by `saveSteps`. The order's revision increases by one, and its subtotal is the cost of the units
 * that are not cancelled.
 */
export function stepOf(tx: Tx, before: Order, after: Order, entry: HistoryEntry): OrderStep {
  const subtotal_cents = subtotalOf(after.lines);
  return { order: { ...after, subtotal_cents, revision: before.revision + 1, updated_at: tx.now }, entry };
}

/** As `saveSteps`, for an act of one step. */
export async function saveOrder(tx: Tx, before: Order, after: Order, entry: HistoryEntry): Promise<Order> {
  return saveSteps(tx, before, [stepOf(tx, before, after, entry)]);
}

/**
 * Stores the steps of an act on a locked order, each of which begins where the one before ended: the order's row, the
 * counters of its lines, and a history row for each step. Holds, parcels and allocations are stored elsewhere.
 */
export async function saveSteps(tx: Tx, before: Order, steps: readonly OrderStep[]): Promise<Order> {
  const order = steps.at(-1)?.order;
  if (order === undefined) return before;
  const [saved] = await saveOf(before, order)(tx, { ...order, before: before.revision, steps: steps.length });
  assert(saved !== undefined, `order ${before.id} is locked and cannot have changed`);
  await saveLines(tx, before.lines, order.lines);
  if (order.tags !== before.tags) await replaceTags(tx, order);
  // It leaves its wave, and its totes.
  if (isUnpacked(before.status) && !isUnpacked(order.status)) tx.wake("floor.settle", tx.now);
  const rows = steps.map(({ order: after, entry }, at) => {
    const from_status = publicStatus(steps[at - 1]?.order ?? before);
    const number = saved.number - steps.length + 1 + at;
    return { step: { order_id: order.id, number, from_status, to_status: publicStatus(after) }, entry };
  });
  await insertHistories(tx, rows);
  return order;
}

const countRow = prepared((sql: WriteStatements, a: StatementArgs<{ order_id: number }>) =>
  sql
    .update(orders)
    .set({ history_rows: template`${orders.history_rows} + 1` })
    .where(eq(orders.id, a.order_id))
    .returning({ number: orders.history_rows, status: orders.status, held: orders.held }),
);

const printsOf = preparedOf((sql, isOf) =>
  forUpdateInOrder(
    sql
      .select({
        id: orders.id,
        customer_email: orders.customer_email,
        slip_prints: orders.slip_prints,
        pick_list_prints: orders.pick_list_prints,
      })
      .from(orders)
      .where(isOf(orders.id)),
    orders.id,
  ),
);

/** Locks orders until the transaction ends, and returns how often their documents were printed, and for whom. */
export async function lockPrints(tx: Tx, ids: readonly number[]) {
  return ids.length === 0 ? [] : printsOf(tx, { ids });
}

/** Documents that were printed for an order. */
export interface OrderPrint {
  readonly order_id: number;
  readonly pick_list: boolean;
  /** A slip of the whole order or of a parcel. */
  readonly slip: "order" | "parcel" | null;
  readonly entry: HistoryEntry;
}

const marking = (
  first: "slip_printed_at" | "pick_list_printed_at",
  prints: "slip_prints" | "pick_list_prints" | null,
) =>
  preparedOf((sql: WriteStatements, isOf, a: StatementArgs<{ now: number }>) =>
    sql
      .update(orders)
      .set({
        [first]: template`coalesce(${orders[first]}, ${a.now})`,
        ...(prints !== null && { [prints]: template`${orders[prints]} + 1` }),
      })
      .where(isOf(orders.id)),
  );
const [markSlips, markParcelSlips] = [marking("slip_printed_at", "slip_prints"), marking("slip_printed_at", null)];
const markPickLists = marking("pick_list_printed_at", "pick_list_prints");

const countRows = preparedOf((sql: WriteStatements, isOf) =>
  sql
    .update(orders)
    .set({ history_rows: template`${orders.history_rows} + 1` })
    .where(isOf(orders.id))
    .returning({ id: orders.id, number: orders.history_rows, status: orders.status, held: orders.held }),
);

/** Records what was printed for locked orders, each with its history row. Printing is no change of an order. */
export async function markPrinted(tx: Tx, prints: readonly OrderPrint[]): Promise<void> {
  const mark = async (save: typeof markSlips, printed: (print: OrderPrint) => boolean) => {
    const ids = prints.filter(printed).map(({ order_id }) => order_id);
    if (ids.length > 0) await save(tx, { ids, now: tx.now });
  };
  await mark(markSlips, ({ slip }) => slip === "order");
  await mark(markParcelSlips, ({ slip }) => slip === "parcel");
  await mark(markPickLists, ({ pick_list }) => pick_list);
  const rows = await countRows(tx, { ids: prints.map(({ order_id }) => order_id) });
  const counted = new Map(rows.map((row) => [row.id, row]));
  const steps = prints.flatMap(({ order_id, entry }) => {
    const row = counted.get(order_id);
    if (row === undefined) return [];
    const status = publicStatus(row);
    return [{ step: { order_id, number: row.number, from_status: status, to_status: status }, entry }];
  });
  await insertHistories(tx, steps);
}

/** Writes a history row of an order that does not change otherwise. */
export async function noteInHistory(tx: Tx, order_id: number, entry: HistoryEntry): Promise<void> {
  const [order] = await countRow(tx, { order_id });
  assert(order !== undefined, `order ${order_id} exists`);
  const status = publicStatus(order);
  await insertHistory(tx, { order_id, number: order.number, from_status: status, to_status: status }, entry);
}

const touchRows = preparedOf((sql: WriteStatements, isOf, a: StatementArgs<{ now: number }>) =>
  sql
    .update(orders)
    .set({
      revision: template`${orders.revision} + 1`,
      updated_at: a.now,
      history_rows: template`${orders.history_rows} + 1`,
    })
    .where(isOf(orders.id))
    .returning({ id: orders.id, number: orders.history_rows }),
);

/** As `saveOrder`, for locked orders whose own fields do not change, each with its history row. */
export async function saveWithHistory(
  tx: Tx,
  noted: readonly { readonly order: Order; readonly entry: HistoryEntry }[],
): Promise<Order[]> {
  const rows = await touchRows(tx, { ids: noted.map(({ order }) => order.id), now: tx.now });
  const numbers = new Map(rows.map(({ id, number }) => [id, number]));
  const steps = noted.map(({ order, entry }) => {
    const [number, status] = [numbers.get(order.id), publicStatus(order)];
    assert(number !== undefined, `order ${order.id} is locked, so it exists`);
    return { step: { order_id: order.id, number, from_status: status, to_status: status }, entry };
  });
  await insertHistories(tx, steps);
  return noted.map(({ order }) => ({ ...order, revision: order.revision + 1, updated_at: tx.now }));
}

/** The statement with the fewest columns that include everything that changed. */
function saveOf(before: Order, after: Order) {
  const changed = mutable.filter((name) => before[name] !== after[name]);
  const areIn = (names: readonly string[]) => changed.every((name) => names.includes(name));
  if (areIn(touched)) return touchRow;
  return areIn(moved) ? moveRow : saveRow;
}

const touchOrderOf = prepared((sql: WriteStatements, a: StatementArgs<{ line_id: number; now: number }>) =>
  sql
    .update(orders)
    .set({ revision: template`${orders.revision} + 1`, updated_at: a.now })
    .where(
      eq(
        orders.id,
        template`(select ${order_lines.order_id} from ${order_lines} where ${order_lines.id} = ${a.line_id})`,
      ),
    ),
);

/** Counts units of a line as returned. Returns false when fewer were shipped. The order's row is locked first. */
export async function addReturned(tx: Tx, id: number, quantity: number): Promise<boolean> {
  await touchOrderOf(tx, { line_id: id, now: tx.now });
  return countReturned(tx, id, quantity);
}

// The columns of an order that acts change. The others stay as they were created.
const mutable = [
  "status",
  "held",
  "customer_id",
  "customer_email",
  "customer_name",
  "shipping_address_id",
  "shipping_address",
  "address_verification",
  "shipping_method",
  "shipping_method_code",
  "order_notes",
  "packing_note",
  "shipping_choice",
  "decided_by",
  "tags",
  "requires_cold_storage",
  "priority",
  "subtotal_cents",
  "shipping_amount_cents",
  "metadata",
  "revision",
  "updated_at",
  "processing_at",
  "fulfilled_at",
  "shipped_at",
  "delivered_at",
  "cancelled_at",
  "cancel_reason",
] as const satisfies (keyof OrderFields)[];

// What every act changes, and what an order changes as it progresses.
const touched = ["revision", "updated_at"] as const;
const moved = [...touched, "status", "processing_at", "fulfilled_at", "shipped_at", "delivered_at"] as const;

// Many columns are indexed, and SQLite rewrites the index of each column in the statement.
const [touchRow, moveRow, saveRow] = [saving(touched), saving(moved), saving(mutable)];

const columns = [
  ...mutable,
  "merchant_id",
  "order_number",
  "allow_backorder",
  "fulfillment_type",
  "warehouse_id",
  "currency",
  "source_platform",
  "source_external_id",
  "imported",
  "created_at",
] as const satisfies (keyof OrderFields)[];
