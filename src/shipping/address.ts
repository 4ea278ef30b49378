import { countries } from "../core/postal_address.ts";

/** A sender or recipient, as an order's snapshot keeps it. `country` is the two-letter code. */
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

/** A sender or recipient as labels keep it. `country` is the two-letter code. */
export interface ParcelAddress extends LabelAddress {
  readonly phone: string | null;
}

/** The fields of an address in the bodies of the shipping routes. */
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

/** An address of a request, in the form that labels keep. */
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

/** An address in the form that warehouses and orders keep. */
type StoredPlace = Omit<LabelAddress, "company"> & { readonly company?: string | null; readonly phone?: string | null };

/** An address of a warehouse or an order, in the form that labels keep. */
export function addressOf({ company, phone, ...same }: StoredPlace): ParcelAddress {
  return { ...same, company: company ?? null, phone: phone ?? null };
}

/**
 * The address of a warehouse on what leaves it in somebody's name: who lives there is that name, where there is one,
 * and the street stays.
 */
export function inNameOf<P extends StoredPlace>(sender: string | null, place: P): P {
  return sender === null ? place : { ...place, name: sender, company: null };
}

/** An address as the shipping routes show it. */
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

/** Whether this is the two-letter code of a country, in capitals. */
export function isCountry(code: string): boolean {
  return /^[A-Z]{2}$/.test(code) && countries().isValid(code);
}

/** Where parcels leave from. */
export interface ShippingOrigin {
  /** The warehouse. */
  readonly id: number;
  readonly name: string;
  /** Its address, in the name of the merchant whose parcel it is. */
  readonly address: ParcelAddress;
  /** Whether that is the invented address of a first start. */
  readonly example: boolean;
  readonly timezone: string;
}
