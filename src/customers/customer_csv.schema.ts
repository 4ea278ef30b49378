import { type Static, Type } from "@sinclair/typebox";
import { type CsvColumn, csvColumn } from "../core/csv_columns.ts";
import { csvColumnsOf } from "../core/resource.ts";
import { updateFields } from "../core/resource_schema.ts";
import { closed, emailField, nullable } from "../core/schema.ts";
import { customerFields } from "./customer.resource.ts";
import { addressFields } from "./customer.schema.ts";
import type { Customer } from "./customer.ts";

const addressed = (name: string, meaning: string, example: string, field = name, kind: CsvColumn["kind"] = "text") =>
  csvColumn(name, kind, meaning, example, { path: ["shipping_address", field] });

/** The columns of the customers CSV: the customer's fields, and those of the default address. */
export const customerColumns: readonly CsvColumn[] = [
  ...csvColumnsOf(customerFields),
  addressed("ship_to", "The name on parcels, if it is not the customer's.", "Cruz & Sons, door 4", "name"),
  addressed(
    "address_line1",
    "Street and number of the default address. A row that has it states the whole address.",
    "12 Elm St",
  ),
  addressed("address_line2", "The second line of the address.", "Apt 3"),
  addressed("city", "The city.", "Portland"),
  addressed("state", "The state or province. Required for US, CA and AU.", "OR"),
  addressed("postal_code", "The postal code, if the country has them.", "97201"),
  addressed("country", "The two-letter country code.", "US"),
  addressed("address_phone", "A phone number for the carrier.", "+1 503 555 0101", "phone", "code"),
];

const { is_default: _, ...placeFields } = addressFields;

/** A row of the customers CSV. An existing customer keeps what the row leaves out. */
export const ImportCustomer = closed({
  ...updateFields(customerFields),
  email: emailField(),
  shipping_address: Type.Optional(nullable(closed(placeFields))),
});
export type ImportCustomer = Static<typeof ImportCustomer>;

/** A customer as a row: with its default address only. */
export function customerRow(customer: Customer): Readonly<Record<string, unknown>> {
  const { shipping_addresses, ...fields } = customer;
  return { ...fields, shipping_address: shipping_addresses.find(({ is_default }) => is_default) ?? null };
}
