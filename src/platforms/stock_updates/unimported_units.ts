// Units that a shop has sold and subtracted, and that no order here reserves yet.

import type { Db } from "../../storage/database.ts";
import { linesLeft } from "../imports/import.ts";
import { listUnreserved, type UnreservedImport } from "../imports/imports.sql.ts";
import type { PlatformOrder, StoreConnection } from "../platform.ts";
import { isQueued, type Platform } from "../platforms.transitions.ts";
import { findMatchedSkus } from "./stock_updates.sql.ts";

/** The units of a shop's orders that are not imported. */
interface UnimportedUnits {
  /** By the SKU of the product here. */
  readonly units: ReadonlyMap<string, number>;
  /** The shop's ids of orders whose lines are not known yet. */
  readonly unknown: readonly string[];
}

/** Returns the units of one import by SKU; null if they are not known yet. `payload` names our SKUs. */
function unitsOf(platform: Platform, record: UnreservedImport): ReadonlyMap<string, number> | null {
  const { payload, lines, imported_at, status } = record;
  const units = new Map<string, number>();
  const add = (sku: string, quantity: number) => units.set(sku, (units.get(sku) ?? 0) + Math.max(0, quantity));
  if (payload !== null && (payload.state === "open" || payload.state === "unpaid")) {
    // Other destinations of an order that exists here have imports of their own.
    const [known, order] = imported_at === null ? [[], payload] : [lines, { ...payload, others: [] }];
    for (const { external_id, sku, quantity } of linesLeft(platform, order)) {
      // Of an order that exists here, only what was added to it is missing.
      const before = known.find((line) => line.external_id === external_id && line.sku === sku)?.quantity ?? 0;
      add(sku, quantity - before);
    }
    return units;
  }
  if (payload !== null) return units;
  if (imported_at !== null) return isQueued(status) ? null : units;
  if (lines.length === 0) return null;
  for (const { sku, quantity } of lines) add(sku, quantity);
  return units;
}

/** Reads the units of a shop's orders that are not imported. */
export async function findUnimported(db: Db, { id, platform }: StoreConnection): Promise<UnimportedUnits> {
  const records = await listUnreserved(db, id);
  const orders = records.flatMap(({ payload }) => payload ?? []);
  const skus = await matchedSkus(db, id, orders);
  const units = new Map<string, number>();
  const unknown: string[] = [];
  for (const record of records) {
    const payload = record.payload === null ? null : withSkus(record.payload, skus);
    const own = unitsOf(platform, { ...record, payload });
    if (own === null) unknown.push(record.external_id);
    for (const [sku, quantity] of own ?? []) units.set(sku, (units.get(sku) ?? 0) + quantity);
  }
  return { units, unknown };
}

async function matchedSkus(db: Db, connection_id: number, orders: readonly PlatformOrder[]) {
  const all = orders.flatMap((order) => [order, ...(order.others ?? [])]);
  const variants = new Set(all.flatMap(({ lines }) => lines.map(({ variant_id }) => variant_id)));
  return variants.size === 0 ? new Map<string, string>() : findMatchedSkus(db, connection_id, [...variants]);
}

const withSkus = (order: PlatformOrder, skus: ReadonlyMap<string, string>): PlatformOrder => ({
  ...order,
  lines: order.lines.map((line) => ({ ...line, sku: skus.get(line.variant_id) ?? line.sku })),
  ...(order.others && { others: order.others.map((other) => withSkus(other, skus)) }),
});

/** Returns a shop's order with the SKUs of the products that its variants are matched with. */
export async function withMatchedSkus(db: Db, connection_id: number, order: PlatformOrder): Promise<PlatformOrder> {
  const skus = await matchedSkus(db, connection_id, [order]);
  return skus.size === 0 ? order : withSkus(order, skus);
}
