import { and, asc, eq, getTableColumns, ne, sql } from "drizzle-orm";
import { among, list } from "../../../db/kit.ts";
import { shipment_lines, shipments } from "../../../db/schema/shipments.ts";
import type { Db, Tx, WriteStatements } from "../../storage/database.ts";
import { allotIds, insert, insertIds, prepared, preparedOf, type StatementArgs } from "../../storage/statements.ts";
import { givenUp, initialShipmentStatus } from "../order.transitions.ts";
import type { PastShipment, Shipment, ShipmentCarriage, ShipmentLine } from "./shipment.ts";
import { plainTrackingNumber, trackingUrl } from "./tracking_url.ts";

type ShipmentRow = typeof shipments.$inferSelect;

// Not sorted: sorting costs SQLite more than the query.
const ofOrders = preparedOf((sql, isOf) =>
  sql
    .select({
      ...getTableColumns(shipments),
      shipment_line_id: shipment_lines.id,
      order_line_id: shipment_lines.order_line_id,
      quantity: shipment_lines.quantity,
    })
    .from(shipments)
    .leftJoin(shipment_lines, eq(shipment_lines.shipment_id, shipments.id))
    .where(isOf(shipments.order_id)),
);

/** The shipments of these orders, oldest first. */
export async function listShipments(db: Db, order_ids: readonly number[]): Promise<Shipment[]> {
  const parcels = new Map<number, Shipment & { lines: ShipmentLine[] }>();
  const rows = await ofOrders(db, { ids: order_ids });
  rows.sort((a, b) => a.id - b.id || (a.shipment_line_id ?? 0) - (b.shipment_line_id ?? 0));
  for (const { shipment_line_id: _, order_line_id, quantity, ...shipment } of rows) {
    const first = () => ({ ...shipment, tracking_url: trackingUrl(db, shipment), lines: [] });
    const { lines } = parcels.getOrInsertComputed(shipment.id, first);
    if (order_line_id !== null && quantity !== null) lines.push({ order_line_id, quantity });
  }
  return [...parcels.values()];
}

const standingOf = prepared((sql, a: StatementArgs<{ id: number }>) =>
  sql.select({ order_id: shipments.order_id, status: shipments.status }).from(shipments).where(eq(shipments.id, a.id)),
);

/** The id of the order that a shipment belongs to, or null when there is no such shipment. */
export async function findOrderOfShipment(db: Db, id: number): Promise<number | null> {
  return (await findStanding(db, id))?.order_id ?? null;
}

/** The order and the status of a shipment; null when there is no such shipment. */
export async function findStanding(db: Db, id: number): Promise<Pick<Shipment, "order_id" | "status"> | null> {
  const [row] = await standingOf(db, { id });
  return row ?? null;
}

/** An order and its merchant. */
interface OwnedShipment {
  readonly id: number;
  readonly merchant_id: number;
}

/** Stores a new parcel with its units and returns it. */
export async function insertShipment(
  tx: Tx,
  { id: order_id, merchant_id }: OwnedShipment,
  carriage: ShipmentCarriage,
  lines: readonly ShipmentLine[],
): Promise<Shipment> {
  const parcel = newParcel(tx, { order_id, ...carriage, lines });
  const [id = 0] = await insertIds(tx, shipments, [{ merchant_id, ...rowOf(parcel) }]);
  await insertLines(tx, [{ id, lines }]);
  return { id, ...parcel, tracking_url: trackingUrl(tx, { id, ...parcel }) };
}

/** Reserves ids for parcels that are stored later. */
export async function allotShipmentIds(tx: Tx, count: number): Promise<number[]> {
  return allotIds(tx, "shipments", count);
}

/** A new parcel with a reserved id. */
export type AllottedParcel = ShipmentCarriage &
  Pick<Shipment, "id" | "order_id" | "lines"> &
  Pick<OwnedShipment, "merchant_id">;

