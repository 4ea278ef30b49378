// The suggested columns of files of other programs.
import { expect, test } from "bun:test";
import type { ImportKind } from "../../src/imports/file_import.transitions.ts";
import { kindsOfImports } from "../../src/imports/file_imports.jobs.ts";
import { exportedNames, isPlain, suggestColumns } from "../../src/imports/suggested_columns.ts";

const fieldsOf = (kind: ImportKind) =>
  kindsOfImports[kind].columns.flatMap((column) => (column.export_only ? [] : column.name));
const suggested = (kind: ImportKind, header: string) =>
  Object.fromEntries(
    suggestColumns(kind, header.split(","), fieldsOf(kind)).flatMap(({ name, field }) =>
      field ? [[name, field]] : [],
    ),
  );

// The header lines are those of the programs' own exports, shortened to columns that are or look like ours.
const shopify_orders =
  "Name,Email,Financial Status,Fulfillment Status,Currency,Subtotal,Shipping,Taxes,Total," +
  "Discount Code,Discount Amount," +
  "Shipping Method,Created at,Lineitem quantity,Lineitem name,Lineitem price,Lineitem sku,Billing Name,Billing City," +
  "Shipping Name,Shipping Street,Shipping Address1,Shipping Address2,Shipping Company,Shipping City,Shipping Zip," +
  "Shipping Province,Shipping Country,Shipping Phone,Notes,Id,Tags,Source,Lineitem discount,Tax 1 Name,Phone";
const amazon_orders =
  "order-id,order-item-id,purchase-date,payments-date,buyer-email,buyer-name,buyer-phone-number,sku,product-name," +
  "quantity-purchased,currency,item-price,item-tax,shipping-price,shipping-tax,ship-service-level,recipient-name," +
  "ship-address-1,ship-address-2,ship-address-3,ship-city,ship-state,ship-postal-code,ship-country,ship-phone-number";
const shipstation_orders =
  "Order - Number,Ship To - Name,Ship To - Company,Ship To - Address 1,Ship To - Address 2,Ship To - City," +
  "Ship To - State,Ship To - Postal Code,Ship To - Country,Ship To - Phone,Item - SKU,Item - Name," +
  "Item - Qty,Item - Price";
const woocommerce_orders =
  "order_id,order_number,order_date,status,shipping_total,order_total,order_currency,payment_method,shipping_method," +
  "customer_email,billing_first_name,billing_phone,shipping_company,shipping_address_1,shipping_address_2," +
  "shipping_city,shipping_state,shipping_postcode,shipping_country";

