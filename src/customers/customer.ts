import { type StoredCheck, verificationView } from "../addresses/address.ts";
import { iso } from "../kit/clock.ts";
import { wireId } from "../kit/ids.ts";
import type { MerchantStatus } from "../merchants/status.ts";

/** A place of a customer where goods are delivered. */
export interface Address extends StoredCheck {
  readonly id: number;
  readonly customer_id: number;
  readonly name: string;
  /** The first name; null when the last name holds the whole name. */
  readonly company: string | null;
  readonly address_line1: string;
  readonly address_line2: string | null;
  readonly city: string;
  readonly state: string | null;
  readonly postal_code: string | null;
  /** Two-letter code of ISO 3166-1. */
  readonly country: string;
  readonly phone: string | null;
  readonly is_default: boolean;
  readonly created_at: number;
  readonly updated_at: number;
}

/** A customer as far as an order needs to know. */
export interface Buyer {
  readonly id: number;
  readonly merchant_id: number;
  readonly merchant: { readonly code: string; readonly status: MerchantStatus };
  readonly email: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly company: string | null;
}

export interface Customer extends Omit<Buyer, "merchant"> {
  readonly phone: string | null;
  readonly metadata: Record<string, unknown>;
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
  /** When what told who it was has been erased; null for a customer who is known. */
  readonly erased_at: number | null;
  /** Oldest first. */
  readonly shipping_addresses: readonly Address[];
}

/** The name of a customer: first and last name, else the company, else the e-mail address. */
export function customerName({
  first_name,
  last_name,
  company,
  email,
}: Omit<Buyer, "id" | "merchant_id" | "merchant">): string {
  const name = [first_name, last_name].map((part) => part?.trim()).filter(Boolean);
  return name.join(" ") || company?.trim() || email;
}

/** The company on a customer's parcels, unless the recipient's name already contains it. */
export function usualCompany({ company }: Pick<Buyer, "company">, name: string): string | null {
  const own = company?.trim() ?? "";
  return own === "" || name.includes(own) ? null : own;
}

/** An address as an order keeps it: a copy, which later changes of the customer do not affect. */
export function placeOf(address: Address) {
  const { name, company, address_line1, address_line2, city, state, postal_code, country, phone } = address;
  return { name, company, address_line1, address_line2, city, state, postal_code, country, phone };
}

/** The address as the API shows it. */
export function addressView(address: Address) {
  const { id, is_default, is_verified } = address;
  const verification = verificationView(address.verification, seconds);
  return { id: wireId("address", id), ...placeOf(address), is_default, is_verified, verification };
}

/** The customer as the API shows it. Its timestamps have no milliseconds, as the specification says. */
export function customerView(customer: Customer) {
  const { id, merchant_id, email, first_name, last_name, phone, company, metadata } = customer;
  const { created_at, updated_at, erased_at } = customer;
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
    created_at: seconds(created_at),
    updated_at: seconds(updated_at),
    erased_at: erased_at === null ? null : seconds(erased_at),
  };
}

const seconds = (at: number) => `${iso(at).slice(0, 19)}Z`;
