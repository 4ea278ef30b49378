import { useState } from "preact/hooks";
import { post } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import { may } from "../../api/session.ts";
import type { Transfer } from "../../api/stock_types.ts";
import { to } from "../../browser/router.ts";
import { Button } from "../../kit/button.tsx";
import { confirm } from "../../kit/confirm.tsx";
import { ActionMenu } from "../../kit/menu.tsx";
import { Notice } from "../../kit/notice.tsx";
import { Card, Columns, Page } from "../../kit/page.tsx";
import type { ScreenProps } from "../../kit/screen.ts";
import { Skeleton } from "../../kit/skeleton.tsx";
import { type Column, DataTable } from "../../kit/table.tsx";
import { DescriptionList, Time } from "../../kit/values.tsx";
import { said } from "../../shell/toasts.tsx";
import { count } from "../../texts/format.ts";
import { transferTexts as texts } from "../../texts/transfers.ts";
import { Ledger } from "../stock/ledger.tsx";
import { stockHref, useWarehouses } from "../stock_parts/shared.ts";
import { CloseDialog, ReceiveDialog } from "./acts.tsx";
import { TransferBadge } from "./list.tsx";

type Item = Transfer["items"][number];

const columns: readonly Column<Item>[] = [
  { id: "sku", title: texts.sku, cell: ({ sku }) => <code>{sku}</code>, wide: true },
  {
    id: "lot",
    title: texts.lot,
    cell: ({ lot_number, lots }) => lot_number ?? lots.flatMap((lot) => lot.lot_number ?? []).join(", "),
  },
  { id: "bin", title: texts.bin, cell: ({ bin }) => bin ?? "" },
  { id: "units", title: texts.units, align: "right", cell: ({ quantity }) => count(quantity) },
  { id: "way", title: texts.inTransit, align: "right", cell: (it) => count(it.quantity_in_transit) },
  { id: "received", title: texts.received, align: "right", cell: (it) => count(it.quantity_received) },
  { id: "off", title: texts.writtenOff, align: "right", cell: (it) => count(it.quantity_written_off) },
];

/** One transfer: its lines and its actions. */
export function TransferScreen({ params }: ScreenProps) {
  const found = useQuery<Transfer>(`/inventory/transfers/${params["id"]}`);
  const { data: transfer, etag, problem, loading, reload } = found;
  const { nameOf } = useWarehouses();
  const [act, setAct] = useState<"receive" | "close" | null>(null);
  const back = { href: to("/transfers"), title: texts.title };
  if (loading) return <Skeleton />;
  if (transfer === undefined) {
    return (
      <Page title={texts.title} back={back}>
        {problem && <Notice problem={problem} onRetry={reload} />}
      </Page>
    );
  }
  const { id, status, reference, items } = transfer;
  const dialog = { transfer, onClose: () => setAct(null) };
  return (
    <Page
      title={texts.one(id)}
      back={back}
      beside={<TransferBadge status={status} />}
      owned={transfer}
      below={`${nameOf(transfer.from_location)} → ${nameOf(transfer.to_location)}`}
      acts={<Acts transfer={transfer} etag={etag} onAct={setAct} />}
    >
      <Columns
        main={
          <Card title={texts.lines} flush>
            <DataTable
              name={texts.lines}
              rows={items}
              columns={columns}
              id={(item) => String(items.indexOf(item))}
              href={({ sku }) => stockHref(sku, transfer)}
            />
          </Card>
        }
        side={
          <Card title={texts.details}>
            <DescriptionList
              facts={[
                [texts.from, nameOf(transfer.from_location)],
                [texts.to, nameOf(transfer.to_location)],
                [texts.reference, reference],
                [texts.created, <Time key="created" at={transfer.created_at} />],
                [texts.shipped, <Time key="shipped" at={transfer.shipped_at} />],
                [texts.received, <Time key="received" at={transfer.received_at} />],
              ]}
            />
          </Card>
        }
      />
      {transfer.shipped_at !== null && (
        <Card title={texts.ledger}>
          <Ledger of={{ reference: id }} on_hand={null} />
        </Card>
      )}
      {act === "receive" && <ReceiveDialog {...dialog} />}
      {act === "close" && <CloseDialog {...dialog} etag={etag} />}
    </Page>
  );
}

interface ActsProps {
  readonly transfer: Transfer;
  readonly etag: string | null;
  readonly onAct: (act: "receive" | "close") => void;
}

function Acts({ transfer: { id, allowed_actions, items }, etag, onAct }: ActsProps) {
  const units = items.reduce((sum, { quantity }) => sum + quantity, 0);
  const ship = () =>
    confirm({
      title: texts.shipTitle(id),
      text: texts.shipText(units),
      act: texts.ship,
      run: async () => {
        await post(`/inventory/transfers/${id}/ship`, {}, { match: etag });
        said(texts.shippedDone(id));
      },
    });
  const cancel = () =>
    confirm({
      title: texts.cancelTitle(id),
      text: texts.cancelText,
      act: texts.cancel,
      danger: true,
      run: async () => {
        await post(`/inventory/transfers/${id}/cancel`, {}, { match: etag });
        said(texts.cancelled(id));
      },
    });
  const can = (action: (typeof allowed_actions)[number], permission: "stock.write" | "stock.floor") =>
    may(permission) && allowed_actions.includes(action);
  return (
    <>
      <ActionMenu
        items={[
          { title: texts.print, icon: "print", run: () => window.print() },
          ...(can("cancel", "stock.write")
            ? [{ title: texts.cancel, icon: "delete" as const, danger: true, run: cancel }]
            : []),
        ]}
      />
      {can("close", "stock.write") && <Button title={texts.close} onClick={() => onAct("close")} />}
      {can("ship", "stock.floor") && <Button kind="primary" icon="truck" title={texts.ship} onClick={ship} />}
      {can("receive", "stock.floor") && (
        <Button kind="primary" icon="box" title={texts.receive} onClick={() => onAct("receive")} />
      )}
    </>
  );
}
