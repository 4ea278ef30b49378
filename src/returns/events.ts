import { type DomainEvent, type EventType, previousOf } from "../outbox/catalog.ts";
import { type Return, returnView } from "./return.ts";

/** An event of a return: all that its GET answers, with the old values of `before` unless it is new. */
export function returnEvent(type: EventType, found: Return, before?: Return): DomainEvent {
  const data = { object: "return", ...returnView(found) };
  const { merchant_id } = found;
  if (before === undefined) return { type, merchant_id, data };
  const { status, refund_status } = before;
  return { type, merchant_id, data, previous: previousOf({ status, refund_status }, found) };
}
