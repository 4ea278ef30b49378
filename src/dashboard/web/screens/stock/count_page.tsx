import type { StockCount } from "../../api/types.ts";
import { type Action, Actions } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import type { FormField } from "../../components/fields.tsx";
import { Card, Columns, Page } from "../../components/page.tsx";
import { type RecordProps, recordScreen } from "../../components/record_screen.tsx";
import { DescriptionList, Time } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { countTexts as texts } from "../../text/counts.ts";
import { money, count as number } from "../../text/format.ts";
import { stateText } from "../../text/states.ts";
import { whatOf } from "./count_list.tsx";
import { CountSheet } from "./count_sheet.tsx";
import { commonActions } from "./documents.tsx";
import { enteredNumber, enteredText, useWarehouses } from "./stock_links.ts";

/** One count: its lines, its differences and its actions. */
export const CountScreen = recordScreen("/inventory/counts/:id", CountPage);

function CountPage({ record: count, etag, back }: RecordProps<StockCount>) {
  return (
    <Page
      title={texts.one(count.id)}
      back={back}
      badge={<Badge of="count" state={count.status} />}
      below={whatOf(count)}
      acts={<Actions of={actionsOf(count, etag)} />}
    >
      <Columns main={<CountSheet key={count.id} count={count} />} side={<Side count={count} />} />
    </Page>
  );
}

function actionsOf(count: StockCount, match: string | null): readonly Action[] {
  const { id, allowed_actions, items_total, items_counted, summary } = count;
  const left = items_total - items_counted;
  const { items_different = 0, units_over = 0, units_short = 0 } = summary ?? {};
  const [print, cancel] = commonActions("counts", count, match, texts);
  return [
    {
      title: texts.post,
      icon: "check",
      button: "primary",
      permission: "stock.write",
      match,
      when: allowed_actions.includes("post"),
      ask: {
        title: texts.postTitle(id),
        text: texts.postText(items_different, units_over, units_short),
        fields: units_short === 0 ? [] : shortfallFields,
      },
      call: ({ allow_shortfall }) => ({
        method: "POST",
        path: `/inventory/counts/${id}/post`,
        body: allow_shortfall === true ? { allow_shortfall } : {},
      }),
      done: texts.posted(id),
    },
    {
      title: texts.review,
      button: left === 0 ? "primary" : true,
      permission: "stock.write",
      match,
      when: allowed_actions.includes("review"),
      ask: { title: texts.reviewTitle(id), text: texts.reviewText(left) },
      call: { method: "POST", path: `/inventory/counts/${id}/review` },
      done: texts.reviewed(id),
    },
    print,
    {
      title: texts.unexpected,
      icon: "plus",
      permission: "stock.floor",
      when: allowed_actions.includes("record"),
      ask: { title: texts.unexpected, text: texts.unexpectedText, submit: words.addLine, fields: unexpectedFields },
      call: ({ sku, bin, lot_number, quantity }) => {
        const line = { sku: enteredText(sku), bin: enteredText(bin), lot_number: enteredText(lot_number) ?? null };
        const items = [{ ...line, quantity: enteredNumber(quantity) }];
        return { method: "POST", path: `/inventory/counts/${id}/items`, body: { items } };
      },
      done: texts.saved(1),
    },
    cancel,
  ];
}

const unexpectedFields: readonly FormField[] = [
  { kind: "text", name: "sku", label: words.sku, required: true, mono: true, width: "half", focus: true },
  { kind: "text", name: "bin", label: words.bin, required: true, mono: true, width: "half" },
  { kind: "text", name: "lot_number", label: words.lot, mono: true, width: "half" },
  { kind: "number", name: "quantity", label: words.units, required: true, width: "half" },
];
const shortfallFields: readonly FormField[] = [
  { kind: "switch", name: "allow_shortfall", label: texts.backorderAffected, help: texts.backorderAffectedHelp },
];

/** The values per currency; undefined if none are known. */
function worthOf(
  { values }: NonNullable<StockCount["summary"]>,
  name: "value_over" | "value_short" | "value_net",
): string {
  return values.map((value) => money(value[name], value.currency)).join(" + ") || money(null);
}

function Side({ count }: { readonly count: StockCount }) {
  const { nameOf } = useWarehouses();
  const { summary } = count;
  return (
    <>
      <Card title={words.details}>
        <DescriptionList
          facts={[
            [words.warehouse, nameOf(count.location)],
            [texts.progress, texts.of(count.items_counted, count.items_total)],
            [texts.opened, <Time key="opened" at={count.created_at} />],
            [texts.by, count.opened_by],
            count.notes === null ? null : [words.notes, count.notes],
            count.posted_at === null
              ? null
              : [stateText("count", "posted"), <Time key="posted" at={count.posted_at} />],
          ]}
        />
      </Card>
      {summary && count.items_counted > 0 && (
        <Card title={texts.summary}>
          <DescriptionList
            facts={[
              [texts.difference, number(summary.items_different)],
              [texts.over, `${number(summary.units_over)} · ${worthOf(summary, "value_over")}`],
              [words.short, `${number(summary.units_short)} · ${worthOf(summary, "value_short")}`],
              [texts.net, worthOf(summary, "value_net")],
            ]}
          />
        </Card>
      )}
    </>
  );
}
