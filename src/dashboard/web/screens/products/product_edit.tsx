import { patch, post } from "../../api/client.ts";
import { useOpened } from "../../api/query.ts";
import type { ProductRecord } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import type { FormField, FormValues, Option } from "../../components/fields.tsx";
import { Form } from "../../components/form.tsx";
import { withMerchantField } from "../../components/merchant_field.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { Card, Page } from "../../components/page.tsx";
import { type PickedLine, productLines } from "../../components/pickers.tsx";
import type { ScreenProps } from "../../components/screen.ts";
import { showSuccess } from "../../components/toasts.tsx";
import { words } from "../../text/common.ts";
import { countryNames } from "../../text/countries_and_units.ts";
import { titles } from "../../text/navigation.ts";
import { productTexts as texts } from "../../text/products.ts";

const options = (all: Readonly<Record<string, string>>): readonly Option[] =>
  Object.entries(all).map(([value, title]) => ({ value, title }));

const half = { width: "half" } as const;
const third = { width: "third" } as const;

/** The fields of a product. The type of an existing product cannot change. */
const productFields = (is_new: boolean): readonly FormField[] => [
  { kind: "heading", name: "basics", label: texts.basics },
  { kind: "text", name: "sku", label: texts.sku, required: true, mono: true, focus: is_new, ...half },
  { kind: "select", name: "status", label: texts.status, required: true, options: options(texts.statuses), ...half },
  { kind: "text", name: "name", label: texts.name, required: true },
  {
    kind: "select",
    name: "type",
    label: texts.type,
    required: true,
    options: options(texts.types),
    ...half,
    help: texts.typeHelp,
    disabled: !is_new,
  },
  { kind: "money", name: "price", label: texts.price, ...half },
  productLines({
    name: "components",
    label: texts.parts,
    help: texts.partsHelp,
    when: ({ type }) => type === "bundle",
  }),
  { kind: "text", name: "description", label: texts.description, lines: 2 },
  { kind: "text", name: "barcodes", label: texts.barcodes, lines: 2, mono: true, help: texts.barcodesHelp },
  { kind: "heading", name: "measures", label: texts.measures },
  { kind: "weight", name: "weight", unit_name: "weight_unit", label: texts.weight, ...half },
  {
    kind: "select",
    name: "dimensions.unit",
    label: texts.lengthUnit,
    required: true,
    ...half,
    options: options(texts.lengthUnits),
  },
  { kind: "number", name: "dimensions.length", label: texts.length, ...third },
  { kind: "number", name: "dimensions.width", label: texts.width, ...third },
  { kind: "number", name: "dimensions.height", label: texts.height, ...third },
  { kind: "heading", name: "storing", label: texts.storing },
  {
    kind: "select",
    name: "temperature_zone",
    label: texts.zone,
    required: true,
    options: options(texts.zones),
    ...half,
  },
  { kind: "number", name: "reorder_point", label: texts.reorderPoint, help: texts.reorderHelp, ...half },
  { kind: "switch", name: "lot_tracking", label: texts.lotTracking, help: texts.lotTrackingHelp },
  { kind: "switch", name: "expiration_tracking", label: texts.expirationTracking, help: texts.expirationTrackingHelp },
  {
    kind: "number",
    name: "min_shelf_life_days",
    label: texts.shelfLife,
    unit: texts.days,
    ...half,
    when: ({ expiration_tracking }) => expiration_tracking === true,
  },
  { kind: "heading", name: "customs", label: texts.customs, help: texts.customsHelp },
  { kind: "text", name: "customs.hs_code", label: texts.hsCode, ...half },
  {
    kind: "select",
    name: "customs.country_of_origin",
    label: texts.origin,
    empty: "",
    ...half,
    options: countryNames(),
  },
  { kind: "text", name: "customs.description", label: texts.customsText },
];

/** The initial values of a new product. */
const firstValues: FormValues = {
  sku: "",
  name: "",
  description: "",
  status: "active",
  type: "simple",
  components: [],
  barcodes: "",
  price: "",
  currency: "USD",
  weight: "",
  weight_unit: "lb",
  "dimensions.length": "",
  "dimensions.width": "",
  "dimensions.height": "",
  "dimensions.unit": "in",
  temperature_zone: "ambient",
  reorder_point: "",
  lot_tracking: false,
  expiration_tracking: false,
  min_shelf_life_days: "",
  "customs.hs_code": "",
  "customs.country_of_origin": "",
  "customs.description": "",
};

