import { post } from "../../api/client.ts";
import type { Receipt } from "../../api/stock_types.ts";
import type { Values } from "../../kit/fields.tsx";
import { FormDialog } from "../../kit/form.tsx";
import { type FilledLine, filledLines, lineFields, sendLines } from "../../kit/line_fields.tsx";
import { said } from "../../shell/toasts.tsx";
import { receiptTexts as texts } from "../../texts/receipts.ts";
import { optionsOf } from "../stock_parts/shared.ts";

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

interface Props {
  readonly receipt: Receipt;
  readonly onClose: () => void;
}

const comes = (line: FilledLine) => line["quantity"] !== undefined;
const units = (values: Values) =>
  filledLines(values["items"], comes).reduce((sum, { quantity }) => sum + (Number(quantity) || 0), 0);

/** Receives a delivery line by line. The fields start with the outstanding units. */
export function ArrivalsDialog({ receipt, onClose }: Props) {
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
        const take = (items: readonly FilledLine[]) =>
          post(`/inventory/receipts/${receipt.id}/lines`, { items }, { key });
        await sendLines("items", values["items"], take, comes);
        said(texts.taken(units(values)));
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
