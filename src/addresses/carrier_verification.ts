import type { FieldProblem } from "../core/faults.ts";
import { type AddressVerification, type PostalAddress, postalFields, postalOf, verdictOf } from "./address.ts";
import { addressProblems, foldCity, isPostOfficeBox } from "./offline_verification.ts";

/** What a carrier found of an address. */
interface CarrierAddressFinding {
  readonly deliverable: boolean;
  readonly errors: readonly string[];
  readonly suggestion: PostalAddress | null;
  readonly residential: boolean | null;
}

/** What a carrier that was asked did not answer, in the words of messages beside rates. */
interface CarrierMessage {
  readonly carrier: string;
  readonly level: "info" | "warning" | "error";
  readonly code: string;
  readonly message: string;
}

/** The answer of a carrier about one address: what it found, or why it did not say. */
export type CarrierAnswer =
  | { readonly connector: string; readonly found: CarrierAddressFinding }
  | { readonly connector: string; readonly message: CarrierMessage };

/** Asks a carrier about addresses, each answer at the place of its address; null where no account has one to ask. */
export type AskCarrier = (
  mode: "live" | "test",
  addresses: readonly PostalAddress[],
) => Promise<readonly CarrierAnswer[] | null>;

/** Whether there is enough of an address that a carrier may be asked about it. */
export function isWorthAsking(address: PostalAddress): boolean {
  return addressProblems(address).length === 0;
}

const plain = (text: string | null) => foldCity(text ?? "");

/** Whether two addresses differ in more than in how they are written. */
function differ(some: PostalAddress, other: PostalAddress): boolean {
  return postalFields.some((field) => plain(some[field]) !== plain(other[field]));
}

/** Whether a suggestion lies elsewhere: in another country, state or city, or another first part of a postal code. */
function liesElsewhere(address: PostalAddress, suggestion: PostalAddress): boolean {
  const first = (code: string | null) => code?.trim().split(/[\s-]/)[0] ?? "";
  return (
    first(address.postal_code) !== first(suggestion.postal_code) ||
    (["country", "state", "city"] as const).some((field) => plain(address[field]) !== plain(suggestion[field]))
  );
}

/** What a carrier found as a verification: it wins over what the check without it says. `now` in milliseconds. */
export function verificationOf(
  address: PostalAddress,
  connector: string,
  found: CarrierAddressFinding,
  now: number,
): AddressVerification {
  const { deliverable, residential } = found;
  const suggestion = found.suggestion !== null && differ(address, found.suggestion) ? postalOf(found.suggestion) : null;
  const told = (code: string, words: readonly string[]) =>
    words.map((message): FieldProblem => ({ field: "address", code, message }));
  const refused = found.errors.length > 0 ? found.errors : [`cannot be delivered to, as ${connector} says`];
  const moved = suggestion !== null && liesElsewhere(address, suggestion);
  const notes = [...found.errors, ...(moved ? [`is elsewhere, as ${connector} says: see the suggestion`] : [])];
  const warnings = deliverable ? told("carrier_note", notes) : [];
  const problems = { errors: deliverable ? [] : told("undeliverable", refused), warnings };
  return {
    status: verdictOf(problems, true),
    method: connector,
    ...problems,
    suggestion,
    po_box: isPostOfficeBox(address),
    residential,
    checked_at: now,
  };
}
