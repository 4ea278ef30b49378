import { post } from "../../api/client.ts";
import type { Receipt } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import { Form } from "../../components/form.tsx";
import { lineFields, sendLines } from "../../components/line_fields.tsx";
import { withMerchantField } from "../../components/merchant_field.tsx";
import { Card, Page } from "../../components/page.tsx";
import { showSuccess as toast } from "../../components/toasts.tsx";
import { receiptTexts as texts } from "../../text/transfers.ts";
import { enteredText, useWarehouses } from "./stock_links.ts";

const linesField = lineFields({
  name: "lines",
  label: texts.lines,
  add: texts.addLine,
  remove: texts.removeLine,
  fields: [
    { name: "sku", title: texts.sku, kind: "product", required: true, wide: true },
    { name: "quantity", title: texts.quantity, kind: "number", required: true },
    { name: "lot_number", title: texts.lot, kind: "text", mono: true },
    { name: "expiration_date", title: texts.expiry, kind: "date" },
  ],
});

/** Creates an inbound shipment for an expected delivery. */
export function NewReceiptScreen() {
  const { several, options } = useWarehouses();
  const back = to("/receipts");
  return (
    <Page title={texts.create} back={{ href: back, title: texts.title }} narrow>
      <Card>
        <Form
          submit={texts.create}
          onCancel={() => navigate(back)}
          first={{ reference: "", supplier: "", expected_at: "", location: "", lines: [{ sku: "", quantity: "" }] }}
          fields={withMerchantField([
            { kind: "text", name: "supplier", label: texts.supplier, width: "half", focus: true },
            { kind: "text", name: "reference", label: texts.reference, help: texts.referenceHelp, width: "half" },
            { kind: "date", name: "expected_at", label: texts.expected, width: "half" },
            ...(several
              ? [
                  {
                    kind: "select" as const,
                    name: "location",
                    label: texts.warehouse,
                    required: true,
                    width: "half" as const,
                    options,
                    empty: "",
                  },
                ]
              : []),
            linesField,
          ])}
          onSubmit={async (values, key) => {
            const body = {
              reference: enteredText(values["reference"]) ?? null,
              supplier: enteredText(values["supplier"]) ?? null,
              expected_at: enteredText(values["expected_at"]) ?? null,
              location: enteredText(values["location"]),
            };
            const { data } = await sendLines("lines", values["lines"], (lines) =>
              post<Receipt>("/inventory/receipts", { ...body, lines }, { key }),
            );
            toast(texts.created_(data.id));
            navigate(to(`/receipts/${data.id}`), { replace: true });
          }}
        />
      </Card>
    </Page>
  );
}
