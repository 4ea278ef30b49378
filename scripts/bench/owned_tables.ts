// The tables whose rows belong to a merchant, of those that a floor writes.
const owned: ReadonlySet<string> = new Set([
  "orders",
  "order_lines",
  "reservations",
  "reservation_lines",
  "allocations",
  "movements",
  "events",
  "shipments",
  "labels",
  "tracking_records",
  "billable_events",
]);

/** Whether a row of the table says to which merchant it belongs. */
export const isOwned = (table: string): boolean => owned.has(table);
