// The filters that lists of deliveries and of attempts share.
import { Type } from "@sinclair/typebox";
import { momentOf } from "../kit/clock.ts";
import { choice, momentField, textField } from "../kit/schema.ts";
import { type EventType, eventTypes } from "../outbox/catalog.ts";

/** The query fields for rows about events; `happened` says what the moments belong to: `Attempts begun`. */
export const eventFilterFields = (happened: string) => ({
  event_type: Type.Optional(choice(eventTypes)),
  event_id: Type.Optional(textField(100)),
  since: Type.Optional(momentField(`${happened} at this moment or later.`)),
  until: Type.Optional(momentField(`${happened} before this moment.`)),
});

/** Rows about one event, one type of events, or a period. */
export interface EventFilter {
  readonly event_type?: EventType | undefined;
  readonly event_id?: string | undefined;
  /** From this moment on, in milliseconds. */
  readonly since?: number | undefined;
  /** Before this moment. */
  readonly until?: number | undefined;
}

interface EventQuery {
  readonly event_type?: EventType | undefined;
  readonly event_id?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** The filter of a query with these fields. */
export function eventFilterOf({ event_type, event_id, since, until }: EventQuery): EventFilter {
  return { event_type, event_id, since: momentOf(since), until: momentOf(until) };
}