/** Stores new parcels with their reserved ids and their units, and returns them. */
export async function insertAllotted(tx: Tx, allotted: readonly AllottedParcel[]): Promise<Shipment[]> {
  const parcels = allotted.map(({ id, merchant_id: _owner, ...one }) => ({ id, ...newParcel(tx, one) }));
  await insert(
    tx,
    shipments,
    parcels.map(({ id, ...parcel }, at) => ({ id, merchant_id: allotted[at]?.merchant_id ?? 0, ...rowOf(parcel) })),
  );
  await insertLines(tx, parcels);
  return parcels.map((parcel) => ({ ...parcel, tracking_url: trackingUrl(tx, parcel) }));
}

type NewParcel = Omit<Shipment, "id" | "tracking_url">;

const unprinted = { label_printed_at: null, slip_prints: 0 };

function newParcel({ now }: Tx, parcel: Omit<AllottedParcel, "id" | "merchant_id">): NewParcel {
  const { order_id, carrier, service, tracking_number: entered, lines } = parcel;
  const tracking_number = entered == null ? null : plainTrackingNumber(entered);
  const named = { order_id, carrier, service, tracking_number, told_url: null };
  return {
    ...named,
    status: initialShipmentStatus,
    created_at: now,
    shipped_at: null,
    delivered_at: null,
    ...unprinted,
    lines,
  };
}

const rowOf = ({ order_id, status, carrier, service, tracking_number, created_at }: NewParcel) => {
  return { order_id, status, carrier, service, tracking_number, created_at };
};

/** Stores past parcels. */
export async function insertPastShipments(tx: Tx, parcels: readonly PastShipment[]): Promise<void> {
  const ids = await insertIds(
    tx,
    shipments,
    parcels.map(({ lines: _lines, ...row }) => row),
  );
  const lines = parcels.flatMap((parcel, at) => {
    return parcel.lines.map(({ order_line_id, quantity }) => {
      return { shipment_id: ids[at] ?? 0, order_line_id, quantity };
    });
  });
  await insert(tx, shipment_lines, lines);
}

async function insertLines(tx: Tx, parcels: readonly Pick<Shipment, "id" | "lines">[]): Promise<void> {
  const rows = parcels.flatMap(({ id: shipment_id, lines }) =>
    lines.map(({ order_line_id, quantity }) => ({ shipment_id, order_line_id, quantity })),
  );
  await insert(tx, shipment_lines, rows);
}

const saved = [
  "status",
  "carrier",
  "service",
  "tracking_number",
  "shipped_at",
  "delivered_at",
] as const satisfies (keyof ShipmentRow)[];

const save = prepared((sql: WriteStatements, a: StatementArgs<Pick<ShipmentRow, "id" | (typeof saved)[number]>>) =>
  sql
    .update(shipments)
    .set(Object.fromEntries(saved.map((name) => [name, a[name]])))
    .where(eq(shipments.id, a.id)),
);

/** Stores changes of a parcel. */
export async function saveShipment(tx: Tx, { lines: _lines, tracking_url: _derived, ...row }: Shipment): Promise<void> {
  await save(tx, row);
}

const deleteLines = prepared((sql: WriteStatements, a: StatementArgs<{ shipment_id: number }>) =>
  sql.delete(shipment_lines).where(eq(shipment_lines.shipment_id, a.shipment_id)),
);

/** Replaces the units in a parcel, when others ship than it was to hold. */
export async function saveShipmentLines(tx: Tx, shipment_id: number, lines: readonly ShipmentLine[]): Promise<void> {
  await deleteLines(tx, { shipment_id });
  await insertLines(tx, [{ id: shipment_id, lines }]);
}

const deleteLinesNaming = prepared((sql: WriteStatements, a: StatementArgs<{ order_line_ids: string }>) =>
  sql.delete(shipment_lines).where(among(shipment_lines.order_line_id, a.order_line_ids)),
);

