import { type Static, Type } from "@sinclair/typebox";
import { pageFields } from "../../kit/page.ts";
import { choice, closed, nullable, textField } from "../../kit/schema.ts";
import { eventTypes } from "../../outbox/catalog.ts";
import { merchantName, OwnerOrHouseView, ofMerchantOrHouse } from "../../owners/schemas.ts";
import { disabledReasons, payloadKinds, subscriptionStatuses, subscriptionVersions } from "../status.ts";

const moment = Type.String({ format: "date-time" });
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
  description: "The most deliveries a second, evenly spread; null for no limit.",
});

const url = Type.String({
  minLength: 1,
  maxLength: 4096,
  description: "The https address to which events are" + " sent by POST.",
});
const events = Type.Array(choice(eventTypes), { minItems: 1, maxItems: 100 });
const merchants_max = 100;
const told = "Of a subscription of the house: the merchants whose events alone it is told";
const optional = {
  merchants: Type.Optional(
    nullable(
      Type.Array(merchantName("A merchant, by id or code."), {
        minItems: 1,
        maxItems: merchants_max,
        description: `${told}, by id or code; null, the default, for all of them.`,
      }),
    ),
  ),
  description: Type.Optional(nullable(textField(500, { min: 0 }))),
  active: Type.Optional(
    Type.Boolean({ description: "False pauses the subscription. Events are then recorded" + " as skipped." }),
  ),
  version: Type.Optional(choice(subscriptionVersions, { description: "Fixed at creation." })),
  payload: Type.Optional(
    choice(payloadKinds, { description: "`thin` contains only the object's type and id;" + " version 2 only." }),
  ),
  retry_limit: Type.Optional(retryLimit),
  rate_limit_per_second: Type.Optional(nullable(rateLimit)),
};

export const CreateSubscription = closed({ ...ofMerchantOrHouse, url, events, ...optional }, readOnly);
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
      description: "How long the old secret also signs; a day by default, 0 ends it at once.",
    }),
  ),
});
export type RotateSecret = Static<typeof RotateSecret>;

export const ListSubscriptions = closed(pageFields);
export type ListSubscriptions = Static<typeof ListSubscriptions>;

const subscriptionFields = {
  id: Type.String(),
  merchant_id: OwnerOrHouseView,
  merchants: nullable(Type.Array(Type.String(), { description: `${told}; null for all of them.` })),
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
    state: choice(["closed", "open"], { description: "While it is open, only a probe is sent now and then." }),
    next_probe_at: nullable(moment),
  }),
  consecutive_failures: Type.Integer(),
  failing_since: nullable(moment),
  paused_until: nullable(moment),
  previous_secret_expires_at: nullable(moment),
  backlog: Type.Object(
    {
      skipped: Type.Integer({ description: "How many deliveries were skipped so far because of the backlog." }),
      last_skipped_at: nullable(moment),
    },
    {
      additionalProperties: false,
      description:
        "Deliveries due for more than 7 days are skipped, and of more than 100,000 the longest due. " +
        "`POST /webhooks/{id}/recover` sends them again as long as their events are kept.",
    },
  ),
  created_at: moment,
  updated_at: moment,
};

export const SubscriptionView = closed(subscriptionFields);

export const CreatedSubscriptionView = closed({
  ...subscriptionFields,
  secret: Type.String({ description: "The signing secret, shown only here." }),
});

export const DeletedSubscriptionView = closed({ id: Type.String(), deleted: Type.Literal(true) });
