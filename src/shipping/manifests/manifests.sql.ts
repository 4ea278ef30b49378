import { and, asc, count, eq, gt, gte, isNull, lt, not, or } from "drizzle-orm";
import { among, columnsOf, isOneOf, list } from "../../../db/kit.ts";
import { manifest_labels, manifests } from "../../../db/schema/manifests.ts";
import { orders } from "../../../db/schema/orders.ts";
import { labels, shipments } from "../../../db/schema/shipments.ts";
import type { Actor } from "../../core/actor.ts";
import { assert } from "../../core/faults.ts";
import { textField } from "../../core/schema.ts";
import { listPlainWarehouses } from "../../inventory/warehouses/warehouses.sql.ts";
import { arrivedStatuses } from "../../orders/order.transitions.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { equals, newestIds, recordList, refersTo } from "../../storage/record_list.ts";
import { recordLookup } from "../../storage/record_lookup.ts";
import { insertIds, prepared, preparedOf, type StatementArgs } from "../../storage/statements.ts";
import { type LabelStatus, usableLabelStatuses } from "../labels/label.transitions.ts";
import type { CarrierManifest, ManifestParcel, PlainManifest } from "./manifest.ts";
import { DayField } from "./manifests.schema.ts";

/** A candidate for a manifest, with the facts that decide whether it fits. */
export interface ManifestCandidate {
  readonly id: number;
  readonly order_id: number;
  /** The warehouse that its order names; null if none. */
  readonly warehouse_id: number | null;
  readonly carrier: string;
  readonly status: LabelStatus;
  readonly return_id: number | null;
  /** The manifest that it is on; null if none. */
  readonly manifest_id: number | null;
}

const candidate = {
  ...columnsOf(labels, "id", "carrier", "status", "return_id"),
  order_id: orders.id,
  warehouse_id: orders.warehouse_id,
  manifest_id: manifest_labels.manifest_id,
};

const byIds = prepared((query, a: StatementArgs<{ ids: string }>) =>
  query
    .select(candidate)
    .from(labels)
    .innerJoin(orders, eq(orders.id, labels.order_id))
    .leftJoin(manifest_labels, eq(manifest_labels.label_id, labels.id))
    .where(among(labels.id, a.ids)),
);

/** Finds labels by their ids. Unknown ids are omitted. */
export async function findCandidates(db: Db, ids: readonly number[]): Promise<ManifestCandidate[]> {
  return byIds(db, { ids: list(ids) });
}

/** The labels that a manifest may include: of a carrier, bought from `since` until before `until` (ms). */
interface ManifestWindow {
  readonly carrier: string;
  readonly since: number;
  readonly until: number;
  /** Parcels that left before this time were handed over on an earlier day. */
  readonly left_since: number;
}

/**
 * Lists valid labels of outgoing parcels that are on no manifest, have not arrived and did not leave on an earlier day:
 * up to `limit` with an id above `after`, oldest first.
 */
export async function listUnmanifested(
  db: Db,
  { carrier, since, until, left_since }: ManifestWindow,
  after: number,
  limit: number,
): Promise<ManifestCandidate[]> {
  return db.sql
    .select(candidate)
    .from(labels)
    .innerJoin(orders, eq(orders.id, labels.order_id))
    .innerJoin(shipments, eq(shipments.id, labels.shipment_id))
    .leftJoin(manifest_labels, eq(manifest_labels.label_id, labels.id))
    .where(
      and(
        gte(labels.created_at, since),
        lt(labels.created_at, until),
        eq(labels.carrier, carrier),
        isOneOf(labels.status, usableLabelStatuses),
        isNull(labels.return_id),
        not(isOneOf(shipments.status, arrivedStatuses)),
        or(isNull(shipments.shipped_at), gte(shipments.shipped_at, left_since)),
        isNull(manifest_labels.label_id),
        gt(labels.id, after),
      ),
    )
    .orderBy(asc(labels.id))
    .limit(limit);
}

/** A manifest before labels are added. */
export interface NewManifest {
  readonly warehouse_id: number;
  readonly carrier: string;
  readonly day: string;
  readonly created_by: Actor;
}

/** Inserts a manifest and returns its id. */
export async function insertManifest(tx: Tx, manifest: NewManifest): Promise<number> {
  const [id = 0] = await insertIds(tx, manifests, [{ ...manifest, created_at: tx.now }]);
  return id;
}

/** Adds labels to a manifest and returns how many. Labels on another manifest are skipped. */
export async function insertManifestLabels(tx: Tx, manifest_id: number, ids: readonly number[]): Promise<number> {
  const rows = ids.map((label_id) => ({ label_id, manifest_id }));
  const added = await tx.sql
    .insert(manifest_labels)
    .values(rows)
    .onConflictDoNothing()
    .returning({ label_id: manifest_labels.label_id });
  return added.length;
}

const countsOf = preparedOf((query, isOf) =>
  query
    .select({ manifest_id: manifest_labels.manifest_id, label_count: count() })
    .from(manifest_labels)
    .where(isOf(manifest_labels.manifest_id))
    .groupBy(manifest_labels.manifest_id),
);

const parcelsOf = prepared((query, a: StatementArgs<{ manifest_id: number }>) =>
  query
    .select({
      label_id: labels.id,
      ...columnsOf(labels, "shipment_id", "tracking_number", "service", "status", "package", "to_address"),
      order_id: orders.id,
      merchant_id: orders.merchant_id,
      order_number: orders.order_number,
      shipment_status: shipments.status,
    })
    .from(manifest_labels)
    .innerJoin(labels, eq(labels.id, manifest_labels.label_id))
    .innerJoin(shipments, eq(shipments.id, labels.shipment_id))
    .innerJoin(orders, eq(orders.id, labels.order_id))
    .where(eq(manifest_labels.manifest_id, a.manifest_id))
    .orderBy(asc(manifest_labels.label_id)),
);

/** Finds a manifest by its identifier, with its parcels. Refuses: resource_missing. */
export const { get: getManifest } = recordLookup(manifests, "manifest", {
  record: async (db, row): Promise<CarrierManifest> => {
    const [plain] = await withWarehouses(db, [row]);
    assert(plain, "a manifest has a warehouse");
    const parcels = await parcelsOf(db, { manifest_id: row.id });
    // Only bought labels of outgoing parcels are on manifests, so each has a parcel and a number.
    return { ...plain, parcels: parcels as unknown as ManifestParcel[] };
  },
});

async function withWarehouses(db: Db, rows: readonly (typeof manifests.$inferSelect)[]): Promise<PlainManifest[]> {
  if (rows.length === 0) return [];
  const warehouses = new Map((await listPlainWarehouses(db)).map((warehouse) => [warehouse.id, warehouse]));
  const counts = await countsOf(db, { ids: rows.map(({ id }) => id) });
  const countOf = new Map(counts.map(({ manifest_id, label_count }) => [manifest_id, label_count]));
  return rows.map(({ warehouse_id, ...row }) => {
    const warehouse = warehouses.get(warehouse_id);
    assert(warehouse, "a warehouse is never deleted");
    return { ...row, warehouse, label_count: countOf.get(row.id) ?? 0 };
  });
}

/** Manifests without their parcels, newest first. */
export const manifestList = recordList(manifests, {
  filters: {
    carrier: equals(manifests.carrier, textField(100)),
    warehouse_id: refersTo(manifests.warehouse_id, "warehouse"),
    date: equals(manifests.day, DayField("Only those of these days.")),
  },
  order: newestIds(manifests.id),
  records: (rows, db) => withWarehouses(db, rows),
});
