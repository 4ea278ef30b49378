import { type Static, Type } from "@sinclair/typebox";
import { pageFields } from "../kit/page.ts";
import { choice, closed, momentField, nullable, textField } from "../kit/schema.ts";
import { eventTypes } from "../outbox/catalog.ts";
import {
  attemptErrors,
  attemptStatuses,
  attemptTriggers,
  disabledReasons,
  payloadKinds,
  subscriptionStatuses,
  subscriptionVersions,
} from "./status.ts";

const moment = Type.String({ format: "date-time" });
const retryLimit = Type.Union([Type.Literal(3), Type.Literal(5), Type.Literal(10)], { hint: "must be 3, 5 or 10" });

const readOnly = [
  "id",
  "status",
  "disabled_reason",
  "consecutive_failures",
  "failing_since",
  "paused_until",
  "previous_secret_expires_at",
  "created_at",
  "updated_at",
];

export const CreateSubscription = closed(
  {
    url: Type.String({ minLength: 1, maxLength: 4096, description: "Where events are sent by POST; https." }),
    events: Type.Array(choice(eventTypes), { minItems: 1, maxItems: 100 }),
    description: Type.Optional(nullable(textField(500, { min: 0 }))),
    active: Type.Optional(Type.Boolean()),
    version: Type.Optional(choice(subscriptionVersions)),
    payload: Type.Optional(choice(payloadKinds, { description: "`thin` names the object only; version 2." })),
    retry_limit: Type.Optional(retryLimit),
  },
  readOnly,
);
export type CreateSubscription = Static<typeof CreateSubscription>;

export const ListSubscriptions = closed(pageFields);
export type ListSubscriptions = Static<typeof ListSubscriptions>;

export const SendTest = closed({
  event: Type.Optional(choice(eventTypes)),
  event_type: Type.Optional(choice(eventTypes)),
});
export type SendTest = Static<typeof SendTest>;

export const ListAttempts = closed({
  ...pageFields,
  status: Type.Optional(choice(attemptStatuses)),
  event_type: Type.Optional(choice(eventTypes)),
  event_id: Type.Optional(textField(100)),
  since: Type.Optional(momentField("Attempts begun at this moment or later.")),
  until: Type.Optional(momentField("Attempts begun before this moment.")),
});
export type ListAttempts = Static<typeof ListAttempts>;

const subscriptionFields = {
  id: Type.String(),
  url: Type.String(),
  events: Type.Array(choice(eventTypes)),
  description: nullable(Type.String()),
  active: Type.Boolean({ description: "Whether new events are sent." }),
  status: choice(subscriptionStatuses),
  disabled_reason: nullable(choice(disabledReasons)),
  version: choice(subscriptionVersions),
  payload: choice(payloadKinds),
  retry_limit: retryLimit,
  consecutive_failures: Type.Integer(),
  failing_since: nullable(moment),
  paused_until: nullable(moment),
  previous_secret_expires_at: nullable(moment),
  created_at: moment,
  updated_at: moment,
};

export const SubscriptionView = closed(subscriptionFields);

export const CreatedSubscriptionView = closed({
  ...subscriptionFields,
  secret: Type.String({ description: "The signing secret, shown only here." }),
});

const headers = Type.Record(Type.String(), Type.String());
const ErrorView = nullable(closed({ code: choice(attemptErrors), message: Type.String() }));

export const TestView = closed({
  delivery_id: Type.String(),
  event_id: Type.String(),
  event_type: choice(eventTypes),
  status: choice(attemptStatuses),
  response: nullable(closed({ status_code: Type.Integer(), body_excerpt: nullable(Type.String()) })),
  error: ErrorView,
  duration_ms: nullable(Type.Integer()),
});

export const AttemptView = closed({
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
  started_at: moment,
  next_attempt_at: nullable(moment),
});
