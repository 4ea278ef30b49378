import { money } from "../core/money.ts";
import { dayText, localTime, readDay } from "../core/time_zone.ts";
import { costsByDay, type DayCost, type QuarterCost, quarter_ms } from "../shipping/labels/label_costs.ts";
import { sumCosts } from "../shipping/labels/label_list.sql.ts";
import { reportPeriodsOf, sumsOf } from "./report_days.ts";
import {
  CarrierCostReport,
  GroupedExport,
  GroupedQuery,
  PickingExport,
  PickingQuery,
  PickingReport,
} from "./reports.schema.ts";
import { eachDay, headOf, ledgerParts, type ReportDefinition, type ReportSource, spanOf, turn } from "./reports.sql.ts";
import { type QuarterPicks, sumPicks } from "./work_reports.sql.ts";

/** The report of label costs by carrier. */
export const carrierCostReport: ReportDefinition = {
  name: "carrier_cost",
  id: "CarrierCost",
  summary: "Report label costs by carrier and day",
  description:
    "A label counts on the day it was requested. `cost` is the charge for valid labels, and `carrier_cost`" +
    " the carrier's price for them. Voided labels cost nothing. Days without labels have no row." +
    " `GET /shipping/labels/costs` returns the same figures, newest day first.",
  query: GroupedQuery,
  exported: GroupedExport,
  view: CarrierCostReport,
  find: findCosts,
};

async function findCosts(source: ReportSource, { group_by = "day", ...asked }: GroupedQuery) {
  const span = await spanOf(source, asked);
  const quarters: QuarterCost[] = [];
  await eachDay(source, span.days, async (db, day) => quarters.push(...(await sumCosts(db, day))));
  const costs = costsByDay(quarters, span.timezone);
  const byDay = Map.groupBy(costs, ({ date }) => readDay(date) ?? 0);
  return {
    head: { ...headOf(span), group_by },
    rows: reportPeriodsOf(span.days, group_by).flatMap(({ from, to, days }) =>
      byCarrier(days.flatMap((day) => byDay.get(day) ?? [])).map((cost) => ({ from, to, ...cost })),
    ),
    totals: byCarrier(costs),
  };
}

function byCarrier(costs: readonly DayCost[]): CarrierCostReport["totals"] {
  const groups = Map.groupBy(costs, ({ carrier, currency }) => JSON.stringify([carrier, currency]));
  const keys = [...groups.keys()].sort();
  return keys.flatMap((key) => {
    const own = groups.get(key) ?? [];
    const [first] = own;
    if (first === undefined) return [];
    const { carrier, currency } = first;
    const sums = sumsOf(["label_count", "cost_cents", "carrier_cost_cents", "voided_count"], own);
    return {
      carrier,
      currency,
      label_count: sums.label_count,
      cost: money(sums.cost_cents, currency),
      carrier_cost: money(sums.carrier_cost_cents, currency),
      voided_count: sums.voided_count,
    };
  });
}

type PickingFigures = PickingReport["totals"];
type PickingRow = PickingReport["rows"][number];

/** The report of units picked, and of the picking rate. */
export const pickingReport: ReportDefinition = {
  name: "units_picked",
  id: "UnitsPicked",
  summary: "Report units picked by hour or day",
  description:
    "Counts units when they are moved from their bin to the staging area of their order; picks that an action" +
    " assumed are also in `assumed_units`. `units_per_hour` divides by the clock hours with at least one pick, since" +
    " it is unknown how many people worked.",
  query: PickingQuery,
  exported: PickingExport,
  view: PickingReport,
  find: findPicking,
};

async function findPicking(source: ReportSource, { group_by = "day", ...asked }: PickingQuery) {
  const span = await spanOf(source, asked);
  const quarters = await readPicks(source, span.since, span.until);
  const placed = quarters.map((picks) => {
    const { day, minute } = localTime(picks.quarter * quarter_ms, span.timezone);
    return { ...picks, day, hour: Math.floor(minute / 60) };
  });
  const byDay = Map.groupBy(placed, ({ day }) => day);
  const ofDays = (days: readonly number[]) => figuresOf(days.flatMap((day) => byDay.get(day) ?? []));
  const rows: PickingRow[] =
    group_by === "hour"
      ? [...byDay].flatMap(([day, own]) => hoursOf(dayText(day), own)).sort(inTime)
      : reportPeriodsOf(span.days, group_by).map(({ from, to, days }) => ({ from, to, hour: null, ...ofDays(days) }));
  return { head: { ...headOf(span), group_by }, rows, totals: figuresOf(placed) };
}

async function readPicks(source: ReportSource, since: number, until: number): Promise<QuarterPicks[]> {
  const found: QuarterPicks[] = [];
  for (const part of await source.read((db) => ledgerParts(db, since, until))) {
    found.push(...(await source.read((db) => sumPicks(db, part, since, until))));
    await turn();
  }
  return found;
}

interface LocalQuarterPicks extends QuarterPicks {
  readonly day: number;
  readonly hour: number;
}

function hoursOf(date: string, quarters: readonly LocalQuarterPicks[]): PickingRow[] {
  const hours = Map.groupBy(quarters, ({ hour }) => hour);
  return [...hours].map(([hour, own]) => ({ from: date, to: date, hour, ...figuresOf(own) }));
}

const inTime = (a: PickingRow, b: PickingRow) =>
  a.from === b.from ? (a.hour ?? 0) - (b.hour ?? 0) : a.from < b.from ? -1 : 1;

function figuresOf(quarters: readonly LocalQuarterPicks[]): PickingFigures {
  const sum = (of: (picks: LocalQuarterPicks) => number) => quarters.reduce((all, picks) => all + of(picks), 0);
  const units = sum((picks) => picks.units);
  const active_hours = new Set(quarters.map(({ day, hour }) => day * 24 + hour)).size;
  return {
    units,
    picks: sum(({ picks }) => picks),
    assumed_units: sum(({ assumed_units }) => assumed_units),
    active_hours,
    units_per_hour: active_hours === 0 ? null : Math.round((units / active_hours) * 10) / 10,
  };
}
