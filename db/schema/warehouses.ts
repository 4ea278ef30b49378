import type { ContactAddress } from "../../src/core/postal_address.ts";
import type { Weekday } from "../../src/core/time_zone.ts";
import type { BinKind } from "../../src/inventory/inventory.transitions.ts";
import { type TemperatureZone, temperatureZones } from "../../src/products/product.ts";
import { bool, check, folded, id, index, int, json, oneOf, table, text, time, unique, where } from "../kit.ts";
import { merchants } from "./merchants.ts";

export const warehouses = table(
  "warehouses",
  {
    id: id(),
    name: text().notNull(),
    address: json<ContactAddress>().notNull(),
    /** IANA time zone of the calendar and the cut-off. */
    timezone: text().notNull(),
    /** The weekdays on which orders ship. */
    working_days: json<readonly Weekday[]>().notNull().default(["mon", "tue", "wed", "thu", "fri"]),
    /** Holidays without shipping, as sorted `YYYY-MM-DD`. */
    holidays: json<readonly string[]>().notNull().default([]),
    /** Orders placed before this time (`HH:MM`) of a working day ship that day. */
    cutoff_time: text().notNull().default("14:00"),
    /** Lower numbers are chosen first. */
    priority: int().notNull(),
    revision: int().notNull(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (t) => [unique("warehouses_name").on(t.name)],
);

export const zones = table(
  "zones",
  {
    id: id(),
    warehouse_id: int()
      .notNull()
      .references(() => warehouses.id),
    /** The client's id of the zone, unique in its warehouse. */
    zone_id: text().notNull(),
    temperature_zone: text().$type<TemperatureZone>().notNull(),
    temperature_range: text(),
    capacity: int(),
  },
  (t) => [
    unique("zones_code").on(t.warehouse_id, t.zone_id),
    oneOf("zones", "temperature_zone", temperatureZones),
    check("zones_capacity", "capacity >= 0"),
  ],
);

export const bins = table(
  "bins",
  {
    id: id(),
    warehouse_id: int()
      .notNull()
      .references(() => warehouses.id),
    /** Null for bins outside the temperature zones, such as staging. */
    zone_id: int().references(() => zones.id),
    code: text().notNull(),
    kind: text().$type<BinKind>().notNull(),
    pick_order: int().notNull(),
    capacity: int(),
    /** The only merchant whose goods may be in it; null for any. */
    dedicated_merchant_id: int().references(() => merchants.id),
    /** Whether it may hold several merchants' goods at once; by default not in storage bins. */
    mix_merchants: bool().notNull().default(false),
  },
  (t) => [
    unique("bins_code").on(t.warehouse_id, t.code),
    index("bins_code_folded").on(folded(t.code)).where(where("kind <> 'staging'")),
    // Both list the bins of a kind in pick order, so that the first suitable one is found quickly.
    index("bins_zone").on(t.zone_id, t.kind, t.pick_order, t.id).where(where("zone_id is not null")),
    index("bins_dedicated")
      .on(t.dedicated_merchant_id, t.zone_id, t.pick_order, t.id)
      .where(where("dedicated_merchant_id is not null")),
    index("bins_lasting").on(t.warehouse_id, t.kind, t.pick_order, t.id).where(where("kind <> 'staging'")),
  ],
);
