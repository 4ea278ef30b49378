import { and, asc, desc, eq, inArray, sql } from "drizzle-orm";
import { folded, forUpdate, isOneOf, opaque } from "../../../db/kit.ts";
import { carton_choices, cartons, packing_sessions, totes, wave_orders, waves } from "../../../db/schema/floor.ts";
import { stock_items } from "../../../db/schema/inventory.ts";
import { order_lines, orders } from "../../../db/schema/orders.ts";
import { allocations, reservation_lines, reservations } from "../../../db/schema/reservations.ts";
import { bins } from "../../../db/schema/warehouses.ts";
import { choice, textField } from "../../core/schema.ts";
import { orderFilter } from "../../orders/lifecycle/order_lookup.sql.ts";
import { unpackedStatuses } from "../../orders/order.transitions.ts";
import type { Db, ReadStatements, Tx } from "../../storage/database.ts";
import { queueOf } from "../../storage/queue.ts";
import { equals, exactly, recordList, refersTo } from "../../storage/record_list.ts";
import { recordLookup } from "../../storage/record_lookup.ts";
import { insertIds, prepared, type StatementArgs } from "../../storage/statements.ts";
import {
  initialPackingStatus,
  initialWaveStatus,
  packingStatuses,
  packingTransitions,
  waveTransitions,
} from "../floor.transitions.ts";
import type { Carton } from "../printing/carton.ts";
import type { PackingSession } from "./packing_session.ts";

/** Finds a session by its identifier; `lock` also locks it. Both refuse: resource_missing. */
export const { get: getPackingSession, lock: lockPackingSession } = recordLookup(packing_sessions, "packing_session", {
  called: "packing session",
  record: (_db, row): PackingSession => row,
});

const openOf = prepared((query, a: StatementArgs<{ order_id: number }>) =>
  forUpdate(
    query
      .select()
      .from(packing_sessions)
      .where(and(eq(packing_sessions.order_id, a.order_id), isOneOf(packing_sessions.status, [initialPackingStatus]))),
  ),
);

/** Locks the open session of a locked order; null if there is none. */
export async function lockOpenSession(tx: Tx, order_id: number): Promise<PackingSession | null> {
  const [row] = await openOf(tx, { order_id });
  return row ?? null;
}

const parcelsOf = prepared((query, a: StatementArgs<{ order_id: number }>) =>
  query
    .select({ shipment_id: packing_sessions.shipment_id })
    .from(packing_sessions)
    .where(and(eq(packing_sessions.order_id, a.order_id), sql`${packing_sessions.shipment_id} is not null`)),
);

/** The parcels of an order that sessions packed. */
export async function listSessionParcels(db: Db, order_id: number): Promise<ReadonlySet<number>> {
  return new Set((await parcelsOf(db, { order_id })).flatMap(({ shipment_id }) => shipment_id ?? []));
}

const unlabelled = prepared((query, a: StatementArgs<{ order_id: number }>) =>
  query
    .select({ id: packing_sessions.id, units: packing_sessions.units })
    .from(packing_sessions)
    .where(
      and(
        eq(packing_sessions.order_id, a.order_id),
        isOneOf(packing_sessions.status, [packingTransitions.close.to]),
        sql`${packing_sessions.shipment_id} is null`,
      ),
    ),
);

/** The closed sessions of an order whose parcel is opened with its label. */
export async function listUnlabelled(db: Db, order_id: number) {
  return unlabelled(db, { order_id });
}

/** Sessions, newest first. */
export const packingSessionList = recordList(packing_sessions, {
  filters: {
    status: equals(packing_sessions.status, choice(packingStatuses)),
    order_id: orderFilter(packing_sessions.order_id),
    warehouse_id: refersTo(packing_sessions.warehouse_id, "warehouse", "Only sessions in these warehouses."),
    station_id: refersTo(packing_sessions.station_id, "station", "Only sessions at these stations."),
    device: exactly(packing_sessions.device, textField(64, { description: "Only sessions of this device." })),
  },
  records: (rows): PackingSession[] => [...rows],
});

