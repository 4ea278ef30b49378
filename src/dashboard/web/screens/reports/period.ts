// The period of a report.
import { reportTexts as texts } from "../../texts/reports.ts";

export type Preset = keyof typeof texts.presets;

const day_ms = 86_400_000;

/** The first and the last day of a preset, counted from `today`. */
export function daysOf(preset: Preset, today: string): { readonly from: string; readonly to: string } {
  const at = new Date(`${today}T00:00:00Z`);
  const text = (date: Date | number) => new Date(date).toISOString().slice(0, 10);
  const month = (by: number, day: number) => Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + by, day);
  switch (preset) {
    case "month":
      return { from: text(month(0, 1)), to: today };
    case "last_month":
      return { from: text(month(-1, 1)), to: text(month(0, 0)) };
    case "year":
      return { from: `${at.getUTCFullYear()}-01-01`, to: today };
    default:
      return { from: text(at.getTime() - (Number(preset) - 1) * day_ms), to: today };
  }
}

/** The preset with these days; null for a custom period. */
export function presetOf(from: string, to: string, today: string): Preset | null {
  const all = Object.keys(texts.presets) as Preset[];
  return (
    all.find((preset) => {
      const days = daysOf(preset, today);
      return days.from === from && days.to === to;
    }) ?? null
  );
}
