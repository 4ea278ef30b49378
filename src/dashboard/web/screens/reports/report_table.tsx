import { showsSeveral } from "../../api/merchants.ts";
import { MerchantMark } from "../../components/badge.tsx";
import { words as common } from "../../text/common.ts";
import { count, date, money, nothing, share } from "../../text/format.ts";
import { merchantTexts } from "../../text/merchants.ts";
import { reportTexts as texts } from "../../text/reports.ts";
import { stateWords } from "../../text/states.ts";
import { stockHref } from "../stock/stock_links.ts";
import type { ReportAnswer, ReportRow, ShownReport } from "./report_catalogue.ts";
import { orderStates } from "./report_series.ts";

interface ReportTableProps {
  readonly shown: ShownReport;
  readonly report: ReportAnswer;
  readonly group_by: string;
}

/** The merchant column, for reports across several merchants. */
const owner = "merchant_id";
const words: readonly string[] = [owner, "from", "sku", "name", "carrier", "currency", "hour"];
const amounts: readonly string[] = ["cost", "carrier_cost", "revenue"];
const shares: readonly string[] = ["on_time_share", "order_fill_rate", "line_fill_rate", "unit_fill_rate"];

/** The rows of a report, and its totals below them. */
export function ReportTable({ shown, report, group_by }: ReportTableProps) {
  const columns = columnsOf(shown, group_by);
  const totals = Array.isArray(report.totals) ? report.totals : [report.totals as ReportRow];
  return (
    <div class="table-box" role="region" aria-label={texts.figures} tabIndex={0}>
      <table class="figures-table">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col" class={words.includes(column) ? undefined : "right"}>
                {titleOf(column, group_by)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {report.rows.map((row, at) => (
            <tr key={keyOf(row, at)}>
              {columns.map((column) => (
                <td key={column} class={words.includes(column) ? undefined : "right"}>
                  {cellOf(row, column, group_by)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        <tfoot>
          {totals.map((total, at) => (
            <tr key={`${total["carrier"] ?? ""} ${total["currency"] ?? ""}`}>
              {columns.map((column, place) => (
                <td key={column} class={words.includes(column) ? undefined : "right"}>
                  {place === 0
                    ? at === 0
                      ? common.total
                      : ""
                    : column in total
                      ? cellOf(total, column, group_by)
                      : ""}
                </td>
              ))}
            </tr>
          ))}
        </tfoot>
      </table>
    </div>
  );
}

function keyOf(row: ReportRow, at: number): string {
  const names = [row["from"] ?? row["sku"], row[owner], row["hour"] ?? row["carrier"], row["currency"], at];
  return names.map((name) => name ?? "").join(" ");
}

/** The columns of a report. The states of orders are those of the API. */
function columnsOf({ name, columns }: ShownReport, group_by: string): readonly string[] {
  if (name === "orders") return [...columns, ...orderStates];
  if (name === "units_picked" && group_by !== "hour") return columns.filter((column) => column !== "hour");
  if (name === "units_picked") return columns.filter((column) => !["active_hours", "units_per_hour"].includes(column));
  if (!showsSeveral.value) return columns;
  return columns.flatMap((column) => (column === "sku" ? [column, owner] : [column]));
}

function titleOf(column: string, group_by: string): string {
  if (column === "from") {
    return { week: texts.columns.week, month: texts.columns.month }[group_by] ?? texts.columns.date;
  }
  if (column === owner) return merchantTexts.merchant;
  return texts.columns[column as keyof typeof texts.columns] ?? stateWords(column);
}

const month = new Intl.DateTimeFormat([...navigator.languages], { month: "long", year: "numeric", timeZone: "UTC" });

function cellOf(row: ReportRow, column: string, group_by: string) {
  const value = row[column];
  if (value === null || value === undefined) return nothing;
  if (column === "from") return stretch(String(value), String(row["to"] ?? value), group_by);
  if (column === "sku") return <a href={stockHref(String(value), row)}>{value}</a>;
  if (column === owner) return <MerchantMark of={String(value)} />;
  if (column === "hour") return `${String(value).padStart(2, "0")}:00`;
  if (column === "carrier") return stateWords(String(value));
  if (amounts.includes(column)) return money(value, String(row["currency"] ?? "USD"));
  if (shares.includes(column)) return share(Number(value), 1);
  return typeof value === "number" ? count(value) : value;
}

function stretch(from: string, until: string, group_by: string): string {
  if (group_by === "month") return month.format(new Date(`${from}T00:00:00Z`));
  return from === until ? date(from) : `${date(from)} – ${date(until)}`;
}
