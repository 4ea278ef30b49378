import { productFields, productLayout } from "../../../../products/product.resource.ts";
import { patch, post } from "../../api/client.ts";
import { useOpened } from "../../api/query.ts";
import type { ProductRecord } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import { Form } from "../../components/form.tsx";
import { numberOrText } from "../../components/form_values.ts";
import { withMerchantField } from "../../components/merchant_field.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { Card, Page } from "../../components/page.tsx";
import { type PickedLine, productLines } from "../../components/pickers.tsx";
import { formFields } from "../../components/resource_fields.ts";
import type { ScreenProps } from "../../components/screen.ts";
import { showSuccess } from "../../components/toasts.tsx";
import { words } from "../../text/common.ts";
import { titles } from "../../text/navigation.ts";
import { productTexts as texts } from "../../text/products.ts";

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

export function NewProductScreen() {
  return (
    <Page title={titles.newProduct} back={{ href: to("/products"), title: titles.products }} narrow>
      <Card>
        <Form
          fields={withMerchantField(inputs(true))}
          submit={words.create}
          onCancel={() => navigate(to("/products"))}
          onSubmit={async (_values, key, body) => {
            const { data } = await post<ProductRecord>("/products", body, { key });
            showSuccess(texts.created_(data.sku));
            navigate(to(`/products/${data.id}`), { replace: true });
          }}
        />
      </Card>
    </Page>
  );
}

/** Edits a product. Refused if someone else edited it since it was opened. */
export function EditProductScreen({ params }: ScreenProps) {
  const path = `/products/${params["id"]}`;
  const { data: product, etag, problem, loading } = useOpened<ProductRecord>(path);
  const back = to(path);
  if (loading) return <Skeleton />;
  return (
    <Page title={titles.editProduct} back={{ href: back, title: product?.name ?? titles.product }} narrow>
      {problem && <Notice problem={problem} />}
      {product && (
        <Card>
          <Form
            fields={inputs(false)}
            record={product}
            submit={words.save}
            unchanged={false}
            onCancel={() => navigate(back)}
            onSubmit={async (_values, key, body) => {
              await patch<ProductRecord>(`/products/${product.id}`, body, { key, match: etag });
              showSuccess(texts.saved(product.sku));
              navigate(back, { replace: true });
            }}
          />
        </Card>
      )}
    </Page>
  );
}
