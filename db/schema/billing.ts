import {
  type BillableKind,
  type BilledAct,
  type BilledUnit,
  billedUnits,
  type SourceType,
  sourceTypes,
} from "../../src/billing/billable_kinds.ts";
import { type TemperatureZone, temperatureZones } from "../../src/products/product.ts";
import {
  check,
  foreignKey,
  id,
  index,
  int,
  json,
  oneOf,
  primaryKey,
  table,
  text,
  time,
  unique,
  where,
} from "../kit.ts";
import { lots, stock_items } from "./inventory.ts";
import { owner, sameOwner } from "./merchants.ts";
import { products } from "./products.ts";
import { bins, warehouses } from "./warehouses.ts";

/**
 * Billable facts: work done for a merchant. Rows are only added; triggers refuse updates and deletions. A wrong fact is
 * reversed by another row.
 */
export const billable_events = table(
  "billable_events",
  {
    id: id(),
    merchant_id: owner(),
    warehouse_id: int()
      .notNull()
      .references(() => warehouses.id),
    kind: text().$type<BillableKind>().notNull(),
    /** The billed activity. */
    act: text().$type<BilledAct>().notNull(),
    occurred_at: time().notNull(),
    /** The date in the warehouse's time zone, as `YYYY-MM-DD`. */
    business_date: text().notNull(),
    /** Negative in a reversal. */
    quantity: int().notNull(),
    unit: text().$type<BilledUnit>().notNull(),
    source_type: text().$type<SourceType>().notNull(),
    source_id: int().notNull(),
    /** A line of the source; 0 if the activity concerned all of it. */
    source_line: int().notNull(),
    /** The revision of the source that resulted; 0 if an activity can happen only once. */
    source_revision: int().notNull(),
    /** Further facts about the activity. */
    attributes: json<Readonly<Record<string, unknown>>>().notNull(),
    /** The row that it reverses. */
    reversal_of: int(),
  },
  (t) => [
    // The activity determines the kind of source. A count may cover several merchants, and an order line may be picked
    // in several warehouses.
    unique("billable_events_source")
      .on(t.source_id, t.act, t.source_line, t.source_revision, t.warehouse_id, t.merchant_id)
      .where(where("reversal_of is null")),
    unique("billable_events_reversal").on(t.reversal_of).where(where("reversal_of is not null")),
    // Every activity writes this index, so one serves all lists. Lists of one merchant skip the rows of others.
    index("billable_events_day").on(t.business_date, t.id, t.merchant_id),
    oneOf("billable_events", "unit", billedUnits),
    oneOf("billable_events", "source_type", sourceTypes),
    check("billable_events_quantity", "(quantity < 0) = (reversal_of is not null) and quantity <> 0"),
  ],
);

/** The days of warehouses whose storage has been summed up. Each starts where the previous one ended. */
export const storage_closes = table(
  "storage_closes",
  {
    warehouse_id: int()
      .notNull()
      .references(() => warehouses.id),
    business_date: text().notNull(),
    began_at: time().notNull(),
    ended_at: time().notNull(),
    /** The last ledger row that counts. Later rows belong to later days, whatever their time. */
    last_movement_id: int().notNull(),
    /** The first ledger row that may count for a later day. */
    next_movement_id: int().notNull(),
    /** Null while its rows are being written. */
    closed_at: time(),
  },
  (t) => [primaryKey({ columns: [t.warehouse_id, t.business_date] })],
);

/** Storage of one day: one row per product, lot and bin that held units. */
export const storage_days = table(
  "storage_days",
  {
    business_date: text().notNull(),
    /** A product in a lot and bin. */
    stock_item_id: int().notNull(),
    merchant_id: sameOwner(),
    warehouse_id: int()
      .notNull()
      .references(() => warehouses.id),
    product_id: int()
      .notNull()
      .references(() => products.id),
    lot_id: int().references(() => lots.id),
    bin_id: int()
      .notNull()
      .references(() => bins.id),
    units_at_close: int().notNull(),
    /** The peak number of units on that day. */
    units_peak: int().notNull(),
    /** The product's volume at the close; null without dimensions. */
    unit_volume_cm3: int(),
    temperature_zone: text().$type<TemperatureZone>().notNull(),
    /** The date the oldest units were received, as `YYYY-MM-DD`. */
    oldest_receipt_date: text().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.business_date, t.stock_item_id] }),
    foreignKey({
      name: "storage_days_owned_item",
      columns: [t.merchant_id, t.stock_item_id],
      foreignColumns: [stock_items.merchant_id, stock_items.id],
    }),
    index("storage_days_merchant").on(t.merchant_id, t.business_date, t.stock_item_id),
    index("storage_days_warehouse").on(t.warehouse_id, t.business_date),
    oneOf("storage_days", "temperature_zone", temperatureZones),
    check("storage_days_units", "units_at_close between 0 and units_peak and units_peak > 0"),
  ],
);

/** One row: when recording of billable facts began. Earlier work has none. */
export const billing_start = table("billing_start", {
  id: id(),
  /** 0 in a store that has recorded them from the start. */
  began_at: time().notNull(),
});
