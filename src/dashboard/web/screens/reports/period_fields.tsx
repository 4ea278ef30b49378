import { setQuery } from "../../browser/router.ts";
import { today } from "../../kit/now.ts";
import { reportTexts as texts } from "../../texts/reports.ts";
import { daysOf, type Preset, presetOf } from "./period.ts";

interface Props {
  readonly from: string;
  readonly until: string;
}

/** The period of a report, kept in the address as `from` and `to`. */
export function PeriodFields({ from, until }: Props) {
  const preset = presetOf(from, until, today());
  return (
    <>
      <select
        class="filter"
        aria-label={texts.preset}
        value={preset ?? ""}
        onChange={({ currentTarget: { value } }) => value !== "" && setQuery({ ...daysOf(value as Preset, today()) })}
      >
        {preset === null && <option value="">{texts.ownPeriod}</option>}
        {Object.entries(texts.presets).map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
      <DayField param="from" title={texts.from} value={from} max={until} other={{ to: until }} />
      <DayField param="to" title={texts.to} value={until} min={from} other={{ from }} />
    </>
  );
}

interface DayProps {
  readonly param: "from" | "to";
  readonly title: string;
  readonly value: string;
  readonly min?: string;
  readonly max?: string;
  /** The other end of the period, which stays as it is. */
  readonly other: Readonly<Record<string, string>>;
}

function DayField({ param, title, value, other, ...limits }: DayProps) {
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
