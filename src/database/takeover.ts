// Takes over a database whose migrations are those of before they began anew with `0001_base`.
import { startRefused } from "./exit.ts";

/** The one migration that stands for all the former ones. */
export const base = "0001_base";

/**
 * Whether a database has exactly the former migrations, so that it can be taken over. Refuses a database that has some
 * of them only: they are no longer in this program.
 */
export function isFormer(applied: readonly string[], where: string): boolean {
  const known = new Set<string>(former);
  const count = applied.filter((name) => known.has(name)).length;
  if (count === 0) return false;
  if (count === former.length && applied.length === former.length) return true;
  const last = former.at(-1);
  const advice = `Start a Packhouse whose last migration is ${last} on it first, and then this one.`;
  throw startRefused(
    "unsuitable",
    `${where} was made by an older Packhouse and lacks some of its migrations. ${advice}`,
  );
}

const former = [
  "0001_initial",
  "0002_order_search",
  "0003_short_picks",
  "0004_warehouse_calendar",
  "0005_ship_date_is_derived",
  "0006_movement_filters",
  "0007_order_queue",
  "0008_order_priority",
  "0009_bad_address",
  "0010_held_orders",
  "0011_bin_walk",
  "0012_webhooks_in_full",
  "0013_webhook_details",
  "0014_circuit_window",
  "0015_order_unknown_sku",
  "0016_platform_reports",
  "0017_key_rotation",
  "0018_platforms",
  "0019_platform_reports_due",
  "0020_platform_report_reasons",
  "0021_versions_of_lots_and_keys",
  "0022_plain_tracking_numbers",
  "0023_delivery_forms",
  "0024_packed_events",
  "0025_subscriptions_begin",
  "0026_line_discounts",
  "0027_installation",
  "0028_address_company",
  "0029_pages_of_parcels",
  "0030_imported_orders",
  "0031_history_numbers",
  "0032_webhook_backlogs",
  "0033_notices_of_backlogs",
  "0034_labels_of_carriers",
  "0035_rate_cards",
  "0036_followed_numbers",
  "0037_carrier_accounts",
  "0038_addresses_checked",
  "0039_ssccs",
  "0040_rules_of_labels",
  "0041_manifests",
  "0042_parcel_pages",
  "0043_audit",
  "0044_search",
  "0045_waiting",
  "0046_users",
  "0047_request_log",
  "0048_people",
] as const;
