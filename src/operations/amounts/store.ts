// Amounts that an upgrade rounded, and currencies that no amount can be in any more. For the operator to look through.
import { asc, count } from "drizzle-orm";
import { rounded_amounts } from "../../../db/schema/amounts.ts";
import { merchants } from "../../../db/schema/merchants.ts";
import { orders } from "../../../db/schema/orders.ts";
import { products } from "../../../db/schema/products.ts";
import { returns } from "../../../db/schema/returns.ts";
import { labels } from "../../../db/schema/shipments.ts";
import type { Db } from "../../database/store.ts";
import { isCurrency } from "../../kit/currency.ts";
import { isNoun, wireId } from "../../kit/ids.ts";
import { moneyText } from "../../kit/money.ts";

/** An amount before an upgrade and after it. */
interface RoundedAmount {
  readonly record: string;
  readonly field: string;
  readonly before: string;
  readonly after: string;
  readonly currency: string;
}

/** Amounts that an upgrade rounded half up, since they had more decimals than their currency, in their order. */
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

/** Records of one kind in a currency that is none. */
interface UnknownCurrency {
  readonly records: string;
  readonly currency: string;
  readonly count: number;
}

const tables = { products, orders, returns, labels, merchants };

/** The currencies of stored records that ISO 4217 does not list. Their amounts are shown with two decimals. */
export async function listUnknownCurrencies(db: Db): Promise<UnknownCurrency[]> {
  const found: UnknownCurrency[] = [];
  for (const [records, table] of Object.entries(tables)) {
    const { currency } = table;
    const rows = await db.sql.select({ currency, count: count() }).from(table).groupBy(currency).orderBy(asc(currency));
    found.push(...rows.filter((row) => !isCurrency(row.currency)).map((row) => ({ records, ...row })));
  }
  return found;
}
