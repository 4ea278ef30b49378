import { hasCities } from "../../addresses/postal_codes.ts";
import { invalid } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { type CompleteAddress, contactFields } from "../../core/postal_address.ts";
import {
  addressDefaults,
  type Customer,
  type CustomerAddress,
  customerName,
  emailKey,
} from "../../customers/customer.ts";
import { findCustomersByEmail } from "../../customers/customers.sql.ts";
import { addAddress, createCustomer } from "../../customers/customers.ts";
import type { Tx } from "../../storage/database.ts";
import type { OrderCsvLine } from "./order_csv.schema.ts";

/** Splits a name at its last space, so that both parts together are the original name. */
function namesOf(name: string | undefined): { first_name?: string; last_name?: string } {
  if (name === undefined) return {};
  const at = name.lastIndexOf(" ");
  // Empty parts and parts with a space at an end would not give back the original name.
  const parts = [name.slice(0, at), name.slice(at + 1)];
  if (at < 0 || parts.some((part) => part !== part.trim() || part === "")) return { last_name: name };
  const [first_name = "", last_name = ""] = parts;
  return { first_name, last_name };
}

/** The address of a row as a client would send it. Refuses: validation_failed (an incomplete address). */
function writtenAddress({ shipping_address }: OrderCsvLine) {
  const { address_line1, city, country, ...others } = shipping_address ?? {};
  if (address_line1 === undefined) throw invalid("shipping_address.address_line1", "is required", "required");
  if (city === undefined && hasCities(country ?? "")) throw invalid("shipping_address.city", "is required", "required");
  if (country === undefined) throw invalid("shipping_address.country", "is required", "required");
  return { ...others, address_line1, city: city ?? "", country };
}

/** The row for a customer known by another name: the row's name then goes on the parcel. */
function addressedTo(customer: Customer, row: OrderCsvLine): OrderCsvLine {
  const { customer_name: name, shipping_address } = row;
  const isOwn = name === undefined || name.trim() === customerName(customer) || name === row.customer_email;
  if (isOwn || !shipping_address || shipping_address.name) return row;
  return { ...row, shipping_address: { ...shipping_address, name } };
}

// Where a row leaves these out, the customer's apply.
const customers: readonly (keyof CompleteAddress)[] = ["name", "company"];

/**
 * The customer's address for a row: one that matches every stated field, or the default if the row states
 * none.
 */
function knownAddress(customer: Customer, { shipping_address }: OrderCsvLine): CustomerAddress | null {
  const all = customer.shipping_addresses;
  if (!shipping_address) return all.find(({ is_default }) => is_default) ?? null;
  const wanted = { ...addressDefaults, ...shipping_address };
  const names = contactFields.filter((name) => !customers.includes(name) || Boolean(shipping_address[name]));
  return all.find((address) => names.every((name) => (address[name] || null) === (wanted[name] || null))) ?? null;
}

/** The customer and the address of an order. */
interface CsvRecipient {
  readonly customer_id: number;
  readonly shipping_address_id: number;
}

/** Customers by the key of their email address, including those created for earlier rows. */
type CustomersByEmail = Map<string, Customer>;

/** The existing customers of these rows. */
export async function customersOf(tx: Tx, rows: readonly OrderCsvLine[]): Promise<CustomersByEmail> {
  return findCustomersByEmail(
    tx,
    rows.flatMap(({ customer_email }) => customer_email ?? []),
  );
}

/** The customer and the address of a row, by email address. Missing ones are created. Refuses: validation_failed. */
export async function recipientOf(tx: Tx, customers: CustomersByEmail, row: OrderCsvLine): Promise<CsvRecipient> {
  const { customer_email: email, customer_name } = row;
  if (email === undefined) throw invalid("customer_email", "is required", "required");
  const key = emailKey(email);
  const known = customers.get(key);
  if (known === undefined) {
    const input = { email, ...namesOf(customer_name === email ? undefined : customer_name) };
    const created = await createCustomer(tx, { ...input, shipping_addresses: [writtenAddress(row)] });
    customers.set(key, created);
    return { customer_id: created.id, shipping_address_id: created.shipping_addresses[0]?.id ?? 0 };
  }
  const addressed = addressedTo(known, row);
  const address = knownAddress(known, addressed);
  if (address !== null) return { customer_id: known.id, shipping_address_id: address.id };
  if (!addressed.shipping_address) {
    throw invalid("shipping_address.address_line1", "is required: the customer has no address yet", "required");
  }
  const added = await addAddress(tx, wireId("customer", known.id), writtenAddress(addressed));
  customers.set(key, { ...known, shipping_addresses: [...known.shipping_addresses, added] });
  return { customer_id: known.id, shipping_address_id: added.id };
}
