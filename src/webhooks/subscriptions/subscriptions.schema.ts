import { type Static, Type } from "@sinclair/typebox";
import { mailStatuses } from "../../core/email.ts";
import { choice, closed, nullable, Timestamp, textField } from "../../core/schema.ts";
import { eventTypes } from "../../events/event_types.ts";
import { merchantName, OwnerOrOperatorView, ofMerchantOrOperator } from "../../storage/tenant.schema.ts";
import { ErrorView } from "../deliveries/deliveries.schema.ts";
import {
  attemptStatuses,
  disabledReasons,
  noticeKinds,
  payloadKinds,
  subscriptionStatuses,
  subscriptionVersions,
} from "../webhooks.transitions.ts";

export const NoticeView = closed({
  id: Type.String(),
  kind: choice(noticeKinds),
  subscription_id: { ...nullable(Type.String()), description: "Null for a notice about backups." },
  message: Type.String(),
  mail_status: { ...choice(mailStatuses), description: "The status of its email; `none` without a mail server." },
  acknowledged_at: nullable(Timestamp),
  created_at: Timestamp,
});

const retryLimit = Type.Union([Type.Literal(3), Type.Literal(5), Type.Literal(10)], { hint: "must be 3, 5 or 10" });

const readOnly = [
  "merchant_id",
  "id",
  "status",
  "disabled_reason",
  "backlog",
  "circuit",
  "consecutive_failures",
  "failing_since",
  "paused_until",
  "previous_secret_expires_at",
  "created_at",
  "updated_at",
];

const rate_per_second_max = 1000;
const rateLimit = Type.Integer({
  minimum: 1,
  maximum: rate_per_second_max,
  description: "The maximum number of deliveries per second, evenly spread; null for no limit.",
});

const url = Type.String({
  minLength: 1,
  maxLength: 4096,
  description: "The https URL to which events are sent by POST.",
});
const events = Type.Array(choice(eventTypes), { minItems: 1, maxItems: 100 });
const merchants_max = 100;
const merchants_text = "For an operator subscription: receive only the events of these merchants";
const optional = {
  merchants: Type.Optional(
    nullable(
      Type.Array(merchantName("A merchant, by id or code."), {
        minItems: 1,
        maxItems: merchants_max,
        description: `${merchants_text}, by id or code; null (the default) for all merchants.`,
      }),
    ),
  ),
  description: Type.Optional(nullable(textField(500, { min: 0 }))),
  active: Type.Optional(
    Type.Boolean({ description: "False pauses the subscription. Events are then recorded as skipped." }),
  ),
  version: Type.Optional(choice(subscriptionVersions, { description: "Fixed at creation." })),
  payload: Type.Optional(
    choice(payloadKinds, { description: "`thin` contains only the object's type and id; version 2 only." }),
  ),
  retry_limit: Type.Optional(retryLimit),
  rate_limit_per_second: Type.Optional(nullable(rateLimit)),
};

export const CreateSubscription = closed({ ...ofMerchantOrOperator, url, events, ...optional }, readOnly);
export type CreateSubscription = Static<typeof CreateSubscription>;

export const UpdateSubscription = closed(
  { url: Type.Optional(url), events: Type.Optional(events), ...optional },
  readOnly,
);
export type UpdateSubscription = Static<typeof UpdateSubscription>;

const overlap_seconds_max = 7 * 24 * 3600;

export const RotateSecret = closed({
  secret: Type.Optional(Type.String({ maxLength: 200, description: "`whsec_` and base64 of 24 to 64 bytes." })),
  overlap_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: overlap_seconds_max,
      description: "How long the old secret also signs: by default one day; 0 ends it immediately.",
    }),
  ),
});
export type RotateSecret = Static<typeof RotateSecret>;

const subscriptionFields = {
  id: Type.String(),
  merchant_id: OwnerOrOperatorView,
  merchants: nullable(Type.Array(Type.String(), { description: `${merchants_text}; null for all merchants.` })),
  url: Type.String(),
  events: Type.Array(choice(eventTypes)),
  description: nullable(Type.String()),
  active: Type.Boolean({ description: "Whether new events are sent." }),
  status: choice(subscriptionStatuses),
  disabled_reason: nullable(choice(disabledReasons)),
  version: choice(subscriptionVersions),
  payload: choice(payloadKinds),
  retry_limit: retryLimit,
  rate_limit_per_second: nullable(rateLimit),
  circuit: closed({
    state: choice(["closed", "open"], { description: "While open, only occasional probes are sent." }),
    next_probe_at: nullable(Timestamp),
  }),
  consecutive_failures: Type.Integer(),
  failing_since: nullable(Timestamp),
  paused_until: nullable(Timestamp),
  previous_secret_expires_at: nullable(Timestamp),
  backlog: Type.Object(
    {
      skipped: Type.Integer({ description: "The number of deliveries that the backlog limits have skipped so far." }),
      last_skipped_at: nullable(Timestamp),
    },
    {
      additionalProperties: false,
      description:
        "Deliveries that are due for more than 7 days are skipped, and the oldest beyond 100,000. " +
        "`POST /webhooks/{id}/recoveries` redelivers them while their payloads are kept.",
    },
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const SubscriptionView = closed(subscriptionFields);

export const CreatedSubscriptionView = closed({
  ...subscriptionFields,
  secret: Type.String({ description: "The signing secret. It is shown only in this response." }),
});

export const DeletedSubscriptionView = closed({ id: Type.String(), deleted: Type.Literal(true) });

export const SendTest = closed({
  event: Type.Optional(choice(eventTypes)),
  event_type: Type.Optional(choice(eventTypes)),
});
export type SendTest = Static<typeof SendTest>;

export const TestView = closed({
  delivery_id: Type.String(),
  event_id: Type.String(),
  event_type: choice(eventTypes),
  status: choice(attemptStatuses),
  request: closed({
    url: Type.String(),
    headers: Type.Record(Type.String(), Type.String()),
    body: Type.String({ description: "The exact body that was sent." }),
  }),
  response: nullable(
    closed({
      status_code: Type.Integer(),
      headers: Type.Record(Type.String(), Type.String()),
      body_excerpt: nullable(Type.String()),
      truncated: Type.Boolean(),
    }),
  ),
  error: ErrorView,
  duration_ms: nullable(Type.Integer()),
});
