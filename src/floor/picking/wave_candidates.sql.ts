import { and, asc, desc, eq, lt, sql } from "drizzle-orm";
import { opaque } from "../../../db/kit.ts";
import { wave_orders } from "../../../db/schema/floor.ts";
import { stock_items } from "../../../db/schema/inventory.ts";
import { order_lines, orders } from "../../../db/schema/orders.ts";
import { products } from "../../../db/schema/products.ts";
import { allocations, reservation_lines, reservations } from "../../../db/schema/reservations.ts";
import { bins } from "../../../db/schema/warehouses.ts";
import { isUnpacked, type OrderStatus, unpackedStatuses } from "../../orders/order.transitions.ts";
import type { Db, ReadStatements } from "../../storage/database.ts";
import { prepared, preparedOf, type StatementArgs } from "../../storage/statements.ts";
import type { CandidateUnits, WaveCandidate } from "./wave_plan.ts";

const candidates = (query: ReadStatements) =>
  query
    .select({
      id: orders.id,
      order_number: orders.order_number,
      merchant_id: orders.merchant_id,
      priority: orders.priority,
      created_at: orders.created_at,
      warehouse_id: orders.warehouse_id,
      status: orders.status,
      held: orders.held,
      shipping_choice: orders.shipping_choice,
      tags: orders.tags,
      wave_id: wave_orders.wave_id,
    })
    .from(orders)
    .leftJoin(wave_orders, and(eq(wave_orders.order_id, orders.id), sql`${wave_orders.open} = true`));

type CandidateRow = Omit<WaveCandidate, "is_open"> & { readonly status: OrderStatus };

const candidateOf = ({ status, ...row }: CandidateRow): WaveCandidate => ({ ...row, is_open: isUnpacked(status) });

interface QueuePart {
  readonly status: OrderStatus;
  readonly held: boolean;
  readonly priority: number;
}

const isOf = (part: StatementArgs<{ status: string; held: number }>) =>
  sql`${orders.status} = ${part.status} and ${orders.held} = (${part.held} = 1)`;

const pageOf = prepared(
  (query, a: StatementArgs<{ status: string; held: number; priority: number; after: number; limit: number }>) =>
    candidates(query)
      .where(and(isOf(a), eq(orders.priority, a.priority), sql`${orders.id} > ${a.after}`))
      .orderBy(asc(orders.id))
      .limit(opaque(a.limit)),
);

const nextPriority = prepared((query, a: StatementArgs<{ status: string; held: number; before: number }>) =>
  query
    .select({ priority: orders.priority })
    .from(orders)
    .where(and(isOf(a), lt(orders.priority, a.before)))
    .orderBy(desc(orders.priority))
    .limit(1),
);

/** A place in the queue of orders that are not packed. */
export interface QueuePlace extends QueuePart {
  /** The id of the last order that was read of this part of the queue. */
  readonly after: number;
}

const states = unpackedStatuses.flatMap((status) => [false, true].map((held) => ({ status, held })));

/** The first place of the queue at or after a status and hold, below a priority. */
async function placeAfter(db: Db, from: number, before: number): Promise<QueuePlace | null> {
  for (const [at, { status, held }] of states.entries()) {
    if (at < from) continue;
    const below = at === from ? before : Number.MAX_SAFE_INTEGER;
    const [row] = await nextPriority(db, { status, held: Number(held), before: below });
    if (row !== undefined) return { status, held, priority: row.priority, after: 0 };
  }
  return null;
}

/** The place where the queue begins; null when it is empty. */
export async function firstPlace(db: Db): Promise<QueuePlace | null> {
  return placeAfter(db, 0, Number.MAX_SAFE_INTEGER);
}

/** Orders of the queue from a place on, at most `limit`, and the place of those after them. */
export async function readQueue(
  db: Db,
  place: QueuePlace,
  limit: number,
): Promise<{ readonly orders: WaveCandidate[]; readonly next: QueuePlace | null }> {
  const { status, held, priority, after } = place;
  const rows = await pageOf(db, { status, held: Number(held), priority, after, limit });
  const last = rows.at(-1);
  const from = states.findIndex((one) => one.status === status && one.held === held);
  const next = rows.length === limit && last ? { ...place, after: last.id } : await placeAfter(db, from, priority);
  return { orders: rows.map(candidateOf), next };
}

const named = preparedOf((query, isOne) => candidates(query).where(isOne(orders.id)));

/** The orders with these ids, whatever their status. */
export async function findCandidates(db: Db, ids: readonly number[]): Promise<WaveCandidate[]> {
  return ids.length === 0 ? [] : (await named(db, { ids })).map(candidateOf);
}

const unitsOf = preparedOf((query, isOne) =>
  query
    .select({
      order_id: sql<number>`${reservations.order_id}`.mapWith(Number),
      line_id: reservation_lines.id,
      product_id: reservation_lines.product_id,
      wanted: reservation_lines.wanted,
      reserved: reservation_lines.reserved,
      quantity: allocations.quantity,
      stock_item_id: stock_items.id,
      warehouse_id: stock_items.warehouse_id,
      kind: bins.kind,
      weight: products.weight,
      weight_unit: products.weight_unit,
      dimensions: products.dimensions,
      temperature_zone: products.temperature_zone,
    })
    .from(reservations)
    .innerJoin(reservation_lines, eq(reservation_lines.reservation_id, reservations.id))
    .innerJoin(products, eq(products.id, reservation_lines.product_id))
    .leftJoin(allocations, eq(allocations.reservation_line_id, reservation_lines.id))
    .leftJoin(stock_items, eq(stock_items.id, allocations.stock_item_id))
    .leftJoin(bins, eq(bins.id, stock_items.bin_id))
    .where(isOne(reservations.order_id)),
);

/** The units of these orders that have not shipped, and where they are. */
export async function listCandidateUnits(db: Db, ids: readonly number[]): Promise<CandidateUnits[]> {
  if (ids.length === 0) return [];
  return (await unitsOf(db, { ids })).map(({ kind, ...row }) => ({ ...row, picked: kind === "staging" }));
}

const packedOf = preparedOf((query, isOne) =>
  query
    .selectDistinct({ order_id: order_lines.order_id })
    .from(order_lines)
    .where(and(isOne(order_lines.order_id), sql`${order_lines.quantity_packed} > ${order_lines.quantity_shipped}`)),
);

/** Which of these orders have packed units that have not shipped. */
export async function listPacked(db: Db, ids: readonly number[]): Promise<ReadonlySet<number>> {
  return new Set(ids.length === 0 ? [] : (await packedOf(db, { ids })).map(({ order_id }) => order_id));
}
