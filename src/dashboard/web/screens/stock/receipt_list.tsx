import { mayAlso } from "../../api/session.ts";
import type { Receipt } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { Badge, stateOptions } from "../../components/badge.tsx";
import { choice, ListPage } from "../../components/list_page.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { Day } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { count } from "../../text/format.ts";
import { receiptTexts as texts } from "../../text/transfers.ts";
import { useWarehouses } from "./stock_links.ts";

const sum = (items: Receipt["items"], of: "quantity" | "quantity_received") =>
  items.reduce((total, line) => total + line[of], 0);

export function ReceiptsScreen() {
  const { filter, column, zoneOf } = useWarehouses();
  const columns: readonly TableColumn<Receipt>[] = [
    { id: "id", title: texts.id, text: "id" },
    { id: "reference", title: words.reference, text: "reference" },
    { id: "supplier", title: texts.supplier, text: "supplier", wide: true },
    { id: "status", title: words.status, cell: ({ status }) => <Badge of="receipt" state={status} /> },
    column(words.warehouse),
    {
      id: "expected",
      title: words.expected,
      sort: "expected_at",
      cell: ({ expected_at, location }) => <Day at={expected_at} zone={zoneOf(location)} />,
    },
    { id: "items", title: texts.lines, align: "right", cell: ({ items }) => count(items.length) },
    {
      id: "progress",
      title: words.received,
      align: "right",
      cell: ({ items }) => texts.of(sum(items, "quantity_received"), sum(items, "quantity")),
    },
    { id: "created", title: words.created, time: "created_at", sort: "created_at" },
  ];
  return (
    <ListPage<Receipt>
      title={texts.title}
      path="/inventory/receipts"
      search={{ param: "q", hint: texts.search }}
      filters={[choice("status", words.status, stateOptions("receipt")), filter(words.warehouse)]}
      sort="-created_at"
      columns={columns}
      href={({ id }) => to(`/receipts/${id}`)}
      create={{ title: texts.create, when: mayAlso("stock.write"), href: to("/receipts/new") }}
      empty={{ icon: "truck", title: texts.emptyTitle, text: texts.emptyText }}
    />
  );
}
