import type { History } from "../../api/developer_types.ts";

/** The series of the history. */
export type Figures = Readonly<Record<Exclude<keyof History, "at">, readonly (number | null)[]>> & Pick<History, "at">;

const shown_max = 120;
const points_an_hour = 120;

/** The last hours of a history, thinned to what a plot can show: each point is the mean of several. */
export function thinned({ at, ...lists }: History, hours: number): Figures {
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
  return { ...thin, at: starts.map((start) => at[start] ?? "") } as unknown as Figures;
}
