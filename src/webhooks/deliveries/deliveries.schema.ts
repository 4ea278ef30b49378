// The filters that lists of deliveries and of attempts share.
import { type Static, Type } from "@sinclair/typebox";
import { momentOf } from "../../core/clock.ts";
import { choice, closed, momentField, nullable, pageFields, textField } from "../../core/schema.ts";
import { type EventType, eventTypes } from "../../events/event_types.ts";
import {
  attemptErrors,
  attemptStatuses,
  attemptTriggers,
  deliveryStatuses,
  missedDeliveries,
  restoredStates,
} from "../webhooks.transitions.ts";

/** The query fields for rows about events; `happened` says what the moments belong to: `Attempts begun`. */
const eventFilterFields = (happened: string) => ({
  event_type: Type.Optional(choice(eventTypes)),
  event_id: Type.Optional(textField(100)),
  since: Type.Optional(momentField(`${happened} at this moment or later.`)),
  until: Type.Optional(momentField(`${happened} before this moment.`)),
});

/** Rows about one event, one type of events, or a period. */
export interface DeliveryEventFilter {
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
export function eventFilterOf({ event_type, event_id, since, until }: EventQuery): DeliveryEventFilter {
  return { event_type, event_id, since: momentOf(since), until: momentOf(until) };
}

const delivery_moment = Type.String({ format: "date-time" });

export const ListDeliveries = closed({
  ...pageFields,
  status: Type.Optional(choice(deliveryStatuses)),
  ...eventFilterFields("Deliveries recorded"),
});
export type ListDeliveries = Static<typeof ListDeliveries>;

export const DeliveryView = closed({
  id: Type.String(),
  subscription_id: Type.String(),
  event_id: Type.String(),
  event_type: choice(eventTypes),
  sequence: Type.Integer({ description: "Its number among the subscription's deliveries, without gaps." }),
  status: choice(deliveryStatuses),
  attempts: Type.Integer(),
  max_attempts: Type.Integer({ description: "The number of the last attempt that will be made." }),
  trigger: choice(attemptTriggers),
  recovery_id: nullable(Type.String()),
  restored: nullable(
    choice(restoredStates, {
      description:
        "Of a delivery that waited to be sent when the data came from a backup: whether it still waits for a" +
        " decision, and what that was.",
    }),
  ),
  next_attempt_at: nullable(delivery_moment),
  created_at: delivery_moment,
  finished_at: nullable(delivery_moment),
});

const attempt_moment = Type.String({ format: "date-time" });

export const ListAttempts = closed({
  ...pageFields,
  status: Type.Optional(choice(attemptStatuses)),
  ...eventFilterFields("Attempts begun"),
});
export type ListAttempts = Static<typeof ListAttempts>;

const headers = Type.Record(Type.String(), Type.String());

/** Why an attempt was no success. */
export const ErrorView = nullable(closed({ code: choice(attemptErrors), message: Type.String() }));

const attemptFields = {
  id: Type.String(),
  delivery_id: Type.String(),
  event_id: Type.String(),
  event_type: choice(eventTypes),
  attempt: Type.Integer(),
  max_attempts: Type.Integer(),
  trigger: choice(attemptTriggers),
  status: choice(attemptStatuses),
  url: Type.String(),
  request: closed({ headers }),
  response: nullable(
    closed({
      status_code: Type.Integer(),
      headers,
      body: nullable(Type.String()),
      truncated: Type.Boolean(),
    }),
  ),
  error: ErrorView,
  ip_address: nullable(Type.String()),
  duration_ms: nullable(Type.Integer()),
  started_at: attempt_moment,
  next_attempt_at: nullable(attempt_moment),
};

export const AttemptView = closed(attemptFields);

/** A single attempt, with the bytes that were sent. */
export const WholeAttemptView = closed({
  ...attemptFields,
  request: closed({
    headers,
    body: nullable(Type.String({ description: "What was sent, byte for byte; null once the payload was deleted." })),
  }),
});

const recovery_moment = Type.String({ format: "date-time" });

export const StartRecovery = closed({
  since: momentField("Deliveries recorded at this moment or later, at most 30 days ago."),
  until: Type.Optional(momentField("Deliveries recorded before this moment; now by default.")),
  statuses: Type.Optional(Type.Array(choice(missedDeliveries), { minItems: 1, maxItems: 2 })),
});
export type StartRecovery = Static<typeof StartRecovery>;

export const RecoveryView = closed({
  id: Type.String(),
  subscription_id: Type.String(),
  status: choice(["running", "completed", "cancelled"]),
  since: recovery_moment,
  until: recovery_moment,
  statuses: Type.Array(choice(missedDeliveries)),
  total: Type.Integer({ description: "How many deliveries there were to queue, the oldest 10,000 at most." }),
  queued: Type.Integer(),
  delivered: Type.Integer(),
  failed: Type.Integer(),
  created_at: recovery_moment,
});