test.each<[string, ImportKind, string, Record<string, string>]>([
  [
    "orders of Shopify",
    "orders",
    shopify_orders,
    {
      ...{ Name: "order_number", Email: "customer_email", Currency: "currency", Shipping: "shipping_amount" },
      ...{ "Shipping Method": "shipping_method", "Lineitem quantity": "quantity", "Lineitem price": "unit_price" },
      ...{ "Lineitem sku": "sku", "Billing Name": "customer_name", "Shipping Name": "ship_to" },
      ...{ "Shipping Address1": "address_line1", "Shipping Address2": "address_line2", "Shipping Company": "company" },
      ...{ "Shipping City": "city", "Shipping Zip": "postal_code", "Shipping Province": "state" },
      ...{ "Shipping Country": "country", "Shipping Phone": "phone", Notes: "order_notes", Tags: "tags" },
      // The discount of the line, not that of the order.
      "Lineitem discount": "discount_amount",
    },
  ],
  [
    "orders of Amazon, whose item price is that of all units",
    "orders",
    amazon_orders,
    {
      ...{ "order-id": "order_number", "buyer-email": "customer_email", "buyer-name": "customer_name", sku: "sku" },
      ...{ "quantity-purchased": "quantity", currency: "currency", "item-price": "line_total" },
      ...{ "ship-service-level": "shipping_method", "recipient-name": "ship_to", "ship-address-1": "address_line1" },
      ...{ "ship-address-2": "address_line2", "ship-city": "city", "ship-state": "state" },
      ...{ "ship-postal-code": "postal_code", "ship-country": "country", "ship-phone-number": "phone" },
    },
  ],
  [
    "orders of ShipStation",
    "orders",
    shipstation_orders,
    {
      ...{ "Order - Number": "order_number", "Ship To - Name": "ship_to", "Ship To - Company": "company" },
      ...{ "Ship To - Address 1": "address_line1", "Ship To - Address 2": "address_line2", "Ship To - City": "city" },
      ...{ "Ship To - State": "state", "Ship To - Postal Code": "postal_code", "Ship To - Country": "country" },
      ...{ "Ship To - Phone": "phone", "Item - SKU": "sku", "Item - Qty": "quantity", "Item - Price": "unit_price" },
    },
  ],
  [
    "orders of WooCommerce, whose statuses are others",
    "orders",
    woocommerce_orders,
    {
      ...{ order_number: "order_number", shipping_total: "shipping_amount", order_currency: "currency" },
      ...{ shipping_method: "shipping_method", customer_email: "customer_email", shipping_company: "company" },
      ...{ shipping_address_1: "address_line1", shipping_address_2: "address_line2", shipping_city: "city" },
      ...{ shipping_state: "state", shipping_postcode: "postal_code", shipping_country: "country" },
    },
  ],
  [
    "products of Shopify, whose types and statuses are others",
    "products",
    "Title,URL handle,Description,Vendor,Product category,Type,Tags,Status,SKU,Barcode,Option1 name," +
      "Option1 value,Price," +
      "Compare-at price,Cost per item,Inventory quantity,Weight value (grams),Weight unit for display",
    { Title: "name", Description: "description", SKU: "sku", Price: "price" },
  ],
  [
    "products of Shopify with the former names",
    "products",
    "Handle,Title,Body (HTML),Vendor,Type,Tags,Option1 Name,Option1 Value,Variant SKU,Variant Grams," +
      "Variant Inventory Qty,Variant Price,Variant Barcode,Variant Weight Unit,Status",
    { Title: "name", "Variant SKU": "sku", "Variant Price": "price" },
  ],
  [
    "products of WooCommerce",
    "products",
    "ID,Type,SKU,Name,Published,Is featured?,Visibility in catalog,Short description,Description," +
      "Tax status,In stock?," +
      "Stock,Weight (kg),Length (cm),Width (cm),Height (cm),Sale price,Regular price,Categories,Tags,Parent",
    {
      ...{ SKU: "sku", Name: "name", Description: "description", "Weight (kg)": "weight", "Length (cm)": "length" },
      ...{ "Width (cm)": "width", "Height (cm)": "height", "Regular price": "price" },
    },
  ],
  [
    "products of BigCommerce",
    "products",
    "Item,ID,Name,Type,SKU,Options,Inventory Tracking,Current Stock,Low Stock,Price,Cost Price," +
      "Retail Price,Sale Price," +
      "Brand ID,Channels,Categories,Description",
    { Name: "name", SKU: "sku", Price: "price", Description: "description" },
  ],
  [
    "stock of Shopify",
    "stock",
    "Handle,Title,Option1 Name,Option1 Value,SKU,HS Code,COO,Location,Bin name,Incoming (not editable)," +
      "Unavailable (not editable),Committed (not editable),Available (not editable),On hand (current),On hand (new)",
    { SKU: "sku", Location: "location", "Bin name": "bin", "On hand (new)": "quantity" },
  ],
  ["stock of BigCommerce", "stock", "Item,ID,Name,Type,SKU,Current Stock", { SKU: "sku", "Current Stock": "quantity" }],
  [
    "customers of Shopify",
    "customers",
    "Customer ID,First Name,Last Name,Email,Accepts Email Marketing,Default Address Company,Default Address Address1," +
      "Default Address Address2,Default Address City,Default Address Province Code,Default Address Country Code," +
      "Default Address Zip,Default Address Phone,Phone,Accepts SMS Marketing,Total Spent," +
      "Total Orders,Note,Tax Exempt,Tags",
    {
      ...{ "First Name": "first_name", "Last Name": "last_name", Email: "email", Phone: "phone" },
      ...{ "Default Address Company": "company", "Default Address Address1": "address_line1" },
      ...{ "Default Address Address2": "address_line2", "Default Address City": "city" },
      ...{ "Default Address Province Code": "state", "Default Address Country Code": "country" },
      ...{ "Default Address Zip": "postal_code", "Default Address Phone": "address_phone" },
    },
  ],
])("%s", (_, kind, header, fields) => {
  expect(suggested(kind, header)).toEqual(fields);
});

test("each name of an export belongs to a column that the import has", () => {
  for (const kind of ["orders", "customers", "products", "stock"] as const) {
    const fields = fieldsOf(kind);
    // With every column suggested by its own name, none is left for another.
    expect(suggestColumns(kind, fields, fields).map(({ field }) => field)).toEqual(fields);
    expect(kindsOfImports[kind].required.every((name) => fields.includes(name))).toBe(true);
    expect(Object.keys(exportedNames[kind]).filter((name) => !fields.includes(name))).toEqual([]);
  }
});

test("misspelled columns are suggested, each Packhouse column once", () => {
  expect(suggested("products", "sku,nmae,prise,Name")).toEqual({ sku: "sku", prise: "price", Name: "name" });
});

test("a file with Packhouse columns needs no mapping, also with the column of errors; another one does", () => {
  const plain = (header: string) =>
    isPlain(suggestColumns("products", header.split(","), fieldsOf("products")), ["sku"]);
  expect(["SKU,Name", "sku,name,error", "name", "sku,Vendor", "sku,nmae"].map(plain)).toEqual([
    ...[true, true, false, false, false],
  ]);
});
