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
 * What was done for a merchant, as a bill may name it one day. Rows are only added: triggers refuse changes and
 * deletions. What was wrong is taken back by a row of its own.
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
    /** Which act of the house it was. */
    act: text().$type<BilledAct>().notNull(),
    occurred_at: time().notNull(),
    /** The day on which it was in the warehouse, as `YYYY-MM-DD`. */
    business_date: text().notNull(),
    /** Below zero in a reversal. */
    quantity: int().notNull(),
    unit: text().$type<BilledUnit>().notNull(),
    source_type: text().$type<SourceType>().notNull(),
    source_id: int().notNull(),
    /** A line of the source; 0 where the act was about all of it. */
    source_line: int().notNull(),
    /** The version of the source that the act made; 0 where there can be one act of a kind only. */
    source_version: int().notNull(),
    /** What else was known of the act. */
    attributes: json<Readonly<Record<string, unknown>>>().notNull(),
    /** The row that it takes back. */
    reversal_of: int(),
  },
  (t) => [
    // An act says what kind of source it has. A count may be about goods of several merchants, and a line of an order
    // may be picked in several warehouses.
    unique("billable_events_source")
      .on(t.source_id, t.act, t.source_line, t.source_version, t.warehouse_id, t.merchant_id)
      .where(where("reversal_of is null")),
    unique("billable_events_reversal").on(t.reversal_of).where(where("reversal_of is not null")),
    // Each act writes it, so there is one for all lists: those of a merchant pass over the rows of others in it.
    index("billable_events_day").on(t.business_date, t.id, t.merchant_id),
    oneOf("billable_events", "unit", billedUnits),
    oneOf("billable_events", "source_type", sourceTypes),
    check("billable_events_quantity", "(quantity < 0) = (reversal_of is not null) and quantity <> 0"),
  ],
);

/** The days of warehouses whose storage has been added up, each of which began where the one before ended. */
export const storage_closes = table(
  "storage_closes",
  {
    warehouse_id: int()
      .notNull()
      .references(() => warehouses.id),
    business_date: text().notNull(),
    began_at: time().notNull(),
    ended_at: time().notNull(),
    /** The last row of the ledger that counts; later rows belong to later days, whenever they say they were. */
    last_movement_id: int().notNull(),
    /** The first row of the ledger that may count for a later day. */
    next_movement_id: int().notNull(),
    /** Null while its rows are being written. */
    closed_at: time(),
  },
  (t) => [primaryKey({ columns: [t.warehouse_id, t.business_date] })],
);

/** What lay where in a warehouse on a day: one row for each product, lot and bin that held units on it. */
export const storage_days = table(
  "storage_days",
  {
    business_date: text().notNull(),
    /** One product, lot and bin. */
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
    /** The most units that lay there at once on that day. */
    units_peak: int().notNull(),
    /** As the product said at the close; null when it gave no dimensions. */
    unit_volume_cm3: int(),
    temperature_zone: text().$type<TemperatureZone>().notNull(),
    /** The day on which the first of the units came, as `YYYY-MM-DD`. */
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

/** One row: from when on acts have their facts. What was done before the upgrade has none. */
export const billing_start = table("billing_start", {
  id: id(),
  /** 0 in a store that began with them. */
  began_at: time().notNull(),
});
