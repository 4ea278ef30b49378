import { useState } from "preact/hooks";
import { patch } from "../../api/client.ts";
import type { Retention } from "../../api/developer_types.ts";
import { useOpened } from "../../api/query.ts";
import { world } from "../../browser/world.ts";
import type { Field, Values } from "../../kit/fields.tsx";
import { Form } from "../../kit/form.tsx";
import { Notice } from "../../kit/notice.tsx";
import { Card, Page } from "../../kit/page.tsx";
import { Skeleton } from "../../kit/skeleton.tsx";
import { said } from "../../shell/toasts.tsx";
import { words } from "../../texts/common.ts";
import { retentionTexts as texts } from "../../texts/retention.ts";
import { entered } from "../stock_parts/shared.ts";

type Kind = Retention["kinds"][number];

/** For how long each kind of record is kept in this world. */
export function RetentionScreen() {
  const { data, problem, loading, reload } = useOpened<Retention>("/settings/retention");
  const [saved, setSaved] = useState<{ readonly times: Retention; readonly number: number } | null>(null);
  const shown = saved?.times ?? data;
  return (
    <Page title={texts.title} below={`${texts.intro} ${texts.worldOf[world.value]}`} narrow>
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

const textOf = ({ kept }: Kind) => (kept === null ? "" : String(kept));

/** The time that was entered; null for the usual one. What is no number is sent as it is, for the API to refuse. */
function timeOf(value: unknown): unknown {
  const text = String(value ?? "").trim();
  return text === "" ? null : (entered(text) ?? text);
}

interface TimesProps {
  readonly kinds: readonly Kind[];
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
          said(texts.saved);
          onSaved(data);
        }}
      >
        {(values) => <Shorter kinds={kinds} values={values} />}
      </Form>
    </Card>
  );
}

/** The fields, group by group. */
function fieldsOf(kinds: readonly Kind[]): readonly Field[] {
  return Object.entries(texts.groups).flatMap(([group, title]): readonly Field[] => {
    const within = kinds.filter(({ kind }) => texts.kinds[kind][0] === group);
    return [{ kind: "heading", name: group, label: title }, ...within.map(fieldOf)];
  });
}

function fieldOf({ kind, usual, least, most, unit, what, costs }: Kind): Field {
  const fixed = least === most;
  const limits = texts.limits(least, most, unit);
  return {
    ...{ kind: "number", name: kind, label: texts.kinds[kind][1], unit, disabled: fixed },
    help: [what, texts.takes(costs), limits, ...(fixed ? [] : [texts.usual(usual, unit)])].join(" "),
  };
}

/** What the next night would delete by the times that are entered. */
function Shorter({ kinds, values }: { readonly kinds: readonly Kind[]; readonly values: Values }) {
  const shorter = kinds.flatMap(({ kind, kept, usual, unit }) => {
    const wanted = timeOf(values[kind]) ?? usual;
    // Nothing is deleted by how long the law keeps something.
    if (typeof wanted !== "number" || wanted >= (kept ?? Number.POSITIVE_INFINITY) || unit === "years") return [];
    const before = kept === null ? texts.forGood : texts.time(kept, unit);
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
