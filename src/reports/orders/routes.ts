import { publicOrderStatuses } from "../../orders/status.ts";
import { stretchesOf } from "../calendar.ts";
import { GroupedExport, GroupedQuery, OrdersReport } from "../schemas.ts";
import { eachDay, headOf, type Report, type Source, spanOf } from "../store.ts";
import { countByStatus } from "./store.ts";

type Counts = OrdersReport["totals"];

/** Orders by the day of their creation. */
export const ordersReport: Report = {
  name: "orders",
  id: "Orders",
  summary: "Report orders by day of creation and current status",
  description:
    "An order counts on the day of its creation, in its present status: a held one only as `on_hold`." +
    " Imported past orders count on the day of their original creation.",
  query: GroupedQuery,
  exported: GroupedExport,
  view: OrdersReport,
  find: findOrders,
};

async function findOrders(source: Source, { group_by = "day", ...asked }: GroupedQuery) {
  const span = await spanOf(source, asked);
  const byDay = await eachDay(source, span.days, countByStatus);
  const countsOf = (days: readonly number[]): Counts => {
    const count = (status: (typeof publicOrderStatuses)[number]) =>
      days.reduce((sum, day) => sum + (byDay.get(day)?.get(status) ?? 0), 0);
    const counts = Object.fromEntries(publicOrderStatuses.map((status) => [status, count(status)]));
    const total = Object.values(counts).reduce((sum, some) => sum + some, 0);
    return { total, ...counts } as Counts;
  };
  return {
    head: { ...headOf(span), group_by },
    rows: stretchesOf(span.days, group_by).map(({ from, to, days }) => ({ from, to, ...countsOf(days) })),
    totals: countsOf([...byDay.keys()]),
  };
}
