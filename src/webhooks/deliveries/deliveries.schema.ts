// Schemas of deliveries, attempts and recoveries.
import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, momentField, nullable, Timestamp } from "../../core/schema.ts";
import { eventTypes } from "../../events/event_types.ts";
import {
  attemptErrors,
  attemptStatuses,
  attemptTriggers,
  deliveryStatuses,
  missedDeliveries,
  restoredStates,
} from "../webhooks.transitions.ts";

export const DeliveryView = closed({
  id: Type.String(),
  subscription_id: Type.String(),
  event_id: Type.String(),
  event_type: choice(eventTypes),
  sequence: Type.Integer({ description: "The number of the delivery in its subscription, without gaps." }),
  status: choice(deliveryStatuses),
  attempts: Type.Integer(),
  max_attempts: Type.Integer({ description: "The number of the last attempt before the delivery fails." }),
  trigger: choice(attemptTriggers),
  recovery_id: nullable(Type.String()),
  restored: nullable(
    choice(restoredStates, {
      description:
        "For a delivery that was pending when its data was restored from a backup: whether it still waits for a" +
        " decision, or the decision.",
    }),
  ),
  next_attempt_at: nullable(Timestamp),
  created_at: Timestamp,
  finished_at: nullable(Timestamp),
});

const headers = Type.Record(Type.String(), Type.String());

/** The reason why an attempt failed. */
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
  started_at: Timestamp,
  next_attempt_at: nullable(Timestamp),
};

export const AttemptView = closed(attemptFields);

/** A single attempt with the body that was sent. */
export const WholeAttemptView = closed({
  ...attemptFields,
  request: closed({
    headers,
    body: nullable(Type.String({ description: "The exact body that was sent; null after the payload was deleted." })),
  }),
});

export const StartRecovery = closed({
  created_after: momentField("Deliveries created at this time or later, at most 30 days ago."),
  created_before: Type.Optional(momentField("Deliveries created before this time; by default, now.")),
  statuses: Type.Optional(Type.Array(choice(missedDeliveries), { minItems: 1, maxItems: 2 })),
});
export type StartRecovery = Static<typeof StartRecovery>;

export const RecoveryView = closed({
  id: Type.String(),
  subscription_id: Type.String(),
  status: choice(["running", "completed", "cancelled"]),
  created_after: Timestamp,
  created_before: Timestamp,
  statuses: Type.Array(choice(missedDeliveries)),
  total: Type.Integer({ description: "The number of deliveries to queue: at most the oldest 10,000." }),
  queued: Type.Integer(),
  delivered: Type.Integer(),
  failed: Type.Integer(),
  created_at: Timestamp,
});
