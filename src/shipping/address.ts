import { countries } from "../core/postal_address.ts";

/** The address of a sender or recipient in an order's snapshot. `country` is the two-letter code. */
export interface LabelAddress {
  readonly name: string;
  readonly company: string | null;
  readonly address_line1: string;
  readonly address_line2: string | null;
  readonly city: string;
  readonly state: string | null;
  readonly postal_code: string | null;
  readonly country: string;
}

/** The address of a sender or recipient on a label. `country` is the two-letter code. */
export interface ParcelAddress extends LabelAddress {
  readonly phone: string | null;
}

/** An address in the request bodies of the shipping routes. */
interface AddressInput {
  readonly name: string;
  readonly company?: string | null;
  readonly street1: string;
  readonly street2?: string | null;
  readonly city?: string | undefined;
  readonly state?: string | null;
  readonly zip?: string | null;
  readonly country: string;
  readonly phone?: string | null;
}

/** Converts a request's address to the form that labels store. */
export function readAddress({ street1, street2, zip, ...same }: AddressInput): ParcelAddress {
  const { name, company, city, state, country, phone } = same;
  return {
    name,
    company: company ?? null,
    address_line1: street1,
    address_line2: street2 ?? null,
    city: city ?? "",
    state: state ?? null,
    postal_code: zip ?? null,
    country,
    phone: phone ?? null,
  };
}

/** An address as warehouses and orders store it. */
type StoredPlace = Omit<LabelAddress, "company"> & { readonly company?: string | null; readonly phone?: string | null };

/** Converts the address of a warehouse or an order to the form that labels store. */
export function addressOf({ company, phone, ...same }: StoredPlace): ParcelAddress {
  return { ...same, company: company ?? null, phone: phone ?? null };
}

/** Returns the warehouse address under a sender's name, without the company. Null leaves the address unchanged. */
export function inNameOf<P extends StoredPlace>(sender: string | null, place: P): P {
  return sender === null ? place : { ...place, name: sender, company: null };
}

/** Returns an address as the shipping routes show it. */
export function addressView({ address_line1, address_line2, postal_code, ...same }: ParcelAddress) {
  const { name, company, city, state, country, phone } = same;
  return {
    name,
    company,
    street1: address_line1,
    street2: address_line2,
    city,
    state,
    zip: postal_code,
    country,
    phone,
  };
}

/** Whether this is a two-letter country code, in capitals. */
export function isCountry(code: string): boolean {
  return /^[A-Z]{2}$/.test(code) && countries().isValid(code);
}

/** The place that parcels leave from. */
export interface ShippingOrigin {
  /** The id of the warehouse. */
  readonly id: number;
  readonly name: string;
  /** The address of the warehouse, under the name of the merchant that sends the parcel. */
  readonly address: ParcelAddress;
  /** Whether this is still the example address of a first start. */
  readonly example: boolean;
  readonly timezone: string;
}
