import { useState } from "preact/hooks";
import { post } from "../../api/client.ts";
import { may } from "../../api/session.ts";
import type { PlainCount, StockCount } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import { Badge, type Tone } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import type { FormField } from "../../components/fields.tsx";
import { FormDialog } from "../../components/form.tsx";
import { ListPage } from "../../components/list_page.tsx";
import { EmptyState } from "../../components/notice.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { showSuccess as toast } from "../../components/toasts.tsx";
import { Time } from "../../components/values.tsx";
import { countTexts as texts } from "../../text/counts.ts";
import { enteredText, optionsOf, useWarehouses } from "./stock_links.ts";

const tones: Readonly<Record<PlainCount["status"], Tone>> = {
  open: "info",
  review: "warning",
  posted: "good",
  cancelled: "neutral",
};

/** The state of a count. */
export function CountBadge({ status }: Pick<PlainCount, "status">) {
  return <Badge tone={tones[status]}>{texts.statuses[status]}</Badge>;
}

/** What a count covers, in a short text. */
export function whatOf({ bins, skus }: Pick<PlainCount, "bins" | "skus">): string {
  const named = bins ?? skus;
  if (named === null) return texts.all;
  const [kind, some] = [bins === null ? texts.skus : texts.bins, named.slice(0, 3).join(", ")];
  return `${kind}: ${some}${named.length > 3 ? ` +${named.length - 3}` : ""}`;
}

export function CountsScreen() {
  const { several, options, nameOf } = useWarehouses();
  const [opening, setOpening] = useState(false);
  const add = may("stock.write") && (
    <Button kind="primary" icon="plus" title={texts.create} onClick={() => setOpening(true)} />
  );
  const columns: readonly TableColumn<PlainCount>[] = [
    { id: "id", title: texts.id, cell: ({ id }) => id },
    { id: "what", title: texts.what, cell: whatOf, wide: true },
    { id: "status", title: texts.status, cell: ({ status }) => <CountBadge status={status} /> },
    { id: "progress", title: texts.progress, align: "right", cell: (it) => texts.of(it.lines_counted, it.lines_total) },
    ...(several
      ? [{ id: "location", title: texts.warehouse, cell: ({ location }: PlainCount) => nameOf(location) }]
      : []),
    { id: "by", title: texts.by, cell: ({ opened_by }) => opened_by },
    { id: "opened", title: texts.opened, cell: ({ created_at }) => <Time at={created_at} /> },
    { id: "notes", title: texts.notes, extra: true, cell: ({ notes }) => notes ?? "" },
  ];
  return (
    <>
      <ListPage<PlainCount>
        name={texts.title}
        title={texts.title}
        path="/inventory/counts"
        filters={[
          { kind: "choice", param: "status", title: texts.status, options: optionsOf(texts.statuses) },
          ...(several ? [{ kind: "choice", param: "location", title: texts.warehouse, options } as const] : []),
        ]}
        columns={columns}
        id={({ id }) => id}
        href={({ id }) => to(`/counts/${id}`)}
        acts={add}
        empty={<EmptyState icon="clipboard" title={texts.emptyTitle} text={texts.emptyText} act={add} />}
      />
      {opening && <OpenDialog onClose={() => setOpening(false)} />}
    </>
  );
}

const names = (text: unknown) => {
  const all = (enteredText(text) ?? "").split(/[\n,;]+/).flatMap((name) => name.trim() || []);
  return all.length === 0 ? undefined : all;
};

function OpenDialog({ onClose }: { readonly onClose: () => void }) {
  const { several, options } = useWarehouses();
  const where: readonly FormField[] = several
    ? [{ kind: "select", name: "location", label: texts.warehouse, required: true, options, empty: "" }]
    : [];
  return (
    <FormDialog
      title={texts.create}
      text={texts.createText}
      submit={texts.create}
      onClose={onClose}
      first={{ location: "", bins: "", skus: "", blind: false, notes: "" }}
      fields={[
        ...where,
        { kind: "text", name: "bins", label: texts.bins, help: texts.binsHelp, lines: 3, mono: true },
        { kind: "text", name: "skus", label: texts.skus, help: texts.skusHelp, lines: 2, mono: true },
        { kind: "switch", name: "blind", label: texts.blind, help: texts.blindHelp },
        { kind: "text", name: "notes", label: texts.notes },
      ]}
      onSubmit={async (values, key) => {
        const body = {
          location: enteredText(values["location"]),
          bins: names(values["bins"]),
          skus: names(values["skus"]),
          blind: values["blind"] === true,
          notes: enteredText(values["notes"]) ?? null,
        };
        const { data } = await post<StockCount>("/inventory/counts", body, { key });
        toast(texts.openedDone(data.id));
        navigate(to(`/counts/${data.id}`));
      }}
    />
  );
}
