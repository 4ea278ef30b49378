import { and, asc, desc, eq, gte, isNull, sql } from "drizzle-orm";
import { amongTexts, columnsOf, forUpdate, isOneOf, list, opaque } from "../../../db/kit.ts";
import { orders } from "../../../db/schema/orders.ts";
import { label_documents, labels, shipments, ssccs } from "../../../db/schema/shipments.ts";
import { assert, Fault } from "../../core/faults.ts";
import { listShipments } from "../../orders/fulfillment/shipments.sql.ts";
import { isSameCarrier } from "../../orders/fulfillment/tracking_url.ts";
import { hasLeft, isGivenUp } from "../../orders/order.transitions.ts";
import type { Db, Tx, WriteStatements } from "../../storage/database.ts";
import { recordLookup } from "../../storage/record_lookup.ts";
import { allotIds, insert, insertIds, prepared, preparedOf, type StatementArgs } from "../../storage/statements.ts";
import { isDuplicate } from "../../storage/storage_errors.ts";
import type { CarrierDocument } from "../offer.ts";
import { type LabelStatus, validLabelStatuses, voidedLabelStatuses } from "./label.transitions.ts";
import { own_purchase, type ShippingLabel } from "./label.ts";
import { isBuiltInLabel, type StoredDocument } from "./label_documents.ts";

const { label_id, position, kind, content_type, bytes } = label_documents;

const isValid = and(isOneOf(labels.status, validLabelStatuses), isNull(labels.return_id));

const validOfOrder = prepared((select, a: StatementArgs<{ order_id: number }>) =>
  select
    .select(columnsOf(labels, "id", "shipment_id", "account_id", "status", "void_status"))
    .from(labels)
    .where(and(eq(labels.order_id, opaque(a.order_id)), isValid))
    .orderBy(desc(labels.id)),
);

const purchasesOf = preparedOf((select, isOf) =>
  select
    .select(columnsOf(labels, "id", "order_id", "fingerprint", "created_at"))
    .from(labels)
    .where(and(isOf(labels.order_id), isValid))
    .orderBy(desc(labels.id)),
);

const ofShipment = prepared((sql, a: StatementArgs<{ shipment_id: number }>) =>
  sql.select().from(labels).where(eq(labels.shipment_id, a.shipment_id)).orderBy(desc(labels.id)),
);

const voidedAmong = prepared((sql, a: StatementArgs<{ numbers: string }>) =>
  sql
    .select({ number: labels.tracking_number })
    .from(labels)
    .where(and(amongTexts(labels.tracking_number, a.numbers), isOneOf(labels.status, voidedLabelStatuses))),
);

/** Returns those of the tracking numbers whose labels were voided. */
export async function findVoidedNumbers(db: Db, numbers: readonly string[]): Promise<Set<string>> {
  const rows = numbers.length === 0 ? [] : await voidedAmong(db, { numbers: list(numbers) });
  return new Set(rows.flatMap(({ number }) => number ?? []));
}

const costsOf = preparedOf((sql, isOf) =>
  sql
    .select(columnsOf(labels, "shipment_id", "id", "status", "cost_cents", "currency"))
    .from(labels)
    .where(isOf(labels.shipment_id))
    .orderBy(asc(labels.id)),
);

const orderLocked = prepared((sql, a: StatementArgs<{ id: number }>) =>
  forUpdate(sql.select({ id: orders.id }).from(orders).where(eq(orders.id, a.id))),
);

/** Locks an order until the transaction ends, so that no other request buys or voids its labels. */
export async function lockOrderOfLabels(tx: Tx, order_id: number): Promise<void> {
  await orderLocked(tx, { id: order_id });
}

type LabelRow = typeof labels.$inferSelect;

/** The label of a row. Built-in labels have no stored documents. */
async function labelOf(db: Db, row: LabelRow): Promise<ShippingLabel> {
  const documents = isBuiltInLabel(row) ? [] : await listDocuments(db, [row.id]);
  return { ...(row as unknown as ShippingLabel), documents };
}

/** Finds a label by its identifier, `lbl_1001` or `1001`. Refuses: resource_missing. */
export const { get: getLabel } = recordLookup(labels, "label", { record: labelOf });

