// Converts a product to form values and back to a request.
import type { Product } from "../../api/types.ts";
import type { Values } from "../../kit/fields.tsx";
import type { PickedLine } from "../../kit/pickers.tsx";

/** The initial values of a new product. */
export const firstValues: Values = {
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
export function valuesOf(product: Product): Values {
  const { barcodes, components, dimensions, customs, ...rest } = product as Product & Values;
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
/** An entered number. Other text is sent as it is, and the API answers the error. */
const number = (value: unknown) => {
  const text = String(value).trim();
  return text === "" ? null : Number.isFinite(Number(text)) ? Number(text) : text;
};

/** The kind of a bar code by its form: a number of a retail code, or anything else. */
const kindOf = (value: string) => {
  if (!/^\d+$/.test(value)) return "code128";
  return ({ 12: "upc", 13: "ean", 14: "gtin" } as const)[value.length] ?? "other";
};

function below(values: Values, above: string): Record<string, unknown> {
  const parts = Object.entries(values).filter(([name, value]) => name.startsWith(`${above}.`) && !isEmpty(value));
  return Object.fromEntries(parts.map(([name, value]) => [name.slice(above.length + 1), value]));
}

/** The request body of the form values. `before` is the product before the change. */
export function bodyOf(values: Values, before: Product | null = null) {
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
