import { isErasedEmail } from "../../customers/rules.ts";
import { Fault } from "../../kit/fault.ts";
import { wireId } from "../../kit/ids.ts";
import { isOnItsWay, type OrderStatus, openStatuses, orderStatuses } from "../../orders/status.ts";
import { awaitsInspection, type ReturnStatus, returnStatuses } from "../../returns/status.ts";
import { erased_word, redactedJson, type Traces } from "../redaction.ts";

/** The states of an order that is not over: its buyer's address is still needed. */
export const unfinishedStatuses: readonly OrderStatus[] = orderStatuses.filter(
  (status) => openStatuses.some((open) => open === status) || isOnItsWay(status),
);

/** The states of a return whose parcel is still to come or to be looked at. */
export const awaitedReturns: readonly ReturnStatus[] = returnStatuses.filter(awaitsInspection);

/** What still needs the data of a person. */
export interface Unfinished {
  /** Numbers of orders. */
  readonly orders: readonly string[];
  /** Wire ids of returns that are under way, and of labels that are being bought. */
  readonly returns: readonly string[];
  readonly labels: readonly string[];
}

/** Whether nothing needs the data of a person any more. */
export const isFinished = ({ orders, returns, labels }: Unfinished): boolean =>
  orders.length + returns.length + labels.length === 0;

/** The refusal to erase a person whose orders are not over. */
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
      " after_days: then it is done by itself so many days after the last of them has ended.",
    { ...unfinished },
  );
}

/** The texts that find a person: not those that stand for somebody who was erased, whoever it was. */
export const termsAmong = (texts: readonly (string | null)[]): string[] =>
  texts.filter((text) => text !== null).filter((text) => text !== erased_word && !isErasedEmail(text));

/** The texts of a customer that tell who it is. */
export const textsOfPerson = (one: {
  email: string;
  first_name: string | null;
  last_name: string | null;
  phone: string | null;
}) => [
  ...[one.email, one.phone],
  [one.first_name, one.last_name].filter((part) => part !== null && part !== "").join(" "),
];

/** The texts of an address that tell whose it is. */
export const textsOfPlace = (one: {
  name: string;
  address_line1: string;
  address_line2: string | null;
  phone?: string | null;
}) => [...[one.name, one.address_line1, one.address_line2, one.phone ?? null]];

/** The address is deleted, and found in kept answers by its id alone. */
export const idOfPlace = ({ id }: { id: number }) => wireId("address", id);

const met_again = " again ";

/** The place of an erasure that meets the events behind a number once more; those of these numbers were changed. */
export const placeAgain = (after: number, seqs: readonly number[]): string => `${after}${met_again}${seqs.join()}`;

/** The numbers of the events that were changed, where they are met once more; null where they are not. */
export function metIn(place: string): ReadonlySet<number> | null {
  const [, seqs] = place.split(met_again);
  return seqs === undefined ? null : new Set(seqs.split(",").map(Number));
}

/** Old values stand beside no id, so that all of them are taken for the person's. */
export function withoutPrevious(previous: string, { terms }: Traces): string {
  const own = "cus_0";
  const marked = JSON.stringify({ own, previous: JSON.parse(previous) });
  const left = JSON.parse(redactedJson(marked, { ids: new Set([own]), terms })) as { previous: unknown };
  return JSON.stringify(left.previous);
}
