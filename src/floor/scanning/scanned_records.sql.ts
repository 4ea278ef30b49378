import { and, asc, desc, eq, gt, sql as template } from "drizzle-orm";
import { among, amongTexts, columnsOf, folded, list, opaque } from "../../../db/kit.ts";
import { stations, totes } from "../../../db/schema/floor.ts";
import { lots, stock_items } from "../../../db/schema/inventory.ts";
import { orders } from "../../../db/schema/orders.ts";
import { product_barcodes, product_packs, products } from "../../../db/schema/products.ts";
import { shipments } from "../../../db/schema/shipments.ts";
import { bins, warehouses } from "../../../db/schema/warehouses.ts";
import type { PackKind } from "../../products/product.ts";
import type { Db } from "../../storage/database.ts";
import { prepared, type StatementArgs } from "../../storage/statements.ts";

const product = columnsOf(products, "id", "merchant_id", "sku", "name", "type", "status");

const byBarcode = prepared((sql, a: StatementArgs<{ values: string }>) =>
  sql
    .selectDistinct({ ...product, pack_level: product_packs.level, pack_units: product_packs.quantity })
    .from(product_barcodes)
    .innerJoin(products, eq(products.id, product_barcodes.product_id))
    .leftJoin(product_packs, eq(product_packs.id, product_barcodes.pack_id))
    .where(amongTexts(product_barcodes.value, a.values))
    .orderBy(asc(products.id)),
);

/** The products with one of these barcodes, and the pack that has it; null for one unit. */
export async function findByBarcode(db: Db, values: readonly string[]) {
  const found = await byBarcode(db, { values: list(values) });
  return found.map(({ pack_level: level, pack_units: quantity, ...of }) => {
    const pack: PackKind | null = level === null || quantity === null ? null : { level, quantity };
    return { ...of, pack };
  });
}

/** The products with this SKU, which is in lower case. */
export const findBySku = prepared((sql, a: StatementArgs<{ sku: string }>) =>
  sql
    .select(product)
    .from(products)
    .where(eq(folded(products.sku), a.sku))
    .orderBy(asc(products.id)),
);

/** The first products that have a lot with this number. */
export const findByLot = prepared((sql, a: StatementArgs<{ lot_number: string; limit: number }>) =>
  sql
    .select(product)
    .from(lots)
    .innerJoin(products, eq(products.id, lots.product_id))
    .where(eq(lots.lot_number, a.lot_number))
    .orderBy(asc(products.id))
    .limit(opaque(a.limit)),
);

const lotsOf = prepared((sql, a: StatementArgs<{ lot_number: string; product_ids: string }>) =>
  sql
    .select(columnsOf(lots, "id", "product_id", "lot_number", "status", "expires_on"))
    .from(lots)
    .where(and(eq(lots.lot_number, a.lot_number), among(lots.product_id, a.product_ids))),
);

/** The lots with this number of these products. */
export const findLots = (db: Db, lot_number: string, product_ids: readonly number[]) =>
  lotsOf(db, { lot_number, product_ids: list(product_ids) });

/** The products with units in a bin. */
export const listProductsInBin = prepared((sql, a: StatementArgs<{ bin_id: number }>) =>
  sql
    .selectDistinct({ product_id: stock_items.product_id })
    .from(stock_items)
    .where(and(eq(stock_items.bin_id, a.bin_id), gt(stock_items.on_hand, 0))),
);

/**
 * The bins with this code, which is in lower case, in any warehouse. The condition is spelled out as in the index of
 * these bins, so that the database uses it.
 */
export const findBins = prepared((sql, a: StatementArgs<{ code: string }>) =>
  sql
    .select(columnsOf(bins, "id", "code", "kind", "warehouse_id"))
    .from(bins)
    .where(and(template`${bins.kind} <> 'staging'`, eq(folded(bins.code), a.code)))
    .orderBy(asc(bins.id)),
);

/** The totes with this code, which is in lower case. */
export const findTotes = prepared((sql, a: StatementArgs<{ code: string }>) =>
  sql
    .select({
      ...columnsOf(totes, "id", "code", "warehouse_id", "order_id", "wave_id"),
      order_number: orders.order_number,
    })
    .from(warehouses)
    .innerJoin(totes, and(eq(totes.warehouse_id, warehouses.id), eq(folded(totes.code), a.code)))
    .leftJoin(orders, eq(orders.id, totes.order_id))
    .orderBy(asc(totes.id)),
);

/** The stations with this name, which is in lower case. */
export const findStations = prepared((sql, a: StatementArgs<{ name: string }>) =>
  sql
    .select(columnsOf(stations, "id", "name", "warehouse_id"))
    .from(warehouses)
    .innerJoin(stations, and(eq(stations.warehouse_id, warehouses.id), eq(folded(stations.name), a.name)))
    .orderBy(asc(stations.id)),
);

const order = columnsOf(orders, "id", "merchant_id", "order_number", "status", "held", "warehouse_id");

/** The orders with this number. */
export const findOrders = prepared((sql, a: StatementArgs<{ order_number: string }>) =>
  sql.select(order).from(orders).where(eq(orders.order_number, a.order_number)).orderBy(asc(orders.id)),
);

/** The order with this id. */
export const findOrderById = prepared((sql, a: StatementArgs<{ id: number }>) =>
  sql.select(order).from(orders).where(eq(orders.id, a.id)),
);

const parcelsByNumber = prepared((sql, a: StatementArgs<{ numbers: string }>) =>
  sql
    .select(columnsOf(shipments, "id", "merchant_id", "order_id", "tracking_number", "carrier", "status"))
    .from(shipments)
    .where(amongTexts(shipments.tracking_number, a.numbers))
    .orderBy(desc(shipments.id)),
);

/** The parcels with one of these numbers, newest first. */
export const findParcels = (db: Db, numbers: readonly string[]) => parcelsByNumber(db, { numbers: list(numbers) });
