import { addAddress, createCustomer } from "../../../customers/commands.ts";
import type { Customer } from "../../../customers/customer.ts";
import { emailKey } from "../../../customers/rules.ts";
import { findCustomersByEmail } from "../../../customers/store.ts";
import type { Tx } from "../../../database/store.ts";
import { invalid } from "../../../kit/fault.ts";
import { wireId } from "../../../kit/ids.ts";
import type { ImportLine } from "../columns.ts";
import { addressedTo, knownAddress, namesOf, writtenAddress } from "./rules.ts";

/** Who an order is for and where it goes. */
interface Recipient {
  readonly customer_id: number;
  readonly shipping_address_id: number;
}

/** Customers by the key of their e-mail address, those made meanwhile among them. */
type Customers = Map<string, Customer>;

/** The customers of these rows that are there already. */
export async function customersOf(tx: Tx, rows: readonly ImportLine[]): Promise<Customers> {
  return findCustomersByEmail(
    tx,
    rows.flatMap(({ customer_email }) => customer_email ?? []),
  );
}

/**
 * Who a row orders for, by e-mail address: a customer or an address that is not there yet is made.
 * Refuses: validation_failed.
 */
export async function recipientOf(tx: Tx, customers: Customers, row: ImportLine): Promise<Recipient> {
  const { customer_email: email, customer_name } = row;
  if (email === undefined) throw invalid("customer_email", "is required", "required");
  const key = emailKey(email);
  const known = customers.get(key);
  if (known === undefined) {
    const input = { email, ...namesOf(customer_name === email ? undefined : customer_name) };
    const made = await createCustomer(tx, { ...input, shipping_addresses: [writtenAddress(row)] });
    customers.set(key, made);
    return { customer_id: made.id, shipping_address_id: made.shipping_addresses[0]?.id ?? 0 };
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
