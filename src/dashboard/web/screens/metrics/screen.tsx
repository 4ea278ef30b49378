import type { History } from "../../api/developer_types.ts";
import { useQuery } from "../../api/query.ts";
import { query, setQuery } from "../../browser/router.ts";
import { EmptyState } from "../../kit/empty_state.tsx";
import { Notice } from "../../kit/notice.tsx";
import { Card, Page } from "../../kit/page.tsx";
import { Plot } from "../../kit/plot.tsx";
import type { Series } from "../../kit/plot_drawing.ts";
import { Skeleton } from "../../kit/skeleton.tsx";
import { bytes, clock, count, nothing } from "../../texts/format.ts";
import { metricTexts as texts } from "../../texts/metrics.ts";
import { titles } from "../../texts/navigation.ts";
import { type Figures, thinned } from "./points.ts";

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
    <select
      class="button"
      aria-label={texts.period}
      value={String(hours)}
      onChange={(event) => setQuery({ hours: event.currentTarget.value === "1" ? null : event.currentTarget.value })}
    >
      {Object.entries(texts.periods).map(([value, title]) => (
        <option key={value} value={value}>
          {title}
        </option>
      ))}
    </select>
  );
}

interface OneProps {
  readonly title: string;
  readonly figures: Figures;
  readonly series: readonly Series[];
  readonly format?: (value: number) => string;
}

const last = (format: (value: number) => string) => (series: Series) => {
  const value = series.values.at(-1);
  return value === null || value === undefined ? nothing : format(value);
};

function One({ title, figures, series, format = count }: OneProps) {
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

function Plots({ figures }: { readonly figures: Figures }) {
  const line = (name: string, colour: string, field: Exclude<keyof Figures, "at">): Series => ({
    name,
    colour,
    values: figures[field],
  });
  const milliseconds = (value: number) => texts.milliseconds(count(Math.round(value * 10) / 10));
  return (
    <div class="plots">
      <One
        title={texts.requests}
        figures={figures}
        series={[
          line(texts.classes["2xx"], "--plot-1", "requests_2xx"),
          line(texts.classes["3xx"], "--plot-3", "requests_3xx"),
          line(texts.classes["4xx"], "--plot-2", "requests_4xx"),
          line(texts.classes["5xx"], "--plot-6", "requests_5xx"),
        ]}
      />
      <One
        title={texts.duration}
        figures={figures}
        format={milliseconds}
        series={[line(texts.p50, "--plot-1", "duration_p50_ms"), line(texts.p99, "--plot-2", "duration_p99_ms")]}
      />
      <One
        title={texts.deliveries}
        figures={figures}
        series={[line(texts.arrived, "--plot-1", "deliveries"), line(texts.failed, "--plot-6", "deliveries_failed")]}
      />
      <One title={texts.waiting} figures={figures} series={[line(texts.waiting, "--plot-4", "deliveries_waiting")]} />
      <One
        title={texts.size}
        figures={figures}
        format={bytes}
        series={[line(texts.size, "--plot-3", "database_bytes")]}
      />
      <One
        title={texts.memory}
        figures={figures}
        format={bytes}
        series={[line(texts.memory, "--plot-5", "memory_bytes")]}
      />
    </div>
  );
}
