// Draws plots. A separate chunk, loaded with the first plot.
import uPlot from "uplot";
import { cssColor } from "./badge.tsx";

/** A line or a group of bars: a value per point, or null. */
export interface Series {
  readonly name: string;
  /** A token of `components/tokens.css`, such as `--plot-1`, or a color such as `#1f6feb`. */
  readonly color: string;
  readonly values: readonly (number | null)[];
}

/** The data and settings of a plot. */
export interface PlotDrawing {
  readonly kind: "bars" | "line";
  /** The label of each point. */
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  /** The end of the scale; by default it fits the values. */
  readonly max?: number | undefined;
  readonly format: (value: number) => string;
  /** A shorter format for the scale. */
  readonly scale?: ((value: number) => string) | undefined;
  /** Called with the index of the point under the pointer, or null. */
  readonly onPoint: (at: number | null) => void;
}

const bar_width = 44;
const height = 190;

/** Draws a plot as wide as its element. Returns a function that removes it. */
export function draw(place: HTMLElement, drawing: PlotDrawing): () => void {
  const color = colors(place);
  const { labels, series, kind, format, scale = format, max, onPoint } = drawing;
  const shown = kind === "bars" ? stacked(series) : series;
  const font = `12px ${getComputedStyle(place).fontFamily}`;
  const widest = Math.max(...[0.5, 1].map((part) => scale((max ?? topOf(shown)) * part).length));
  const axis = { font, stroke: color("--muted"), ticks: { show: false } } as const;
  const plot = new uPlot(
    {
      width: place.clientWidth,
      height,
      // Half of the last label, such as "4:45 AM", is right of its point.
      padding: [10, 26, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false, setScale: false }, points: { show: kind === "line" } },
      scales: {
        x: { time: false, range: [-0.6, Math.max(labels.length - 0.4, 0.6)] },
        y: { range: (_, __, most) => [0, max ?? Math.max(most * 1.08, 1)] },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          space: 64,
          size: 26,
          incrs: [1, 2, 3, 4, 5, 7, 10, 14, 21, 30, 60, 90],
          values: (_, places) => places.map((at) => labels[at] ?? ""),
        },
        {
          ...axis,
          grid: { stroke: color("--line"), width: 1 },
          size: 14 + widest * 7,
          space: 38,
          incrs:
            max === undefined
              ? [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6]
              : [0.25, 0.5, 1],
          values: (_, values) => values.map(scale),
        },
      ],
      series: [
        {},
        ...shown.map((one) =>
          kind === "bars"
            ? { fill: color(one.color), paths: barsOf(), points: { show: false } }
            : { stroke: color(one.color), width: 2, points: { size: 5, fill: color(one.color) }, spanGaps: true },
        ),
      ],
      hooks: { setCursor: [({ cursor: { idx } }) => onPoint(idx ?? null)] },
    },
    [labels.map((_, at) => at), ...shown.map(({ values }) => [...values])],
    place,
  );
  const watch = new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height }));
  watch.observe(place);
  return () => {
    watch.disconnect();
    plot.destroy();
  };
}

function barsOf(): uPlot.Series.PathBuilder {
  const bars = uPlot.paths.bars;
  if (bars === undefined) throw new Error("uPlot draws no bars");
  return bars({ size: [0.72, bar_width] });
}

const topOf = (series: readonly Series[]) =>
  Math.max(1, ...series.flatMap(({ values }) => values.map((one) => one ?? 0)));

/** Stacks the series. The highest is drawn first and the lower ones over it. */
function stacked(series: readonly Series[]): Series[] {
  const sums = (series[0]?.values ?? []).map(() => 0);
  return series
    .map((one) => ({
      ...one,
      values: one.values.map((value, at) => {
        sums[at] = (sums[at] ?? 0) + (value ?? 0);
        return sums[at] ?? 0;
      }),
    }))
    .reverse();
}

/** Resolves CSS variables, because a canvas does not support them. */
function colors(place: HTMLElement): (token: string) => string {
  return (token) => {
    const probe = document.createElement("span");
    probe.style.color = cssColor(token);
    place.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
}
