import type { Db } from "../../database/store.ts";
import { listCalendars } from "../../inventory/warehouses/store.ts";
import { readDay } from "../../kit/zone.ts";
import { type Day, departuresOf, share, stretchesOf } from "../calendar.ts";
import { GroupedExport, GroupedQuery, OnTimeReport } from "../schemas.ts";
import { eachDay, headOf, type Report, type Source, spanOf } from "../store.ts";
import { punctualityOf } from "./store.ts";

type Figures = OnTimeReport["totals"];
type Counts = Omit<Figures, "on_time_share">;

/** The share of orders that left on the day on which they were due to leave. */
export const onTimeReport: Report = {
  name: "on-time",
  id: "OnTime",
  summary: "Report the on-time shipping rate",
  description:
    "An order is due to leave on the working day of its warehouse on which it was created, or on the next one" +
    " if it was created after the cut-off or on another day. It left on time if its last parcel was handed over by" +
    " the end of that day. Holds and missing stock make no difference. Cancelled and imported past orders are left" +
    " out. An order without a warehouse counts by the calendar of the first one.",
  query: GroupedQuery,
  exported: GroupedExport,
  view: OnTimeReport,
  find: findOnTime,
};

async function findOnTime(source: Source, { group_by = "day", ...asked }: GroupedQuery) {
  const span = await spanOf(source, asked);
  const calendars = await source.read(listCalendars);
  const [first, last] = [readDay(span.from) ?? 0, readDay(span.to) ?? 0];
  const departures = calendars.map((calendar, at) => ({
    warehouse: { id: calendar.id, isFirst: at === 0, isOnly: calendars.length === 1 },
    byDay: new Map(departuresOf(calendar, first, last).map((departure) => [departure.day, departure])),
  }));
  const look = async (db: Db, { day }: Day): Promise<Counts> => {
    const found = nothing();
    for (const { warehouse, byDay } of departures) {
      const departure = byDay.get(day);
      if (departure === undefined) continue;
      const { due, on_time, open } = await punctualityOf(db, departure, warehouse);
      const isOver = span.now >= departure.deadline;
      add(found, { due, on_time, late: due - on_time - (isOver ? 0 : open), open: isOver ? 0 : open });
    }
    return found;
  };
  const byDay = await eachDay(source, span.days, look);
  const figuresOf = (days: readonly number[]): Figures => {
    const sum = nothing();
    for (const day of days) add(sum, byDay.get(day) ?? nothing());
    return { ...sum, on_time_share: share(sum.on_time, sum.on_time + sum.late) };
  };
  return {
    head: { ...headOf(span), group_by },
    rows: stretchesOf(span.days, group_by).map(({ from, to, days }) => ({ from, to, ...figuresOf(days) })),
    totals: figuresOf([...byDay.keys()]),
  };
}

const nothing = (): Counts => ({ due: 0, on_time: 0, late: 0, open: 0 });

function add(sum: Counts, { due, on_time, late, open }: Counts): void {
  sum.due += due;
  sum.on_time += on_time;
  sum.late += late;
  sum.open += open;
}
