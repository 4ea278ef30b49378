import { productFields, productLayout } from "../../../../products/product.resource.ts";
import { post } from "../../api/client.ts";
import type { ProductRecord } from "../../api/types.ts";
import { numberOrText } from "../../components/form_values.ts";
import { type PickedLine, productLines } from "../../components/pickers.tsx";
import { editScreen, NewRecordPage } from "../../components/record_forms.tsx";
import { formFields } from "../../components/resource_fields.ts";
import type { ScreenProps } from "../../components/screen.ts";
import { productTexts as texts } from "../../text/products.ts";
import { packLines } from "./pack_lines.tsx";

/** The type of a barcode by its form: a retail number, or anything else. */
const kindOf = (value: string) => {
  if (!/^\d+$/.test(value)) return "code128";
  return ({ 12: "upc", 13: "ean", 14: "gtin" } as const)[value.length] ?? "other";
};

const inputs = (is_new: boolean) =>
  formFields(productFields, productLayout.form, is_new, {
    components: (common) => ({
      ...productLines(common),
      first: [],
      entered: (components: ProductRecord["components"]) =>
        components.map(({ sku, quantity }) => ({ sku, quantity: String(quantity) })),
      sent: (lines: readonly PickedLine[]) =>
        lines.map(({ sku, quantity }) => ({ sku, quantity: numberOrText(quantity) })),
    }),
    packs: packLines,
    barcodes: (common) => ({
      ...common,
      kind: "text",
      lines: 2,
      mono: true,
      entered: (barcodes: ProductRecord["barcodes"]) => barcodes.map(({ value }) => value).join("\n"),
      sent: (entered: string, before: ProductRecord | null) =>
        entered
          .split(/[\n,]/)
          .map((code) => code.trim())
          .filter(Boolean)
          .map((value) => before?.barcodes.find((one) => one.value === value) ?? { value, type: kindOf(value) }),
    }),
  });

export function NewProductScreen(props: ScreenProps) {
  return (
    <NewRecordPage<ProductRecord>
      {...props}
      fields={inputs(true)}
      create={(_values, key, body) => post("/products", body, { key })}
      done={({ sku }) => texts.created_(sku)}
      opens={({ id }) => `/products/${id}`}
    />
  );
}

export const EditProductScreen = editScreen<ProductRecord>("/products/:id", {
  fields: inputs(false),
  name: ({ name }) => name,
  done: ({ sku }) => texts.saved(sku),
});
