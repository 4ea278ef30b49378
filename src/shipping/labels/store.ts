import { and, desc, eq, sql } from "drizzle-orm";
import { forUpdate, given } from "../../../db/kit.ts";
import { orders } from "../../../db/schema/orders.ts";
import { labels, ssccs } from "../../../db/schema/shipments.ts";
import { type Args, insertIds, prepared } from "../../database/statements.ts";
import type { Db, Tx, Writing } from "../../database/store.ts";
import { missing } from "../../kit/fault.ts";
import { readId } from "../../kit/ids.ts";
import { listDocuments } from "./documents/store.ts";
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

/** Locks the order until the transaction ends, so that nobody else buys or voids its labels meanwhile. */
export async function lockOrderOfLabels(tx: Tx, order_id: number): Promise<void> {
  await orderLocked(tx, { id: order_id });
}

type Row = typeof labels.$inferSelect;

/** The label of a row. Only what an account of a carrier bought may have documents that were not drawn here. */
async function labelOf(db: Db, row: Row): Promise<Label> {
  const documents = row.account_id === null ? [] : await listDocuments(db, [row.id]);
  return { ...(row as unknown as Label), documents };
}

/** The label that an identifier names: `lbl_1001` or `1001`. Refuses: resource_missing. */
export async function getLabel(db: Db, id: string | number): Promise<Label> {
  const [row] = await byId(db, { id: readId("label", id) ?? 0 });
  if (row === undefined) throw missing("label", id);
  return labelOf(db, row);
}

/** The newest label of a parcel, voided or not; null for a parcel without. */
export async function findLabelOfShipment(db: Db, shipment_id: number): Promise<Label | null> {
  const [row] = await ofShipment(db, { shipment_id });
  return row === undefined ? null : labelOf(db, row);
}

/** A label of an order that is valid, in short. */
export type BoughtLabel = Pick<Label, "id" | "shipment_id" | "fingerprint" | "created_at">;

/** The valid labels of an order, newest first. */
export async function listBoughtLabels(db: Db, order_id: number): Promise<BoughtLabel[]> {
  return boughtOfOrder(db, { order_id });
}

/** Stores a label and answers it. */
export async function insertLabel(tx: Tx, label: Omit<Label, "id">): Promise<Label> {
  const { from_address, to_address, documents: _, ...same } = label;
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

/** The serial of the next SSCC, for a parcel. Nobody else ever gets it. */
export async function allotSerial(tx: Tx, shipment_id: number): Promise<number> {
  const [serial = 0] = await insertIds(tx, ssccs, [{ shipment_id, created_at: tx.now }]);
  return serial;
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
