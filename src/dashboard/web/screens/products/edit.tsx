import { patch, post } from "../../api/client.ts";
import { useOpened } from "../../api/query.ts";
import type { Product } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import { Form } from "../../kit/form.tsx";
import { withMerchantField } from "../../kit/merchant_field.tsx";
import { Notice } from "../../kit/notice.tsx";
import { Card, Page } from "../../kit/page.tsx";
import type { ScreenProps } from "../../kit/screen.ts";
import { Skeleton } from "../../kit/skeleton.tsx";
import { said } from "../../shell/toasts.tsx";
import { words } from "../../texts/common.ts";
import { titles } from "../../texts/navigation.ts";
import { productTexts as texts } from "../../texts/products.ts";
import { productFields } from "./fields.ts";
import { bodyOf, firstValues, valuesOf } from "./values.ts";

/** Creates a product. */
export function NewProductScreen() {
  return (
    <Page title={titles.newProduct} back={{ href: to("/products"), title: titles.products }} narrow>
      <Card>
        <Form
          fields={withMerchantField(productFields(true))}
          first={firstValues}
          submit={words.create}
          onCancel={() => navigate(to("/products"))}
          onSubmit={async (values, key) => {
            const { data } = await post<Product>("/products", bodyOf(values), { key });
            said(texts.created_(data.sku));
            navigate(to(`/products/${data.id}`), { replace: true });
          }}
        />
      </Card>
    </Page>
  );
}

/** Changes a product, unless somebody else changed it meanwhile. */
export function ChangeProductScreen({ params }: ScreenProps) {
  const path = `/products/${params["id"]}`;
  const { data: product, etag, problem, loading } = useOpened<Product>(path);
  const back = to(path);
  if (loading) return <Skeleton />;
  return (
    <Page title={titles.changeProduct} back={{ href: back, title: product?.name ?? titles.product }} narrow>
      {problem && <Notice problem={problem} />}
      {product && (
        <Card>
          <Form
            fields={productFields(false)}
            first={valuesOf(product)}
            submit={words.save}
            unchanged={false}
            onCancel={() => navigate(back)}
            onSubmit={async (values, key) => {
              await patch<Product>(`/products/${product.id}`, bodyOf(values, product), { key, match: etag });
              said(texts.saved(product.sku));
              navigate(back, { replace: true });
            }}
          />
        </Card>
      )}
    </Page>
  );
}
