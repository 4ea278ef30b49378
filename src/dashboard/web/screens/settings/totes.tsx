import { openDocument } from "../../api/client.ts";
import type { Tote } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { type Action, ActionButton, Actions } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import type { FormField } from "../../components/fields.tsx";
import { optionsOf } from "../../components/form_values.ts";
import { choice, ListPage } from "../../components/list_page.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { showRefused } from "../../components/toasts.tsx";
import { words } from "../../text/common.ts";
import { toteTexts as texts } from "../../text/waves.ts";
import { useWarehouses } from "../stock/stock_links.ts";

const manage = { permission: "floor.manage" } as const;
const half = { width: "half", required: true } as const;
const codeField: FormField = {
  kind: "text",
  name: "code",
  label: words.code,
  help: texts.codeHelp,
  required: true,
  mono: true,
  focus: true,
};

const stateOf = ({ order_id, set_aside_at }: Tote) =>
  set_aside_at !== null ? "set_aside" : order_id === null ? "free" : "taken";

const actions = ({ id, code, order_id, order_number }: Tote): readonly Action[] => [
  {
    title: texts.free,
    icon: "open",
    permission: "floor.work",
    when: order_id !== null,
    ask: { title: texts.freeTitle(code), text: texts.freeText(order_number ?? order_id ?? "") },
    call: { method: "POST", path: `/totes/${id}/release` },
    done: texts.freed(code),
  },
  {
    title: texts.rename,
    icon: "edit",
    ...manage,
    ask: { title: texts.renameTitle(code), fields: [codeField], record: { code } },
    call: (_values, body) => ({ method: "PATCH", path: `/totes/${id}`, body }),
    done: texts.renamed,
  },
  {
    title: words.remove,
    icon: "delete",
    danger: true,
    ...manage,
    when: order_id === null,
    ask: { title: texts.deleteTitle(code), text: texts.deleteText },
    call: { method: "DELETE", path: `/totes/${id}` },
    done: texts.deleted(code),
  },
];

/** Creates one tote. */
const one = (warehouse: FormField): Action => ({
  title: texts.newTote,
  ...manage,
  ask: { title: texts.newTote, submit: words.create, fields: [warehouse, codeField] },
  call: (_values, body) => ({ method: "POST", path: "/totes", body }),
  done: texts.created(1),
});

/** Creates totes with consecutive numbers. */
const numbered = (warehouse: FormField): Action => ({
  title: texts.newTotes,
  ...manage,
  ask: {
    title: texts.newTotes,
    text: texts.newTotesText,
    submit: words.create,
    first: { first: "1" },
    fields: [
      warehouse,
      {
        kind: "text",
        name: "prefix",
        label: texts.prefix,
        help: texts.prefixHelp,
        required: true,
        mono: true,
        focus: true,
      },
      { kind: "number", name: "first", label: texts.first, ...half },
      { kind: "number", name: "count", label: texts.count, ...half },
    ],
  },
  call: (_values, body) => ({ method: "POST", path: "/totes/bulk", body }),
  done: ({ totes }: { readonly totes: readonly Tote[] }) => texts.created(totes.length),
});

const print = (tote_ids: readonly string[]) =>
  void openDocument("/totes/labels", "application/pdf", { tote_ids: tote_ids.join(",") }).catch(showRefused);

/** The totes and the orders that they hold. */
export function TotesScreen() {
  const { several, nameOf, filter, field } = useWarehouses();
  const warehouse: FormField = { ...field(words.warehouse), name: "warehouse_id", blank: undefined };
  const columns: readonly TableColumn<Tote>[] = [
    { id: "code", title: texts.tote, code: "code" },
    { id: "state", title: words.status, cell: (tote) => <Badge of="tote" state={stateOf(tote)} /> },
    {
      id: "order",
      title: texts.holds,
      wide: true,
      cell: ({ order_id, order_number }) => order_id && <a href={to(`/orders/${order_id}`)}>{order_number}</a>,
    },
    {
      id: "wave",
      title: texts.wave,
      cell: ({ wave_id }) => wave_id && <a href={to(`/waves/${wave_id}`)}>{wave_id}</a>,
    },
    { id: "since", title: words.since, time: "assigned_at" },
    { id: "warehouse", title: words.warehouse, when: several, cell: ({ warehouse_id }) => nameOf(warehouse_id) },
  ];
  return (
    <ListPage<Tote>
      title={texts.title}
      path="/totes"
      search={{ param: "q", hint: texts.search }}
      filters={[
        choice("taken", texts.use, optionsOf(texts.uses)),
        { kind: "flag", param: "set_aside", title: texts.aside },
        filter(words.warehouse, "warehouse_id"),
      ]}
      columns={columns}
      rowName={({ code }) => code}
      rowActs={(tote) => <Actions of={actions(tote)} />}
      bulk={(chosen) => <Button kind="primary" icon="print" title={texts.printLabels} onClick={() => print(chosen)} />}
      acts={<ActionButton of={one(warehouse)} />}
      create={numbered(warehouse)}
      empty={{ icon: "box", title: texts.title, text: texts.emptyText }}
    />
  );
}
