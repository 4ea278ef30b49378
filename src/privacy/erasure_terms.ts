import { Fault } from "../core/faults.ts";
import { emailKey, isErasedEmail } from "../customers/customer.ts";
import { isOnItsWay, type OrderStatus, openStatuses, orderStatuses } from "../orders/order.transitions.ts";
import { awaitsInspection, type ReturnStatus, returnStatuses } from "../returns/return.transitions.ts";
import { erased_word } from "./personal_records.ts";

/** The statuses of orders that still need the buyer's address. */
export const unfinishedStatuses: readonly OrderStatus[] = orderStatuses.filter(
  (status) => openStatuses.some((open) => open === status) || isOnItsWay(status),
);

/** The statuses of returns whose parcel has not arrived or has not been inspected. */
export const awaitedReturns: readonly ReturnStatus[] = returnStatuses.filter(awaitsInspection);

/** Records that still need the person's data. */
export interface Unfinished {
  /** Order numbers. */
  readonly orders: readonly string[];
  /** Wire ids of open returns, and of labels that are being bought. */
  readonly returns: readonly string[];
  readonly labels: readonly string[];
}

/** Whether nothing needs the person's data any more. */
export const isFinished = ({ orders, returns, labels }: Unfinished): boolean =>
  orders.length + returns.length + labels.length === 0;

/** Creates the refusal to erase a person who has open orders. */
export function refusal(unfinished: Unfinished): Fault {
  const { orders, returns, labels } = unfinished;
  const named = [
    ...(orders.length === 0 ? [] : [`orders ${orders.join(", ")}`]),
    ...(returns.length === 0 ? [] : [`returns ${returns.join(", ")}`]),
    ...(labels.length === 0 ? [] : [`labels ${labels.join(", ")}`]),
  ];
  return new Fault(
    "orders_open",
    `These still need the person's address: ${named.join("; ")}. Deliver, cancel or close them first, or send` +
      " after_days to erase automatically that many days after the last one has ended.",
    { ...unfinished },
  );
}

const wire_id = /"((?:cus|ord|ret|shp|lbl|adr)_\d+)"/g;

/** Whether JSON names one of these records. */
export function namesAny(json: string, ids: ReadonlySet<string>): boolean {
  for (const [, id] of json.matchAll(wire_id)) if (ids.has(id as string)) return true;
  return false;
}

/** Whether events of a type may contain personal data. Stock events do not, even if they name an order. */
export const mayConcernPeople = (type: string): boolean => !type.startsWith("inventory.");

/** The email addresses among some texts, in lower case, without placeholders of erased people. */
export const emailKeysOf = (texts: readonly (string | null)[]): string[] => [
  ...new Set(texts.flatMap((text) => (text?.includes("@") && !isErasedEmail(text) ? [emailKey(text.trim())] : []))),
];

const plain = (text: string) => text.trim().normalize("NFC").toLowerCase();

/** The names, email addresses and other texts by which someone may have searched for a person, for `mentions`. */
export const searchTermsOf = (texts: readonly (string | null | undefined)[]): string[] => [
  ...new Set(
    texts.flatMap((text) => (text?.trim() && text !== erased_word && !isErasedEmail(text) ? [plain(text)] : [])),
  ),
];

const email = /[^\s"'<>&=?/,;:()]+@[^\s"'<>&=?/,;:()]+/g;

/** Whether a text contains one of these email addresses, in lower case. */
export const containsEmail = (text: string, emails: ReadonlySet<string>): boolean =>
  (plain(text).match(email) ?? []).some((one) => emails.has(one));

const wordsOf = (text: string) => ` ${text.split(/[^\p{L}\p{M}\p{N}]+/u).join(" ")} `;

/**
 * Whether a text names a person. Email addresses and terms of several words match anywhere in it; other terms match the
 * whole text.
 */
export function mentions(text: string, terms: ReadonlySet<string>): boolean {
  const own = plain(text);
  if (terms.has(own) || containsEmail(own, terms)) return true;
  const long = [...terms].filter((term) => term.includes(" "));
  if (long.length === 0 || !own.includes(" ")) return false;
  const words = wordsOf(own);
  return long.some((term) => words.includes(wordsOf(term)));
}
