import { words } from "../../text/common.ts";
// The period of a report.

import { day_ms } from "../../../../core/time.ts";
import { setQuery } from "../../browser/router.ts";
import { Select } from "../../components/fields.tsx";
import { optionsOf } from "../../components/form_values.ts";
import { today } from "../../components/now.ts";
import { reportTexts as texts } from "../../text/reports.ts";

type Preset = keyof typeof texts.presets;

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
function presetOf(from: string, to: string, today: string): Preset | null {
  const all = Object.keys(texts.presets) as Preset[];
  return (
    all.find((preset) => {
      const days = daysOf(preset, today);
      return days.from === from && days.to === to;
    }) ?? null
  );
}

/** The period of a report, kept in the address as `from` and `to`. */
export function PeriodFields({ from, until }: { readonly from: string; readonly until: string }) {
  const preset = presetOf(from, until, today());
  return (
    <>
      <Select
        class="filter"
        aria-label={texts.preset}
        value={preset ?? ""}
        options={optionsOf(texts.presets)}
        empty={preset === null ? texts.customPeriod : undefined}
        onChoose={(value) => value !== "" && setQuery({ ...daysOf(value as Preset, today()) })}
      />
      <DayField param="from" title={texts.from} value={from} max={until} other={{ to: until }} />
      <DayField param="to" title={words.to} value={until} min={from} other={{ from }} />
    </>
  );
}

interface PeriodDayProps {
  readonly param: "from" | "to";
  readonly title: string;
  readonly value: string;
  readonly min?: string;
  readonly max?: string;
  /** The other end of the period, which stays as it is. */
  readonly other: Readonly<Record<string, string>>;
}

function DayField({ param, title, value, other, ...limits }: PeriodDayProps) {
  return (
    <label class="filter">
      <span>{title}</span>
      <input
        type="date"
        value={value}
        {...limits}
        onChange={({ currentTarget: { value: day } }) => day !== "" && setQuery({ ...other, [param]: day })}
      />
    </label>
  );
}
