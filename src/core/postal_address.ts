import { onFirstUse } from "./memoize.ts";

/** The countries by code, and their English names. Loaded on first use, since the table is large. */
export const countries = onFirstUse(() => {
  const library = require("i18n-iso-countries/index.js") as typeof import("i18n-iso-countries");
  library.registerLocale(require("i18n-iso-countries/langs/en.json"));
  return library;
});

/** Whether this is an ISO 3166-1 alpha-2 country code, in upper case. */
export function isCountry(code: string): boolean {
  return /^[A-Z]{2}$/.test(code) && countries().isValid(code);
}

/** A place that mail is delivered to. */
export interface PostalAddress {
  readonly address_line1: string;
  readonly address_line2: string | null;
  readonly city: string;
  readonly state: string | null;
  readonly postal_code: string | null;
  /** Two-letter code of ISO 3166-1. */
  readonly country: string;
}

/** A postal address with its contact. Older records lack the company and the phone. */
export interface ContactAddress extends PostalAddress {
  readonly name: string;
  readonly company?: string | null;
  readonly phone?: string | null;
}

/** As `ContactAddress`, with null for a contact without company or phone. */
export type CompleteAddress = Required<ContactAddress>;

/** The fields of a postal address, in the order in which they are written. */
export const postalFields = ["address_line1", "address_line2", "city", "state", "postal_code", "country"] as const;

/** The fields of an address with its contact, in the order of the API. */
export const contactFields = ["name", "company", ...postalFields, "phone"] as const;

/** Whether two addresses are the same, apart from the contact. */
export function isSamePlace(some: PostalAddress, other: PostalAddress): boolean {
  return postalFields.every((field) => some[field] === other[field]);
}

/** An address without its contact. */
export function postalOf({ address_line1, address_line2, city, state, postal_code, country }: PostalAddress) {
  return { address_line1, address_line2, city, state, postal_code, country };
}

/** The address in a record, without the record's other fields. */
export function addressIn(record: CompleteAddress): CompleteAddress {
  const { name, company, phone } = record;
  return { name, company, ...postalOf(record), phone };
}

/** A stored address with null for what older records lack. */
export function completeAddress({ company, phone, ...same }: ContactAddress): CompleteAddress {
  return { ...same, company: company ?? null, phone: phone ?? null };
}
