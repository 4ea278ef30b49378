import { Type } from "@sinclair/typebox";
import { and, asc, eq, getTableColumns, not, sql } from "drizzle-orm";
import { folded, forUpdate, isOneOf } from "../../../db/kit.ts";
import { totes } from "../../../db/schema/floor.ts";
import { orders } from "../../../db/schema/orders.ts";
import { missing } from "../../core/faults.ts";
import { readId } from "../../core/ids.ts";
import { textField } from "../../core/schema.ts";
import { unpackedStatuses } from "../../orders/order.transitions.ts";
import type { Db, ReadStatements, Tx, WriteStatements } from "../../storage/database.ts";
import { ascending, exactly, filter, recordList, refersTo, search } from "../../storage/record_list.ts";
import { insertIds, prepared, preparedOf, type StatementArgs } from "../../storage/statements.ts";
import type { Tote } from "./tote.ts";

const all = (query: ReadStatements) =>
  query
    .select({ ...getTableColumns(totes), order_number: orders.order_number })
    .from(totes)
    .leftJoin(orders, eq(orders.id, totes.order_id));

const byId = prepared((query, a: StatementArgs<{ id: number }>) => all(query).where(eq(totes.id, a.id)));
const lockById = prepared((query, a: StatementArgs<{ id: number }>) =>
  forUpdate(query.select({ id: totes.id }).from(totes).where(eq(totes.id, a.id))),
);
const byCode = prepared((query, a: StatementArgs<{ warehouse_id: number; code: string }>) =>
  all(query).where(and(eq(totes.warehouse_id, a.warehouse_id), eq(folded(totes.code), folded(a.code)))),
);
const ofOrders = preparedOf((query, isOf) => all(query).where(isOf(totes.order_id)).orderBy(asc(totes.id)));
const ofWave = prepared((query, a: StatementArgs<{ wave_id: number }>) =>
  all(query).where(eq(totes.wave_id, a.wave_id)).orderBy(asc(totes.id)),
);

/** The tote with an id. Refuses: resource_missing. */
export async function getTote(db: Db, id: string | number): Promise<Tote> {
  const [tote] = await byId(db, { id: readId("tote", id) ?? 0 });
  if (tote === undefined) throw missing("tote", id);
  return tote;
}

/** As `getTote`, and locks the tote until the transaction ends. Refuses: resource_missing. */
export async function lockTote(tx: Tx, id: string | number): Promise<Tote> {
  await lockById(tx, { id: readId("tote", id) ?? 0 });
  return getTote(tx, id);
}

/** The tote of a warehouse with this code, or null. */
export async function findTote(db: Db, warehouse_id: number, code: string): Promise<Tote | null> {
  const [tote] = await byCode(db, { warehouse_id, code });
  return tote ?? null;
}

/** The totes that hold units of these orders. */
export async function listTotesOf(db: Db, order_ids: readonly number[]): Promise<Tote[]> {
  return order_ids.length === 0 ? [] : ofOrders(db, { ids: order_ids });
}

/** The totes that were assigned in a wave and are still taken. */
export async function listTotesIn(db: Db, wave_id: number): Promise<Tote[]> {
  return ofWave(db, { wave_id });
}

const settled = prepared((query, _: StatementArgs<object>) =>
  query
    .selectDistinct({ order_id: orders.id })
    .from(totes)
    .innerJoin(orders, eq(orders.id, totes.order_id))
    .where(and(sql`${totes.order_id} is not null`, not(isOneOf(orders.status, unpackedStatuses)))),
);

/** The packed or cancelled orders that still have totes. */
export async function listSettledOrders(db: Db): Promise<number[]> {
  return (await settled(db, {})).map(({ order_id }) => order_id);
}

const isTaken = sql`${totes.order_id} is not null`;

/** Totes by code. */
export const toteList = recordList(totes, {
  select: all,
  filters: {
    warehouse_id: refersTo(totes.warehouse_id, "warehouse", "Only totes of these warehouses."),
    code: exactly(totes.code, textField(40, { description: "Only totes with this code." })),
    order_id: refersTo(totes.order_id, "order", "Only totes that hold units of these orders."),
    wave_id: refersTo(totes.wave_id, "wave", "Only totes that were assigned in these waves."),
    taken: filter(Type.Boolean({ description: "Only totes that hold an order, or only free ones." }), (taken) =>
      taken ? isTaken : sql`${totes.order_id} is null`,
    ),
    set_aside: filter(Type.Boolean({ description: "Only totes that are set aside, or only others." }), (aside) =>
      aside ? sql`${totes.set_aside_at} is not null` : sql`${totes.set_aside_at} is null`,
    ),
    q: search("Part of the code.", [totes.code]),
  },
  order: ascending(totes.code),
});

/** Stores free totes, and returns their ids. Their codes must be free. */
export async function insertTotes(tx: Tx, warehouse_id: number, codes: readonly string[]): Promise<number[]> {
  const times = { created_at: tx.now, updated_at: tx.now };
  const rows = codes.map((code) => ({ warehouse_id, code, revision: 1, ...times }));
  return insertIds(tx, totes, rows);
}

type ToteState = Pick<Tote, "code" | "order_id" | "wave_id" | "assigned_at" | "set_aside_at">;

const update = prepared((query: WriteStatements, a: StatementArgs<ToteState & { id: number; now: number }>) =>
  query
    .update(totes)
    .set({
      code: sql`${a.code}`,
      order_id: sql`${a.order_id}`,
      wave_id: sql`${a.wave_id}`,
      assigned_at: sql`${a.assigned_at}`,
      set_aside_at: sql`${a.set_aside_at}`,
      revision: sql`${totes.revision} + 1`,
      updated_at: sql`${a.now}`,
    })
    .where(eq(totes.id, a.id)),
);

/** Stores changes of a tote. */
export async function saveTote(tx: Tx, tote: Tote, change: Partial<ToteState>): Promise<void> {
  const { id, code, order_id, wave_id, assigned_at, set_aside_at } = tote;
  await update(tx, { id, code, order_id, wave_id, assigned_at, set_aside_at, ...change, now: tx.now });
}

/** Deletes a tote. */
export async function deleteTote(tx: Tx, id: number): Promise<void> {
  await tx.sql.delete(totes).where(eq(totes.id, id));
}
