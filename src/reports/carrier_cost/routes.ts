import { money } from "../../kit/money.ts";
import { readDay } from "../../kit/zone.ts";
import { costsByDay, type DayCost, type QuarterCost } from "../../shipping/labels/list/costs.ts";
import { sumCosts } from "../../shipping/labels/list/store.ts";
import { stretchesOf } from "../calendar.ts";
import { CarrierCostReport, GroupedExport, GroupedQuery } from "../schemas.ts";
import { eachDay, headOf, type Report, type Source, spanOf } from "../store.ts";

/** The costs of labels, by carrier. */
export const carrierCostReport: Report = {
  name: "carrier-cost",
  id: "CarrierCost",
  summary: "Report label costs by carrier and day",
  description:
    "A label counts on the day on which it was requested. `cost` is the charge for valid labels, and" +
    " `carrier_cost` what the carrier takes for them. Voided labels cost nothing. Days on which no" +
    " label was bought have no row. `GET /shipping/labels/costs` has the same figures, newest day first.",
  query: GroupedQuery,
  exported: GroupedExport,
  view: CarrierCostReport,
  find: findCosts,
};

async function findCosts(source: Source, { group_by = "day", ...asked }: GroupedQuery) {
  const span = await spanOf(source, asked);
  const quarters: QuarterCost[] = [];
  await eachDay(source, span.days, async (db, day) => quarters.push(...(await sumCosts(db, day))));
  const costs = costsByDay(quarters, span.timezone);
  const byDay = Map.groupBy(costs, ({ date }) => readDay(date) ?? 0);
  return {
    head: { ...headOf(span), group_by },
    rows: stretchesOf(span.days, group_by).flatMap(({ from, to, days }) =>
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
    const sum = (of: (cost: DayCost) => number) => own.reduce((all, cost) => all + of(cost), 0);
    if (first === undefined) return [];
    return {
      carrier: first.carrier,
      currency: first.currency,
      label_count: sum(({ label_count }) => label_count),
      cost: money(
        sum(({ cost_cents }) => cost_cents),
        first.currency,
      ),
      carrier_cost: money(
        sum(({ carrier_cost_cents }) => carrier_cost_cents),
        first.currency,
      ),
      voided_count: sum(({ voided_count }) => voided_count),
    };
  });
}
