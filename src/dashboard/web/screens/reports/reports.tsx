import { useState } from "preact/hooks";
import { type Params, saveFile } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import { isOperatorUser } from "../../api/session.ts";
import { query, setQuery, to } from "../../browser/router.ts";
import { Button } from "../../components/button.tsx";
import { Select } from "../../components/fields.tsx";
import { Icon } from "../../components/icon.tsx";
import { EmptyState, Notice, Skeleton } from "../../components/notice.tsx";
import { today } from "../../components/now.ts";
import { Card, Page } from "../../components/page.tsx";
import { Plot } from "../../components/plot.tsx";
import type { ScreenProps } from "../../components/screen.ts";
import { showRefused } from "../../components/toasts.tsx";
import { titles } from "../../text/navigation.ts";
import { reportTexts as texts } from "../../text/reports.ts";
import { daysOf, PeriodFields } from "./period_fields.tsx";
import { type ReportAnswer, reports, type ShownReport } from "./report_catalogue.ts";
import { ReportTable } from "./report_table.tsx";

/** All reports, each with a short description. */
export function ReportsScreen() {
  return (
    <Page title={titles.reports} below={texts.intro}>
      <ul class="reports">
        {reports
          .filter(({ operator_only }) => !operator_only || isOperatorUser.value)
          .map(({ name }) => (
            <li key={name}>
              <a href={to(`/reports/${name}`)}>
                <span class="report-icon">
                  <Icon name="chart" size={18} />
                </span>
                <span class="report-text">
                  <strong>{texts.reports[name].title}</strong>
                  <small>{texts.reports[name].sentence}</small>
                </span>
                <Icon name="right" />
              </a>
            </li>
          ))}
      </ul>
    </Page>
  );
}

/** One report: period, plot, table, CSV file and definition. */
export function ReportScreen({ params, back }: ScreenProps) {
  const shown = reports.find(({ name }) => name === params["name"]);
  if (shown === undefined) {
    return (
      <Page title={titles.reports} back={back}>
        <EmptyState icon="chart" title={texts.noRows} />
      </Page>
    );
  }
  return <Content shown={shown} back={back} />;
}

/** The parameters of the report, from the address. */
function requestedPeriod({ has_period, groupings }: ShownReport): Params {
  const usual = daysOf("30", today());
  const period = has_period
    ? { from: query.value.get("from") ?? usual.from, to: query.value.get("to") ?? usual.to }
    : {};
  return groupings.length === 0 ? period : { ...period, group_by: query.value.get("group_by") };
}

function Content({ shown, back }: { readonly shown: ShownReport; readonly back: ScreenProps["back"] }) {
  const { name, draw } = shown;
  const { title, sentence, definition } = texts.reports[name];
  const asked = requestedPeriod(shown);
  const { data: report, problem, loading, previous, reload } = useQuery<ReportAnswer>(`/reports/${name}`, asked);
  const drawn = report && report.rows.length > 0 ? draw(report) : null;
  const nothing = report !== undefined && report.rows.length === 0;
  return (
    <Page title={title} back={back} below={sentence} acts={<SaveButton name={name} params={asked} />}>
      <Controls shown={shown} asked={asked} />
      {problem && <Notice problem={problem} onRetry={reload} />}
      {loading && <Skeleton lines={12} />}
      <div class={previous ? "stack stale" : "stack"}>
        {drawn && (
          <Card>
            <Plot name={title} across={texts.figures} without_table {...drawn} />
          </Card>
        )}
        {nothing && (
          <EmptyState
            icon="chart"
            title={shown.has_period ? texts.noRows : texts.noStock}
            text={shown.has_period ? texts.noRowsText : texts.noStockText}
          />
        )}
        {report && !nothing && <ReportTable shown={shown} report={report} group_by={String(asked["group_by"] ?? "")} />}
        {report?.row_count !== undefined && report.row_count > report.rows.length && (
          <p class="report-note">{texts.firstRows(report.rows.length, report.row_count)}</p>
        )}
        {!loading && (
          <Card title={texts.definition}>
            <p class="report-definition">{definition}</p>
            {report?.timezone && <p class="report-note">{texts.zone(report.timezone)}</p>}
          </Card>
        )}
      </div>
    </Page>
  );
}

function SaveButton({ name, params }: { readonly name: ShownReport["name"]; readonly params: Params }) {
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      await saveFile(`/reports/${name}/export.csv`, `${name}.csv`, "text/csv", params);
    } catch (error) {
      showRefused(error);
    } finally {
      setBusy(false);
    }
  };
  return <Button icon="download" title={texts.export} busy={busy} onClick={() => void save()} />;
}

interface ControlsProps {
  readonly shown: ShownReport;
  readonly asked: Params;
}

/** The period and the grouping, kept in the address. */
function Controls({ shown: { has_period, groupings }, asked }: ControlsProps) {
  if (!has_period && groupings.length === 0) return null;
  const [from, until] = [String(asked["from"] ?? ""), String(asked["to"] ?? "")];
  return (
    <div class="list-bar report-bar">
      {has_period && <PeriodFields from={from} until={until} />}
      {groupings.length > 0 && (
        <Select
          class="filter"
          aria-label={texts.groupBy}
          value={query.value.get("group_by") ?? "day"}
          options={groupings.map((value) => ({ value, title: texts.groupings[value as keyof typeof texts.groupings] }))}
          onChoose={(value) => setQuery({ group_by: value === "day" ? null : value })}
        />
      )}
    </div>
  );
}
