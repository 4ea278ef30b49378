import { columnKey, error_column } from "../core/csv_table.ts";
import { closest } from "../core/did_you_mean.ts";
import type { ImportKind } from "./file_import.transitions.ts";

/** The Packhouse column that a file's column probably holds, and how it was recognized. */
export interface SuggestedColumn {
  readonly name: string;
  /** Null to leave it out. */
  readonly field: string | null;
  /** Its own name, a name in the exports of other programs, or a similar name; null if none fits. */
  readonly by: "name" | "export" | "similar" | null;
}

/**
 * The names that our columns have in the exports of Shopify, WooCommerce (and its export plugins), BigCommerce, Amazon
 * and ShipStation, in the form in which headers are compared.
 */
export const exportedNames: Readonly<Record<ImportKind, Readonly<Record<string, readonly string[]>>>> = {
  orders: {
    order_number: ["name", "order", "order_#", "order_no", "order_id", "order_name", "order_number_(full)"],
    customer_email: ["email", "email_(billing)", "billing_email", "buyer_email", "customer_e_mail", "e_mail"],
    customer_name: ["billing_name", "buyer_full_name", "buyer_name", "customer", "customer_full_name"],
    ship_to: [
      ...["shipping_name", "recipient_name", "recipient_full_name", "recipient", "ship_to_name", "ship_to"],
      ...["full_name_(shipping)"],
    ],
    company: ["shipping_company", "company_(shipping)", "recipient_company", "ship_to_company", "ship_to_company_name"],
    address_line1: [
      ...["shipping_address1", "shipping_street", "address_1_(shipping)", "address_1&2_(shipping)", "address_1"],
      ...["shipping_address_1", "ship_to_address_1", "ship_to_address1", "address", "street", "address1"],
      ...["ship_address_1"],
    ],
    address_line2: [
      ...["shipping_address2", "address_2_(shipping)", "address_2", "shipping_address_2", "ship_to_address_2"],
      ...["ship_to_address2", "address2", "ship_address_2"],
    ],
    city: ["shipping_city", "city_(shipping)", "ship_to_city", "ship_city"],
    state: [
      ...["shipping_province", "state_code_(shipping)", "shipping_state", "ship_to_state", "ship_to_state_province"],
      ...["province", "shipping_state_code", "ship_state"],
    ],
    postal_code: [
      ...["shipping_zip", "postcode_(shipping)", "shipping_postcode", "zip", "zip_code", "postcode"],
      ...["ship_to_postal_code", "ship_to_zip", "ship_postal_code"],
    ],
    country: [
      ...["shipping_country", "country_code_(shipping)", "shipping_country_code", "country_code"],
      ...["ship_to_country", "ship_to_country_code", "ship_country"],
    ],
    phone: [
      ...["shipping_phone", "recipient_phone", "phone_(shipping)", "ship_to_phone", "ship_phone_number"],
      ...["phone_(billing)", "buyer_phone_number"],
    ],
    sku: ["lineitem_sku", "item_sku", "product_sku", "line_item_sku"],
    quantity: [
      ...["lineitem_quantity", "item_quantity", "quantity_ordered", "qty", "line_item_quantity", "item_qty"],
      ...["quantity_purchased"],
    ],
    unit_price: ["lineitem_price", "item_unit_price", "item_cost", "unit_price", "item_price", "line_item_price"],
    discount_amount: ["lineitem_discount"],
    line_total: ["order_line_total", "item_total"],
    shipping_method: [
      ...["shipping_service", "requested_service", "shipping_method_title", "requested_shipping_service"],
      ...["shipping_title", "ship_service_level"],
    ],
    order_notes: ["notes", "note", "customer_note", "notes_from_the_buyer", "buyer_notes", "notes_from_buyer"],
    shipping_amount: ["shipping", "shipping_paid", "order_shipping_amount", "amount_shipping", "shipping_total"],
    currency: ["order_currency", "currency_code"],
  },
  customers: {
    email: ["e_mail", "email_address", "customer_email", "user_email", "billing_email"],
    first_name: ["firstname", "billing_first_name", "given_name"],
    last_name: ["lastname", "billing_last_name", "surname", "family_name", "name"],
    company: ["default_address_company", "billing_company", "company_name"],
    phone: ["phone_number", "telephone", "billing_phone", "customer_phone"],
    address_line1: ["default_address_address1", "address_1", "address1", "billing_address_1", "street", "address"],
    address_line2: ["default_address_address2", "address_2", "address2", "billing_address_2"],
    city: ["default_address_city", "billing_city", "town"],
    state: ["default_address_province_code", "province_code", "region", "billing_state", "province"],
    postal_code: ["default_address_zip", "zip", "zip_code", "postcode", "billing_postcode"],
    country: ["default_address_country_code", "country_code", "country_/_region", "billing_country"],
    address_phone: ["default_address_phone"],
  },
  products: {
    sku: ["variant_sku", "product_sku", "item_sku"],
    name: ["title", "product_name", "item_name"],
    description: ["short_description"],
    price: ["variant_price", "regular_price", "sale_price", "unit_price"],
    weight: ["weight_(kg)", "weight_(lbs)", "weight_(g)", "weight_(oz)", "weight_oz"],
    length: ["length_(cm)", "length_(in)"],
    width: ["width_(cm)", "width_(in)"],
    height: ["height_(cm)", "height_(in)"],
    hs_code: ["hs_code", "harmonized_system_code", "hs_tariff", "tariff_number", "harmonized_code"],
    country_of_origin: ["coo", "country_code_of_origin", "customs_country"],
  },
  stock: {
    sku: ["variant_sku", "product_sku", "item_sku"],
    location: ["warehouse", "warehouse_id"],
    bin: ["bin_name", "bin_location", "warehouse_location", "location_in_warehouse"],
    lot_number: ["lot", "batch", "batch_number"],
    expiration_date: ["expiry", "expiry_date", "best_before", "expires"],
    quantity: [
      ...["on_hand_(new)", "on_hand", "on_hand_(current)", "stock", "stock_quantity", "variant_inventory_qty"],
      ...["available", "qty", "counted", "total_on_hand", "inventory_quantity", "current_stock"],
    ],
  },
};

