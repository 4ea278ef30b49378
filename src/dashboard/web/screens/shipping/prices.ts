// The prices of a rate card as a table: pounds down, zones across.
import { plainMoney } from "../../texts/format.ts";
import type { RateCard } from "./types.ts";

type Row = RateCard["prices"][number];

/** Which of a row's two amounts a table shows. */
export type Side = "price" | "cost";

/** A cell's place: its zone and its heaviest parcel, null for each further pound. */
export const cellKey = (zone: string, pounds: number | null, side: Side): string =>
  `${side} ${pounds ?? "each"} ${zone}`;

/** What a table of prices has across and down. */
export interface Grid {
  readonly zones: readonly string[];
  readonly weights: readonly (number | null)[];
}

const order = new Intl.Collator("en", { numeric: true });

/** The zones and weights that occur, in their order; the price of each further pound comes last. */
export function gridOf(prices: readonly Row[]): Grid {
  const zones = [...new Set(prices.map(({ zone }) => zone))].sort(order.compare);
  const weights = [...new Set(prices.map(({ up_to_pounds }) => up_to_pounds))];
  return { zones, weights: weights.sort((one, other) => (one ?? Infinity) - (other ?? Infinity)) };
}

/** Amounts by their cells, as they are written. */
export function cellsOf(prices: readonly Row[], currency: string): ReadonlyMap<string, string> {
  return new Map(
    prices.flatMap(({ zone, up_to_pounds, price, cost }) => [
      [cellKey(zone, up_to_pounds, "price"), plainMoney(price, currency)],
      [cellKey(zone, up_to_pounds, "cost"), plainMoney(cost, currency)],
    ]),
  );
}

/** Whether a text is an amount. */
export const isAmount = (text: string): boolean => /^\d{1,6}(\.\d{1,3})?$/.test(text);

/** The rows of a table as the API takes them; cells without a price are no rows. */
export function rowsOf({ zones, weights }: Grid, cells: ReadonlyMap<string, string>) {
  return weights.flatMap((up_to_pounds) =>
    zones.flatMap((zone) => {
      const price = cells.get(cellKey(zone, up_to_pounds, "price")) ?? "";
      const cost = cells.get(cellKey(zone, up_to_pounds, "cost")) ?? "";
      return price === "" ? [] : { zone, up_to_pounds, price, ...(cost === "" ? {} : { cost }) };
    }),
  );
}

/** The cells that text from a spreadsheet fills, beginning at one of them. What goes beyond the table is left out. */
export function pasted(text: string, { zones, weights }: Grid, zone: string, pounds: number | null, side: Side) {
  const [left, top] = [zones.indexOf(zone), weights.indexOf(pounds)];
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  return lines.flatMap((line, down) =>
    line.split("\t").flatMap((cell, across) => {
      const [at, row] = [zones[left + across], top + down];
      if (at === undefined || row >= weights.length) return [];
      return [[cellKey(at, weights[row] ?? null, side), cell.trim().replace(/^[$€£]\s*/, "")] as const];
    }),
  );
}
