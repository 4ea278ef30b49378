import type { FieldProblem } from "../core/faults.ts";
import { type PostalAddress, postalFields, postalOf } from "../core/postal_address.ts";
import { type AddressVerification, verdictOf } from "./address.ts";
import { addressProblems, foldCity, isPostOfficeBox } from "./offline_verification.ts";

/** A carrier's findings about an address. */
interface CarrierAddressFinding {
  readonly deliverable: boolean;
  readonly errors: readonly string[];
  readonly suggestion: PostalAddress | null;
  readonly residential: boolean | null;
}

/** Why a carrier did not respond, in the form of the messages of rates. */
interface CarrierMessage {
  readonly carrier: string;
  readonly level: "info" | "warning" | "error";
  readonly code: string;
  readonly message: string;
}

/** A carrier's response for one address: its findings, or why there are none. */
export type CarrierAnswer =
  | { readonly connector: string; readonly found: CarrierAddressFinding }
  | { readonly connector: string; readonly message: CarrierMessage };

/** Verifies addresses with a carrier. The results are in the order of the addresses; null if no account can do it. */
export type AskCarrier = (
  mode: "live" | "test",
  addresses: readonly PostalAddress[],
) => Promise<readonly CarrierAnswer[] | null>;

/** Whether an address is complete enough to be verified by a carrier. */
export function isWorthAsking(address: PostalAddress): boolean {
  return addressProblems(address).length === 0;
}

const plain = (text: string | null) => foldCity(text ?? "");

/** Whether two addresses differ in more than spelling. */
function differ(some: PostalAddress, other: PostalAddress): boolean {
  return postalFields.some((field) => plain(some[field]) !== plain(other[field]));
}

/** Whether a suggestion is in another country, state, city or postal area. */
function liesElsewhere(address: PostalAddress, suggestion: PostalAddress): boolean {
  const first = (code: string | null) => code?.trim().split(/[\s-]/)[0] ?? "";
  return (
    first(address.postal_code) !== first(suggestion.postal_code) ||
    (["country", "state", "city"] as const).some((field) => plain(address[field]) !== plain(suggestion[field]))
  );
}

/** The verification that follows from a carrier's findings, which override the offline check. `now` in milliseconds. */
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
  const refused = found.errors.length > 0 ? found.errors : [`is undeliverable according to ${connector}`];
  const moved = suggestion !== null && liesElsewhere(address, suggestion);
  const notes = [...found.errors, ...(moved ? [`is elsewhere according to ${connector}; see the suggestion`] : [])];
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
