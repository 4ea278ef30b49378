import { useState } from "preact/hooks";
import { post } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import { may } from "../../api/session.ts";
import type { Transfer } from "../../api/types.ts";
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
import { showSuccess, showSuccess as toast } from "../../components/toasts.tsx";
import { DescriptionList, Time } from "../../components/values.tsx";
import { count } from "../../text/format.ts";
import { transferTexts as texts } from "../../text/transfers.ts";
import { Ledger } from "./ledger.tsx";
import { enteredText, optionsOf, stockHref, useWarehouses } from "./stock_links.ts";
import { TransferBadge } from "./transfer_list.tsx";

interface TransferDialogProps {
  readonly transfer: Transfer;
  readonly onClose: () => void;
}

const lines = lineFields({
  name: "items",
  label: texts.lines,
  add: texts.addLine,
  remove: texts.removeLine,
  fields: [
    { name: "sku", title: texts.sku, kind: "product", required: true, wide: true },
    { name: "quantity", title: texts.quantity, kind: "number", required: true },
    { name: "lot_number", title: texts.lot, kind: "text", mono: true },
    { name: "bin", title: texts.toBin, kind: "text", mono: true },
  ],
});

const comes = (line: EnteredLineValues) => line["quantity"] !== undefined;
const units = (values: FormValues) =>
  filledLines(values["items"], comes).reduce((sum, { quantity }) => sum + (Number(quantity) || 0), 0);
const onTheWay = ({ items }: Transfer) => items.reduce((sum, item) => sum + item.quantity_in_transit, 0);

/** Receives a transfer. The fields start with all units in transit. */
function ReceiveDialog({ transfer, onClose }: TransferDialogProps) {
  const first = transfer.items.flatMap(({ sku, lots }) =>
    lots
      .filter(({ quantity_in_transit }) => quantity_in_transit > 0)
      .map((lot) => ({
        sku,
        quantity: String(lot.quantity_in_transit),
        lot_number: lot.lot_number ?? "",
        bin: "",
      })),
  );
  return (
    <FormDialog
      title={texts.receiveTitle(transfer.id)}
      text={texts.receiveText}
      submit={texts.receive}
      wide
      onClose={onClose}
      first={{ items: first }}
      fields={[lines]}
      onSubmit={async (values, key) => {
        const send = (items: readonly EnteredLineValues[]) =>
          post(`/inventory/transfers/${transfer.id}/receive`, { items }, { key });
        await sendLines("items", values["items"], send, comes);
        toast(texts.receivedDone(units(values)));
      }}
    >
      {(values) => (
        <p class="will">{texts.receiveWill(units(values), Math.max(0, onTheWay(transfer) - units(values)))}</p>
      )}
    </FormDialog>
  );
}

/** Closes a transfer. Units that have not arrived are written off. */
function CloseDialog({ transfer, etag, onClose }: TransferDialogProps & { readonly etag: string | null }) {
  const missing = onTheWay(transfer);
  return (
    <FormDialog
      title={texts.closeTitle(transfer.id)}
      text={texts.closeText(missing)}
      submit={texts.close}
      danger={missing > 0}
      onClose={onClose}
      first={{ reason: "lost", notes: "" }}
      fields={
        missing === 0
          ? []
          : [
              {
                kind: "select",
                name: "reason",
                label: texts.missing,
                required: true,
                options: optionsOf(texts.reasons),
              },
              { kind: "text", name: "notes", label: texts.notes, lines: 2 },
            ]
      }
      onSubmit={async ({ reason, notes }, key) => {
        const body = missing === 0 ? {} : { reason, notes: enteredText(notes) ?? null };
        await post(`/inventory/transfers/${transfer.id}/close`, body, { key, match: etag });
        toast(texts.closed(transfer.id));
      }}
    />
  );
}

type TransferItem = Transfer["items"][number];

const columns: readonly TableColumn<TransferItem>[] = [
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
      badge={<TransferBadge status={status} />}
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

interface TransferActsProps {
  readonly transfer: Transfer;
  readonly etag: string | null;
  readonly onAct: (act: "receive" | "close") => void;
}

function Acts({ transfer: { id, allowed_actions, items }, etag, onAct }: TransferActsProps) {
  const units = items.reduce((sum, { quantity }) => sum + quantity, 0);
  const ship = () =>
    confirm({
      title: texts.shipTitle(id),
      text: texts.shipText(units),
      act: texts.ship,
      run: async () => {
        await post(`/inventory/transfers/${id}/ship`, {}, { match: etag });
        showSuccess(texts.shippedDone(id));
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
        showSuccess(texts.cancelled(id));
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
