import type { Place } from "../../kit/place.ts";

/** The invented address of the first warehouse, until the operator enters the real one. */
export const exampleAddress = {
  address_line1: "100 Main Street",
  city: "Columbus",
  state: "OH",
  postal_code: "43215",
  country: "US",
} as const;

/** Whether an address is still the invented one. */
export function isExampleAddress(address: Place): boolean {
  return Object.entries(exampleAddress).every(([field, value]) => address[field as keyof Place] === value);
}
