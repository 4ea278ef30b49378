import { and, desc, eq, sql } from "drizzle-orm";
import { forUpdate, given } from "../../db/kit.ts";
import { movements, stock_items } from "../../db/schema/inventory.ts";
import { orders } from "../../db/schema/orders.ts";
import { allocations, reservation_lines, reservations } from "../../db/schema/reservations.ts";
import { labels } from "../../db/schema/shipments.ts";
import { type Args, insertIds, prepared } from "../database/statements.ts";
import type { Db, Tx, Writing } from "../database/store.ts";
import { listPlainWarehouses } from "../inventory/warehouses/store.ts";
import type { PlainWarehouse } from "../inventory/warehouses/warehouse.ts";
import { assert } from "../kit/assert.ts";
import { missing } from "../kit/fault.ts";
import { readId, wireId } from "../kit/ids.ts";
import { type Address, addressOf } from "./address.ts";
import type { Label } from "./label.ts";

const byId = prepared((sql, a: Args<{ id: number }>) => sql.select().from(labels).where(eq(labels.id, a.id)));

const boughtOfOrder = prepared((select, a: Args<{ order_id: number }>) =>
  select
    .select({
      id: labels.id,
      shipment_id: labels.shipment_id,
      fingerprint: labels.fingerprint,
      created_at: labels.created_at,
    })
    .from(labels)
    .where(and(eq(labels.order_id, given(a.order_id)), sql`${labels.status} = 'completed'`))
    .orderBy(desc(labels.id)),
);

const ofShipment = prepared((sql, a: Args<{ shipment_id: number }>) =>
  sql.select().from(labels).where(eq(labels.shipment_id, a.shipment_id)).orderBy(desc(labels.id)),
);

const orderLocked = prepared((sql, a: Args<{ id: number }>) =>
  forUpdate(sql.select({ id: orders.id }).from(orders).where(eq(orders.id, a.id))),
);

const promisedFrom = prepared((sql, a: Args<{ order_id: number }>) =>
  sql
    .select({ warehouse_id: stock_items.warehouse_id })
    .from(reservations)
    .innerJoin(reservation_lines, eq(reservation_lines.reservation_id, reservations.id))
    .innerJoin(allocations, eq(allocations.reservation_line_id, reservation_lines.id))
    .innerJoin(stock_items, eq(stock_items.id, allocations.stock_item_id))
    .where(eq(reservations.order_id, a.order_id))
    .orderBy(reservation_lines.id, allocations.id),
);

const leftFrom = prepared((select, a: Args<{ order: string }>) =>
  select
    .select({ warehouse_id: stock_items.warehouse_id })
    .from(movements)
    .innerJoin(stock_items, eq(stock_items.id, movements.from_item_id))
    .where(
      and(
        sql`${movements.reference_type} = 'order'`,
        eq(movements.reference_id, a.order),
        sql`${movements.type} = 'sale'`,
      ),
    )
    .orderBy(movements.id),
);

/** Locks the order until the transaction ends, so that nobody else buys or voids its labels meanwhile. */
export async function lockOrderOfLabels(tx: Tx, order_id: number): Promise<void> {
  await orderLocked(tx, { id: order_id });
}

/** Where parcels leave from. */
export interface Origin {
  readonly address: Address;
  readonly timezone: string;
}

/** Where a parcel leaves, by its order's warehouse. */
export async function originOfOrder(db: Db, order_id: number, warehouse_id: number | null): Promise<Origin> {
  return originAt(await warehouseOfOrder(db, order_id, warehouse_id));
}

/** The warehouse that an order leaves: the one asked for, else where its units lie or have left, else the first. */
export async function warehouseOfOrder(db: Db, order_id: number, warehouse_id: number | null): Promise<PlainWarehouse> {
  const [first, ...others] = await listPlainWarehouses(db);
  assert(first, "a store has a warehouse");
  if (others.length === 0) return first;
  const [lying] = warehouse_id === null ? await promisedFrom(db, { order_id }) : [{ warehouse_id }];
  const chosen = lying ?? (await leftFrom(db, { order: wireId("order", order_id) }))[0];
  return others.find(({ id }) => id === chosen?.warehouse_id) ?? first;
}

/** The warehouse that parcels leave when no order says which. */
export async function usualOrigin(db: Db): Promise<Origin> {
  const [first] = await listPlainWarehouses(db);
  assert(first, "a store has a warehouse");
  return originAt(first);
}

function originAt({ address, timezone }: PlainWarehouse): Origin {
  return { address: addressOf(address), timezone };
}

type Row = typeof labels.$inferSelect;
const labelOf = (row: Row): Label => row as unknown as Label;

/** The label that an identifier names: `lbl_1001` or `1001`. Refuses: resource_missing. */
export async function getLabel(db: Db, id: string | number): Promise<Label> {
  const [row] = await byId(db, { id: readId("label", id) ?? 0 });
  if (row === undefined) throw missing("label", id);
  return labelOf(row);
}

/** The newest label of a parcel, voided or not; null for a parcel without. */
export async function findLabelOfShipment(db: Db, shipment_id: number): Promise<Label | null> {
  const [row] = await ofShipment(db, { shipment_id });
  return row === undefined ? null : labelOf(row);
}

/** A label of an order that is valid, in short. */
export type BoughtLabel = Pick<Label, "id" | "shipment_id" | "fingerprint" | "created_at">;

/** The valid labels of an order, newest first. */
export async function listBoughtLabels(db: Db, order_id: number): Promise<BoughtLabel[]> {
  return boughtOfOrder(db, { order_id });
}

/** Stores a label and answers it. */
export async function insertLabel(tx: Tx, label: Omit<Label, "id">): Promise<Label> {
  const { from_address, to_address, ...same } = label;
  const [id = 0] = await insertIds(tx, labels, [
    {
      ...same,
      package: { ...label.package },
      from_address: { ...from_address },
      to_address: { ...to_address },
      warnings: [...label.warnings],
    },
  ]);
  return { id, ...label };
}

const voidRow = prepared((query: Writing, a: Args<{ id: number; status: string; at: number }>) =>
  query
    .update(labels)
    .set({ status: sql`${a.status}`, voided_at: sql`${a.at}` })
    .where(eq(labels.id, a.id)),
);

/** Stores that a label was voided. */
export async function saveVoided(tx: Tx, { id, status }: Label): Promise<void> {
  await voidRow(tx, { id, status, at: tx.now });
}
