// Schemas of deliveries, attempts and recoveries.
import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, momentField, nullable, Timestamp, timestamp } from "../../core/schema.ts";
import { eventTypes } from "../../events/event_types.ts";
import {
  attemptErrors,
  attemptStatuses,
  attemptTriggers,
  deliveryStatuses,
  missedDeliveries,
  restoredStates,
} from "../webhooks.transitions.ts";

const subscription_id = Type.String({ description: "The subscription, such as `whk_1001`." });

const trigger = choice(attemptTriggers, {
  description: "`manual` after a redelivery or a recovery, `test` for a test event, else `scheduled`.",
});

export const DeliveryView = closed({
  id: Type.String(),
  subscription_id,
  event_id: Type.String(),
  event_type: choice(eventTypes),
  sequence: Type.Integer({
    description: "Numbers the subscription's deliveries from 1. Only a restore from a backup leaves a gap.",
  }),
  status: choice(deliveryStatuses, {
    description:
      "`exhausted`: all attempts failed. `skipped`: paused, disabled or over the backlog limits. `cancelled`: the" +
      " receiver aborted it, or its payload was erased.",
  }),
  attempts: Type.Integer({ description: "Attempts so far, including those before a redelivery." }),
  max_attempts: Type.Integer({ description: "The delivery is `exhausted` after this many attempts." }),
  trigger,
  recovery_id: nullable(
    Type.String({ description: "The last recovery that queued it again, such as `rcy_1001`; null if none did." }),
  ),
  restored: nullable(
    choice(restoredStates, {
      description:
        "For a delivery that was pending when its data was restored from a backup: whether it still waits for a" +
        " decision, or the decision.",
    }),
  ),
  next_attempt_at: nullable(timestamp("When the next attempt is due; null unless `pending`.")),
  created_at: Timestamp,
  finished_at: nullable(timestamp("When it was delivered, or given up; null while `pending`.")),
});

const headers = Type.Record(Type.String(), Type.String(), {
  description: "The headers that were sent, with the signatures.",
});

/** The reason why an attempt failed. */
export const ErrorView = nullable({
  ...closed({
    code: choice(attemptErrors, {
      description: "`gone` is 410, `too_many_requests` 429, `http_error` any other status that is not 2xx.",
    }),
    message: Type.String({ description: "The reason in plain English." }),
  }),
  description: "Why it failed; null for a success.",
});

export const attemptStatus = choice(attemptStatuses, {
  description: "`success`: the receiver returned 2xx. `blocked`: its address is not allowed, so nothing was sent.",
});

export const duration_ms = nullable(
  Type.Integer({ description: "From the start of the attempt to its end; null if it was blocked." }),
);

export const responseFields = {
  status_code: Type.Integer({ description: "The HTTP status of the response." }),
  headers: Type.Record(Type.String(), Type.String(), {
    description: "Those that help to diagnose, such as `server` and `retry-after`, in lower case.",
  }),
  truncated: Type.Boolean({ description: "Whether the body was longer than what is shown." }),
};
export const response_text = "The response of the receiver; null if there was none.";

const attemptFields = {
  id: Type.String(),
  delivery_id: Type.String({ description: "The delivery, such as `dlv_1001`." }),
  event_id: Type.String(),
  event_type: choice(eventTypes),
  attempt: Type.Integer({ description: "The number of the attempt in its delivery, from 1." }),
  max_attempts: Type.Integer({ description: "The `max_attempts` of its delivery at that time." }),
  trigger,
  status: attemptStatus,
  url: Type.String({ description: "The URL that was called." }),
  request: { ...closed({ headers }), description: "The request to the receiver." },
  response: nullable({
    ...closed({
      ...responseFields,
      body: nullable(
        Type.String({ description: "Its start, up to 4 KiB; null once it was deleted after its retention." }),
      ),
    }),
    description: response_text,
  }),
  error: ErrorView,
  ip_address: nullable(Type.String({ description: "The IP address that was called; null if none was." })),
  duration_ms,
  started_at: timestamp("When the attempt began."),
  next_attempt_at: nullable(Timestamp),
};

export const AttemptView = closed(attemptFields);

/** A single attempt with the body that was sent. */
export const WholeAttemptView = closed({
  ...attemptFields,
  request: {
    ...closed({
      headers,
      body: nullable(Type.String({ description: "The exact body that was sent; null after the payload was deleted." })),
    }),
    description: "The request to the receiver, with its body.",
  },
});

export const StartRecovery = closed({
  created_after: momentField("Deliveries created at this time or later, at most 30 days ago."),
  created_before: Type.Optional(momentField("Deliveries created before this time; by default, now.")),
  statuses: Type.Optional(
    Type.Array(choice(missedDeliveries), {
      minItems: 1,
      maxItems: 2,
      description: "Only deliveries in these states; both by default.",
    }),
  ),
});
export type StartRecovery = Static<typeof StartRecovery>;

export const RecoveryView = closed({
  id: Type.String(),
  subscription_id,
  status: choice(["running", "completed", "cancelled"], {
    description:
      "`running` until every delivery has ended; `cancelled` if the subscription was paused, disabled or deleted" +
      " before all were queued.",
  }),
  created_after: timestamp("The start of the period, included."),
  created_before: timestamp("The end of the period, not included."),
  statuses: Type.Array(choice(missedDeliveries), { description: "The states of deliveries that it queues." }),
  total: Type.Integer({ description: "The number of deliveries to queue: at most the oldest 10,000." }),
  queued: Type.Integer({ description: "Deliveries queued so far." }),
  delivered: Type.Integer({ description: "Queued deliveries that the receiver accepted." }),
  failed: Type.Integer({ description: "Queued deliveries that ended otherwise, or that a later recovery took over." }),
  created_at: Timestamp,
});
