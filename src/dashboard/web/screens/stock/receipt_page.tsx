import { useState } from "preact/hooks";
import { post } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import { may, mayAlso } from "../../api/session.ts";
import type { Receipt } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { Button } from "../../components/button.tsx";
import { confirm } from "../../components/dialog.tsx";
import type { FormValues } from "../../components/fields.tsx";
import { FormDialog } from "../../components/form.tsx";
import { type EnteredLineValues, filledLines, lineFields, sendLines } from "../../components/line_fields.tsx";
import { ActionMenu } from "../../components/menu.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { Card, Columns, Page } from "../../components/page.tsx";
import type { ScreenProps } from "../../components/screen.ts";
import { DataTable, type TableColumn } from "../../components/table.tsx";
import { showSuccess } from "../../components/toasts.tsx";
import { Day, DescriptionList, Time } from "../../components/values.tsx";
import { count, date } from "../../text/format.ts";
import { receiptTexts as texts } from "../../text/transfers.ts";
import { Ledger } from "./ledger.tsx";
import { ReceiptBadge } from "./receipt_list.tsx";
import { optionsOf, stockHref, useWarehouses } from "./stock_links.ts";

const lines = lineFields({
  name: "items",
  label: texts.lines,
  add: texts.addLine,
  remove: texts.removeLine,
  fields: [
    { name: "sku", title: texts.sku, kind: "product", required: true, wide: true },
    { name: "quantity", title: texts.quantity, kind: "number", required: true },
    { name: "lot_number", title: texts.lot, kind: "text", mono: true },
    { name: "expiration_date", title: texts.expiry, kind: "date" },
    { name: "bin", title: texts.bin, kind: "text", mono: true },
    { name: "condition", title: texts.condition, kind: "select", options: optionsOf(texts.conditions) },
  ],
});

interface ArrivalsDialogProps {
  readonly receipt: Receipt;
  readonly onClose: () => void;
}

const comes = (line: EnteredLineValues) => line["quantity"] !== undefined;
const units = (values: FormValues) =>
  filledLines(values["items"], comes).reduce((sum, { quantity }) => sum + (Number(quantity) || 0), 0);

/** Receives a delivery line by line. The fields start with the outstanding units. */
function ArrivalsDialog({ receipt, onClose }: ArrivalsDialogProps) {
  const first = receipt.lines
    .filter((line) => line.quantity_outstanding > 0)
    .map((line) => ({
      sku: line.sku,
      quantity: String(line.quantity_outstanding),
      lot_number: line.lot_number ?? "",
      expiration_date: line.expiration_date?.slice(0, 10) ?? "",
      bin: "",
      condition: "good",
    }));
  const blank = { sku: "", quantity: "", lot_number: "", expiration_date: "", bin: "", condition: "good" };
  const outstanding = receipt.lines.reduce((sum, line) => sum + line.quantity_outstanding, 0);
  return (
    <FormDialog
      title={texts.arrivals}
      text={texts.arrivalsText}
      submit={texts.take}
      wide
      onClose={onClose}
      first={{ items: first.length > 0 ? first : [blank] }}
      fields={[lines]}
      onSubmit={async (values, key) => {
        const take = (items: readonly EnteredLineValues[]) =>
          post(`/inventory/receipts/${receipt.id}/lines`, { items }, { key });
        await sendLines("items", values["items"], take, comes);
        showSuccess(texts.taken(units(values)));
      }}
    >
      {(values) => {
        const value = units(values);
        if (value === 0) return <p class="will">{texts.nothingEntered}</p>;
        return (
          <p class="will">
            {texts.willTake(value)}
            {value > outstanding && texts.more(value - outstanding)}
          </p>
        );
      }}
    </FormDialog>
  );
}

type ReceivedLine = Receipt["lines"][number];

/** The columns that have values for these lines. */
function columnsOf(lines: readonly ReceivedLine[]): readonly TableColumn<ReceivedLine>[] {
  const some = (says: (line: ReceivedLine) => unknown) => lines.some((line) => Boolean(says(line)));
  const shown: Readonly<Record<string, boolean>> = {
    lot: some(({ lot_number }) => lot_number),
    expiry: some(({ expiration_date }) => expiration_date),
    apart: some((line) => line.quantity_set_aside),
    over: some((line) => line.quantity_over),
    missing: some((line) => line.quantity_missing),
  };
  return columns.filter(({ id }) => shown[id] ?? true);
}

