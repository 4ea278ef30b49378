import { post } from "../../api/client.ts";
import type { Receipt } from "../../api/stock_types.ts";
import { navigate, to } from "../../browser/router.ts";
import { Form } from "../../kit/form.tsx";
import { lineFields, sendLines } from "../../kit/line_fields.tsx";
import { withMerchantField } from "../../kit/merchant_field.tsx";
import { Card, Page } from "../../kit/page.tsx";
import { said as toast } from "../../shell/toasts.tsx";
import { receiptTexts as texts } from "../../texts/receipts.ts";
import { said, useWarehouses } from "../stock_parts/shared.ts";

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

/** Creates a receipt for an expected delivery. */
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
              reference: said(values["reference"]) ?? null,
              supplier: said(values["supplier"]) ?? null,
              expected_at: said(values["expected_at"]) ?? null,
              location: said(values["location"]),
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
