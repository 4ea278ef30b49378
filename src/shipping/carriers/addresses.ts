// Addresses as carriers' services return them, in one form whatever they were about.
import { type Fields, readText } from "../../outbound/reading.ts";
import { type Address, addressView } from "../address.ts";

/** The fields that have a value. */
export function known(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

const parts = ["street1", "street2", "city", "state", "zip", "country"] as const;
const letters_max = 200;

/** The address as the carrier writes it, or null when it differs in capitals and spaces only. */
export function suggestionOf(address: Address, found: Fields): Address | null {
  const given = addressView(address);
  const read = (part: (typeof parts)[number]) => readText(found[part], letters_max);
  const plain = (text: string | null) => (text ?? "").toLowerCase().replaceAll(/\s+/g, " ").trim();
  if (parts.every((part) => plain(given[part]) === plain(read(part)))) return null;
  const [street1, city, country] = [read("street1"), read("city"), read("country")];
  if (street1 === null || city === null || country === null) return null;
  return {
    ...address,
    address_line1: street1,
    address_line2: read("street2"),
    city,
    country: country.toUpperCase(),
    state: read("state"),
    postal_code: read("zip"),
  };
}
