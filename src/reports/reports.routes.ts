import type { TObject } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { CsvCell } from "../core/csv.ts";
import type { Call } from "../http/call.ts";
import { EnvelopedView } from "../http/envelope.ts";
import { answerRead } from "../http/response.ts";
import { exportCsv, respond, routes } from "../http/routes.ts";
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

const rowsOf = (report: ReportDefinition) => [
  respond<`/reports/${string}`, undefined, TObject>("GET", `/reports/${report.name}`, "reports.read", {
    id: `get${report.id}Report`,
    summary: report.summary,
    description: report.description,
    query: report.query,
    answers: { 200: EnvelopedView(report.view) },
    answer: ({ call, query }) => answerReport(call, report, query),
  }),
  exportCsv(`/reports/${report.name}/export.csv`, "reports.read", {
    id: `export${report.id}Report`,
    summary: `${report.summary} as CSV`,
    description: `Returns every row of \`GET /reports/${report.name}\` as a CSV file, without totals.`,
    query: report.exported,
    file: ({ call, query }) => fileOf(call, report, query),
  }),
];

/** The overview, and all reports: each as JSON and as CSV. */
export const reportRoutes = new Elysia().use(overviewRoutes).use(routes("Reports", reports.flatMap(rowsOf)));

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

async function fileOf(call: Call, report: ReportDefinition, { bom: _bom, ...query }: ReportQuery) {
  const columns = Object.keys(report.view.properties["rows"]?.["items"].properties);
  const { rows } = await find(report, call.store, query);
  return {
    name: `${report.name}.csv`,
    columns,
    page: async () => ({ rows, next: null }),
    cells: (row: object) => columns.map((name) => (row as Record<string, CsvCell>)[name] ?? null),
  };
}
