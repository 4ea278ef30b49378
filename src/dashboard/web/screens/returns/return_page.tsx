import { useQuery } from "../../api/query.ts";
import { may } from "../../api/session.ts";
import type { LabelRecord, Order, Return } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { type Action, ActionButton } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { openPrintable } from "../../components/document_dialog.tsx";
import { Icon } from "../../components/icon.tsx";
import { Notice } from "../../components/notice.tsx";
import { Card, Columns, Page } from "../../components/page.tsx";
import { type RecordProps, recordScreen } from "../../components/record_screen.tsx";
import { DataTable, type TableColumn } from "../../components/table.tsx";
import { CopyField, DescriptionList, Time } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { count, date, money } from "../../text/format.ts";
import { returnTexts as texts } from "../../text/returns.ts";
import { stateWords } from "../../text/states.ts";
import { labelDocument } from "../orders/order_facts.ts";
import { ReturnActs } from "./return_actions.tsx";

type ReturnPageItem = Return["items"][number];
type ShownRefund = Return["refunds"][number];

/** One return: its items, findings, label and refunds. */
export const ReturnScreen = recordScreen("/returns/:id", ReturnPage);

function ReturnPage({ record: found, etag, back, notice }: RecordProps<Return>) {
  const order = useQuery<Order>(`/orders/${found.order_id}`).data;
  const next = found.arrived_at !== null && found.status === "initiated" ? null : texts.next[found.status];
  return (
    <Page
      title={order ? texts.titleOf(order.order_number) : found.id}
      back={back}
      badge={<Badge state={found.status} />}
      owned={found}
      below={
        <span>
          {words.order} <a href={to(`/orders/${found.order_id}`)}>{order?.order_number ?? found.order_id}</a>
          {order && <> · {order.customer.name}</>} · {words.created.toLowerCase()} <Time at={found.created_at} />
          {next && <> · {next}</>}
        </span>
      }
      acts={<ReturnActs found={found} etag={etag} />}
    >
      {notice}
      {found.arrived_at !== null && found.status === "initiated" && (
        <Notice kind="info">
          {texts.arrived} <Time at={found.arrived_at} />
        </Notice>
      )}
      <Columns
        main={
          <>
            <ItemsCard found={found} />
            <RefundsCard found={found} etag={etag} />
          </>
        }
        side={
          <>
            <TermsCard found={found} />
            <WayBackCard found={found} />
          </>
        }
      />
    </Page>
  );
}

const columns: readonly TableColumn<ReturnPageItem>[] = [
  { id: "sku", title: "SKU", code: "sku" },
  {
    id: "stated",
    title: texts.stated,
    wide: true,
    cell: ({ condition, notes }) => (
      <span>
        {condition ? stateWords(condition) : texts.unknown}
        {notes && <span class="muted"> · {notes}</span>}
      </span>
    ),
  },
  { id: "quantity", title: words.units, align: "right", cell: ({ quantity }) => <b>{count(quantity)}</b> },
  { id: "received", title: words.received, number: "quantity_received" },
  { id: "found", title: texts.found, cell: ({ inspections }) => <Inspections all={inspections} /> },
];

function ItemsCard({ found }: { readonly found: Return }) {
  return (
    <Card title={words.items} flush>
      <DataTable
        name={words.items}
        rows={found.items}
        columns={columns}
        id={({ sku, condition, notes }) => `${sku} ${condition} ${notes}`}
      />
    </Card>
  );
}

function Inspections({ all }: { readonly all: ReturnPageItem["inspections"] }) {
  if (all.length === 0) return <span class="muted">{texts.notYet}</span>;
  return (
    <ul class="inspections">
      {all.map(({ quantity, condition, disposition, lot_number, notes }, at) => (
        <li key={`${at} ${condition}`}>
          {count(quantity)} × {stateWords(condition).toLowerCase()},{" "}
          {(texts.dispositions[disposition] ?? disposition).toLowerCase()}
          {lot_number && (
            <span class="muted">
              {" "}
              · {words.lot} {lot_number}
            </span>
          )}
          {notes && <span class="muted"> · {notes}</span>}
        </li>
      ))}
    </ul>
  );
}