/**
 * What columns with Packhouse names, or with names of several programs, mean in an export that also has the column
 * named first: a Packhouse column, or null for none.
 */
const meanings: Readonly<Record<ImportKind, Readonly<Record<string, Readonly<Record<string, string | null>>>>>> = {
  orders: {
    // Shopify: the discount of the order, and the phone number of the customer instead of the recipient.
    lineitem_quantity: { discount_amount: null, phone: null },
    // Amazon: the price of all units.
    quantity_purchased: { item_price: "line_total" },
    order_id: { status: null },
  },
  customers: {},
  products: {
    handle: { type: null, status: null },
    url_handle: { type: null, status: null },
    id: { type: null, status: null },
  },
  stock: {},
};

/**
 * Suggests the Packhouse column of each column of a file. Each is suggested once: for the column with its name, else
 * the one with the best name of another program's export, else a similar one if no column has a name of an export.
 */
export function suggestColumns(
  kind: ImportKind,
  names: readonly string[],
  fields: readonly string[],
): readonly SuggestedColumn[] {
  const keys = names.map(columnKey);
  const found = new Map<number, SuggestedColumn>();
  const free = () => fields.filter((field) => ![...found.values()].some((one) => one.field === field));
  const take = (at: number, field: string | null | undefined, by: SuggestedColumn["by"]) => {
    const name = names[at] ?? "";
    if (field && !found.has(at) && keys[at] !== error_column && free().includes(field)) {
      found.set(at, { name, field, by });
    }
  };
  const meant = new Map(
    Object.entries(meanings[kind]).flatMap(([other, own]) => (keys.includes(other) ? Object.entries(own) : [])),
  );
  const isOpen = (at: number) => !found.has(at) && !meant.has(keys[at] ?? "");
  for (const [at, key] of keys.entries()) take(at, meant.get(key), "export");
  for (const [at, key] of keys.entries()) take(at, isOpen(at) && fields.includes(key) ? key : null, "name");
  for (const field of free()) {
    const known = exportedNames[kind][field] ?? [];
    const first = known.map((one) => keys.indexOf(one)).find((at) => at >= 0 && isOpen(at));
    if (first !== undefined) take(first, field, "export");
  }
  // The columns of an export are not misspelled. What looks similar there means something else.
  const isExport = [...found.values()].some(({ by }) => by === "export");
  for (const at of isExport ? [] : keys.keys()) {
    if (isOpen(at) && names[at] !== "") take(at, closest(names[at] ?? "", free()), "similar");
  }
  return names.map((name, at) => found.get(at) ?? { name, field: null, by: null });
}

/** Whether a file can be read as it is: each column has a Packhouse name, and none is missing. */
export function isPlain(suggested: readonly SuggestedColumn[], required: readonly string[]): boolean {
  const named = suggested.filter(({ by }) => by === "name").map(({ field }) => field);
  return (
    suggested.every(({ name, by }) => by === "name" || columnKey(name) === error_column) &&
    required.every((name) => named.includes(name))
  );
}
