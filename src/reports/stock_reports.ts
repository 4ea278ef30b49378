import { iso } from "../core/clock.ts";
import { money } from "../core/money.ts";
import { day_ms } from "../core/time.ts";
import { sumsOf } from "./report_days.ts";
import {
  AgeingReport,
  MomentExport,
  MomentQuery,
  PeriodExport,
  PeriodQuery,
  SalesReport,
  TurnsReport,
} from "./reports.schema.ts";
import {
  eachDay,
  headOf,
  ledgerParts,
  namesOf,
  productParts,
  type ReportDefinition,
  type ReportSource,
  type ReportSpan,
  spanOf,
  turn,
  unnamed,
} from "./reports.sql.ts";
import { type AgedUnits, listAged, type ProductSales, sumFlows, sumOnHand, sumSold } from "./stock_reports.sql.ts";

type AgeingRow = AgeingReport["rows"][number];

/** The report of the age of stock on hand. */
export const ageingReport: ReportDefinition = {
  name: "stock_ageing",
  id: "StockAgeing",
  summary: "Report the age of stock by SKU",
  description:
    "All units on hand now, reserved or not, by their age in days of 24 hours. The age of a lot counts from its" +
    " receipt. The age of other units counts from the first unit in their bin, or in the bin that they were" +
    " moved from. The SKUs with the oldest units come first.",
  query: MomentQuery,
  exported: MomentExport,
  view: AgeingReport,
  find: findAgeing,
};

const bands = [
  ["days_0_30", 30],
  ["days_31_60", 60],
  ["days_61_90", 90],
  ["days_91_180", 180],
  ["days_181_365", 365],
  ["days_over_365", Number.POSITIVE_INFINITY],
] as const;

async function findAgeing(source: ReportSource, _: MomentQuery) {
  const now = await source.read(async (db) => db.now);
  const aged: AgedUnits[] = [];
  for (const { first, end } of await productParts(source)) {
    aged.push(...(await source.read((db) => listAged(db, first, end, now))));
    await turn();
  }
  const byProduct = Map.groupBy(aged, ({ product_id }) => product_id);
  const names = await namesOf(source, [...byProduct.keys()]);
  const rows = [...byProduct].map(([product_id, own]): AgeingRow => {
    const on_hand = unitsOf(own);
    return {
      ...(names.get(product_id) ?? unnamed),
      on_hand,
      ...banded(own),
      oldest_days: own.reduce((oldest, { age_days }) => Math.max(oldest, age_days), 0),
      average_days: Math.round((own.reduce((sum, one) => sum + one.age_days * one.units, 0) / on_hand) * 10) / 10,
    };
  });
  rows.sort((a, b) => b.oldest_days - a.oldest_days || b.on_hand - a.on_hand || (a.sku < b.sku ? -1 : 1));
  const totals = { on_hand: unitsOf(aged), ...banded(aged) };
  return { head: { at: iso(now), row_count: rows.length }, rows, totals };
}

const unitsOf = (aged: readonly AgedUnits[]) => aged.reduce((sum, { units }) => sum + units, 0);

function banded(aged: readonly AgedUnits[]) {
  let above = -1;
  const sums = bands.map(([name, last]) => {
    const from = above;
    above = last;
    return [name, unitsOf(aged.filter(({ age_days }) => age_days > from && age_days <= last))];
  });
  return Object.fromEntries(sums) as Omit<AgeingReport["totals"], "on_hand">;
}

/** The report of sales by SKU. */
export const salesReport: ReportDefinition = {
  name: "sales",
  id: "Sales",
  summary: "Report sales by SKU",
  description:
    "The lines of orders created in the period, including imported past orders. Units sold are units" +
    " ordered, less those cancelled since. `revenue` is the price of the units sold, by the prices of their" +
    " lines less discounts, without shipping and refunds. A bundle counts as one product. Most" +
    " revenue first.",
  query: PeriodQuery,
  exported: PeriodExport,
  view: SalesReport,
  find: findSales,
};

const sales_counts = [
  "orders",
  "units_ordered",
  "units_cancelled",
  "units_shipped",
  "units_returned",
  "revenue_cents",
] as const;

