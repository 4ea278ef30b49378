import { isNameless } from "../addresses/address.ts";
import { invalid } from "../core/faults.ts";
import type { CompleteAddress, ContactAddress } from "../core/postal_address.ts";
import type { ShippingAddress } from "./shipping.schema.ts";

/** Converts a request's address to the form that labels store. */
export function readAddress({ street1, street2, zip, ...same }: ShippingAddress): CompleteAddress {
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

/**
 * Returns the address of an order's recipient as a label prints it: under the company if it has no name. `field` is
 * where a request can send another one. Refuses: validation_failed (neither name nor company).
 */
export function namedAddress(address: CompleteAddress, field: "from_address" | "to_address"): CompleteAddress {
  if (isNameless(address)) {
    const remedy = `Send ${field}, or set the name of the customer's address and choose it for the order again`;
    throw invalid(`${field}.name`, `is required: the order's recipient has no name. ${remedy}`, "required");
  }
  return underCompany(address);
}

/** Returns the address under the company if it has no name, as labels and quotes name the recipient. */
export function underCompany(address: CompleteAddress): CompleteAddress {
  return address.name.trim() === "" ? { ...address, name: address.company ?? "", company: null } : address;
}

/** Returns the warehouse address under a sender's name, without the company. Null leaves the address unchanged. */
export function inNameOf<P extends ContactAddress>(sender: string | null, place: P): P {
  return sender === null ? place : { ...place, name: sender, company: null };
}

/** Returns an address as the shipping routes show it. */
export function addressView({ address_line1, address_line2, postal_code, ...same }: CompleteAddress) {
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

/** The place that parcels leave from. */
export interface ShippingOrigin {
  /** The id of the warehouse. */
  readonly id: number;
  readonly name: string;
  /** The address of the warehouse, under the name of the merchant that sends the parcel. */
  readonly address: CompleteAddress;
  /** Whether this is still the example address of a first start. */
  readonly example: boolean;
  readonly timezone: string;
}
