import { PeriodExport, PeriodQuery, TurnsReport } from "../schemas.ts";
import { headOf, ledgerParts, namesOf, type Report, type Source, type Span, spanOf, turn, unnamed } from "../store.ts";
import { sumFlows, sumOnHand } from "./store.ts";

type Figures = TurnsReport["totals"];

/** How often the stock was sold and replaced. */
export const turnsReport: Report = {
  name: "stock-turns",
  id: "StockTurns",
  summary: "Report inventory turns by SKU",
  description:
    "Inventory turnover in units: the units shipped to customers in these days, divided by the mean of the" +
    " units on hand" +
    " when the first day began and the last ended. `annual_turns` are the turns of 365 such days," +
    " and `days_on_hand` is how many days the mean stock lasts. Days that have not begun do not count: the" +
    " period ends now at the latest. Units in transit between warehouses are not on hand. Most shipped units" +
    " first.",
  query: PeriodQuery,
  exported: PeriodExport,
  view: TurnsReport,
  find: findTurns,
};

interface Flow {
  units_shipped: number;
  opening_units: number;
  closing_units: number;
}

async function findTurns(source: Source, { limit: _, ...asked }: PeriodQuery) {
  const span = await spanOf(source, asked);
  const { since, until, now } = span;
  const flows = new Map<number, Flow>();
  const flowOf = (product_id: number) => {
    const known = flows.get(product_id) ?? { units_shipped: 0, opening_units: 0, closing_units: 0 };
    flows.set(product_id, known);
    return known;
  };
  // The units on hand at both moments are the present ones less the movements since.
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
  const all = moving.reduce((sum, [, flow]) => added(sum, flow), added());
  return { head: { ...headOf(span), row_count: rows.length }, rows, totals: figuresOf(all, days) };
}

const day_ms = 86_400_000;

/** The days of the period until now. */
function elapsedDays({ since, until, now }: Span): number {
  return Math.max(0, Math.min(until, now) - since) / day_ms;
}

const none: Flow = { units_shipped: 0, opening_units: 0, closing_units: 0 };

function added(sum = none, more = none): Flow {
  return {
    units_shipped: sum.units_shipped + more.units_shipped,
    opening_units: sum.opening_units + more.opening_units,
    closing_units: sum.closing_units + more.closing_units,
  };
}

function figuresOf({ units_shipped, opening_units, closing_units }: Flow, days: number): Figures {
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
