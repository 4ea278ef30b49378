import { Elysia } from "elysia";
import type { CsvCell } from "../core/csv.ts";
import { queryOf } from "../core/schema.ts";
import type { Call } from "../http/call.ts";
import { conventions } from "../http/conventions.ts";
import { answerCsv } from "../http/csv_response.ts";
import { EnvelopedView } from "../http/envelope.ts";
import { answerRead } from "../http/response.ts";
import { documented } from "../http/route.ts";
import { fillRateReport, onTimeReport, ordersReport } from "./order_reports.ts";
import type { ReportDefinition, ReportSource } from "./reports.sql.ts";
import { ageingReport, salesReport, turnsReport } from "./stock_reports.ts";
import { overviewRoutes } from "./today/today.routes.ts";
import { carrierCostReport, pickingReport } from "./work_reports.ts";

const reports: readonly ReportDefinition[] = [
  ordersReport,
  onTimeReport,
  pickingReport,
  carrierCostReport,
  salesReport,
  ageingReport,
  turnsReport,
  fillRateReport,
];

/** All reports, each as JSON and as CSV. */
export const reportRoutes = reports.reduce(
  (app, report) => app.use(routesOf(report)),
  new Elysia().use(overviewRoutes) as unknown as Elysia,
);

function routesOf(report: ReportDefinition): Elysia {
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
        description: "All rows of the report as CSV, without totals.",
        documents: ["text/csv"],
        answers: { 200: null },
      }),
    }) as unknown as Elysia;
}

type ReportQuery = Readonly<Record<string, unknown>>;

const usual_limit = 100;

async function find(report: ReportDefinition, source: ReportSource, query: ReportQuery) {
  return report.find(source, query as never);
}

async function answerReport(call: Call, report: ReportDefinition, query: ReportQuery): Promise<Response> {
  const { head, rows, totals } = await find(report, call.store, query);
  const limit = "limit" in report.query.properties ? (query["limit"] ?? usual_limit) : rows.length;
  return answerRead(call, async () => ({ ...head, rows: rows.slice(0, Number(limit)), totals }));
}

async function answerFile(call: Call, report: ReportDefinition, { bom, ...query }: ReportQuery): Promise<Response> {
  const columns = Object.keys(report.view.properties["rows"]?.["items"].properties);
  const { rows } = await find(report, call.store, query);
  const file = {
    name: `${report.name}.csv`,
    columns,
    page: async () => ({ rows, next: null }),
    cells: (row: object) => columns.map((name) => (row as Record<string, CsvCell>)[name] ?? null),
  };
  return answerCsv(call, file, { bom: bom === true });
}
