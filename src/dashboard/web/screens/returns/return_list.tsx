import type { Return } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { Badge } from "../../components/badge.tsx";
import { optionsOf } from "../../components/form_values.ts";
import { choice, ListPage } from "../../components/list_page.tsx";
import { RecordName } from "../../components/record_name.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { words } from "../../text/common.ts";
import { count } from "../../text/format.ts";
import { returnTexts as texts } from "../../text/returns.ts";
import { stateWords } from "../../text/states.ts";

const unitsOf = ({ items }: Return) => items.reduce((sum, { quantity }) => sum + quantity, 0);

const columns: readonly TableColumn<Return>[] = [
  { id: "id", title: words.return_, code: "id" },
  { id: "order", title: words.order, cell: ({ order_id }) => <RecordName id={order_id} /> },
  { id: "status", title: words.status, cell: ({ status }) => <Badge state={status} /> },
  { id: "reason", title: words.reason, cell: ({ reason }) => stateWords(reason) },
  {
    id: "items",
    title: words.items,
    wide: true,
    cell: ({ items }) => items.map(({ sku, quantity }) => `${quantity} × ${sku}`).join(", "),
  },
  { id: "units", title: words.units, align: "right", extra: true, cell: (one) => count(unitsOf(one)) },
  { id: "refund", title: texts.refund, cell: ({ refund_status }) => <Badge state={refund_status} /> },
  { id: "arrived", title: texts.arrived, time: "arrived_at" },
  { id: "created", title: words.created, time: "created_at" },
];

export function ReturnsScreen() {
  return (
    <ListPage<Return>
      title={texts.returns}
      path="/returns"
      search={{ param: "order_id", hint: texts.whichOrder }}
      filters={[
        choice("status", words.status, optionsOf(texts.statuses)),
        { kind: "flag", param: "arrived", title: texts.arrivedFilter },
        { kind: "date", param: "created_after", title: texts.after },
        { kind: "date", param: "created_before", title: texts.before },
      ]}
      columns={columns}
      rowName={({ id }) => id}
      href={({ id }) => to(`/returns/${id}`)}
      create={{ title: texts.add, permission: "returns.write", href: to("/returns/new") }}
      empty={{ icon: "return", title: texts.emptyTitle, text: texts.emptyText }}
    />
  );
}