const columns: readonly TableColumn<ReceivedLine>[] = [
  { id: "sku", title: texts.sku, cell: ({ sku }) => <code>{sku}</code>, wide: true },
  { id: "lot", title: texts.lot, cell: ({ lot_number }) => lot_number ?? "" },
  { id: "expiry", title: texts.expiry, cell: ({ expiration_date }) => (expiration_date ? date(expiration_date) : "") },
  { id: "expected", title: texts.expected, align: "right", cell: ({ quantity }) => count(quantity) },
  { id: "received", title: texts.received, align: "right", cell: (it) => count(it.quantity_received) },
  { id: "outstanding", title: texts.outstanding, align: "right", cell: (it) => count(it.quantity_outstanding) },
  {
    id: "apart",
    title: texts.apart,
    align: "right",
    cell: (it) => <span title={texts.setAsideHelp}>{count(it.quantity_set_aside)}</span>,
  },
  { id: "over", title: texts.over, align: "right", cell: (it) => <Odd units={it.quantity_over} /> },
  { id: "missing", title: texts.missing, align: "right", cell: (it) => <Odd units={it.quantity_missing} /> },
];

/** A number that should be zero, highlighted otherwise. */
function Odd({ units }: { readonly units: number }) {
  return <span class={units === 0 ? "muted" : "minus"}>{count(units)}</span>;
}

/** One receipt: its lines and its actions. */
export function ReceiptScreen({ params }: ScreenProps) {
  const found = useQuery<Receipt>(`/inventory/receipts/${params["id"]}`);
  const { data: receipt, etag, problem, loading, reload } = found;
  const { nameOf, zoneOf } = useWarehouses();
  const [entering, setEntering] = useState(false);
  const back = { href: to("/receipts"), title: texts.title };
  if (loading) return <Skeleton />;
  if (receipt === undefined) {
    return (
      <Page title={texts.title} back={back}>
        {problem && <Notice problem={problem} onRetry={reload} />}
      </Page>
    );
  }
  const { id, status, reference, supplier, lines } = receipt;
  return (
    <Page
      title={texts.one(id)}
      back={back}
      badge={<ReceiptBadge status={status} />}
      owned={receipt}
      below={[supplier, reference].filter(Boolean).join(" · ")}
      acts={<Acts receipt={receipt} etag={etag} onEnter={() => setEntering(true)} />}
    >
      <Columns
        main={
          <Card title={texts.lines} flush>
            <DataTable
              name={texts.lines}
              rows={lines}
              columns={columnsOf(lines)}
              id={(line) => String(lines.indexOf(line))}
              href={({ sku }) => stockHref(sku, receipt)}
            />
          </Card>
        }
        side={
          <Card title={texts.details}>
            <DescriptionList
              facts={[
                [texts.warehouse, nameOf(receipt.location)],
                [texts.supplier, supplier],
                [texts.reference, reference],
                [
                  texts.expected,
                  receipt.expected_at && <Day at={receipt.expected_at} zone={zoneOf(receipt.location)} />,
                ],
                [texts.created, <Time key="created" at={receipt.created_at} />],
                receipt.closed_at === null
                  ? null
                  : [texts.statuses.closed, <Time key="closed" at={receipt.closed_at} />],
              ]}
            />
          </Card>
        }
      />
      {status !== "expected" && status !== "cancelled" && (
        <Card title={texts.ledger}>
          <Ledger of={{ reference: id }} on_hand={null} />
        </Card>
      )}
      {entering && <ArrivalsDialog receipt={receipt} onClose={() => setEntering(false)} />}
    </Page>
  );
}

interface ReceiptActsProps {
  readonly receipt: Receipt;
  readonly etag: string | null;
  readonly onEnter: () => void;
}

function Acts({ receipt: { id, allowed_actions, lines }, etag, onEnter }: ReceiptActsProps) {
  const outstanding = lines.reduce((sum, line) => sum + line.quantity_outstanding, 0);
  const close = () =>
    confirm({
      title: texts.closeTitle(id),
      text: texts.closeText(outstanding),
      act: texts.close,
      run: async () => {
        await post(`/inventory/receipts/${id}/close`, {}, { match: etag });
        showSuccess(texts.closed(id));
      },
    });
  const cancel = () =>
    confirm({
      title: texts.cancelTitle(id),
      text: texts.cancelText,
      act: texts.cancel,
      danger: true,
      run: async () => {
        await post(`/inventory/receipts/${id}/cancel`, {}, { match: etag });
        showSuccess(texts.cancelled(id));
      },
    });
  const canCancel = mayAlso("stock.write") && allowed_actions.includes("cancel");
  return (
    <>
      <ActionMenu
        items={[
          { title: texts.print, icon: "print", run: () => window.print() },
          ...(canCancel ? [{ title: texts.cancel, icon: "delete" as const, danger: true, run: cancel }] : []),
        ]}
      />
      {may("stock.floor") && allowed_actions.includes("close") && <Button title={texts.close} onClick={close} />}
      {may("stock.floor") && allowed_actions.includes("scan") && (
        <Button kind="primary" icon="box" title={texts.arrivals} onClick={onEnter} />
      )}
    </>
  );
}
