import { post } from "../../api/client.ts";
import type { Transfer } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import type { FormField } from "../../components/fields.tsx";
import { Form } from "../../components/form.tsx";
import { lineFields, sendLines } from "../../components/line_fields.tsx";
import { withMerchantField } from "../../components/merchant_field.tsx";
import { Card, Page } from "../../components/page.tsx";
import { showSuccess as toast } from "../../components/toasts.tsx";
import { transferTexts as texts } from "../../text/transfers.ts";
import { enteredText, useWarehouses } from "./stock_links.ts";

const items = lineFields({
  name: "items",
  label: texts.lines,
  add: texts.addLine,
  remove: texts.removeLine,
  fields: [
    { name: "sku", title: texts.sku, kind: "product", required: true, wide: true },
    { name: "quantity", title: texts.quantity, kind: "number", required: true },
    { name: "lot_number", title: texts.lot, kind: "text", mono: true },
    { name: "bin", title: texts.bin, kind: "text", mono: true },
  ],
});

export function NewTransferScreen() {
  const { options } = useWarehouses();
  const back = to("/transfers");
  const place = (name: string, label: string): FormField => ({
    kind: "select",
    name,
    label,
    required: true,
    width: "half",
    options,
    empty: "",
  });
  return (
    <Page title={texts.create} back={{ href: back, title: texts.title }} narrow>
      <Card>
        <Form
          submit={texts.create}
          onCancel={() => navigate(back)}
          first={{ from_location: "", to_location: "", reference: "", items: [{ sku: "", quantity: "" }] }}
          fields={withMerchantField([
            place("from_location", texts.from),
            place("to_location", texts.to),
            { kind: "text", name: "reference", label: texts.reference, width: "half" },
            items,
          ])}
          onSubmit={async ({ from_location, to_location, reference, items: lines }, key) => {
            const body = { from_location, to_location, reference: enteredText(reference) ?? null };
            const { data } = await sendLines("items", lines, (filled) =>
              post<Transfer>("/inventory/transfers", { ...body, items: filled }, { key }),
            );
            toast(texts.planned(data.id));
            navigate(to(`/transfers/${data.id}`), { replace: true });
          }}
        />
      </Card>
    </Page>
  );
}