/** Finds the newest label of a parcel, voided or not; null if it has none. */
export async function findLabelOfShipment(db: Db, shipment_id: number): Promise<ShippingLabel | null> {
  const [row] = await ofShipment(db, { shipment_id });
  return row === undefined ? null : labelOf(db, row);
}

/** The cost of a label and the status of its purchase. */
type LabelCost = Pick<ShippingLabel, "id" | "status" | "cost_cents" | "currency">;

/** Finds the cost of a parcel's newest label; null if it has none. */
export async function findLabelCost(db: Db, shipment_id: number): Promise<LabelCost | null> {
  return (await findLabelCosts(db, [shipment_id])).get(shipment_id) ?? null;
}

/** Finds the costs of the parcels' newest labels, by parcel id. */
export async function findLabelCosts(db: Db, shipment_ids: readonly number[]): Promise<Map<number, LabelCost>> {
  const rows = shipment_ids.length === 0 ? [] : await costsOf(db, { ids: shipment_ids });
  return new Map(rows.map(({ shipment_id, ...cost }) => [shipment_id ?? 0, cost]));
}

/** A parcel by its number, opened since some time (ms). */
type NumberedParcel = { readonly merchant_id: number; readonly tracking_number: string; readonly since: number };

const parcelsOfNumber = prepared((sql, a: StatementArgs<NumberedParcel>) =>
  sql
    .select({ shipment_id: shipments.id, status: shipments.status, carrier: shipments.carrier, label_id: labels.id })
    .from(shipments)
    .leftJoin(labels, eq(labels.shipment_id, shipments.id))
    .where(
      and(
        eq(shipments.tracking_number, opaque(a.tracking_number)),
        eq(shipments.merchant_id, a.merchant_id),
        gte(shipments.created_at, a.since),
      ),
    )
    .orderBy(desc(shipments.id), desc(labels.id)),
);

/** The merchant's parcel that has this number of a carrier, and its label; null if none has. */
export async function findParcelOfNumber(
  db: Db,
  { carrier, ...number }: NumberedParcel & { readonly carrier: string },
): Promise<{ readonly shipment_id: number; readonly label_id: number | null } | null> {
  const rows = await parcelsOfNumber(db, number);
  const isUsed = (row: (typeof rows)[number]) =>
    !isGivenUp(row.status) && (row.carrier === null || isSameCarrier(row.carrier, carrier));
  return rows.find(isUsed) ?? null;
}

const ofReturn = prepared((select, a: StatementArgs<{ return_id: number }>) =>
  select
    .select(columnsOf(labels, "id", "account_id", "status", "void_status"))
    .from(labels)
    .where(and(eq(labels.return_id, a.return_id), isOneOf(labels.status, validLabelStatuses)))
    .orderBy(desc(labels.id)),
);

/** Lists the labels of a return that are valid or being bought, without drawings, newest first. */
export async function listValidLabelsOfReturn(
  db: Db,
  return_id: number,
): Promise<Pick<ShippingLabel, "id" | "account_id" | "status" | "void_status">[]> {
  return ofReturn(db, { return_id });
}

/** Whether a return has carriers' labels, which only the carriers can void. */
export async function hasCarriersReturnLabels(db: Db, return_id: number): Promise<boolean> {
  return (await listValidLabelsOfReturn(db, return_id)).some(({ account_id }) => account_id !== null);
}

/** An order's label that is valid or being bought, without its drawing. */
export type ValidLabel = Pick<ShippingLabel, "id" | "shipment_id" | "account_id" | "status" | "void_status">;

/** Lists the labels of an order's parcels that are valid or being bought, newest first. */
export async function listValidLabels(db: Db, order_id: number): Promise<ValidLabel[]> {
  return validOfOrder(db, { order_id });
}

/** The fields that reveal an accidental second purchase. */
type RecentPurchase = Pick<ShippingLabel, "id" | "order_id" | "fingerprint" | "created_at">;

/** Lists the purchases of orders' labels that are valid or being bought, newest first. */
export async function listPurchases(db: Db, order_ids: readonly number[]): Promise<RecentPurchase[]> {
  return order_ids.length === 0 ? [] : purchasesOf(db, { ids: order_ids });
}

