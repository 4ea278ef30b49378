import { type Static, Type } from "@sinclair/typebox";
import { mailStatuses } from "../../core/email.ts";
import { choice, closed, nullable, Timestamp, textField, timestamp } from "../../core/schema.ts";
import { eventTypes } from "../../events/event_types.ts";
import { merchantName, OwnerOrOperatorView, ofMerchantOrOperator } from "../../storage/tenant.schema.ts";
import {
  attemptStatus,
  duration_ms,
  ErrorView,
  response_text,
  responseFields,
} from "../deliveries/deliveries.schema.ts";
import {
  disabledReasons,
  noticeKinds,
  payloadKinds,
  subscriptionStatuses,
  subscriptionVersions,
} from "../webhooks.transitions.ts";

export const NoticeView = closed({
  id: Type.String(),
  kind: choice(noticeKinds, { description: "What it is about; `webhook_backlog`: deliveries are being skipped." }),
  subscription_id: nullable(
    Type.String({ description: "The subscription, such as `whk_1001`; null for a notice about backups." }),
  ),
  message: Type.String({ description: "What happened, for a person to read." }),
  mail_status: { ...choice(mailStatuses), description: "The status of its email; `none` without a mail server." },
  acknowledged_at: nullable(timestamp("When somebody acknowledged it; null until then.")),
  created_at: Timestamp,
});

const retryLimit = Type.Union([Type.Literal(3), Type.Literal(5), Type.Literal(10)], {
  hint: "must be 3, 5 or 10",
  description:
    "Retries after a failed first attempt; 5 by default. 3 span about half an hour, 5 about 8 hours, 10 about 4 days.",
});

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
  description: "The maximum number of attempts per second, evenly spread; null, the default, for no limit.",
});

const url = Type.String({
  minLength: 1,
  maxLength: 4096,
  description: "The https URL to which events are sent by POST.",
});
const events_text = "The event types to receive. `GET /event_types` describes them.";
const events = Type.Array(choice(eventTypes), { minItems: 1, maxItems: 100, description: events_text });
const note_text = "Your own note on what receives the events.";
const merchants_max = 100;
const merchants_text = "For an operator subscription: receive only the events of these merchants";
const version_text =
  "The form of the events: `v2` adds `sequence`, `api_version` and `previous_attributes` to `v1`, the default.";
const payload_text =
  "`full`, the default, contains the whole record; `thin`, for `v2` only, just its type and its id or SKU.";
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
  description: Type.Optional(nullable(textField(500, { min: 0, description: note_text }))),
  active: Type.Optional(
    Type.Boolean({
      description: "False pauses it: deliveries are then skipped. True resumes it, and is the default of a new one.",
    }),
  ),
  version: Type.Optional(choice(subscriptionVersions, { description: `${version_text} Fixed at creation.` })),
  payload: Type.Optional(choice(payloadKinds, { description: payload_text })),
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
  secret: Type.Optional(
    Type.String({
      maxLength: 200,
      description: "The new secret: `whsec_` and base64 of 24 to 64 bytes. By default, a random one.",
    }),
  ),
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
  url: Type.String({ description: "The URL to which events are sent by POST." }),
  events: Type.Array(choice(eventTypes), { description: "The event types that it receives." }),
  description: nullable(Type.String({ description: note_text })),
  active: Type.Boolean({ description: "Whether new events are sent: true while `active` or `failing`." }),
  status: choice(subscriptionStatuses, {
    description:
      "`failing`: five or more attempts in a row failed, over at least a minute; it is still tried. `paused`: by a" +
      " user. `disabled`: by the service.",
  }),
  disabled_reason: nullable(
    choice(disabledReasons, {
      description:
        "Why the service disabled it: `gone`, it returned 410; `no_success`, it was failing for five days. Else null.",
    }),
  ),
  version: choice(subscriptionVersions, { description: version_text }),
  payload: choice(payloadKinds, { description: payload_text }),
  retry_limit: retryLimit,
  rate_limit_per_second: nullable(rateLimit),
  circuit: {
    ...closed({
      state: choice(["closed", "open"], { description: "While `open`, only occasional probes are sent." }),
      next_probe_at: nullable(timestamp("When the next probe may be sent; null while `closed`.")),
    }),
    description: "Opens after five failures in a row, or when most recent attempts fail. A success closes it.",
  },
  consecutive_failures: Type.Integer({ description: "Failed attempts since the last success." }),
  failing_since: nullable(timestamp("When it became `failing`; null if it is not.")),
  paused_until: nullable(
    timestamp("The receiver returned 429: nothing is sent before this time. Null if it never did."),
  ),
  previous_secret_expires_at: nullable(
    timestamp("Until then the previous secret signs as well; null without an overlap. May be in the past."),
  ),
  backlog: Type.Object(
    {
      skipped: Type.Integer({ description: "The number of deliveries that the backlog limits have skipped so far." }),
      last_skipped_at: nullable(timestamp("When the limits last skipped a delivery; null if never.")),
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

export const SendTest = closed({
  event: Type.Optional(
    choice(eventTypes, { description: "The event type to send, subscribed or not. Required here or in `event_type`." }),
  ),
  event_type: Type.Optional(choice(eventTypes, { description: "Another name of `event`." })),
});
export type SendTest = Static<typeof SendTest>;

export const TestView = closed({
  delivery_id: Type.String({ description: "The delivery of the test event, such as `dlv_1001`." }),
  event_id: Type.String({ description: "The id of the test event: `evt_test_…`. `GET /events` does not list it." }),
  event_type: choice(eventTypes, { description: "The event type that was sent." }),
  status: attemptStatus,
  request: {
    ...closed({
      url: Type.String({ description: "The URL that was called." }),
      headers: Type.Record(Type.String(), Type.String(), {
        description: "The headers that were sent, with the signatures and `X-Webhook-Test: true`.",
      }),
      body: Type.String({ description: "The exact body that was sent." }),
    }),
    description: "The request to the receiver.",
  },
  response: nullable({
    ...closed({
      ...responseFields,
      body_excerpt: nullable(Type.String({ description: "The start of the body, up to 4 KiB." })),
    }),
    description: response_text,
  }),
  error: ErrorView,
  duration_ms,
});
