import type { Address } from "./address.ts";

/** Where parcels leave from. */
export interface Origin {
  /** The warehouse. */
  readonly id: number;
  readonly name: string;
  /** Its address, in the name of the merchant whose parcel it is. */
  readonly address: Address;
  /** Whether that is the invented address of a first start. */
  readonly example: boolean;
  readonly timezone: string;
}