/** Removes order lines that are about to be deleted from the parcels that name them, which are all voided. */
export async function forgetLines(tx: Tx, order_line_ids: readonly number[]): Promise<void> {
  await deleteLinesNaming(tx, { order_line_ids: list(order_line_ids) });
}

const setTracking = prepared(
  (sql: WriteStatements, a: StatementArgs<{ id: number; tracking_number: string; told_url: string | null }>) =>
    sql
      .update(shipments)
      .set({ tracking_number: a.tracking_number, told_url: a.told_url })
      .where(and(eq(shipments.id, a.id), ne(shipments.status, givenUp)))
      .returning({ id: shipments.id }),
);

/** Stores the tracking fields of a label on a parcel. Returns false if the parcel does not exist or is voided. */
export async function saveTracking(
  tx: Tx,
  id: number,
  label: Pick<Shipment, "told_url"> & { readonly tracking_number: string },
): Promise<boolean> {
  const { tracking_number, told_url } = label;
  return (await setTracking(tx, { id, tracking_number, told_url })).length === 1;
}

const setLabelsPrinted = preparedOf((query: WriteStatements, isOf, a: StatementArgs<{ now: number }>) =>
  query
    .update(shipments)
    .set({ label_printed_at: sql`coalesce(${shipments.label_printed_at}, ${a.now})` })
    .where(isOf(shipments.id)),
);
const countSlips = preparedOf((query: WriteStatements, isOf) =>
  query
    .update(shipments)
    .set({ slip_prints: sql`${shipments.slip_prints} + 1` })
    .where(isOf(shipments.id)),
);

const slipsOf = preparedOf((query, isOf) =>
  query.select({ id: shipments.id, slip_prints: shipments.slip_prints }).from(shipments).where(isOf(shipments.id)),
);

/** How often the packing slips of these parcels were printed. */
export async function listSlipPrints(db: Db, ids: readonly number[]) {
  return ids.length === 0 ? [] : slipsOf(db, { ids });
}

/** Records that the labels and the packing slips of these parcels were printed. */
export async function markParcelsPrinted(
  tx: Tx,
  { labels, slips }: { readonly labels: readonly number[]; readonly slips: readonly number[] },
): Promise<void> {
  if (labels.length > 0) await setLabelsPrinted(tx, { ids: labels, now: tx.now });
  if (slips.length > 0) await countSlips(tx, { ids: slips });
}

const setUnreported = prepared((sql: WriteStatements, a: StatementArgs<{ id: number }>) =>
  sql.update(shipments).set({ untold: true }).where(eq(shipments.id, a.id)),
);

/** Marks a shipped parcel that still has to be reported to the platform of its order. */
export async function markUnreported(tx: Tx, id: number): Promise<void> {
  await setUnreported(tx, { id });
}

// The bare column is the condition of the index of these parcels.
const isUnreported = sql`${shipments.untold}`;
const unreported = prepared((select, _: StatementArgs<object>) =>
  select.select({ id: shipments.id }).from(shipments).where(isUnreported).orderBy(asc(shipments.id)),
);

/** The parcels that still have to be reported to their platforms. */
export async function listUnreportedShipments(db: Db): Promise<number[]> {
  return (await unreported(db, {})).map(({ id }) => id);
}

const take = prepared((query: WriteStatements, a: StatementArgs<{ ids: string }>) =>
  query
    .update(shipments)
    .set({ untold: false })
    .where(and(among(shipments.id, a.ids), isUnreported))
    .returning({ id: shipments.id, order_id: shipments.order_id }),
);

/**
 * Unmarks these parcels and returns those that were marked. The caller then reports them to their platforms; a later
 * caller gets none of them.
 */
export async function takeUnreportedShipments(
  tx: Tx,
  ids: readonly number[],
): Promise<{ id: number; order_id: number }[]> {
  return take(tx, { ids: list(ids) });
}
