// The suggested columns of files of other programs.
import { expect, test } from "bun:test";
import type { ImportKind } from "../../src/imports/file_import.transitions.ts";
import { kindsOfImports } from "../../src/imports/file_imports.jobs.ts";
import { isPlain, suggestColumns } from "../../src/imports/suggested_columns.ts";

const fieldsOf = (kind: ImportKind) =>
  kindsOfImports[kind].columns.flatMap((column) => (column.export_only ? [] : column.name));
const suggested = (kind: ImportKind, header: string) =>
  Object.fromEntries(
    suggestColumns(kind, header.split(","), fieldsOf(kind)).flatMap(({ name, field }) =>
      field ? [[name, field]] : [],
    ),
  );

test("the exports of shops are recognized", () => {
  const shopify =
    "Name,Email,Financial Status,Currency,Shipping,Shipping Method,Lineitem quantity,Lineitem name,Lineitem price," +
    "Lineitem sku,Billing Name,Shipping Name,Shipping Street,Shipping Address1,Shipping Address2,Shipping Company," +
    "Shipping City,Shipping Zip,Shipping Province,Shipping Country,Shipping Phone,Notes";
  expect(suggested("orders", shopify)).toMatchObject({
    ...{ Name: "order_number", Email: "customer_email", Currency: "currency", Shipping: "shipping_amount" },
    ...{ "Shipping Method": "shipping_method", "Lineitem quantity": "quantity", "Lineitem price": "unit_price" },
    ...{ "Lineitem sku": "sku", "Billing Name": "customer_name", "Shipping Name": "ship_to" },
    ...{ "Shipping Address1": "address_line1", "Shipping Address2": "address_line2", "Shipping Company": "company" },
    ...{ "Shipping City": "city", "Shipping Zip": "postal_code", "Shipping Province": "state" },
    ...{ "Shipping Country": "country", "Shipping Phone": "phone", Notes: "order_notes" },
  });
  const shipstation =
    "Order #,Recipient Name,Address 1,Address 2,City,State,Postal Code,Country Code,Buyer Email,Item SKU," +
    "Item Quantity,Item Unit Price,Requested Service,Buyer Notes";
  expect(Object.values(suggested("orders", shipstation))).toEqual([
    ...["order_number", "ship_to", "address_line1", "address_line2", "city", "state", "postal_code", "country"],
    ...["customer_email", "sku", "quantity", "unit_price", "shipping_method", "order_notes"],
  ]);
  expect(suggested("products", "Handle,Title,Variant SKU,Variant Price")).toEqual({
    ...{ Title: "name", "Variant SKU": "sku", "Variant Price": "price" },
  });
  expect(suggested("stock", "Handle,SKU,Location,Bin name,On hand (current),On hand (new)")).toMatchObject({
    ...{ SKU: "sku", Location: "location", "Bin name": "bin", "On hand (new)": "quantity" },
  });
  expect(suggested("customers", "First Name,Last Name,Email,Default Address Address1,Default Address Zip")).toEqual({
    ...{ "First Name": "first_name", "Last Name": "last_name", Email: "email" },
    ...{ "Default Address Address1": "address_line1", "Default Address Zip": "postal_code" },
  });
});

test("each name of an export belongs to a column that the import has", () => {
  for (const kind of ["orders", "customers", "products", "stock"] as const) {
    const fields = fieldsOf(kind);
    // With every column suggested by its own name, none is left for another.
    expect(suggestColumns(kind, fields, fields).map(({ field }) => field)).toEqual(fields);
    expect(kindsOfImports[kind].required.every((name) => fields.includes(name))).toBe(true);
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
