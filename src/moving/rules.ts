// What decides whether an installation may be moved into.

/**
 * What a start puts into an empty installation, with the most rows that it makes where people make more; any number
 * where it is null. All other tables are empty as long as nothing has happened.
 */
const of_a_start: Readonly<Record<string, number | null>> = {
  address_settings: null,
  api_keys: 1,
  billing_start: null,
  bins: null,
  counters: null,
  holiday_sets: null,
  leases: null,
  merchants: 1,
  one_time_links: null,
  postal_codes: null,
  rate_card_versions: null,
  rate_cards: null,
  request_blocks: null,
  roles: null,
  servers: null,
  warehouses: 1,
  zone_charts: null,
  zone_systems: null,
  zones: null,
};

/** Whether so many rows of a table say that something has happened in an installation beside its first start. */
export function notUntouched(table: string, rows: number): boolean {
  if (rows === 0) return false;
  const most = of_a_start[table];
  return most === undefined || (most !== null && rows > most);
}