/** Whether parcels of an order have carriers' labels, which only the carriers can void. */
export async function hasCarriersLabels(db: Db, order_id: number): Promise<boolean> {
  return (await listValidLabels(db, order_id)).some(({ account_id }) => account_id !== null);
}

/** Returns the ids of an order's parcels that have not left, including those that were given up. */
export async function listUnshippedParcels(db: Db, order_id: number): Promise<Set<number>> {
  const shipments = await listShipments(db, [order_id]);
  return new Set(shipments.filter(({ status }) => !hasLeft(status)).map(({ id }) => id));
}

/** Inserts a label and returns it. Refuses: quote_used. */
export async function insertLabel(tx: Tx, label: Omit<ShippingLabel, "id">): Promise<ShippingLabel> {
  const [id = 0] = await insertRows(tx, [rowOf(label)]);
  return { id, ...label };
}

/** A label of no carrier account before it is inserted. Null fields are omitted. */
export type OwnLabelRow = Omit<ShippingLabel, "id" | keyof typeof own_purchase> &
  Partial<Pick<ShippingLabel, "id" | "return_id" | "external"> & { readonly quote_nonce: string }>;

/** Inserts labels of no carrier account and returns them. Refuses: quote_used. */
export async function insertOwnLabels(tx: Tx, rows: readonly OwnLabelRow[]): Promise<ShippingLabel[]> {
  const ids = await insertRows(tx, rows.map(rowOf));
  return rows.map((row, at) => ({ ...own_purchase, ...row, id: ids[at] ?? 0 }));
}

async function insertRows(tx: Tx, rows: readonly (typeof labels.$inferInsert)[]): Promise<number[]> {
  try {
    return await insertIds(tx, labels, rows);
  } catch (error) {
    if (!isDuplicate(error, "labels", "labels_quote", ["quote_nonce"])) throw error;
    throw quoteUsed();
  }
}

/** Creates the refusal of a quote that already bought a label. */
export const quoteUsed = (): Fault =>
  new Fault("quote_used", "This quote was already used for a label. Request rates again.");

const usedQuotes = prepared((select, a: StatementArgs<{ ids: string }>) =>
  select.select({ id: labels.quote_nonce }).from(labels).where(amongTexts(labels.quote_nonce, a.ids)),
);

/** Returns those of the quotes with which labels were already bought. */
export async function findUsedQuotes(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const rows = ids.length === 0 ? [] : await usedQuotes(db, { ids: list(ids) });
  return new Set(rows.flatMap(({ id }) => id ?? []));
}

/** A label as a row: the table types need mutable lists and objects. */
function rowOf<
  Fields extends Omit<ShippingLabel, "id" | keyof typeof own_purchase> & Partial<Pick<ShippingLabel, "documents">>,
>(fields: Fields) {
  const { breakdown, documents: _, ...label } = fields;
  return {
    ...label,
    breakdown: breakdown === null ? null : [...breakdown],
    package: { ...label.package },
    from_address: { ...label.from_address },
    to_address: { ...label.to_address },
    warnings: [...label.warnings],
  };
}

/** Allots serials for the SSCCs of parcels. Each serial is allotted once. */
export async function allotSerials(tx: Tx, count: number): Promise<number[]> {
  return allotIds(tx, "ssccs", count);
}

/** Records the parcels of allotted serials. */
export async function insertSerials(
  tx: Tx,
  allotted: readonly { readonly serial: number; readonly shipment_id: number }[],
): Promise<void> {
  const rows = allotted.map(({ serial, shipment_id }) => ({ id: serial, shipment_id, created_at: tx.now }));
  await insert(tx, ssccs, rows);
}

const voidRow = prepared((query: WriteStatements, a: StatementArgs<{ id: number; status: LabelStatus; at: number }>) =>
  query
    .update(labels)
    .set({ status: sql`${a.status}`, voided_at: sql`${a.at}` })
    .where(eq(labels.id, a.id)),
);