/** The form values of a product. */
function valuesOf(product: ProductRecord): FormValues {
  const { barcodes, components, dimensions, customs, ...rest } = product as ProductRecord & FormValues;
  const plain = Object.keys(firstValues).flatMap((name) =>
    name in rest && rest[name] !== null ? [[name, rest[name]]] : [],
  );
  const below = (above: string, part: object | null) =>
    Object.fromEntries(Object.entries(part ?? {}).map(([name, value]) => [`${above}.${name}`, value]));
  return {
    ...firstValues,
    ...Object.fromEntries(plain),
    ...below("dimensions", dimensions),
    ...below("customs", customs),
    barcodes: barcodes.map(({ value }) => value).join("\n"),
    components: components.map(({ sku, quantity }) => ({ sku, quantity: String(quantity) })),
  };
}

const isEmpty = (value: unknown) => value === "" || value === null || value === undefined;
/** An entered number. Other text is sent unchanged, so that the API reports the error. */
const number = (value: unknown) => {
  const text = String(value).trim();
  return text === "" ? null : Number.isFinite(Number(text)) ? Number(text) : text;
};

/** The type of a barcode by its form: a retail number, or anything else. */
const kindOf = (value: string) => {
  if (!/^\d+$/.test(value)) return "code128";
  return ({ 12: "upc", 13: "ean", 14: "gtin" } as const)[value.length] ?? "other";
};

function below(values: FormValues, above: string): Record<string, unknown> {
  const parts = Object.entries(values).filter(([name, value]) => name.startsWith(`${above}.`) && !isEmpty(value));
  return Object.fromEntries(parts.map(([name, value]) => [name.slice(above.length + 1), value]));
}

/** The request body of the form values. `before` is the product before the change. */
function bodyOf(values: FormValues, before: ProductRecord | null = null) {
  const { sku, name, description, status, type, components, barcodes, price, currency } = values;
  const { weight, weight_unit, temperature_zone, lot_tracking, expiration_tracking } = values;
  const sides = below(values, "dimensions");
  const { unit, ...lengths } = sides;
  const customs = below(values, "customs");
  const codes = String(barcodes)
    .split(/[\n,]/)
    .map((code) => code.trim())
    .filter(Boolean);
  return {
    sku,
    name,
    status,
    currency,
    temperature_zone,
    lot_tracking,
    expiration_tracking,
    description: isEmpty(description) ? null : description,
    price: isEmpty(price) ? null : price,
    weight: number(weight),
    weight_unit: isEmpty(weight) ? null : weight_unit,
    reorder_point: number(values["reorder_point"]) ?? 0,
    min_shelf_life_days: number(values["min_shelf_life_days"]) ?? 0,
    barcodes: codes.map(
      (value) => before?.barcodes.find((one) => one.value === value) ?? { value, type: kindOf(value) },
    ),
    dimensions: Object.keys(lengths).length === 0 ? null : { ...numbers(lengths), unit },
    customs: Object.keys(customs).length === 0 ? null : customs,
    ...(before === null ? { type } : {}),
    ...(type === "bundle" ? { components: partsOf(components) } : {}),
  };
}

const numbers = (all: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(all).map(([name, value]) => [name, number(value)]));

const partsOf = (components: unknown) =>
  (components as readonly PickedLine[]).map(({ sku, quantity }) => ({ sku, quantity: number(quantity) }));

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
            const { data } = await post<ProductRecord>("/products", bodyOf(values), { key });
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
            fields={productFields(false)}
            first={valuesOf(product)}
            submit={words.save}
            unchanged={false}
            onCancel={() => navigate(back)}
            onSubmit={async (values, key) => {
              await patch<ProductRecord>(`/products/${product.id}`, bodyOf(values, product), { key, match: etag });
              showSuccess(texts.saved(product.sku));
              navigate(back, { replace: true });
            }}
          />
        </Card>
      )}
    </Page>
  );
}
