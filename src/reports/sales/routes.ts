import { money } from "../../kit/money.ts";
import { PeriodExport, PeriodQuery, SalesReport } from "../schemas.ts";
import { eachDay, headOf, namesOf, type Report, type Source, spanOf, unnamed } from "../store.ts";
import { type Sold, sumSold } from "./store.ts";

/** The report of sales by SKU. */
export const salesReport: Report = {
  name: "sales",
  id: "Sales",
  summary: "Report sales by SKU",
  description:
    "The lines of orders created in these days, imported past orders included: units" +
    " ordered, less those cancelled since. `revenue` is the price of the units sold, by the prices of their" +
    " lines less discounts, without shipping and refunds. A bundle counts as the bundle. Most" +
    " revenue first.",
  query: PeriodQuery,
  exported: PeriodExport,
  view: SalesReport,
  find: findSales,
};

const counted = ["orders", "units_ordered", "units_cancelled", "units_shipped", "units_returned", "revenue_cents"];
type Counted = Omit<Sold, "product_id" | "currency">;

async function findSales(source: Source, { limit: _, ...asked }: PeriodQuery) {
  const span = await spanOf(source, asked);
  const sums = new Map<string, Sold>();
  for (const sold of (await eachDay(source, span.days, sumSold)).values()) {
    for (const one of sold) {
      const key = `${one.product_id} ${one.currency}`;
      const before = sums.get(key);
      sums.set(key, before === undefined ? one : added(before, one));
    }
  }
  const sold = [...sums.values()];
  const names = await namesOf(
    source,
    sold.map(({ product_id }) => product_id),
  );
  const rows = sold.map((one) => rowOf(one, names.get(one.product_id)));
  rows.sort((a, b) => b.revenue - a.revenue || b.units_sold - a.units_sold || (a.sku < b.sku ? -1 : 1));
  return { head: { ...headOf(span), row_count: rows.length }, rows, totals: totalsOf(sold) };
}

function added(some: Sold, more: Sold): Sold {
  const sums = counted.map((name) => [name, some[name as keyof Counted] + more[name as keyof Counted]]);
  return { ...some, ...Object.fromEntries(sums) };
}

function rowOf(sold: Sold, product = unnamed): SalesReport["rows"][number] {
  const { currency, orders, units_ordered, units_cancelled, units_shipped, units_returned, revenue_cents } = sold;
  const units_sold = units_ordered - units_cancelled;
  return {
    ...product,
    currency,
    orders,
    units_ordered,
    units_cancelled,
    units_sold,
    units_shipped,
    units_returned,
    revenue: money(revenue_cents, currency),
  };
}

function totalsOf(sold: readonly Sold[]): SalesReport["totals"] {
  const groups = [...Map.groupBy(sold, ({ currency }) => currency)].sort(([a], [b]) => (a < b ? -1 : 1));
  return groups.map(([currency, own]) => ({
    currency,
    units_sold: own.reduce((sum, one) => sum + one.units_ordered - one.units_cancelled, 0),
    revenue: money(
      own.reduce((sum, one) => sum + one.revenue_cents, 0),
      currency,
    ),
  }));
}
