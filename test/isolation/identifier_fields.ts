// The places where an operation can refer to a record: in its path, query and body, and the kind of record in each.
import type { ResourceFields } from "../../src/core/resource.ts";
import { customerFields } from "../../src/customers/customer.resource.ts";
import { productFields } from "../../src/products/product.resource.ts";
import type { Document, ShownOperation } from "../server/openapi/fuzz/check_response.ts";
import type { Shown } from "../server/openapi/fuzz/values.ts";

/** A place of an operation, and the word under which fitting names are known. */
export interface Place {
  readonly in: "path" | "query" | "body";
  /** Its name, or the steps to it in a body: `["items", "[]", "sku"]`. */
  readonly steps: readonly string[];
  readonly word: string;
}

/**
 * What texts without a fixed form refer to, by the name of their place: words of `Names`. An empty list is for texts
 * that refer to nothing, or only to something of a carrier or the operator.
 */
const texts: Readonly<Record<string, readonly string[]>> = {
  sku: ["sku"],
  barcode: ["value"],
  order_number: ["order_number"],
  order_id: ["ord", "order_number"],
  tracking_number: ["tracking_number"],
  tracking_numbers: ["tracking_number"],
  lot_number: ["lot_number"],
  reference: ["reference"],
  event_id: ["evt"],
  quote_id: ["quo"],
  external_id: ["external_id"],
  email: ["email"],
  customer_email: ["email"],
  store_id: ["store_id"],
  order_prefix: ["order_prefix"],
  actor: ["key", "usr"],
  producer: ["producer"],
  merchant: ["merchant"],
  merchant_id: ["merchant"],
  merchants: ["merchant"],
  cursor: ["cursor"],
  q: ["search"],
};

/** The plain texts of a resource refer to no record; its codes may. */
const plainTexts = [productFields, customerFields].flatMap((fields: ResourceFields) =>
  Object.entries(fields).flatMap(([name, { kind }]) => (kind === "text" || kind === "notes" ? name : [])),
);

/** Texts that refer to no record: names of people, addresses, carrier services, secrets, dates and files. */
const nameless = new Set([
  ...plainTexts,
  ...(
    "name company phone address_line1 address_line2 city state postal_code country" +
    " street1 street2 zip notes note description order_notes packing_note tags tag reason type url api_url" +
    " label_url carrier cost unit_cost freight_cost supplier purchase_order_number" +
    " carriers service services from to from_zip to_zip from_country to_country to_state to_city currency" +
    " weight weight_unit unit_price price discount_amount line_total shipping_amount" +
    " shipping_method shipping_method_code" +
    " refund_amount restocking_fee hs_code country_of_origin api_key api_token client_id client_secret secret" +
    " code password current_password pin ip_list at expires_at hold_until expected_at expiration_date" +
    " price_max created_after created_before shipped_after shipped_before ship_by_before updated_after updated_before" +
    " ship_by_after one_unit text shared" +
    " expiring_before as_of date status statuses types bin zone connector platform account_id supplier value token" +
    " signature expires mode scope hash system target fields from_address action paper dpi connection account map" +
    " kind accent_color display_name support_email support_phone website message file_name"
  ).split(" "),
]);

/** What all merchants share: warehouses and carriers. */
const ofHouse = new Set(["whs", "cac", "man"]);

/** The places of an operation. Throws for one whose meaning is not declared. */
export function placesOf(operation: ShownOperation, { components }: Document): Place[] {
  const found = new Map<string, Place>();
  const add = (where: Place["in"], steps: readonly string[], words: readonly string[]) => {
    for (const word of words) found.set([where, ...steps, word].join(), { in: where, steps, word });
  };
  for (const { in: where, name, schema, example } of operation.parameters) {
    if (where === "header") continue;
    const prefix = where === "path" ? /^([a-z]{3})_/.exec(String(example))?.[1] : undefined;
    if (prefix !== undefined) add(where, [name], [prefix === "mer" ? "merchant" : prefix]);
    else
      walk(schema, [name], components.schemas, (steps, shown) => add(where, steps, wordsOf(operation, steps, shown)));
  }
  const body = operation.requestBody?.content["application/json"]?.schema;
  if (body !== undefined) {
    walk(body, [], components.schemas, (steps, shown) => add("body", steps, wordsOf(operation, steps, shown)));
  }
  return [...found.values()];
}

function wordsOf({ operationId }: ShownOperation, steps: readonly string[], shown: Shown): readonly string[] {
  const prefix = /^\^\((\w{3})_\)\?/.exec(shown.pattern ?? "")?.[1];
  if (prefix === "mer") return ["merchant"];
  if (prefix !== undefined) return ofHouse.has(prefix) ? [] : [prefix];
  const [name = "", before] = steps.filter((step) => step !== "[]").toReversed();
  if (before === "barcodes" && name === "value") return ["value"];
  const words = texts[name];
  if (words !== undefined) return words;
  if (shown.type !== "string" || shown.enum || "const" in shown || nameless.has(name)) return [];
  const where = "test/isolation/identifier_fields.ts";
  throw new Error(
    `${operationId} takes a text ${steps.join(".")}: say in ${where} what it names, or that it names nothing.`,
  );
}

/** Calls `leaf` for each place of a schema that holds one value. */
function walk(
  schema: Shown,
  steps: readonly string[],
  schemas: Readonly<Record<string, Shown>>,
  leaf: (steps: readonly string[], shown: Shown) => void,
  inside: readonly string[] = [],
): void {
  const { $ref, anyOf, allOf, properties, items } = schema;
  if ($ref !== undefined) {
    const name = $ref.split("/").at(-1) ?? "";
    if (!inside.includes(name)) walk(schemas[name] ?? {}, steps, schemas, leaf, [...inside, name]);
    return;
  }
  for (const form of [...(anyOf ?? []), ...(allOf ?? [])]) walk(form, steps, schemas, leaf, inside);
  for (const [name, inner] of Object.entries(properties ?? {})) {
    if (inner.readOnly !== true) walk(inner, [...steps, name], schemas, leaf, inside);
  }
  if (items !== undefined) walk(items, [...steps, "[]"], schemas, leaf, inside);
  const [type] = Array.isArray(schema.type) ? (schema.type as readonly string[]) : [schema.type];
  if (type === "string" || schema.pattern !== undefined) leaf(steps, { ...schema, type: "string" });
}

/** Alternatives of which a request may have only one. */
const instead: Readonly<Record<string, string>> = { product_id: "sku", line_id: "sku" };

/** A body with another value at a place. */
export function put(body: unknown, steps: readonly string[], value: string): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  if (step === "[]") {
    const [first, ...others] = Array.isArray(body) ? body : [undefined];
    return [put(first, rest, value), ...others];
  }
  const fields = { ...(body as Readonly<Record<string, unknown>> | undefined) };
  if (rest.length === 0 && instead[step] !== undefined) delete fields[instead[step]];
  return { ...fields, [step]: put(fields[step], rest, value) };
}