/** Saves the voided status of a label. */
export async function saveVoided(tx: Tx, { id, status }: ShippingLabel): Promise<void> {
  await voidRow(tx, { id, status, at: tx.now });
}

/** Saves changes of a label and returns the changed label. */
export async function saveLabel(tx: Tx, before: ShippingLabel, change: Partial<ShippingLabel>): Promise<ShippingLabel> {
  const { breakdown, from_address: _from, to_address: _to, warnings, documents: _documents, ...same } = change;
  const listed = {
    ...(breakdown !== undefined && { breakdown: breakdown === null ? null : [...breakdown] }),
    ...(warnings !== undefined && { warnings: [...warnings] }),
  };
  await tx.sql
    .update(labels)
    .set({ ...same, ...listed })
    .where(eq(labels.id, before.id));
  return { ...before, ...change };
}

const ofOrders = preparedOf((query, isOf) =>
  query
    .select()
    .from(labels)
    .where(and(isOf(labels.order_id), isNull(labels.return_id)))
    .orderBy(asc(labels.id)),
);
const byIds = preparedOf((query, isOf) => query.select().from(labels).where(isOf(labels.id)));

async function labelsOfRows(db: Db, rows: readonly LabelRow[]): Promise<ShippingLabel[]> {
  const stored = rows.filter((row) => !isBuiltInLabel(row)).map(({ id }) => id);
  const documents = Map.groupBy(await listDocuments(db, stored), (document) => document.label_id);
  return rows.map((row) => ({ ...(row as unknown as ShippingLabel), documents: documents.get(row.id) ?? [] }));
}

/** Lists all labels of the parcels of some orders, oldest first. */
export async function listOrderLabels(db: Db, order_ids: readonly number[]): Promise<ShippingLabel[]> {
  return order_ids.length === 0 ? [] : labelsOfRows(db, await ofOrders(db, { ids: order_ids }));
}

/** Finds labels by their ids, in any order. Unknown ids are left out. */
export async function findLabels(db: Db, ids: readonly number[]): Promise<ShippingLabel[]> {
  return ids.length === 0 ? [] : labelsOfRows(db, await byIds(db, { ids }));
}

const countPrints = preparedOf((query: WriteStatements, isOf, a: StatementArgs<{ now: number }>) =>
  query
    .update(labels)
    .set({ printed_at: sql`coalesce(${labels.printed_at}, ${a.now})`, prints: sql`${labels.prints} + 1` })
    .where(isOf(labels.id)),
);

/** Records that labels were printed. */
export async function markLabelsPrinted(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await countPrints(tx, { ids, now: tx.now });
}

const printsOfLabels = preparedOf((sql, isOf) =>
  sql.select({ id: labels.id, prints: labels.prints }).from(labels).where(isOf(labels.id)),
);

/** How often labels were printed. */
export async function listLabelPrints(db: Db, ids: readonly number[]) {
  return ids.length === 0 ? [] : printsOfLabels(db, { ids });
}

const ofLabels = preparedOf((sql, isOf) =>
  sql
    .select({ label_id, position, kind, content_type })
    .from(label_documents)
    .where(isOf(label_id))
    .orderBy(label_id, position),
);

const bytesOf = prepared((sql, a: StatementArgs<{ label_id: number; position: number }>) =>
  sql
    .select({ bytes })
    .from(label_documents)
    .where(and(eq(label_id, a.label_id), eq(position, a.position))),
);

/** Lists the stored documents of labels in order, without the bytes. */
export async function listDocuments(db: Db, label_ids: readonly number[]): Promise<StoredDocument[]> {
  return label_ids.length === 0 ? [] : ofLabels(db, { ids: label_ids });
}

/** Returns the bytes of a stored document. */
export async function readDocument(db: Db, document: StoredDocument): Promise<Uint8Array> {
  const [row] = await bytesOf(db, document);
  assert(row !== undefined, "a label keeps its documents");
  return row.bytes;
}

/** Inserts the documents of a label. */
export async function insertDocuments(tx: Tx, label_id: number, documents: readonly CarrierDocument[]): Promise<void> {
  const rows = documents.map((document, at) => ({ label_id, position: at, ...document }));
  await insert(tx, label_documents, rows);
}
