import { type Static, Type } from "@sinclair/typebox";
import { pageFields } from "../../kit/page.ts";
import { choice, closed, nullable, textField } from "../../kit/schema.ts";
import { eventTypes } from "../../outbox/catalog.ts";
import { disabledReasons, payloadKinds, subscriptionStatuses, subscriptionVersions } from "../status.ts";

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
