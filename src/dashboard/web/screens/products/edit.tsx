import { patch, post } from "../../api/client.ts";
import { useOpened } from "../../api/query.ts";
import type { Product } from "../../api/types.ts";
import type { Field, Option, Values } from "../../kit/fields.tsx";
import { Form } from "../../kit/form.tsx";
import { Notice } from "../../kit/notice.tsx";
import { Card, Page } from "../../kit/page.tsx";
import { Skeleton } from "../../kit/skeleton.tsx";
import type { ScreenProps } from "../../screen.ts";
import { navigate, to } from "../../shell/router.ts";
import { said } from "../../shell/toasts.tsx";
import { words } from "../../texts/common.ts";
import { titles } from "../../texts/navigation.ts";
import { productTexts as texts } from "../../texts/products.ts";

const options = (all: Readonly<Record<string, string>>): readonly Option[] =>
  Object.entries(all).map(([value, title]) => ({ value, title }));

const fields: readonly Field[] = [
  { kind: "heading", name: "basics", label: texts.basics },
  { kind: "text", name: "sku", label: texts.sku, required: true, width: "half", mono: true },
  {
    kind: "select",
    name: "status",
    label: texts.status,
    required: true,
    width: "half",
    options: options(texts.statuses),
  },
  { kind: "text", name: "name", label: texts.name, required: true },
  { kind: "text", name: "description", label: texts.description, lines: 3 },
  { kind: "money", name: "price", label: texts.price, width: "half" },
  { kind: "weight", name: "weight", unit_name: "weight_unit", label: texts.weight, width: "half" },
  { kind: "heading", name: "storing", label: texts.storing },
  {
    kind: "select",
    name: "temperature_zone",
    label: texts.zone,
    required: true,
    width: "half",
    options: options(texts.zones),
  },
  { kind: "number", name: "reorder_point", label: texts.reorderPoint, help: texts.reorderHelp, width: "half" },
  { kind: "switch", name: "lot_tracking", label: texts.lotTracking, help: texts.lotTrackingHelp },
  { kind: "switch", name: "expiration_tracking", label: texts.expirationTracking, help: texts.expirationTrackingHelp },
  {
    kind: "number",
    name: "min_shelf_life_days",
    label: texts.shelfLife,
    unit: texts.days,
    width: "half",
    when: ({ expiration_tracking }) => expiration_tracking === true,
  },
];

const first: Values = {
  sku: "",
  name: "",
  description: "",
  status: "active",
  price: "",
  currency: "USD",
  weight: "",
  weight_unit: "lb",
  temperature_zone: "ambient",
  reorder_point: "",
  lot_tracking: false,
  expiration_tracking: false,
  min_shelf_life_days: "",
};

const number = (value: unknown) => (value === "" || value === null ? null : Number(value));

/** The form's values as the API takes them. */
function bodyOf(values: Values) {
  const { price, weight, weight_unit, reorder_point, min_shelf_life_days, description, ...rest } = values;
  return {
    ...rest,
    description: description === "" ? null : description,
    price: price === "" ? null : price,
    weight: number(weight),
    weight_unit: number(weight) === null ? null : weight_unit,
    reorder_point: number(reorder_point) ?? 0,
    min_shelf_life_days: number(min_shelf_life_days) ?? 0,
  };
}

/** Enters a product. */
export function NewProductScreen() {
  return (
    <Page title={titles.newProduct} back={{ href: to("/products"), title: titles.products }} narrow>
      <Card>
        <Form
          fields={fields}
          first={first}
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

/** Changes a product, unless somebody else has in the meantime. */
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
            fields={fields}
            first={valuesOf(product)}
            submit={words.save}
            unchanged={false}
            onCancel={() => navigate(back)}
            onSubmit={async (values, key) => {
              await patch<Product>(`/products/${product.id}`, bodyOf(values), { key, match: etag });
              said(texts.saved(product.sku));
              navigate(back, { replace: true });
            }}
          />
        </Card>
      )}
    </Page>
  );
}

const valuesOf = (product: Product): Values => {
  const known = product as unknown as Values;
  return Object.fromEntries(Object.entries(first).map(([name, empty]) => [name, known[name] ?? empty]));
};
