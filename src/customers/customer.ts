import { recipientView, recipientWarnings, type StoredCheck, verificationView } from "../addresses/address.ts";
import { addressProblems } from "../addresses/offline_verification.ts";
import { iso } from "../core/clock.ts";
import { invalid, invalidFields } from "../core/faults.ts";
import { wireId } from "../core/ids.ts";
import { addressIn, type CompleteAddress } from "../core/postal_address.ts";
import { defaultsOf, type StoredFields } from "../core/resource.ts";
import type { MerchantStatus } from "../merchants/merchant.transitions.ts";
import { customerFields } from "./customer.resource.ts";

/** A delivery address of a customer. */
export interface CustomerAddress extends CompleteAddress, StoredCheck {
  readonly id: number;
  readonly customer_id: number;
  readonly is_default: boolean;
  readonly created_at: number;
  readonly updated_at: number;
}

/** The fields of a customer in a request without its addresses, as stored. */
export type CustomerFields = StoredFields<typeof customerFields>;

/** The defaults of a new customer. */
export const customerDefaults = defaultsOf(customerFields);

export interface Customer extends CustomerFields {
  readonly id: number;
  readonly merchant_id: number;
  readonly revision: number;
  readonly created_at: number;
  readonly updated_at: number;
  /** When the personal data was erased, or null. */
  readonly erased_at: number | null;
  /** Oldest first. */
  readonly shipping_addresses: readonly CustomerAddress[];
}

/** The fields of a customer that an order needs. */
export interface OrderCustomer
  extends Pick<Customer, "id" | "merchant_id" | "email" | "first_name" | "last_name" | "company"> {
  readonly merchant: { readonly code: string; readonly status: MerchantStatus };
}

/** The name of a customer for lists: that of its parcels, else the email address. */
export function customerName(customer: Omit<OrderCustomer, "id" | "merchant_id" | "merchant">): string {
  return recipientName(customer) || customer.email;
}

/** The name on a customer's parcels: first and last name, else the company. Empty if there is neither. */
export function recipientName({
  first_name,
  last_name,
  company,
}: Pick<OrderCustomer, "first_name" | "last_name" | "company">): string {
  const name = [first_name, last_name].map((part) => part?.trim()).filter(Boolean);
  return name.join(" ") || company?.trim() || "";
}

/** The company on a customer's parcels, unless the recipient's name already contains it. */
export function defaultCompany({ company }: Pick<OrderCustomer, "company">, name: string): string | null {
  const own = company?.trim() ?? "";
  return own === "" || name.includes(own) ? null : own;
}

/** The address as the API shows it. */
export function addressView(address: CustomerAddress) {
  const { id, is_default, is_verified } = address;
  const verification = verificationView(address.verification, secondsOf);
  return { id: wireId("address", id), ...recipientView(addressIn(address)), is_default, is_verified, verification };
}

/** The customer as the API shows it. Its timestamps have no milliseconds, as specified. */
export function customerView(customer: Customer) {
  const { id, merchant_id, email, first_name, last_name, phone, company, metadata } = customer;
  const { created_at, updated_at, erased_at } = customer;
  const warnings = customer.shipping_addresses.flatMap((address, at) =>
    recipientWarnings(address, `shipping_addresses[${at}].`, "Set the name of the address."),
  );
  return {
    id: wireId("customer", id),
    merchant_id: wireId("merchant", merchant_id),
    email,
    first_name,
    last_name,
    phone,
    company,
    shipping_addresses: customer.shipping_addresses.map(addressView),
    metadata,
    ...(warnings.length > 0 && { warnings }),
    created_at: secondsOf(created_at),
    updated_at: secondsOf(updated_at),
    erased_at: erased_at === null ? null : secondsOf(erased_at),
  };
}

const secondsOf = (at: number) => `${iso(at).slice(0, 19)}Z`;

/** The defaults of a new address. Empty lines are later refused as missing. */
export const addressDefaults: CompleteAddress = {
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

/** An address to store; without an `id` it is new. */
export interface AddressDraft {
  readonly id: number | null;
  readonly fields: CompleteAddress;
}

/** The most addresses of a customer. */
export const addresses_max = 100;

/** The form in which email addresses are unique: NFC, in lower case. */
export function emailKey(email: string): string {
  return email.normalize("NFC").toLowerCase();
}

/** The domain of the addresses that erased customers get. RFC 2606 reserves `.invalid`. */
export const erased_domain = "erased.invalid";

/** Whether an email address replaces an erased one. */
export const isErasedEmail = (email: string): boolean => email.toLowerCase().endsWith(`@${erased_domain}`);

/** Refuses an address that looks like that of an erased customer. Refuses: validation_failed. */
export function refuseErasedEmail(email: string): void {
  if (isErasedEmail(email))
    throw invalid("email", `must not end in @${erased_domain}, which is reserved for erased customers`);
}

/** The words of a text for searching: in lower case, split at spaces. */
export function searchWords(text: string): string[] {
  const folded = text.normalize("NFC").toLowerCase();
  return folded.split(/\s+/).filter((word) => word !== "");
}

const partStart = /(?<=[^\p{L}\p{N}\p{M}])[\p{L}\p{N}]/gu;

const partsOf = (word: string): string[] => [...word.matchAll(partStart)].map(({ index }) => word.slice(index));

/**
 * The search terms of a customer: the words of its names and email address, and the rest of each word after a
 * punctuation mark (`smith` of `o'brien-smith`). Another term is the complete email address, as `<ann@example.com>`,
 * which does not match `mary-ann@example.com`.
 */
export function wordsOf({ email, first_name, last_name, company }: Omit<CustomerFields, "phone" | "metadata">) {
  const words = [email, first_name, last_name, company].flatMap((text) => searchWords(text ?? ""));
  return new Set([...words.flatMap((word) => [word, ...partsOf(word)]), `<${emailKey(email)}>`]);
}

/**
 * The current and former email addresses of a customer among its search terms: those in brackets. Another term may look
 * like one, such as a company named after an address.
 */
export function emailsAmong(words: readonly string[]): string[] {
  return words.flatMap((word) => /^<(.+@.+)>$/.exec(word)?.[1] ?? []);
}

/**
 * Refuses: validation_failed, naming every bad field of every address; `pathOf` gives the path of each in the request.
 */
export function checkAddresses(addresses: readonly CompleteAddress[], pathOf: (index: number) => string): void {
  const fields = addresses.flatMap((address, index) =>
    addressProblems(address).map((problem) => ({ ...problem, field: `${pathOf(index)}${problem.field}` })),
  );
  if (fields.length > 0) throw invalidFields(fields);
}

/** Whether a request makes an address the default, and whether it was the default before. */
export interface DefaultAddressRequest {
  readonly is_default: boolean | undefined;
  readonly was_default: boolean;
}

/**
 * Which address is the default: the marked one, else the present one unless the request unmarks it, else the first.
 * Null without addresses. Refuses: validation_failed, when two are marked.
 */
export function chooseDefault(
  wishes: readonly DefaultAddressRequest[],
  pathOf: (index: number) => string,
): number | null {
  if (wishes.length === 0) return null;
  const marked = wishes.flatMap(({ is_default }, index) => (is_default ? [index] : []));
  const [first, second] = marked;
  if (second !== undefined) throw invalid(`${pathOf(second)}is_default`, "is true for more than one address");
  const kept = wishes.findIndex(({ is_default, was_default }) => was_default && is_default === undefined);
  return first ?? Math.max(kept, 0);
}
