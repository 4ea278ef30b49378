import { addressProblems } from "../addresses/rules.ts";
import { invalid, invalidFields } from "../kit/fault.ts";
import type { Address, Customer } from "./customer.ts";

/** What a client may say of a customer beside its addresses, as the tables keep it. */
export type CustomerFields = Pick<Customer, "email" | "first_name" | "last_name" | "phone" | "company" | "metadata">;

/** What a customer is when the client says nothing else. */
export const customerDefaults: Omit<CustomerFields, "email"> = {
  first_name: null,
  last_name: null,
  phone: null,
  company: null,
  metadata: {},
};

/** What a client may say of an address, as the tables keep it. */
export type AddressFields = Pick<
  Address,
  "name" | "company" | "address_line1" | "address_line2" | "city" | "state" | "postal_code" | "country" | "phone"
>;

/** What an address is when the client says nothing else; its empty lines are then refused as missing. */
export const addressDefaults: AddressFields = {
  name: "",
  company: null,
  address_line1: "",
  address_line2: null,
  city: "",
  state: null,
  postal_code: null,
  country: "",
  phone: null,
};

/** An address as it shall be; without an `id` it is new. */
export interface AddressDraft {
  readonly id: number | null;
  readonly fields: AddressFields;
}

/** Addresses that a customer may have. */
export const addresses_max = 100;

/** The form under which an e-mail address is unique: its case does not count. */
export function emailKey(email: string): string {
  return email.normalize("NFC").toLowerCase();
}

/** The words of a text as a search compares them: in small letters, cut at spaces. */
export function searchWords(text: string): string[] {
  const folded = text.normalize("NFC").toLowerCase();
  return folded.split(/\s+/).filter((word) => word !== "");
}

const partStart = /(?<=[^\p{L}\p{N}\p{M}])[\p{L}\p{N}]/gu;

/**
 * The words by which a customer is found when the beginning of one is typed: those of its names and its e-mail address,
 * and each again from every part that a hyphen, a dot or the like begins: `smith` of `o'brien-smith`.
 */
export function wordsOf({ email, first_name, last_name, company }: Omit<CustomerFields, "phone" | "metadata">) {
  const words = [email, first_name, last_name, company].flatMap((text) => searchWords(text ?? ""));
  return new Set(
    words.flatMap((word) => [word, ...[...word.matchAll(partStart)].map(({ index }) => word.slice(index))]),
  );
}

/** Refuses: validation_failed, naming every bad field of every address; `pathOf` says how the client wrote each. */
export function checkAddresses(addresses: readonly AddressFields[], pathOf: (index: number) => string): void {
  const fields = addresses.flatMap((address, index) =>
    addressProblems(address).map((problem) => ({ ...problem, field: `${pathOf(index)}${problem.field}` })),
  );
  if (fields.length > 0) throw invalidFields(fields);
}

/** What the client said of one address about being the default, and whether the address was it before. */
export interface DefaultWish {
  readonly is_default: boolean | undefined;
  readonly was_default: boolean;
}

/**
 * Which of the addresses is the default: the one that is marked, else the one that was it and still may be, else the
 * first. Null when there is no address. Refuses: validation_failed, when two are marked.
 */
export function chooseDefault(wishes: readonly DefaultWish[], pathOf: (index: number) => string): number | null {
  if (wishes.length === 0) return null;
  const marked = wishes.flatMap(({ is_default }, index) => (is_default ? [index] : []));
  const [first, second] = marked;
  if (second !== undefined) throw invalid(`${pathOf(second)}is_default`, "is true for more than one address");
  const kept = wishes.findIndex(({ is_default, was_default }) => was_default && is_default === undefined);
  return first ?? Math.max(kept, 0);
}
