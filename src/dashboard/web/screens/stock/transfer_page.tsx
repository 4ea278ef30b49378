import { post } from "../../api/client.ts";
import type { Transfer } from "../../api/types.ts";
import { type Action, Actions } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import type { FormField, FormValues } from "../../components/fields.tsx";
import { optionsOf } from "../../components/form_values.ts";
import { Page } from "../../components/page.tsx";
import { type RecordProps, recordScreen } from "../../components/record_screen.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { Time } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { transferTexts as texts } from "../../text/transfers.ts";
import { commonActions, DocumentBody, sendArrived, unitLines, unitsIn } from "./documents.tsx";
import { enteredText, useWarehouses } from "./stock_links.ts";

/** One transfer: its lines and its actions. */
export const TransferScreen = recordScreen("/inventory/transfers/:id", TransferPage);

function TransferPage({ record: transfer, etag, back }: RecordProps<Transfer>) {
  const { nameOf } = useWarehouses();
  const { id, status, reference, items, created_at, shipped_at, received_at } = transfer;
  const [from, to] = [nameOf(transfer.from_location), nameOf(transfer.to_location)];
  return (
    <Page
      title={texts.one(id)}
      back={back}
      badge={<Badge of="transfer" state={status} />}
      owned={transfer}
      below={`${from} → ${to}`}
      acts={<Actions of={actionsOf(transfer, etag)} />}
    >
      <DocumentBody
        title={texts.lines}
        of={transfer}
        lines={items}
        columns={columns}
        facts={[
          [texts.from, from],
          [words.to, to],
          [words.reference, reference],
          [words.created, <Time key="created" at={created_at} />],
          [words.shipped, <Time key="shipped" at={shipped_at} />],
          [words.received, <Time key="received" at={received_at} />],
        ]}
        moved={shipped_at !== null}
      />
    </Page>
  );
}

type TransferItem = Transfer["items"][number];

const columns: readonly TableColumn<TransferItem>[] = [
  { id: "sku", title: words.sku, code: "sku", wide: true },
  {
    id: "lot",
    title: words.lot,
    cell: ({ lot_number, lots }) => lot_number ?? lots.flatMap((lot) => lot.lot_number ?? []).join(", "),
  },
  { id: "bin", title: texts.bin, text: "bin" },
  { id: "units", title: words.units, number: "quantity" },
  { id: "way", title: texts.inTransit, number: "quantity_in_transit" },
  { id: "received", title: words.received, number: "quantity_received" },
  { id: "off", title: texts.writtenOff, number: "quantity_written_off" },
];

const receivedLines = unitLines("items", texts.lines, [{ name: "bin", title: words.toBin, kind: "text", mono: true }]);
const closeFields: readonly FormField[] = [
  { kind: "select", name: "reason", label: texts.missing, required: true, options: optionsOf(texts.reasons) },
  { kind: "text", name: "notes", label: words.notes, lines: 2 },
];

function actionsOf(transfer: Transfer, etag: string | null): readonly Action[] {
  const { id, items, allowed_actions } = transfer;
  const planned = items.reduce((sum, { quantity }) => sum + quantity, 0);
  const missing = items.reduce((sum, item) => sum + item.quantity_in_transit, 0);
  return [
    { ...receive(transfer, missing), when: allowed_actions.includes("receive") },
    {
      title: texts.ship,
      icon: "truck",
      button: "primary",
      permission: "stock.floor",
      match: etag,
      when: allowed_actions.includes("ship"),
      ask: { title: texts.shipTitle(id), text: texts.shipText(planned) },
      call: { method: "POST", path: `/inventory/transfers/${id}/ship` },
      done: texts.shippedDone(id),
    },
    {
      title: words.close,
      button: true,
      permission: "stock.write",
      match: etag,
      when: allowed_actions.includes("close"),
      // Units that have not arrived are written off.
      ask: {
        title: texts.closeTitle(id),
        text: texts.closeText(missing),
        danger: missing > 0,
        fields: missing === 0 ? [] : closeFields,
        first: { reason: "lost" },
      },
      call: ({ reason, notes }) => ({
        method: "POST",
        path: `/inventory/transfers/${id}/close`,
        body: missing === 0 ? {} : { reason, notes: enteredText(notes) ?? null },
      }),
      done: texts.closed(id),
    },
    ...commonActions("transfers", transfer, etag, texts),
  ];
}

/** Receives a transfer. The fields start with all units in transit. */
function receive({ id, items }: Transfer, in_transit: number): Action {
  const first = items.flatMap(({ sku, lots }) =>
    lots
      .filter(({ quantity_in_transit }) => quantity_in_transit > 0)
      .map((lot) => ({ sku, quantity: String(lot.quantity_in_transit), lot_number: lot.lot_number ?? "", bin: "" })),
  );
  const preview = (values: FormValues) => (
    <p class="will">{texts.receiveWill(unitsIn(values), Math.max(0, in_transit - unitsIn(values)))}</p>
  );
  return {
    title: words.receive,
    icon: "box",
    button: "primary",
    permission: "stock.floor",
    ask: {
      title: texts.receiveTitle(id),
      text: texts.receiveText,
      wide: true,
      preview,
      fields: [receivedLines],
      first: { items: first },
    },
    run: (values, key) =>
      sendArrived(values, (items) => post(`/inventory/transfers/${id}/receive`, { items }, { key })),
    done: (_, values) => texts.receivedDone(unitsIn(values)),
  };
}
