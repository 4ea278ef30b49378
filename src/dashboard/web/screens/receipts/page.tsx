import { useState } from "preact/hooks";
import { post } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import { may, mayAlso } from "../../api/session.ts";
import type { Receipt } from "../../api/stock_types.ts";
import { to } from "../../browser/router.ts";
import { Button } from "../../kit/button.tsx";
import { confirm } from "../../kit/confirm.tsx";
import { ActionMenu } from "../../kit/menu.tsx";
import { Notice } from "../../kit/notice.tsx";
import { Card, Columns, Page } from "../../kit/page.tsx";
import type { ScreenProps } from "../../kit/screen.ts";
import { Skeleton } from "../../kit/skeleton.tsx";
import { type Column, DataTable } from "../../kit/table.tsx";
import { Day, DescriptionList, Time } from "../../kit/values.tsx";
import { said } from "../../shell/toasts.tsx";
import { count, date } from "../../texts/format.ts";
import { receiptTexts as texts } from "../../texts/receipts.ts";
import { Ledger } from "../stock/ledger.tsx";
import { stockHref, useWarehouses } from "../stock_parts/shared.ts";
import { ArrivalsDialog } from "./arrivals.tsx";
import { ReceiptBadge } from "./list.tsx";

type Line = Receipt["lines"][number];

/** The columns that have values for these lines. */
function columnsOf(lines: readonly Line[]): readonly Column<Line>[] {
  const some = (says: (line: Line) => unknown) => lines.some((line) => Boolean(says(line)));
  const shown: Readonly<Record<string, boolean>> = {
    lot: some(({ lot_number }) => lot_number),
    expiry: some(({ expiration_date }) => expiration_date),
    apart: some((line) => line.quantity_set_aside),
    over: some((line) => line.quantity_over),
    missing: some((line) => line.quantity_missing),
  };
  return columns.filter(({ id }) => shown[id] ?? true);
}

const columns: readonly Column<Line>[] = [
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
      beside={<ReceiptBadge status={status} />}
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

interface ActsProps {
  readonly receipt: Receipt;
  readonly etag: string | null;
  readonly onEnter: () => void;
}

function Acts({ receipt: { id, allowed_actions, lines }, etag, onEnter }: ActsProps) {
  const outstanding = lines.reduce((sum, line) => sum + line.quantity_outstanding, 0);
  const close = () =>
    confirm({
      title: texts.closeTitle(id),
      text: texts.closeText(outstanding),
      act: texts.close,
      run: async () => {
        await post(`/inventory/receipts/${id}/close`, {}, { match: etag });
        said(texts.closed(id));
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
        said(texts.cancelled(id));
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
