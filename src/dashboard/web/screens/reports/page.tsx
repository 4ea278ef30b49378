import { useState } from "preact/hooks";
import type { Params } from "../../api/client.ts";
import { saveFile } from "../../api/documents.ts";
import { useQuery } from "../../api/query.ts";
import { query, setQuery, to } from "../../browser/router.ts";
import { Button } from "../../kit/button.tsx";
import { EmptyState } from "../../kit/empty_state.tsx";
import { Notice } from "../../kit/notice.tsx";
import { today } from "../../kit/now.ts";
import { Card, Page } from "../../kit/page.tsx";
import { Plot } from "../../kit/plot.tsx";
import type { ScreenProps } from "../../kit/screen.ts";
import { Skeleton } from "../../kit/skeleton.tsx";
import { refused } from "../../shell/toasts.tsx";
import { titles } from "../../texts/navigation.ts";
import { reportTexts as texts } from "../../texts/reports.ts";
import { type Report, reports, type Shown } from "./catalogue.ts";
import { daysOf } from "./period.ts";
import { PeriodFields } from "./period_fields.tsx";
import { ReportTable } from "./table.tsx";

/** One report: period, plot, table, CSV file and definition. */
export function ReportScreen({ params }: ScreenProps) {
  const shown = reports.find(({ name }) => name === params["name"]);
  const back = { href: to("/reports"), title: titles.reports };
  if (shown === undefined) {
    return (
      <Page title={titles.reports} back={back}>
        <EmptyState icon="chart" title={texts.noRows} />
      </Page>
    );
  }
  return <Content shown={shown} back={back} />;
}

interface Props {
  readonly shown: Shown;
  readonly back: { readonly href: string; readonly title: string };
}

/** The parameters of the report, from the address. */
function askedOf({ has_period, groupings }: Shown): Params {
  const usual = daysOf("30", today());
  const period = has_period
    ? { from: query.value.get("from") ?? usual.from, to: query.value.get("to") ?? usual.to }
    : {};
  return groupings.length === 0 ? period : { ...period, group_by: query.value.get("group_by") };
}

function Content({ shown, back }: Props) {
  const { name, draw } = shown;
  const { title, sentence, definition } = texts.reports[name];
  const asked = askedOf(shown);
  const { data: report, problem, loading, previous, reload } = useQuery<Report>(`/reports/${name}`, asked);
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
            <Plot name={title} across={texts.figures} untold {...drawn} />
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

function SaveButton({ name, params }: { readonly name: Shown["name"]; readonly params: Params }) {
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      await saveFile(`/reports/${name}/export.csv`, `${name}.csv`, "text/csv", params);
    } catch (error) {
      refused(error);
    } finally {
      setBusy(false);
    }
  };
  return <Button icon="download" title={texts.export} busy={busy} onClick={() => void save()} />;
}

interface ControlsProps {
  readonly shown: Shown;
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
        <select
          class="filter"
          aria-label={texts.groupBy}
          value={query.value.get("group_by") ?? "day"}
          onChange={({ currentTarget: { value } }) => setQuery({ group_by: value === "day" ? null : value })}
        >
          {groupings.map((value) => (
            <option key={value} value={value}>
              {texts.groupings[value as keyof typeof texts.groupings]}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}
