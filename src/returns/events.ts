import type { DomainEvent, EventType } from "../outbox/catalog.ts";
import { type Return, returnView } from "./return.ts";

/** What the world is told of a return: all that its GET answers. */
export function returnEvent(type: EventType, found: Return): DomainEvent {
  return { type, data: { object: "return", ...returnView(found) } };
}
