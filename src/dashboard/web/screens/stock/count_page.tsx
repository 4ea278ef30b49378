import { useState } from "preact/hooks";
import { post } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import { may } from "../../api/session.ts";
import type { StockCount } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { Button } from "../../components/button.tsx";
import { confirm } from "../../components/dialog.tsx";
import { FormDialog } from "../../components/form.tsx";
import { ActionMenu } from "../../components/menu.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { Card, Columns, Page } from "../../components/page.tsx";
import type { ScreenProps } from "../../components/screen.ts";
import { showSuccess as toast } from "../../components/toasts.tsx";
import { DescriptionList, Time } from "../../components/values.tsx";
import { countTexts as texts } from "../../text/counts.ts";
import { money, count as number } from "../../text/format.ts";
import { CountBadge, whatOf } from "./count_list.tsx";
import { CountSheet } from "./count_sheet.tsx";
import { enteredNumber, enteredText, useWarehouses } from "./stock_links.ts";

/** One count: its lines, its differences and its actions. */
export function CountScreen({ params }: ScreenProps) {
  const found = useQuery<StockCount>(`/inventory/counts/${params["id"]}`);
  const { data: count, etag, problem, loading, reload } = found;
  const [dialog, setDialog] = useState<"found" | "post" | null>(null);
  const back = { href: to("/counts"), title: texts.title };
  if (loading) return <Skeleton />;
  if (count === undefined) {
    return (
      <Page title={texts.title} back={back}>
        {problem && <Notice problem={problem} onRetry={reload} />}
      </Page>
    );
  }
  const onClose = () => setDialog(null);
  return (
    <Page
      title={texts.one(count.id)}
      back={back}
      badge={<CountBadge status={count.status} />}
      below={whatOf(count)}
      acts={<Acts count={count} etag={etag} onDialog={setDialog} />}
    >
      <Columns main={<CountSheet key={count.id} count={count} />} side={<Side count={count} />} />
      {dialog === "found" && <FoundDialog count={count} onClose={onClose} />}
      {dialog === "post" && <PostDialog count={count} etag={etag} onClose={onClose} />}
    </Page>
  );
}

interface CountActsProps {
  readonly count: StockCount;
  readonly etag: string | null;
  readonly onDialog: (dialog: "found" | "post") => void;
}

function Acts({ count, etag, onDialog }: CountActsProps) {
  const { id, allowed_actions, lines_total, lines_counted } = count;
  const left = lines_total - lines_counted;
  const review = () =>
    confirm({
      title: texts.reviewTitle(id),
      text: texts.reviewText(left),
      act: texts.review,
      run: async () => {
        await post(`/inventory/counts/${id}/review`, {}, { match: etag });
        toast(texts.reviewed(id));
      },
    });
  const cancel = () =>
    confirm({
      title: texts.cancelTitle(id),
      text: texts.cancelText,
      act: texts.cancel,
      danger: true,
      run: async () => {
        await post(`/inventory/counts/${id}/cancel`, {}, { match: etag });
        toast(texts.cancelled(id));
      },
    });
  const records = may("stock.floor") && allowed_actions.includes("record");
  const writes = may("stock.write");
  return (
    <>
      <ActionMenu
        items={[
          { title: texts.print, icon: "print", run: () => window.print() },
          ...(records ? [{ title: texts.unexpected, icon: "plus" as const, run: () => onDialog("found") }] : []),
          ...(writes && allowed_actions.includes("cancel")
            ? [{ title: texts.cancel, icon: "delete" as const, danger: true, run: cancel }]
            : []),
        ]}
      />
      {writes && allowed_actions.includes("review") && (
        <Button kind={left === 0 ? "primary" : "normal"} title={texts.review} onClick={review} />
      )}
      {writes && allowed_actions.includes("post") && (
        <Button kind="primary" icon="check" title={texts.post} onClick={() => onDialog("post")} />
      )}
    </>
  );
}

interface CountDialogProps {
  readonly count: StockCount;
  readonly onClose: () => void;
}

function FoundDialog({ count, onClose }: CountDialogProps) {
  return (
    <FormDialog
      title={texts.unexpected}
      text={texts.unexpectedText}
      submit={texts.unexpectedAct}
      onClose={onClose}
      first={{ sku: "", bin: "", lot_number: "", quantity: "" }}
      fields={[
        { kind: "text", name: "sku", label: texts.sku, required: true, mono: true, width: "half", focus: true },
        { kind: "text", name: "bin", label: texts.bin, required: true, mono: true, width: "half" },
        { kind: "text", name: "lot_number", label: texts.lot, mono: true, width: "half" },
        { kind: "number", name: "quantity", label: texts.quantity, required: true, width: "half" },
      ]}
      onSubmit={async ({ sku, bin, lot_number, quantity }, key) => {
        const line = { sku: enteredText(sku), bin: enteredText(bin), lot_number: enteredText(lot_number) ?? null };
        const lines = [{ ...line, quantity: enteredNumber(quantity) }];
        await post(`/inventory/counts/${count.id}/lines`, { lines }, { key });
        toast(texts.saved(1));
      }}
    />
  );
}

function PostDialog({ count, etag, onClose }: CountDialogProps & { readonly etag: string | null }) {
  const { lines_different = 0, units_over = 0, units_short = 0 } = count.summary ?? {};
  return (
    <FormDialog
      title={texts.postTitle(count.id)}
      text={texts.postText(lines_different, units_over, units_short)}
      submit={texts.post}
      onClose={onClose}
      first={{ allow_shortfall: false }}
      fields={
        units_short === 0
          ? []
          : [
              {
                kind: "switch",
                name: "allow_shortfall",
                label: texts.backorderAffected,
                help: texts.backorderAffectedHelp,
              },
            ]
      }
      onSubmit={async ({ allow_shortfall }, key) => {
        const body = allow_shortfall === true ? { allow_shortfall: true } : {};
        await post(`/inventory/counts/${count.id}/post`, body, { key, match: etag });
        toast(texts.posted(count.id));
      }}
    />
  );
}

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
      <Card title={texts.details}>
        <DescriptionList
          facts={[
            [texts.warehouse, nameOf(count.location)],
            [texts.progress, texts.of(count.lines_counted, count.lines_total)],
            [texts.opened, <Time key="opened" at={count.created_at} />],
            [texts.by, count.opened_by],
            count.notes === null ? null : [texts.notes, count.notes],
            count.posted_at === null ? null : [texts.statuses.posted, <Time key="posted" at={count.posted_at} />],
          ]}
        />
      </Card>
      {summary && count.lines_counted > 0 && (
        <Card title={texts.summary}>
          <DescriptionList
            facts={[
              [texts.difference, number(summary.lines_different)],
              [texts.over, `${number(summary.units_over)} · ${worthOf(summary, "value_over")}`],
              [texts.short, `${number(summary.units_short)} · ${worthOf(summary, "value_short")}`],
              [texts.net, worthOf(summary, "value_net")],
            ]}
          />
        </Card>
      )}
    </>
  );
}
