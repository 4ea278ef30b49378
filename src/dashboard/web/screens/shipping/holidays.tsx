import { useQuery } from "../../api/query.ts";
import { may } from "../../api/session.ts";
import type { CarrierList, Holidays } from "../../api/types.ts";
import { query, setQuery } from "../../browser/router.ts";
import { type Action, ActionButton } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import type { FormField } from "../../components/fields.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { now } from "../../components/now.ts";
import { Card, Page } from "../../components/page.tsx";
import { DataTable, type TableColumn } from "../../components/table.tsx";
import { words } from "../../text/common.ts";
import { date } from "../../text/format.ts";
import { shippingTexts } from "../../text/shipping.ts";

const texts = shippingTexts.holidays;
type HolidayDate = Holidays["dates"][number];

/** The holidays of carriers, by year. */
export function HolidaysScreen() {
  const this_year = new Date(now.value).getFullYear();
  const year = Number(query.value.get("year") ?? this_year);
  const { data: carriers, problem, loading } = useQuery<readonly Holidays[]>("/shipping/holidays", { year });
  const { data: known } = useQuery<CarrierList>("/shipping/carriers");
  const nameOf = (code: string) => known?.carriers.find((one) => one.code === code)?.name ?? code;
  const years = [0, 1, 2].map((more) => this_year + more);
  return (
    <Page title={texts.title} below={texts.intro}>
      <fieldset class="choices holiday-years">
        <legend>{texts.year}</legend>
        {years.map((one) => (
          <label key={one}>
            <input
              type="radio"
              name="year"
              checked={one === year}
              onChange={() => setQuery({ year: one === this_year ? null : String(one) })}
            />
            {one}
          </label>
        ))}
      </fieldset>
      {problem && <Notice problem={problem} />}
      {loading && <Skeleton />}
      {carriers?.map((holidays) => (
        <CarrierDays key={holidays.carrier} holidays={holidays} name={nameOf(holidays.carrier)} year={year} />
      ))}
    </Page>
  );
}

interface CarrierDaysProps {
  readonly holidays: Holidays;
  /** The name of the carrier. */
  readonly name: string;
  readonly year: number;
}

function CarrierDays({ holidays, name, year }: CarrierDaysProps) {
  const { carrier, rules, days, dates, is_default } = holidays;
  const { etag } = useQuery<Holidays>(`/shipping/holidays/${carrier}`);
  const save = (changed: Partial<Pick<Holidays, "rules" | "days">>) =>
    ({ method: "PUT", path: `/shipping/holidays/${carrier}`, body: { rules, days, ...changed } }) as const;
  const once = (day: HolidayDate) => days.some((one) => one.date === day.date && one.name === day.name);
  const managed = may("shipping.manage");
  const common = { when: managed, match: etag } as const;
  const removeDay = (day: HolidayDate): Action => ({
    ...common,
    title: words.remove,
    icon: "delete",
    danger: true,
    ask: {
      title: texts.removeTitle(day.name),
      text: once(day) ? texts.removeText : `${texts.removeText} ${texts.removeRuleText}`,
    },
    call: once(day)
      ? save({ days: days.filter((one) => one.date !== day.date || one.name !== day.name) })
      : save({ rules: rules.filter(({ name }) => name !== day.name) }),
    done: texts.removed(day.name),
  });
  const addDay: Action = {
    ...common,
    title: texts.add,
    icon: "plus",
    ask: { title: texts.addTitle(name), fields: dayFields, first: { date: `${year}-12-24` }, submit: words.addRow },
    call: ({ date, name: day_name, repeats, observed }) => {
      const [, month = 1, day = 1] = String(date).split("-").map(Number);
      const rule = { name: String(day_name), month, day, observed: observed === true, weekday: null, week: null };
      return repeats === true
        ? save({ rules: [...rules, rule] })
        : save({ days: [...days, { date: String(date), name: String(day_name) }] });
    },
    done: (_data, values) => texts.added(String(values["name"])),
  };
  const columns: readonly TableColumn<HolidayDate>[] = [
    { id: "date", title: words.day, cell: (it) => date(it.date) },
    { id: "name", title: words.name, text: "name", wide: true },
    { id: "repeats", title: texts.frequency, cell: (it) => (once(it) ? texts.once : texts.every) },
  ];
  return (
    <Card
      title={name}
      acts={
        <>
          <Badge tone={is_default ? "neutral" : "info"}>{is_default ? texts.built_in : texts.own}</Badge>
          <ActionButton of={addDay} />
        </>
      }
    >
      <DataTable
        name={`${texts.title} ${name}`}
        rows={dates}
        none={texts.none}
        columns={columns}
        id={(it) => `${it.date} ${it.name}`}
        acts={managed ? (it) => <ActionButton of={removeDay(it)} name={`${words.remove} ${it.name}`} /> : undefined}
      />
    </Card>
  );
}

const dayFields: readonly FormField[] = [
  { kind: "date", name: "date", label: words.day, required: true, width: "half" },
  { kind: "text", name: "name", label: words.name, required: true, width: "half" },
  { kind: "switch", name: "repeats", label: texts.repeats },
  { kind: "switch", name: "observed", label: texts.observed, when: ({ repeats }) => repeats === true },
];
