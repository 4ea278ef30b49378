// Which of the tables that a baseline writes have rows that belong to a merchant. Both baselines use it.
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

/** Whether the rows of the table name the merchant that they belong to. */
export const isOwned = (table: string): boolean => owned.has(table);