function RefundsCard({ found, etag }: { readonly found: Return; readonly etag: string | null }) {
  return (
    <Card title={texts.refunds}>
      {found.refunds.length === 0 && <p class="muted">{texts.noRefunds}</p>}
      <div class="refunds">
        {found.refunds.map((refund) => (
          <OneRefund key={refund.refund_id} refund={refund} return_id={found.id} etag={etag} />
        ))}
      </div>
    </Card>
  );
}

interface RefundProps {
  readonly refund: ShownRefund;
  readonly return_id: string;
  readonly etag: string | null;
}

function OneRefund({ refund, return_id, etag }: RefundProps) {
  const { refund_id, amount, currency, breakdown, method, refund_status, notes, estimated_completion } = refund;
  const report = (status: "refunded" | "failed"): Action => {
    const title = texts.report[status] ?? status;
    return {
      title,
      permission: "returns.refund",
      match: etag,
      ask: { title: texts.reportTitle(title), text: texts.reportText, danger: status === "failed" },
      call: { method: "POST", path: `/returns/${return_id}/refunds/${refund_id}`, body: { status } },
      done: texts.reported,
    };
  };
  return (
    <section class="refund" aria-label={refund_id}>
      <header>
        <b>{money(amount, currency)}</b>
        <Badge state={refund_status} />
        <span class="muted">
          {stateWords(method)} · <Time at={refund.created_at} />
        </span>
      </header>
      <p class="muted">
        {words.items} {money(breakdown.items, currency)} · {words.shipping} {money(breakdown.shipping, currency)}
        {breakdown.restocking_fee > 0 && ` · ${texts.fee} −${money(breakdown.restocking_fee, currency)}`}
        {refund_status === "processing" && ` · ${texts.dueBy(date(estimated_completion))}`}
      </p>
      {notes && <p>{notes}</p>}
      {refund_status === "processing" && may("returns.refund") && (
        <footer class="parcel-acts">
          <ActionButton of={{ ...report("refunded"), icon: "check" }} />
          <ActionButton of={{ ...report("failed"), button: "plain" }} />
        </footer>
      )}
    </section>
  );
}

function TermsCard({ found }: { readonly found: Return }) {
  const { reason, refund_amount, refund_shipping, restocking_fee, currency, customer_email } = found;
  return (
    <Card title={texts.terms}>
      <DescriptionList
        facts={[
          [words.reason, stateWords(reason)],
          [texts.refund, <Badge state={found.refund_status} />],
          [texts.agreed, money(refund_amount, currency)],
          [texts.refundShipping, refund_shipping ? words.yes : words.no],
          [texts.fee, money(restocking_fee, currency)],
          [texts.customerEmail, customer_email],
          [words.received, <Time at={found.received_at} exact />],
          [texts.inspectedAt, <Time at={found.inspected_at} exact />],
          [texts.completedAt, <Time at={found.completed_at} exact />],
        ]}
      />
    </Card>
  );
}

function WayBackCard({ found }: { readonly found: Return }) {
  const { carrier, tracking_number, tracking_url, status } = found.return_shipping;
  const { data: labels } = useQuery<readonly LabelRecord[]>("/shipping/labels", { return_id: found.id, limit: 20 });
  const bought = labels?.filter((label) => label.status === "completed") ?? [];
  return (
    <Card title={texts.wayBack}>
      <DescriptionList
        facts={[
          [words.status, <Badge state={status} />],
          [words.carrier, carrier],
          [words.trackingNumber, tracking_number && <CopyField text={tracking_number} name={words.trackingNumber} />],
        ]}
      />
      <div class="parcel-acts">
        {tracking_url && (
          <a class="button" href={tracking_url} target="_blank" rel="noreferrer">
            <Icon name="external" />
            {words.trackingNumber}
          </a>
        )}
        {bought.map((label) => (
          <Button
            key={label.label_id}
            icon="print"
            title={texts.printLabel}
            onClick={() => openPrintable(labelDocument(label, label.tracking_number ?? label.label_id))}
          />
        ))}
      </div>
    </Card>
  );
}
