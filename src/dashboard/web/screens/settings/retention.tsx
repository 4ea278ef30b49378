import { useState } from "preact/hooks";
import { patch } from "../../api/client.ts";
import type { Retention } from "../../api/developer_types.ts";
import { useOpened } from "../../api/query.ts";
import { tabEnvironment } from "../../browser/router.ts";
import type { FormField, FormValues } from "../../components/fields.tsx";
import { Form } from "../../components/form.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { Card, Page } from "../../components/page.tsx";
import { showSuccess } from "../../components/toasts.tsx";
import { words } from "../../text/common.ts";
import { retentionTexts as texts } from "../../text/settings.ts";
import { enteredNumber } from "../stock/stock_links.ts";

type RetentionRow = Retention["kinds"][number];

/** The retention periods of the current environment. */
export function RetentionScreen() {
  const { data, problem, loading, reload } = useOpened<Retention>("/settings/retention");
  const [saved, setSaved] = useState<{ readonly times: Retention; readonly number: number } | null>(null);
  const shown = saved?.times ?? data;
  return (
    <Page title={texts.title} below={`${texts.intro} ${texts.environmentOf[tabEnvironment.value]}`} narrow>
      {problem && <Notice problem={problem} onRetry={reload} />}
      {loading && <Skeleton lines={12} />}
      {shown && (
        <div class="retention">
          <Times
            key={saved?.number ?? 0}
            kinds={shown.kinds}
            onSaved={(times) => setSaved((before) => ({ times, number: (before?.number ?? 0) + 1 }))}
          />
        </div>
      )}
    </Page>
  );
}

const textOf = ({ value }: RetentionRow) => (value === null ? "" : String(value));

/** The entered period; null for the default. Other text is sent unchanged, so that the API refuses it. */
function timeOf(value: unknown): unknown {
  const text = String(value ?? "").trim();
  return text === "" ? null : (enteredNumber(text) ?? text);
}

interface TimesProps {
  readonly kinds: readonly RetentionRow[];
  readonly onSaved: (times: Retention) => void;
}

function Times({ kinds, onSaved }: TimesProps) {
  return (
    <Card>
      <Form
        fields={fieldsOf(kinds)}
        first={Object.fromEntries(kinds.map((one) => [one.kind, textOf(one)]))}
        submit={words.save}
        unchanged={false}
        onSubmit={async (values, key) => {
          const changed = kinds.filter((one) => String(values[one.kind]).trim() !== textOf(one));
          const body = Object.fromEntries(changed.map(({ kind }) => [kind, timeOf(values[kind])]));
          const { data } = await patch<Retention>("/settings/retention", body, { key });
          showSuccess(texts.saved);
          onSaved(data);
        }}
      >
        {(values) => <Shorter kinds={kinds} values={values} />}
      </Form>
    </Card>
  );
}

/** The fields, group by group. */
function fieldsOf(kinds: readonly RetentionRow[]): readonly FormField[] {
  return Object.entries(texts.groups).flatMap(([group, title]): readonly FormField[] => {
    const within = kinds.filter(({ kind }) => texts.kinds[kind][0] === group);
    return [{ kind: "heading", name: group, label: title }, ...within.map(fieldOf)];
  });
}

function fieldOf({ kind, minimum, maximum, unit, description, costs, ...times }: RetentionRow): FormField {
  const fixed = minimum === maximum;
  const limits = texts.limits(minimum, maximum, unit);
  return {
    kind: "number",
    name: kind,
    label: texts.kinds[kind][1],
    unit,
    disabled: fixed,
    help: [description, texts.takes(costs), limits, ...(fixed ? [] : [texts.default_time(times.default, unit)])].join(
      " ",
    ),
  };
}

/** The warning about periods that are shorter than before. */
function Shorter({ kinds, values }: { readonly kinds: readonly RetentionRow[]; readonly values: FormValues }) {
  const shorter = kinds.flatMap(({ kind, value, unit, ...times }) => {
    const wanted = timeOf(values[kind]) ?? times.default;
    // Statutory periods (in years) delete nothing.
    if (typeof wanted !== "number" || wanted >= (value ?? Number.POSITIVE_INFINITY) || unit === "years") return [];
    const before = value === null ? texts.forever : texts.time(value, unit);
    return [texts.shorter(texts.kinds[kind][1], before, texts.time(wanted, unit))];
  });
  if (shorter.length === 0) return null;
  return (
    <Notice kind="warning">
      <p>{texts.shorterTitle}</p>
      <ul>
        {shorter.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </Notice>
  );
}
