import { iso } from "../../kit/clock.ts";
import { AgeingReport, MomentExport, MomentQuery } from "../schemas.ts";
import { namesOf, productParts, type Report, type Source, turn, unnamed } from "../store.ts";
import { type AgedUnits, listAged } from "./store.ts";

type Row = AgeingReport["rows"][number];

/** How long the stock on hand has been there. */
export const ageingReport: Report = {
  name: "stock-ageing",
  id: "StockAgeing",
  summary: "Report the age of stock by SKU",
  description:
    "All units on hand now, reserved or not, by their age in days of 24 hours. Units of a lot age since" +
    " the lot was received, all others since the first unit came to their bin, or to the bin that" +
    " they were moved from. The SKUs with the oldest units come first.",
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

async function findAgeing(source: Source, _: MomentQuery) {
  const now = await source.read(async (db) => db.now);
  const aged: AgedUnits[] = [];
  for (const { first, end } of await productParts(source)) {
    aged.push(...(await source.read((db) => listAged(db, first, end, now))));
    await turn();
  }
  const byProduct = Map.groupBy(aged, ({ product_id }) => product_id);
  const names = await namesOf(source, [...byProduct.keys()]);
  const rows = [...byProduct].map(([product_id, own]): Row => {
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
