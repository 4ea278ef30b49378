// By what the lists of deliveries and of attempts are narrowed alike.
import { Type } from "@sinclair/typebox";
import { momentOf } from "../kit/clock.ts";
import { choice, momentField, textField } from "../kit/schema.ts";
import { type EventType, eventTypes } from "../outbox/catalog.ts";

/** The fields of a query for rows that are about events; `happened` says what the moments are of: `Attempts begun`. */
export const eventFilterFields = (happened: string) => ({
  event_type: Type.Optional(choice(eventTypes)),
  event_id: Type.Optional(textField(100)),
  since: Type.Optional(momentField(`${happened} at this moment or later.`)),
  until: Type.Optional(momentField(`${happened} before this moment.`)),
});

/** Rows about one event, one type of events, one time. */
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

/** What a query with these fields asks for. */
export function eventFilterOf({ event_type, event_id, since, until }: EventQuery): EventFilter {
  return { event_type, event_id, since: momentOf(since), until: momentOf(until) };
}
