import { useState } from "preact/hooks";
import { put } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import { may } from "../../api/session.ts";
import type { Holidays } from "../../api/types.ts";
import { query, setQuery } from "../../browser/router.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { confirm } from "../../components/dialog.tsx";
import { FormDialog } from "../../components/form.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { now } from "../../components/now.ts";
import { Card, Page } from "../../components/page.tsx";
import { DataTable, type TableColumn } from "../../components/table.tsx";
import { showSuccess } from "../../components/toasts.tsx";
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
  const years = [0, 1, 2].map((more) => this_year + more);
  return (
    <Page title={texts.title} below={texts.intro}>
      <fieldset class="choices">
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
        <CarrierDays key={holidays.carrier} holidays={holidays} year={year} />
      ))}
    </Page>
  );
}

function CarrierDays({ holidays, year }: { readonly holidays: Holidays; readonly year: number }) {
  const { carrier, rules, days, dates, usual } = holidays;
  const [adding, setAdding] = useState(false);
  const { etag } = useQuery<Holidays>(`/shipping/holidays/${carrier}`);
  const save = (changed: Partial<Pick<Holidays, "rules" | "days">>, key?: string) =>
    put(`/shipping/holidays/${carrier}`, { rules, days, ...changed }, { match: etag, key });
  const once = (day: HolidayDate) => days.some((one) => one.date === day.date && one.name === day.name);
  const takeAway = (day: HolidayDate) =>
    confirm({
      title: texts.removeTitle(day.name),
      text: once(day) ? texts.removeText : `${texts.removeText} ${texts.removeRuleText}`,
      act: texts.remove,
      danger: true,
      run: async () => {
        if (once(day)) await save({ days: days.filter((one) => one.date !== day.date || one.name !== day.name) });
        else await save({ rules: rules.filter(({ name }) => name !== day.name) });
        showSuccess(texts.removed(day.name));
      },
    });
  const columns: readonly TableColumn<HolidayDate>[] = [
    { id: "date", title: texts.date, cell: (it) => date(it.date) },
    { id: "name", title: texts.name, wide: true, cell: ({ name }) => name },
    { id: "repeats", title: texts.every, cell: (it) => (once(it) ? texts.once : texts.every) },
  ];
  const managed = may("shipping.manage");
  return (
    <Card
      title={carrier}
      acts={
        <>
          <Badge tone={usual ? "neutral" : "info"}>{usual ? texts.built_in : texts.own}</Badge>
          {managed && <Button icon="plus" title={texts.add} onClick={() => setAdding(true)} />}
        </>
      }
    >
      {dates.length === 0 && <p class="muted">{texts.none}</p>}
      {dates.length > 0 && (
        <DataTable
          name={`${texts.title} ${carrier}`}
          rows={dates}
          columns={columns}
          id={(it) => `${it.date} ${it.name}`}
          {...(managed
            ? {
                acts: (it: HolidayDate) => (
                  <Button
                    kind="plain"
                    icon="delete"
                    iconOnly
                    title={`${texts.remove} ${it.name}`}
                    onClick={() => void takeAway(it)}
                  />
                ),
              }
            : {})}
        />
      )}
      {adding && <AddDay holidays={holidays} year={year} save={save} onClose={() => setAdding(false)} />}
    </Card>
  );
}

interface AddHolidayProps {
  readonly holidays: Holidays;
  readonly year: number;
  readonly save: (changed: Partial<Pick<Holidays, "rules" | "days">>, key?: string) => Promise<unknown>;
  readonly onClose: () => void;
}

function AddDay({ holidays, year, save, onClose }: AddHolidayProps) {
  return (
    <FormDialog
      title={texts.addTitle(holidays.carrier)}
      fields={[
        { kind: "date", name: "date", label: texts.date, required: true, width: "half" },
        { kind: "text", name: "name", label: texts.name, required: true, width: "half" },
        { kind: "switch", name: "repeats", label: texts.repeats },
        {
          kind: "switch",
          name: "observed",
          label: texts.observed,
          when: ({ repeats }) => repeats === true,
        },
      ]}
      first={{ date: `${year}-12-24` }}
      submit={words.addRow}
      onClose={onClose}
      onSubmit={async (values, key) => {
        const [, month, day] = String(values["date"]).split("-").map(Number);
        const name = String(values["name"]);
        const rule = { name, month: month ?? 1, day: day ?? 1, observed: values["observed"] === true };
        if (values["repeats"] === true) {
          await save({ rules: [...holidays.rules, { ...rule, weekday: null, week: null }] }, key);
        } else await save({ days: [...holidays.days, { date: String(values["date"]), name }] }, key);
        showSuccess(texts.added(name));
      }}
    />
  );
}
