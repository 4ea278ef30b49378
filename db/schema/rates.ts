import type { HolidaySet } from "../../src/shipping/rates/holidays.ts";
import type { ResponseQuotes } from "../../src/shipping/rates/quote.ts";
import type { StoredContent } from "../../src/shipping/rates/rate_card.ts";
import type { ChartRange, ZoneOverride } from "../../src/shipping/zones/zone.ts";
import { bool, check, id, index, int, json, packedJson, table, text, time, unique } from "../kit.ts";
import { ownerOrOperator } from "./merchants.ts";

/**
 * Rate cards of the built-in carrier's services, each valid for a period. The newest revision has the contents. The
 * triggers `rate_cards_apart…` refuse active cards of a service with overlapping periods. A migration that rebuilds
 * this table must create them again.
 */
export const rate_cards = table(
  "rate_cards",
  {
    id: id(),
    service: text().notNull(),
    active: bool().notNull(),
    /** Null for no start. */
    effective_from: time(),
    effective_to: time(),
    /** The name of the zone system, with its charts and overrides. */
    zone_system: text().notNull(),
    /** The carrier whose holidays apply. */
    holidays: text(),
    revision: int().notNull(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (t) => [
    index("rate_cards_service").on(t.service),
    check("rate_cards_effective", "effective_from < effective_to"),
    check("rate_cards_named", "service <> ''"),
  ],
);

/** All versions of cards, so that every price can be explained. */
export const rate_card_versions = table(
  "rate_card_versions",
  {
    id: id(),
    card_id: int()
      .notNull()
      .references(() => rate_cards.id),
    revision: int().notNull(),
    content: packedJson<StoredContent>().notNull(),
    actor_type: text().notNull(),
    actor_id: text().notNull(),
    actor_name: text().notNull(),
    request_id: text(),
    created_at: time().notNull(),
  },
  (t) => [unique("rate_card_versions_of").on(t.card_id, t.revision)],
);

/** Zone systems with their overrides for places. Their charts are in `zone_charts`. */
export const zone_systems = table(
  "zone_systems",
  {
    id: id(),
    name: text().notNull(),
    overrides: packedJson<readonly ZoneOverride[]>().notNull(),
    /** Incremented by each change, including those of charts. */
    revision: int().notNull(),
    updated_at: time().notNull(),
  },
  (t) => [unique("zone_systems_name").on(t.name)],
);

/** A carrier's zones from one origin. */
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

/** Carriers' holidays. A carrier without a row has US holidays. */
export const holiday_sets = table(
  "holiday_sets",
  {
    id: id(),
    carrier: text().notNull(),
    rules: json<HolidaySet["rules"]>().notNull(),
    days: json<HolidaySet["days"]>().notNull(),
    revision: int().notNull(),
    updated_at: time().notNull(),
  },
  (t) => [unique("holiday_sets_carrier").on(t.carrier)],
);

/** The quotes of responses to requests for rates, one row per response, until they expire. */
export const rate_quotes = table(
  "rate_quotes",
  {
    /** `quo_` and a UUIDv7. The id of a quote adds its position in the response. */
    id: text().primaryKey(),
    /** The merchant that the rates were requested for; null for the operator's own. */
    merchant_id: ownerOrOperator(),
    content: packedJson<ResponseQuotes>().notNull(),
    expires_at: time().notNull(),
  },
  (t) => [index("rate_quotes_expiry").on(t.expires_at)],
);
