import { useEffect, useRef, useState } from "preact/hooks";
import { theme } from "../browser/preferences.ts";
import { nothing } from "../text/format.ts";
import { cssColor } from "./badge.tsx";
import type { PlotDrawing, Series } from "./plot_drawing.ts";

interface PlotProps extends Pick<PlotDrawing, "kind" | "labels" | "series" | "format" | "scale"> {
  /** The name of the plot, for screen readers. */
  readonly name: string;
  /** The name of the horizontal axis, such as "Day". */
  readonly across: string;
  readonly max?: number | undefined;
  /** The value in the legend without a pointer, such as the sum or the last value. */
  readonly rest?: (series: Series) => string;
  /** Leaves out the table for screen readers, because the page has one. */
  readonly without_table?: boolean;
}

const dark = matchMedia("(prefers-color-scheme: dark)");

/** A counter of changes between light and dark. */
function useLookChanges(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const changed = () => setChanges((before) => before + 1);
    dark.addEventListener("change", changed);
    return () => dark.removeEventListener("change", changed);
  }, []);
  return changes;
}

/** A plot with a legend, which shows the values at the pointer, and a table for screen readers. */
export function Plot({ name, across, without_table = false, rest, ...drawing }: PlotProps) {
  const { labels, series, format, scale, kind, max } = drawing;
  const place = useRef<HTMLDivElement>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  const look = `${theme.state.value} ${useLookChanges()}`;
  const content = JSON.stringify([kind, labels, series, max]);
  useEffect(() => {
    let end: (() => void) | undefined;
    let gone = false;
    void import("./plot_drawing.ts").then(({ draw }) => {
      if (!gone && place.current)
        end = draw(place.current, { kind, labels, series, max, format, scale, onPoint: setPointed });
    });
    return () => {
      gone = true;
      end?.();
    };
  }, [content, look]);
  const legendValue = (one: Series) => {
    if (pointed === null) return rest?.(one) ?? "";
    const value = one.values[pointed];
    return value === null || value === undefined ? nothing : format(value);
  };
  return (
    <figure class="plot">
      <figcaption class="plot-legend" aria-hidden="true">
        {pointed !== null && <strong>{labels[pointed]}</strong>}
        {series.map((one) => (
          <span key={one.name}>
            <i style={{ background: cssColor(one.color) }} />
            {one.name} <b>{legendValue(one)}</b>
          </span>
        ))}
      </figcaption>
      <div ref={place} class="plot-place" aria-hidden="true" />
      {!without_table && <PlotTable name={name} across={across} labels={labels} series={series} format={format} />}
    </figure>
  );
}

type TableProps = Pick<PlotProps, "name" | "across" | "labels" | "series" | "format">;

function PlotTable({ name, across, labels, series, format }: TableProps) {
  return (
    <div class="unseen">
      <table>
        <caption>{name}</caption>
        <thead>
          <tr>
            <th scope="col">{across}</th>
            {series.map((one) => (
              <th key={one.name} scope="col">
                {one.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {labels.map((label, at) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {series.map(({ name: own, values }) => {
                const value = values[at];
                return <td key={own}>{value === null || value === undefined ? nothing : format(value)}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
