import { saveFile } from "../../api/client.ts";
import { ownerOf } from "../../api/merchants.ts";
import { isOperatorUser } from "../../api/session.ts";
import type { Level } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import { type Action, Actions } from "../../components/action.tsx";
import { Badge, stateOptions } from "../../components/badge.tsx";
import { LinkButton } from "../../components/button.tsx";
import { openDialog } from "../../components/dialog.tsx";
import { choice, ListPage } from "../../components/list_page.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { words } from "../../text/common.ts";
import { count } from "../../text/format.ts";
import { stockTexts as texts } from "../../text/stock.ts";
import { AddDialog } from "./stock_dialogs.tsx";
import { dayFromNow, stockHref, useWarehouses } from "./stock_links.ts";

const apart = ({ unavailable }: Level) => Object.values(unavailable).reduce((sum, units) => sum + units, 0);

const columns: readonly TableColumn<Level>[] = [
  { id: "sku", title: words.sku, code: "sku", sort: "sku" },
  { id: "name", title: words.name, text: "name", sort: "name", wide: true },
  { id: "status", title: words.status, cell: ({ status }) => <Badge of="stock" state={status} /> },
  { id: "available", title: texts.available, number: "available", sort: "available" },
  { id: "reserved", title: words.reserved, align: "right", cell: ({ reserved }) => quiet(reserved) },
  { id: "apart", title: texts.notForSale, align: "right", cell: (it) => quiet(apart(it)) },
  { id: "on_hand", title: words.onHand, number: "on_hand" },
  { id: "incoming", title: words.incoming, align: "right", cell: ({ incoming }) => quiet(incoming) },
  { id: "backordered", title: texts.backordered, align: "right", cell: ({ backordered }) => quiet(backordered) },
  { id: "reorder", title: texts.reorderAt, align: "right", extra: true, cell: (it) => quiet(it.reorder_point) },
  { id: "bins", title: words.locations, extra: true, cell: ({ locations }) => binsOf(locations) },
  { id: "updated", title: words.updated, time: "last_updated", extra: true },
];

/** A number; zero is shown in grey. */
function quiet(value: number) {
  return value === 0 ? <span class="muted">0</span> : count(value);
}

function binsOf(locations: Level["locations"]): string {
  const [first, ...others] = locations;
  if (first === undefined) return "";
  return others.length === 0 ? first.location : `${first.location} +${others.length}`;
}

const actions: readonly Action[] = [
  {
    title: texts.add,
    icon: "plus",
    button: "primary",
    permission: "stock.write",
    run: () => openDialog((close) => <AddDialog sku="" onClose={close} />),
  },
  { title: texts.importFile, icon: "upload", permission: "stock.write", run: () => navigate(to("/stock/import")) },
  { title: texts.exportFile, icon: "download", run: () => saveFile("/inventory/export.csv", "inventory.csv") },
];

/** The stock levels of all SKUs. */
export function LevelsScreen() {
  const { zoneOf, filter } = useWarehouses();
  const within = [7, 30, 90].map((days) => ({ value: dayFromNow(days + 1, zoneOf()), title: texts.expiresIn(days) }));
  return (
    <ListPage<Level>
      name={texts.levels}
      title={words.stock}
      path="/inventory"
      search={{ param: "q", hint: texts.search }}
      filters={[
        choice("status", words.status, stateOptions("stock")),
        filter(words.warehouse),
        choice("expiring_before", texts.expiresWithin, within),
        { kind: "flag", param: "low_stock", title: texts.lowOnly },
      ]}
      sort="sku"
      columns={isOperatorUser.value ? columns : columns.filter(({ id }) => id !== "bins")}
      id={(level) => `${level.sku} ${ownerOf(level) ?? ""}`}
      href={(level) => stockHref(level.sku, level)}
      acts={<Actions of={actions} />}
      empty={{
        icon: "boxes",
        title: texts.emptyTitle,
        text: texts.emptyText,
        act: <LinkButton kind="primary" title={texts.toProducts} href={to("/products")} />,
      }}
    />
  );
}
