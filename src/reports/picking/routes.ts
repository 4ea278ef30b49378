import { dayText, localTime } from "../../kit/zone.ts";
import { quarter_ms } from "../../shipping/labels/list/costs.ts";
import { stretchesOf } from "../calendar.ts";
import { PickingExport, PickingQuery, PickingReport } from "../schemas.ts";
import { headOf, ledgerParts, type Report, type Source, spanOf, turn } from "../store.ts";
import { type QuarterPicks, sumPicks } from "./store.ts";

type Figures = PickingReport["totals"];
type Row = PickingReport["rows"][number];

/** What was picked, and how quickly. */
export const pickingReport: Report = {
  name: "units-picked",
  id: "UnitsPicked",
  summary: "Report units picked by hour or day",
  description:
    "A unit counts when it is picked: moved from its bin to the staging of its order. Picks that an action" +
    " assumed count too; `assumed_units` is their number of units. `units_per_hour` divides the units by the" +
    " clock hours in which anything was picked: hours of the warehouse, since it is unknown how many people" +
    " worked.",
  query: PickingQuery,
  exported: PickingExport,
  view: PickingReport,
  find: findPicking,
};

async function findPicking(source: Source, { group_by = "day", ...asked }: PickingQuery) {
  const span = await spanOf(source, asked);
  const quarters = await readPicks(source, span.since, span.until);
  const placed = quarters.map((picks) => {
    const { day, minute } = localTime(picks.quarter * quarter_ms, span.timezone);
    return { ...picks, day, hour: Math.floor(minute / 60) };
  });
  const byDay = Map.groupBy(placed, ({ day }) => day);
  const ofDays = (days: readonly number[]) => figuresOf(days.flatMap((day) => byDay.get(day) ?? []));
  const rows: Row[] =
    group_by === "hour"
      ? [...byDay].flatMap(([day, own]) => hoursOf(dayText(day), own)).sort(inTime)
      : stretchesOf(span.days, group_by).map(({ from, to, days }) => ({ from, to, hour: null, ...ofDays(days) }));
  return { head: { ...headOf(span), group_by }, rows, totals: figuresOf(placed) };
}

async function readPicks(source: Source, since: number, until: number): Promise<QuarterPicks[]> {
  const found: QuarterPicks[] = [];
  for (const part of await source.read((db) => ledgerParts(db, since, until))) {
    found.push(...(await source.read((db) => sumPicks(db, part, since, until))));
    await turn();
  }
  return found;
}

interface Placed extends QuarterPicks {
  readonly day: number;
  readonly hour: number;
}

function hoursOf(date: string, quarters: readonly Placed[]): Row[] {
  const hours = Map.groupBy(quarters, ({ hour }) => hour);
  return [...hours].map(([hour, own]) => ({ from: date, to: date, hour, ...figuresOf(own) }));
}

const inTime = (a: Row, b: Row) => (a.from === b.from ? (a.hour ?? 0) - (b.hour ?? 0) : a.from < b.from ? -1 : 1);

function figuresOf(quarters: readonly Placed[]): Figures {
  const sum = (of: (picks: Placed) => number) => quarters.reduce((all, picks) => all + of(picks), 0);
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
