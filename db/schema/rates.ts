import type { HolidaySet } from "../../src/shipping/rates/holidays.ts";
import type { StoredContent } from "../../src/shipping/rates/rate_card.ts";
import type { ChartRange, ZoneOverride } from "../../src/shipping/zones/zone.ts";
import { bool, check, id, index, int, json, packedJson, table, text, time, unique } from "../kit.ts";

/**
 * How one service of the built-in carrier is priced from one moment to another. What it says is in the newest of its
 * versions. Triggers, `rate_cards_apart…`, let no two active cards of a service hold at one moment: a migration that
 * makes this table anew has to make them anew.
 */
export const rate_cards = table(
  "rate_cards",
  {
    id: id(),
    service: text().notNull(),
    active: bool().notNull(),
    /** Null when it holds from ever. */
    effective_from: time(),
    effective_to: time(),
    /** The name of the charts and overrides that it counts zones by. */
    zone_system: text().notNull(),
    /** The carrier whose holidays it keeps. */
    holidays: text(),
    version: int().notNull(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (t) => [
    index("rate_cards_service").on(t.service),
    check("rate_cards_effective", "effective_from < effective_to"),
    check("rate_cards_named", "service <> ''"),
  ],
);

/** Every state that a card was in, so that nothing it has priced is forgotten. */
export const rate_card_versions = table(
  "rate_card_versions",
  {
    id: id(),
    card_id: int()
      .notNull()
      .references(() => rate_cards.id),
    version: int().notNull(),
    content: packedJson<StoredContent>().notNull(),
    actor_type: text().notNull(),
    actor_id: text().notNull(),
    actor_name: text().notNull(),
    request_id: text(),
    created_at: time().notNull(),
  },
  (t) => [unique("rate_card_versions_of").on(t.card_id, t.version)],
);

/** A way of counting zones: what was set for places, beside the charts that were imported for it. */
export const zone_systems = table(
  "zone_systems",
  {
    id: id(),
    name: text().notNull(),
    overrides: packedJson<readonly ZoneOverride[]>().notNull(),
    /** It moves by one with each change, of a chart too. */
    version: int().notNull(),
    updated_at: time().notNull(),
  },
  (t) => [unique("zone_systems_name").on(t.name)],
);

/** The zones from one place, as a carrier has given them. */
export const zone_charts = table(
  "zone_charts",
  {
    id: id(),
    system_id: int()
      .notNull()
      .references(() => zone_systems.id),
    country: text().notNull(),
    origin: text().notNull(),
    ranges: packedJson<readonly ChartRange[]>().notNull(),
    range_count: int().notNull(),
    updated_at: time().notNull(),
  },
  (t) => [unique("zone_charts_origin").on(t.system_id, t.country, t.origin)],
);

/** The days on which a carrier rests; those of the United States for a carrier without a row. */
export const holiday_sets = table(
  "holiday_sets",
  {
    id: id(),
    carrier: text().notNull(),
    rules: json<HolidaySet["rules"]>().notNull(),
    days: json<HolidaySet["days"]>().notNull(),
    version: int().notNull(),
    updated_at: time().notNull(),
  },
  (t) => [unique("holiday_sets_carrier").on(t.carrier)],
);
