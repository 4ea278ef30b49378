import type { PlatformConnection, PlatformImport, PlatformReport } from "../../api/developer_types.ts";
import { type Action, ActionButton } from "../../components/action.tsx";
import { Badge, stateOptions } from "../../components/badge.tsx";
import { choice, List } from "../../components/list_page.tsx";
import { RecordName } from "../../components/record_name.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { words } from "../../text/common.ts";
import { platformTexts as texts } from "../../text/platforms.ts";

interface PlatformQueueProps {
  readonly shop: PlatformConnection;
}

/** A button to try again. */
const retry = (action: Pick<Action, "call" | "ask">) => (
  <ActionButton of={{ ...action, title: texts.retry, icon: "redo", done: texts.retried }} name={texts.retry} />
);

const importColumns: readonly TableColumn<PlatformImport>[] = [
  { id: "external", title: texts.externalId, text: "external_id" },
  { id: "status", title: words.status, cell: ({ status }) => <Badge of="import" state={status} /> },
  {
    id: "order",
    title: words.order,
    cell: ({ status, order_id }) => (status === "imported" ? <RecordName id={order_id ?? ""} /> : ""),
  },
  { id: "reason", title: words.reason, cell: ({ reason }) => reason?.message ?? "", wide: true },
  { id: "attempts", title: texts.attempts, number: "attempts" },
  { id: "next", title: texts.next, time: "next_attempt_at", extra: true },
  { id: "changed", title: words.updated, time: "updated_at" },
];

/** The order imports of a store. */
export function Imports({ shop }: PlatformQueueProps) {
  return (
    <List<PlatformImport>
      name={words.orders}
      path={`/platforms/${shop.id}/imports`}
      filters={[choice("status", words.status, stateOptions("import"))]}
      columns={importColumns}
      rowActs={({ id, status }) =>
        ["waiting", "ignored", "failed"].includes(status) &&
        retry({ call: { method: "POST", path: `/platforms/${shop.id}/imports/${id}/retry` } })
      }
      empty={{ icon: "cart", title: texts.importsEmpty, text: texts.importsEmptyText }}
    />
  );
}

const reportColumns: readonly TableColumn<PlatformReport>[] = [
  { id: "order", title: words.order, cell: ({ order_id }) => <RecordName id={order_id} /> },
  { id: "shipment", title: words.parcel, cell: ({ shipment_id }) => <RecordName id={shipment_id} plain /> },
  { id: "status", title: words.status, cell: ({ status }) => <Badge of="shipment_update" state={status} /> },
  { id: "reason", title: words.reason, cell: ({ reason }) => reason?.message ?? "", wide: true },
  { id: "attempts", title: texts.attempts, number: "attempts" },
  { id: "next", title: texts.next, time: "next_attempt_at", extra: true },
  { id: "changed", title: words.updated, time: "updated_at" },
];

/** The shipment reports of a store. */
export function Reports({ shop }: PlatformQueueProps) {
  // The store may notify the buyer.
  const ask = { title: texts.reportTitle(shop.name), text: texts.reportText, submit: texts.reportAct };
  return (
    <List<PlatformReport>
      name={words.parcels}
      path={`/platforms/${shop.id}/reports`}
      filters={[choice("status", words.status, stateOptions("shipment_update"))]}
      columns={reportColumns}
      rowActs={({ id, status }) =>
        ["skipped", "failed"].includes(status) &&
        retry({ ask, call: { method: "POST", path: `/platforms/${shop.id}/reports/${id}/retry` } })
      }
      empty={{ icon: "truck", title: texts.reportsEmpty, text: texts.reportsEmptyText }}
    />
  );
}