async function findSales(source: ReportSource, { limit: _, ...asked }: PeriodQuery) {
  const span = await spanOf(source, asked);
  const sums = new Map<string, ProductSales>();
  for (const sold of (await eachDay(source, span.days, sumSold)).values()) {
    for (const one of sold) {
      const key = `${one.product_id} ${one.currency}`;
      const before = sums.get(key);
      sums.set(key, before === undefined ? one : { ...one, ...sumsOf(sales_counts, [before, one]) });
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

function rowOf(sold: ProductSales, product = unnamed): SalesReport["rows"][number] {
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

function totalsOf(sold: readonly ProductSales[]): SalesReport["totals"] {
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

type TurnsFigures = TurnsReport["totals"];

/** The report of inventory turns. */
export const turnsReport: ReportDefinition = {
  name: "stock_turns",
  id: "StockTurns",
  summary: "Report inventory turns by SKU",
  description:
    "Divides the units shipped to customers in the period by the average of the units on hand at its start and its" +
    " end, which is now at the latest. Units in transit between warehouses are not on hand. Most shipped units first.",
  query: PeriodQuery,
  exported: PeriodExport,
  view: TurnsReport,
  find: findTurns,
};

const flow_counts = ["units_shipped", "opening_units", "closing_units"] as const;
type UnitFlow = Record<(typeof flow_counts)[number], number>;

async function findTurns(source: ReportSource, { limit: _, ...asked }: PeriodQuery) {
  const span = await spanOf(source, asked);
  const { since, until, now } = span;
  const flows = new Map<number, UnitFlow>();
  const none = { units_shipped: 0, opening_units: 0, closing_units: 0 };
  const flowOf = (product_id: number) => flows.getOrInsertComputed(product_id, () => ({ ...none }));
  // The units on hand at a past time are the present ones less the movements since then.
  const parts = await source.read(async (db) => {
    for (const { product_id, on_hand } of await sumOnHand(db)) {
      const flow = flowOf(product_id);
      flow.opening_units = on_hand;
      flow.closing_units = on_hand;
    }
    return ledgerParts(db, since, Math.max(until, now));
  });
  for (const part of parts) {
    for (const row of await source.read((db) => sumFlows(db, part, since, until))) {
      const flow = flowOf(row.product_id);
      flow.opening_units -= row.change_since;
      flow.closing_units -= row.change_after;
      flow.units_shipped += row.units_shipped;
    }
    await turn();
  }
  const moving = [...flows].filter(([, flow]) => Object.values(flow).some((units) => units > 0));
  const names = await namesOf(
    source,
    moving.map(([product_id]) => product_id),
  );
  const days = elapsedDays(span);
  const rows = moving.map(([product_id, flow]) => ({
    ...(names.get(product_id) ?? unnamed),
    ...figuresOf(flow, days),
  }));
  rows.sort((a, b) => b.units_shipped - a.units_shipped || (a.sku < b.sku ? -1 : 1));
  const all = sumsOf(
    flow_counts,
    moving.map(([, flow]) => flow),
  );
  return { head: { ...headOf(span), row_count: rows.length }, rows, totals: figuresOf(all, days) };
}

/** The days of the period that have passed. */
function elapsedDays({ since, until, now }: ReportSpan): number {
  return Math.max(0, Math.min(until, now) - since) / day_ms;
}

function figuresOf({ units_shipped, opening_units, closing_units }: UnitFlow, days: number): TurnsFigures {
  const average_units = (opening_units + closing_units) / 2;
  const turns = average_units === 0 ? null : units_shipped / average_units;
  return {
    units_shipped,
    opening_units,
    closing_units,
    average_units,
    turns: turns === null ? null : rounded(turns, 100),
    annual_turns: turns === null || days === 0 ? null : rounded((turns / days) * 365, 100),
    days_on_hand: units_shipped === 0 ? null : rounded((average_units / units_shipped) * days, 10),
  };
}

const rounded = (value: number, parts: number) => Math.round(value * parts) / parts;