/** How long a server has to buy the label of a parcel before the job does (ms). */
const lease_ms = 60_000;

/** The closed sessions whose label is being bought. A claim that its server does not finish is due again. */
export const parcelLabelQueue = queueOf<PackingSession>(packing_sessions, {
  kind: "parcel_labels",
  job: "floor.buy_labels",
  due: packing_sessions.label_due_at,
  waiting: sql`${packing_sessions.label_due_at} is not null`,
  lease_ms,
});

/** A session before it is stored. */
type NewPackingSession = Pick<
  PackingSession,
  | "merchant_id"
  | "order_id"
  | "warehouse_id"
  | "station_id"
  | "status"
  | "device"
  | "actor_type"
  | "actor_id"
  | "actor_name"
>;

/** Stores a new session without units. */
export async function insertPackingSession(tx: Tx, session: NewPackingSession): Promise<PackingSession> {
  const row = {
    ...session,
    units: [],
    ...{ carton_id: null, weight: null, weight_unit: null, weight_reason: null, carrier: null, service: null },
    ...{ shipment_id: null, label_id: null, label_due_at: null, label_error: null, closed_at: null },
    ...{ revision: 1, created_at: tx.now, updated_at: tx.now },
  };
  const [id = 0] = await insertIds(tx, packing_sessions, [row]);
  return { ...row, id };
}

/** Stores changes of a session, and returns it. */
export async function savePackingSession(
  tx: Tx,
  session: PackingSession,
  change: Partial<Omit<PackingSession, "id" | "revision">>,
): Promise<PackingSession> {
  const revised = { ...change, revision: session.revision + 1, updated_at: tx.now };
  await tx.sql
    .update(packing_sessions)
    .set(revised as never)
    .where(eq(packing_sessions.id, session.id));
  return { ...session, ...revised };
}

const openWave = prepared((query, a: StatementArgs<{ order_id: number }>) =>
  query
    .select({ wave_id: waves.id })
    .from(wave_orders)
    .innerJoin(waves, eq(waves.id, wave_orders.wave_id))
    .where(
      and(
        eq(wave_orders.order_id, a.order_id),
        sql`${wave_orders.open} = true`,
        isOneOf(waves.status, waveTransitions.pick.from),
      ),
    ),
);

/** The wave in which an order is being picked; null if there is none. */
export async function findPickingWave(db: Db, order_id: number): Promise<number | null> {
  const [row] = await openWave(db, { order_id });
  return row?.wave_id ?? null;
}

const toteByCode = prepared((query, a: StatementArgs<{ code: string }>) =>
  query
    .select({ code: totes.code, warehouse_id: totes.warehouse_id, order_id: totes.order_id })
    .from(totes)
    .where(sql`${folded(totes.code)} = lower(${a.code})`)
    .orderBy(asc(totes.id)),
);

/** The totes with this code, in any warehouse. */
export async function findTotes(db: Db, code: string) {
  return toteByCode(db, { code });
}

// Each line of an order comes once with each of the order's units of the product: one for an order of one unit.
const units = sql<number>`sum(${order_lines.quantity} - ${order_lines.quantity_cancelled})`;
const isOneUnit = sql`(${units} = 1 and min(${order_lines.product_id}) = min(${stock_items.product_id}))`;
const isStaged = sql<number>`max(case when ${bins.kind} = 'staging' then 1 else 0 end)`;
const isPlanned = sql<number>`max(case when ${waves.status} = ${sql.raw(`'${initialWaveStatus}'`)} then 1 else 0 end)`;

interface WantedItem {
  readonly product_id: number;
  /** 0 for any. */
  readonly warehouse_id: number;
  /** The units that were scanned together. */
  readonly quantity: number;
}

