// The migrations recorded in a database that was up to date just before they were squashed into one.

/** The migrations by name, in order. */
export const listed = [
  ...["0001_base", "0002_order_counts", "0003_product_orders", "0004_merchants", "0005_merchant_suspended"],
  ...["0006_billing", "0007_dedicated_bins", "0008_merchant_members", "0009_servers", "0010_restorations"],
  ...["0011_moving", "0012_privacy", "0013_backups", "0014_erasures", "0015_operator_addresses"],
  ...["0016_calendar_dates", "0017_currency_decimals", "0018_label_sample", "0019_invitation_proofs"],
];

/** Statements that replace the recorded migrations of a database with these. */
export const relisting = (names: readonly string[]): string[] => [
  "delete from migrations",
  `insert into migrations (name, kind) values ${names.map((name) => `('${name}', 'breaking')`).join()}`,
];
