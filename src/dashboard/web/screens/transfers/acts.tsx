import { post } from "../../api/client.ts";
import type { Transfer } from "../../api/stock_types.ts";
import type { Values } from "../../kit/fields.tsx";
import { FormDialog } from "../../kit/form.tsx";
import { type FilledLine, filledLines, lineFields, sendLines } from "../../kit/line_fields.tsx";
import { said as toast } from "../../shell/toasts.tsx";
import { transferTexts as texts } from "../../texts/transfers.ts";
import { optionsOf, said } from "../stock_parts/shared.ts";

interface Props {
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

const comes = (line: FilledLine) => line["quantity"] !== undefined;
const units = (values: Values) =>
  filledLines(values["items"], comes).reduce((sum, { quantity }) => sum + (Number(quantity) || 0), 0);
const onTheWay = ({ items }: Transfer) => items.reduce((sum, item) => sum + item.quantity_in_transit, 0);

/** Receives a transfer. The fields start with all units in transit. */
export function ReceiveDialog({ transfer, onClose }: Props) {
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
        const send = (items: readonly FilledLine[]) =>
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
export function CloseDialog({ transfer, etag, onClose }: Props & { readonly etag: string | null }) {
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
        const body = missing === 0 ? {} : { reason, notes: said(notes) ?? null };
        await post(`/inventory/transfers/${transfer.id}/close`, body, { key, match: etag });
        toast(texts.closed(transfer.id));
      }}
    />
  );
}
