import type { Transfer } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { Badge, stateOptions } from "../../components/badge.tsx";
import { LinkButton } from "../../components/button.tsx";
import { choice, ListPage } from "../../components/list_page.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { words } from "../../text/common.ts";
import { count } from "../../text/format.ts";
import { transferTexts as texts } from "../../text/transfers.ts";
import { useWarehouses } from "./stock_links.ts";

export function TransfersScreen() {
  const { several, options, nameOf } = useWarehouses();
  const columns: readonly TableColumn<Transfer>[] = [
    { id: "id", title: words.transfer, text: "id" },
    { id: "reference", title: words.reference, text: "reference", wide: true },
    { id: "status", title: words.status, cell: ({ status }) => <Badge of="transfer" state={status} /> },
    { id: "from", title: texts.from, cell: ({ from_location }) => nameOf(from_location) },
    { id: "to", title: words.to, cell: ({ to_location }) => nameOf(to_location) },
    {
      id: "units",
      title: words.units,
      align: "right",
      cell: ({ items }) => count(items.reduce((sum, { quantity }) => sum + quantity, 0)),
    },
    { id: "shipped", title: words.shipped, time: "shipped_at" },
    { id: "received", title: words.received, time: "received_at", extra: true },
    { id: "created", title: words.created, time: "created_at" },
  ];
  return (
    <ListPage<Transfer>
      title={texts.title}
      path="/inventory/transfers"
      search={{ param: "q", hint: texts.search }}
      filters={[
        choice("status", words.status, stateOptions("transfer")),
        choice("from_location", texts.from, options),
        choice("to_location", words.to, options),
      ]}
      columns={columns}
      href={({ id }) => to(`/transfers/${id}`)}
      create={{ title: texts.create, permission: "stock.write", when: several, href: to("/transfers/new") }}
      empty={{
        icon: "truck",
        title: texts.emptyTitle,
        ...(several
          ? { text: texts.emptyText }
          : { text: texts.oneWarehouse, act: <LinkButton title={texts.setUp} href={to("/settings/house")} /> }),
      }}
    />
  );
}
