// Recognises a database from before the first release. Its schema is that of `0001_schema`, in which those migrations
// have become one: the start replaces its list of migrations, and changes nothing else.
import { startRefused } from "./exit.ts";

const pre_release = [
  "0001_base",
  "0002_order_counts",
  "0003_product_orders",
  "0004_merchants",
  "0005_merchant_suspended",
  "0006_billing",
  "0007_dedicated_bins",
  "0008_merchant_members",
  "0009_servers",
  "0010_restorations",
  "0011_moving",
  "0012_privacy",
  "0013_backups",
  "0014_erasures",
  "0015_operator_addresses",
  "0016_calendar_dates",
  "0017_currency_decimals",
  "0018_label_sample",
  "0019_invitation_proofs",
] as const;

/** Whether a database has all migrations from before the first release, and no others. */
export function isPreRelease(applied: readonly string[]): boolean {
  return applied.length === pre_release.length && pre_release.every((name) => applied.includes(name));
}

const last = pre_release.at(-1);

/** What to do with a database that has other migrations from before the first release. */
export const upgrade_before = `Upgrade it with a Packhouse whose last migration is ${last} first, then with this one.`;

/** The refusal of a database whose migrations from before the first release are others, such as only some of those. */
export function tooOld(where: string): Error {
  const what = `${where} was made by a Packhouse from before the first release that this one cannot upgrade directly.`;
  return startRefused("unsuitable", `${what} ${upgrade_before}`);
}
