import { hasCities } from "../../../addresses/postal/codes.ts";
import { type Address, type Customer, customerName } from "../../../customers/customer.ts";
import { type AddressFields, addressDefaults } from "../../../customers/rules.ts";
import { invalid } from "../../../kit/fault.ts";
import type { ImportLine } from "../columns.ts";

/** A name as a person writes it, cut at the last blank: both parts together are what was written. */
export function namesOf(name: string | undefined): { first_name?: string; last_name?: string } {
  if (name === undefined) return {};
  const at = name.lastIndexOf(" ");
  // A part with blanks at an end of it, or too long for a field, would not come back as it was.
  const parts = [name.slice(0, at), name.slice(at + 1)];
  if (at < 0 || parts.some((part) => part !== part.trim() || part === "")) return { last_name: name };
  const [first_name = "", last_name = ""] = parts;
  return { first_name, last_name };
}

/** The address of a row as a client writes one. Refuses: validation_failed, when it lacks what every address has. */
export function writtenAddress({ shipping_address }: ImportLine) {
  const { address_line1, city, country, ...others } = shipping_address ?? {};
  if (address_line1 === undefined) throw invalid("shipping_address.address_line1", "is required", "required");
  if (city === undefined && hasCities(country ?? "")) throw invalid("shipping_address.city", "is required", "required");
  if (country === undefined) throw invalid("shipping_address.country", "is required", "required");
  return { ...others, address_line1, city: city ?? "", country };
}

/** A row for a customer who is called otherwise: the name that it says stands on the parcel then. */
export function addressedTo(customer: Customer, row: ImportLine): ImportLine {
  const { customer_name: name, shipping_address } = row;
  const isOwn = name === undefined || name.trim() === customerName(customer) || name === row.customer_email;
  if (isOwn || !shipping_address || shipping_address.name) return row;
  return { ...row, shipping_address: { ...shipping_address, name } };
}

// What a row does not say of these may be the customer's.
const customers: readonly (keyof AddressFields)[] = ["name", "company"];

/** The customer's address that a row means: the same in all that it says, or the default one when it says nothing. */
export function knownAddress(customer: Customer, { shipping_address }: ImportLine): Address | null {
  const all = customer.shipping_addresses;
  if (!shipping_address) return all.find(({ is_default }) => is_default) ?? null;
  const wanted = { ...addressDefaults, ...shipping_address };
  const names = (Object.keys(addressDefaults) as (keyof AddressFields)[]).filter(
    (name) => !customers.includes(name) || Boolean(shipping_address[name]),
  );
  return all.find((address) => names.every((name) => (address[name] || null) === (wanted[name] || null))) ?? null;
}
