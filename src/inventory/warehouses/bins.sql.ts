import { and, count, eq, exists, lt, type SQL, sql } from "drizzle-orm";
import { columnsOf, contains } from "../../../db/kit.ts";
import { lots, stock_items } from "../../../db/schema/inventory.ts";
import { products } from "../../../db/schema/products.ts";
import { bins, warehouses, zones } from "../../../db/schema/warehouses.ts";
import { readIds } from "../../core/ids.ts";
import { choice, textField } from "../../core/schema.ts";
import type { Db } from "../../storage/database.ts";
import {
  anyOf,
  ascending,
  equals,
  exactly,
  filter,
  parameter,
  recordList,
  refersTo,
  search,
  soonest,
} from "../../storage/record_list.ts";
import { binKinds } from "../inventory.transitions.ts";
import { expiringBeforeField } from "../stock/stock.schema.ts";
import { itemColumns } from "../stock/stock.sql.ts";
import { binFills } from "./bin.schema.ts";
import { permanentBinKinds } from "./warehouse.ts";
import { dayInRequest } from "./warehouses.sql.ts";

const held = sql`${stock_items.on_hand} > 0`;
const used = sql<number>`(
  select coalesce(sum(${stock_items.on_hand}), 0) from ${stock_items} where ${stock_items.bin_id} = ${bins.id}
)`.mapWith(Number);
const skus = sql<number>`(
  select count(distinct ${stock_items.product_id}) from ${stock_items}
  where ${stock_items.bin_id} = ${bins.id} and ${held}
)`.mapWith(Number);

function holding(db: Db, sku: string | undefined, lot_number: string | undefined): SQL {
  const its = and(
    eq(stock_items.bin_id, bins.id),
    held,
    sku === undefined ? undefined : eq(products.sku, sku),
    lot_number === undefined ? undefined : eq(lots.lot_number, lot_number),
  );
  return exists(
    db.sql
      .select({ id: stock_items.id })
      .from(stock_items)
      .innerJoin(products, eq(products.id, stock_items.product_id))
      .leftJoin(lots, eq(lots.id, stock_items.lot_id))
      .where(its),
  );
}

const filled = {
  empty: sql`${used} = 0`,
  used: sql`${used} > 0`,
  full: sql`${bins.capacity} is not null and ${used} >= ${bins.capacity}`,
};

const zoneField = textField(40, { description: "Only those in zones with this `zone_id`." });
const isOfZone = eq(zones.id, bins.zone_id);

/** Bins by code, without staging bins. */
export const binList = recordList(bins, {
  select: (query) =>
    query
      .select({
        ...columnsOf(bins, "id", "warehouse_id", "code", "kind", "pick_order", "capacity"),
        ...columnsOf(bins, "dedicated_merchant_id", "mix_merchants"),
        ...columnsOf(zones, "zone_id", "temperature_zone", "temperature_range"),
        used,
        skus,
      })
      .from(bins)
      .leftJoin(zones, isOfZone),
  filters: {
    location: refersTo(bins.warehouse_id, "warehouse", "Only bins in these warehouses."),
    zone: exactly(zones.zone_id, zoneField),
    sku: parameter(textField(100, { description: "Only bins that hold units of this SKU." })),
    lot_number: parameter(textField(80, { description: "Only bins that hold units of a lot with this number." })),
    bin: exactly(bins.code, textField(40, { description: "Only bins with this code." })),
    q: filter(textField(40, { description: "Part of the bin's code." }), (piece) => contains(bins.code, piece)),
    kind: equals(bins.kind, choice(permanentBinKinds, { description: "Only bins of these kinds." })),
    fill: anyOf(
      choice(binFills, {
        description: "Only bins that are `empty`, `used` (not empty) or `full` (without room for another unit).",
      }),
      (fill) => filled[fill],
    ),
  },
  within: (db, { sku, lot_number }) =>
    and(
      // Written out, so that the index without staging bins is used.
      sql`${bins.kind} <> 'staging'`,
      sku === undefined && lot_number === undefined ? undefined : holding(db, sku, lot_number),
    ),
  counted: (query) => query.select({ count: count() }).from(bins).leftJoin(zones, isOfZone),
  order: ascending(bins.code),
});

/** Stock items with their bins. */
export const storedItemList = recordList(stock_items, {
  select: (query) =>
    query
      .select({
        ...itemColumns,
        product_id: stock_items.product_id,
        ...columnsOf(products, "sku", "name", "min_shelf_life_days"),
        zone_id: zones.zone_id,
      })
      .from(stock_items)
      .innerJoin(products, eq(products.id, stock_items.product_id))
      .innerJoin(warehouses, eq(warehouses.id, stock_items.warehouse_id))
      .innerJoin(bins, eq(bins.id, stock_items.bin_id))
      .leftJoin(zones, isOfZone)
      .leftJoin(lots, eq(lots.id, stock_items.lot_id)),
  filters: {
    location: refersTo(stock_items.warehouse_id, "warehouse", "Only units in these warehouses."),
    zone: exactly(zones.zone_id, zoneField),
    sku: exactly(products.sku, textField(100, { description: "Only units of this SKU." })),
    lot_number: exactly(lots.lot_number, textField(80, { description: "Only units of lots with this number." })),
    bin: exactly(bins.code, textField(40, { description: "Only units in bins with this code." })),
    q: search("Part of the SKU or the name.", [products.sku, products.name]),
    kind: equals(bins.kind, choice(binKinds, { description: "Only units in bins of these kinds." })),
    expiring_before: parameter(expiringBeforeField("Only units of lots that expire before this day.")),
  },
  within: async (db, { location, expiring_before }) => {
    if (expiring_before === undefined) return held;
    const warehouse_ids = readIds("warehouse", location ?? []);
    return and(held, lt(lots.expires_on, await dayInRequest(db, expiring_before, warehouse_ids)));
  },
  counted: (query) =>
    query
      .select({ count: count() })
      .from(stock_items)
      .innerJoin(products, eq(products.id, stock_items.product_id))
      .innerJoin(bins, eq(bins.id, stock_items.bin_id))
      .leftJoin(zones, isOfZone)
      .leftJoin(lots, eq(lots.id, stock_items.lot_id)),
  sorts: {
    sku: ascending(products.sku, { id: stock_items.id }),
    bin: ascending(bins.code, { id: stock_items.id, field: "bin" }),
    expiration_date: soonest(lots.expires_on, { id: stock_items.id }),
  },
  sort_note: "Default: `sku`. Units without expiry come last.",
});