const wanting = (query: ReadStatements) =>
  query
    .select({ id: orders.id, is_picked: sql<number>`${isStaged}`.mapWith(Boolean) })
    .from(stock_items)
    .innerJoin(bins, eq(bins.id, stock_items.bin_id))
    .innerJoin(allocations, eq(allocations.stock_item_id, stock_items.id))
    .innerJoin(reservation_lines, eq(reservation_lines.id, allocations.reservation_line_id))
    .innerJoin(reservations, eq(reservations.id, reservation_lines.reservation_id))
    .innerJoin(orders, eq(orders.id, reservations.order_id))
    .innerJoin(order_lines, eq(order_lines.order_id, orders.id))
    .leftJoin(wave_orders, and(eq(wave_orders.order_id, orders.id), sql`${wave_orders.open} = true`))
    .leftJoin(waves, eq(waves.id, wave_orders.wave_id));

const isWanted = (a: StatementArgs<WantedItem>) =>
  and(
    eq(stock_items.product_id, a.product_id),
    sql`${stock_items.on_hand} > 0`,
    sql`(${a.warehouse_id} = 0 or ${stock_items.warehouse_id} = ${a.warehouse_id})`,
    inArray(orders.status, [...unpackedStatuses]),
    sql`${orders.held} = false`,
  );

const oneUnit = prepared((query, a: StatementArgs<WantedItem & { limit: number }>) =>
  wanting(query)
    .where(isWanted(a))
    .groupBy(orders.id)
    .having(sql`${a.quantity} = 1 and ${isOneUnit} and (${isStaged} = 1 or ${isPlanned} = 0)`)
    .orderBy(desc(isStaged), asc(orders.id))
    .limit(opaque(a.limit)),
);

const ofWave = prepared((query, a: StatementArgs<WantedItem & { wave_id: number; limit: number }>) =>
  wanting(query)
    .where(and(isWanted(a), eq(wave_orders.wave_id, a.wave_id)))
    .groupBy(orders.id)
    .having(sql`sum(${allocations.quantity}) >= ${a.quantity} * count(distinct ${order_lines.id})`)
    .orderBy(sql`case when ${isOneUnit} then 0 else 1 end`, desc(isStaged), asc(orders.id))
    .limit(opaque(a.limit)),
);

/**
 * Unpacked orders that have these units of a product in a warehouse: one-unit orders, or all of a wave, those of one
 * unit first. Picked ones come first, then the oldest. Without a wave, unpicked orders of planned waves are left out.
 */
export async function listOrdersWanting(
  db: Db,
  item: WantedItem & { readonly wave_id: number | null },
  limit: number,
): Promise<{ readonly id: number; readonly is_picked: boolean }[]> {
  const { wave_id, ...wanted } = item;
  return wave_id === null ? oneUnit(db, { ...wanted, limit }) : ofWave(db, { ...wanted, wave_id, limit });
}

const allCartons = prepared((query, _a: StatementArgs<Record<never, never>>) =>
  query.select().from(cartons).orderBy(asc(cartons.id)),
);

/** All cartons, also those that are not used any more. */
export async function listCartons(db: Db): Promise<Carton[]> {
  return allCartons(db, {});
}

const lastChoice = prepared((query, a: StatementArgs<{ merchant_id: number; goods: string }>) =>
  query
    .select({ carton_id: carton_choices.carton_id })
    .from(carton_choices)
    .where(and(eq(carton_choices.merchant_id, a.merchant_id), eq(carton_choices.goods, a.goods))),
);

/** The carton that someone last chose for the same goods; null if nobody did. */
export async function findCartonChoice(db: Db, merchant_id: number, goods: string): Promise<number | null> {
  const [row] = await lastChoice(db, { merchant_id, goods });
  return row?.carton_id ?? null;
}

/** Remembers the carton that someone chose for goods. */
export async function saveCartonChoice(tx: Tx, merchant_id: number, goods: string, carton_id: number): Promise<void> {
  await tx.sql
    .insert(carton_choices)
    .values({ merchant_id, goods, carton_id, chosen_at: tx.now })
    .onConflictDoUpdate({
      target: [carton_choices.merchant_id, carton_choices.goods],
      set: { carton_id, chosen_at: tx.now },
    });
}
