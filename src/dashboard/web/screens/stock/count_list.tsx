import type { PlainCount, StockCount } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import type { Action } from "../../components/action.tsx";
import { Badge, stateOptions } from "../../components/badge.tsx";
import type { FormField } from "../../components/fields.tsx";
import { choice, ListPage } from "../../components/list_page.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { words } from "../../text/common.ts";
import { countTexts as texts } from "../../text/counts.ts";
import { enteredText, useWarehouses } from "./stock_links.ts";

/** What a count covers, in a short text. */
export function whatOf({ bins, skus }: Pick<PlainCount, "bins" | "skus">): string {
  const named = bins ?? skus;
  if (named === null) return texts.all;
  const [kind, some] = [bins === null ? texts.skus : texts.bins, named.slice(0, 3).join(", ")];
  return `${kind}: ${some}${named.length > 3 ? ` +${named.length - 3}` : ""}`;
}

export function CountsScreen() {
  const { filter, column, field } = useWarehouses();
  const columns: readonly TableColumn<PlainCount>[] = [
    { id: "id", title: texts.id, text: "id" },
    { id: "what", title: texts.what, cell: whatOf, wide: true },
    { id: "status", title: words.status, cell: ({ status }) => <Badge of="count" state={status} /> },
    { id: "progress", title: texts.progress, align: "right", cell: (it) => texts.of(it.items_counted, it.items_total) },
    column(words.warehouse),
    { id: "by", title: texts.by, text: "opened_by" },
    { id: "opened", title: texts.opened, time: "created_at" },
    { id: "notes", title: words.notes, text: "notes", extra: true },
  ];
  return (
    <ListPage<PlainCount>
      title={texts.title}
      path="/inventory/counts"
      filters={[choice("status", words.status, stateOptions("count")), filter(words.warehouse)]}
      columns={columns}
      href={({ id }) => to(`/counts/${id}`)}
      create={openCount(field(words.warehouse))}
      empty={{ icon: "clipboard", title: texts.emptyTitle, text: texts.emptyText }}
    />
  );
}

const names = (text: unknown) => {
  const all = (enteredText(text) ?? "").split(/[\n,;]+/).flatMap((name) => name.trim() || []);
  return all.length === 0 ? undefined : all;
};

const openCount = (where: FormField): Action => ({
  title: texts.create,
  permission: "stock.write",
  ask: {
    title: texts.create,
    text: texts.createText,
    fields: [
      where,
      { kind: "text", name: "bins", label: texts.bins, help: texts.binsHelp, lines: 3, mono: true },
      { kind: "text", name: "skus", label: texts.skus, help: texts.skusHelp, lines: 2, mono: true },
      { kind: "switch", name: "blind", label: texts.blind, help: texts.blindHelp },
      { kind: "text", name: "notes", label: words.notes },
    ],
  },
  call: ({ location, bins, skus, blind, notes }) => {
    const covered = { location: enteredText(location), bins: names(bins), skus: names(skus) };
    const body = { ...covered, blind: blind === true, notes: enteredText(notes) ?? null };
    return { method: "POST", path: "/inventory/counts", body };
  },
  done: ({ id }: StockCount) => texts.openedDone(id),
  after: ({ id }: StockCount) => navigate(to(`/counts/${id}`)),
});
