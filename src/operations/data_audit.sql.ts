// Checks for the operator: amounts that an upgrade rounded, unknown currencies, rows of the other environment, and
// waiting work without a due time.
import { asc, count, sql } from "drizzle-orm";
import { isOneOf } from "../../db/kit.ts";
import { rounded_amounts } from "../../db/schema/amounts.ts";
import { customers } from "../../db/schema/customers.ts";
import { lots, movements, stock_items } from "../../db/schema/inventory.ts";
import { api_keys } from "../../db/schema/keys.ts";
import { merchants } from "../../db/schema/merchants.ts";
import { orders } from "../../db/schema/orders.ts";
import { platform_reports } from "../../db/schema/platform_reports.ts";
import { platform_imports } from "../../db/schema/platforms.ts";
import { products } from "../../db/schema/products.ts";
import { reservations } from "../../db/schema/reservations.ts";
import { returns } from "../../db/schema/returns.ts";
import { labels, shipments } from "../../db/schema/shipments.ts";
import { deliveries, notices, subscriptions } from "../../db/schema/webhooks.ts";
import { unsentMails } from "../core/email.ts";
import { isNoun, wireId } from "../core/ids.ts";
import { isCurrency, moneyText } from "../core/money.ts";
import { queuedImports, queuedShipmentUpdates } from "../platforms/platforms.transitions.ts";
import type { Db } from "../storage/database.ts";
import { verifierOf } from "../storage/verifier.ts";

/** An amount before and after an upgrade. */
interface RoundedAmount {
  readonly record: string;
  readonly field: string;
  readonly before: string;
  readonly after: string;
  readonly currency: string;
}

/** Lists amounts that an upgrade rounded half up because they had more decimals than their currency. */
export async function listRounded(db: Db): Promise<RoundedAmount[]> {
  const rows = await db.sql.select().from(rounded_amounts).orderBy(asc(rounded_amounts.id));
  return rows.map(({ noun, record_id, field, currency, hundredths, minor_units }) => ({
    record: isNoun(noun) ? wireId(noun, record_id) : `${noun} ${record_id}`,
    field,
    before: (hundredths / 100).toFixed(2),
    after: moneyText(minor_units, currency),
    currency,
  }));
}

/** The number of records of a table in an unknown currency. */
interface UnknownCurrency {
  readonly records: string;
  readonly currency: string;
  readonly count: number;
}

const amount_tables = { products, orders, returns, labels, merchants };

/** Lists currencies of stored records that ISO 4217 does not contain. Their amounts are shown with two decimals. */
export async function listUnknownCurrencies(db: Db): Promise<UnknownCurrency[]> {
  const found: UnknownCurrency[] = [];
  for (const [records, table] of Object.entries(amount_tables)) {
    const { currency } = table;
    const rows = await db.sql.select({ currency, count: count() }).from(table).groupBy(currency).orderBy(asc(currency));
    found.push(...rows.filter((row) => !isCurrency(row.currency)).map((row) => ({ records, ...row })));
  }
  return found;
}

const tables = {
  products,
  customers,
  orders,
  shipments,
  labels,
  returns,
  reservations,
  stock_items,
  lots,
  movements,
  subscriptions,
  deliveries,
  api_keys,
};

/** Finds rows whose ids belong to the other environment. */
export const verifyModes = verifierOf({
  nouns: Object.fromEntries(Object.keys(tables).map((name) => [name, []])),
  rules: Object.entries(tables).map(([noun, { id }]) => ({
    rule: "I12 no row belongs to the other environment",
    noun,
    rows: sql`select cast(null as bigint) as id, 0 as expected, count(*) as actual from ${id.table}
      where ${id} >= (select strange_from from this_run) and ${id} < (select strange_to from this_run)`,
  })),
});

const queues = {
  notice: { due: notices.mail_next_at, isWaiting: isOneOf(notices.mail_status, unsentMails) },
  import: { due: platform_imports.next_at, isWaiting: isOneOf(platform_imports.status, queuedImports) },
  "shipment update": {
    due: platform_reports.next_at,
    isWaiting: isOneOf(platform_reports.status, queuedShipmentUpdates),
  },
};

/** Finds waiting work without a due time, which no server would ever claim. Constraints keep it out of other queues. */
export const verifyQueues = verifierOf({
  // Without their texts.
  nouns: Object.fromEntries(Object.keys(queues).map((name) => [name, []])),
  rules: Object.entries(queues).map(([noun, { due, isWaiting }]) => ({
    rule: "work that waits has a due time",
    noun,
    rows: sql`select id, 1 as expected, 0 as actual from ${due.table} where ${isWaiting} and ${due} is null`,
  })),
});
