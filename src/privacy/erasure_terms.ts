import { Fault } from "../core/faults.ts";
import { emailKey, isErasedEmail } from "../customers/customer.ts";
import { isOnItsWay, type OrderStatus, openStatuses, orderStatuses } from "../orders/order.transitions.ts";
import { awaitsInspection, type ReturnStatus, returnStatuses } from "../returns/return.transitions.ts";

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

const wire_id = /"((?:cus|ord|ret|shp|lbl|adr)_\d+)"/g;

/** Whether JSON names one of these records. */
export function namesAny(json: string, ids: ReadonlySet<string>): boolean {
  for (const [, id] of json.matchAll(wire_id)) if (ids.has(id as string)) return true;
  return false;
}

/** Whether an event of a type may tell of a person: those of stock do not, whatever order they name. */
export const tellsOfPeople = (type: string): boolean => !type.startsWith("inventory.");

/** The e-mail addresses among some texts, in small letters; not those that stand for somebody who was erased. */
export const emailKeysOf = (texts: readonly (string | null)[]): string[] => [
  ...new Set(texts.flatMap((text) => (text?.includes("@") && !isErasedEmail(text) ? [emailKey(text.trim())] : []))),
];
