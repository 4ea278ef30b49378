import type { History } from "../../api/developer_types.ts";
import { useQuery } from "../../api/query.ts";
import { query, setQuery } from "../../browser/router.ts";
import { Select } from "../../components/fields.tsx";
import { optionsOf } from "../../components/form_values.ts";
import { EmptyState, Notice, Skeleton } from "../../components/notice.tsx";
import { Card, Page } from "../../components/page.tsx";
import { Plot } from "../../components/plot.tsx";
import type { Series } from "../../components/plot_drawing.ts";
import { bytes, clock, count, nothing } from "../../text/format.ts";
import { titles } from "../../text/navigation.ts";
import { metricTexts as texts } from "../../text/settings.ts";

/** The series of the history. */
type MetricFigures = Readonly<Record<Exclude<keyof History, "at">, readonly (number | null)[]>> & Pick<History, "at">;

const shown_max = 120;
const points_an_hour = 120;

/** The last hours of a history, thinned to what a plot can show: each point is the mean of several. */
function thinned({ at, ...lists }: History, hours: number): MetricFigures {
  const from = Math.max(0, at.length - hours * points_an_hour);
  const size = Math.max(1, Math.ceil((at.length - from) / shown_max));
  const starts: number[] = [];
  for (let start = from; start < at.length; start += size) starts.push(start);
  const means = (values: readonly (number | null)[]) =>
    starts.map((start) => {
      const known = values.slice(start, start + size).filter((value) => value !== null);
      return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
    });
  const thin = Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, means(values)]));
  return { ...thin, at: starts.map((start) => at[start] ?? "") } as unknown as MetricFigures;
}

/** The metrics of the last day. */
export function MetricsScreen() {
  const { data: history, problem, loading, reload } = useQuery<History>("/metrics/history");
  const hours = Number(query.value.get("hours") ?? "1");
  return (
    <Page title={titles.metrics} below={texts.note} acts={<Period hours={hours} />}>
      {loading && <Skeleton />}
      {problem && <Notice problem={problem} onRetry={reload} />}
      {history && history.at.length === 0 && (
        <EmptyState icon="chart" title={texts.emptyTitle} text={texts.emptyText} />
      )}
      {history && history.at.length > 0 && <Plots figures={thinned(history, hours)} />}
    </Page>
  );
}

function Period({ hours }: { readonly hours: number }) {
  return (
    <Select
      class="button"
      aria-label={texts.period}
      value={String(hours)}
      options={optionsOf(texts.periods)}
      onChoose={(chosen) => setQuery({ hours: chosen === "1" ? null : chosen })}
    />
  );
}

interface MetricPlotProps {
  readonly title: string;
  readonly figures: MetricFigures;
  readonly series: readonly Series[];
  readonly format?: (value: number) => string;
}

const last = (format: (value: number) => string) => (series: Series) => {
  const value = series.values.at(-1);
  return value === null || value === undefined ? nothing : format(value);
};

function MetricPlot({ title, figures, series, format = count }: MetricPlotProps) {
  return (
    <Card title={title}>
      <Plot
        name={title}
        across={texts.time}
        kind="line"
        series={series}
        format={format}
        rest={last(format)}
        labels={figures.at.map((at) => clock(at))}
      />
    </Card>
  );
}

function Plots({ figures }: { readonly figures: MetricFigures }) {
  const line = (name: string, color: string, field: Exclude<keyof MetricFigures, "at">): Series => ({
    name,
    color,
    values: figures[field],
  });
  const milliseconds = (value: number) => texts.milliseconds(count(Math.round(value * 10) / 10));
  return (
    <div class="plots">
      <MetricPlot
        title={texts.requests}
        figures={figures}
        series={[
          line(texts.classes["2xx"], "--plot-1", "requests_2xx"),
          line(texts.classes["3xx"], "--plot-3", "requests_3xx"),
          line(texts.classes["4xx"], "--plot-2", "requests_4xx"),
          line(texts.classes["5xx"], "--plot-6", "requests_5xx"),
        ]}
      />
      <MetricPlot
        title={texts.duration}
        figures={figures}
        format={milliseconds}
        series={[line(texts.p50, "--plot-1", "duration_p50_ms"), line(texts.p99, "--plot-2", "duration_p99_ms")]}
      />
      <MetricPlot
        title={texts.deliveries}
        figures={figures}
        series={[line(texts.delivered, "--plot-1", "deliveries"), line(texts.failed, "--plot-6", "deliveries_failed")]}
      />
      <MetricPlot
        title={texts.waiting}
        figures={figures}
        series={[line(texts.waiting, "--plot-4", "deliveries_waiting")]}
      />
      <MetricPlot
        title={texts.size}
        figures={figures}
        format={bytes}
        series={[line(texts.size, "--plot-3", "database_bytes")]}
      />
      <MetricPlot
        title={texts.memory}
        figures={figures}
        format={bytes}
        series={[line(texts.memory, "--plot-5", "memory_bytes")]}
      />
    </div>
  );
}
