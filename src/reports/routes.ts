import { Elysia } from "elysia";
import { answerRead } from "../http/answer.ts";
import type { Call } from "../http/call.ts";
import { conventions } from "../http/conventions.ts";
import { answerCsv } from "../http/csv.ts";
import { EnvelopedView } from "../http/envelope.ts";
import { documented } from "../http/route.ts";
import type { Cell } from "../kit/csv.ts";
import { queryOf } from "../kit/schema.ts";
import { ageingReport } from "./ageing/routes.ts";
import { carrierCostReport } from "./carrier_cost/routes.ts";
import { fillRateReport } from "./fill_rate/routes.ts";
import { onTimeReport } from "./on_time/routes.ts";
import { ordersReport } from "./orders/routes.ts";
import { overviewRoutes } from "./overview/routes.ts";
import { pickingReport } from "./picking/routes.ts";
import { salesReport } from "./sales/routes.ts";
import type { Report, Source } from "./store.ts";
import { turnsReport } from "./turns/routes.ts";

const reports: readonly Report[] = [
  ordersReport,
  onTimeReport,
  pickingReport,
  carrierCostReport,
  salesReport,
  ageingReport,
  turnsReport,
  fillRateReport,
];

/** The overview, and all reports: each as JSON and as a file of CSV. */
export const reportRoutes = reports.reduce(
  (app, report) => app.use(routesOf(report)),
  new Elysia().use(overviewRoutes) as unknown as Elysia,
);

function routesOf(report: Report): Elysia {
  const { name, id, summary, description } = report;
  return new Elysia()
    .use(conventions)
    .get(`/reports/${name}`, ({ call, query }) => answerReport(call, report, query), {
      query: queryOf(report.query),
      detail: documented({
        id: `get${id}Report`,
        needs: "reports.read",
        chapter: "Reports",
        summary,
        description,
        answers: { 200: EnvelopedView(report.view) },
      }),
    })
    .get(`/reports/${name}/export.csv`, ({ call, query }) => answerFile(call, report, query), {
      query: queryOf(report.exported),
      detail: documented({
        id: `export${id}Report`,
        needs: "reports.read",
        chapter: "Reports",
        summary: `${summary} as CSV`,
        description: "All rows of the report, without its totals.",
        documents: ["text/csv"],
        answers: { 200: null },
      }),
    }) as unknown as Elysia;
}

type Query = Readonly<Record<string, unknown>>;

const usual_limit = 100;

async function find(report: Report, source: Source, query: Query) {
  return report.find(source, query as never);
}

async function answerReport(call: Call, report: Report, query: Query): Promise<Response> {
  const { head, rows, totals } = await find(report, call.store, query);
  const limit = "limit" in report.query.properties ? (query["limit"] ?? usual_limit) : rows.length;
  return answerRead(call, async () => ({ ...head, rows: rows.slice(0, Number(limit)), totals }));
}

async function answerFile(call: Call, report: Report, { bom, ...query }: Query): Promise<Response> {
  const columns = Object.keys(report.view.properties["rows"]?.["items"].properties);
  const { rows } = await find(report, call.store, query);
  const file = {
    name: `${report.name}.csv`,
    columns,
    page: async () => ({ rows, next: null }),
    cells: (row: object) => columns.map((name) => (row as Record<string, Cell>)[name] ?? null),
  };
  return answerCsv(call, file, { bom: bom === true });
}
