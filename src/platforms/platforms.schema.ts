import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, nameField, nullable, Timestamp, textField } from "../core/schema.ts";
import { OwnerView, ofMerchant } from "../storage/tenant.schema.ts";
import { connectionStatuses, importStatuses, platforms, shipmentUpdateStatuses } from "./platforms.transitions.ts";

const secret = (description: string) =>
  Type.String({
    minLength: 8,
    maxLength: 500,
    pattern: "^[\\u0021-\\u007e]+$",
    form: "must be visible ASCII characters without spaces",
    description,
  });

const store_id = textField(300, {
  description:
    "The store at its platform: BigCommerce's store hash, Shopify's `….myshopify.com` domain, or the URL of " +
    "a WooCommerce site.",
});
const changeable = {
  name: Type.Optional(nameField(100)),
  api_url: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2048,
      description: "The base URL of the store's API, if it is not the default.",
    }),
  ),
  api_key: Type.Optional(nullable(secret("The consumer key; for WooCommerce only."))),
  api_token: Type.Optional(nullable(secret("The access token of the API; for WooCommerce, the consumer secret."))),
  client_secret: Type.Optional(
    nullable(
      secret(
        "The secret with which the platform signs: the client secret of the app; for WooCommerce, the secret of " +
          "the webhook. A replaced secret stays valid for an hour.",
      ),
    ),
  ),
  order_prefix: Type.Optional(textField(20, { min: 0, description: "A prefix for the platform's order numbers." })),
  status: Type.Optional(
    choice(connectionStatuses, { description: "While paused, orders are received and imported later." }),
  ),
};

const readOnly = [
  "merchant_id",
  "id",
  "callback_url",
  ...["api_key", "api_token", "client_secret"].flatMap((name) => [`has_${name}`, `${name}_last_four`]),
  "previous_client_secret_expires_at",
  "revision",
  "created_at",
  "updated_at",
];

export const CreateConnection = closed(
  { ...ofMerchant, platform: choice(platforms), store_id, ...changeable },
  readOnly,
);
export type CreateConnection = Static<typeof CreateConnection>;

// These fields cannot be changed. The schema accepts them so that another value is refused instead of ignored.
export const UpdateConnection = closed(
  { platform: Type.Optional(choice(platforms)), store_id: Type.Optional(store_id), ...changeable },
  readOnly,
);
export type UpdateConnection = Static<typeof UpdateConnection>;

const lastFour = nullable(
  Type.String({ description: "The last four characters of the secret; null if it has fewer than 16." }),
);

export const ConnectionView = closed({
  id: Type.String(),
  merchant_id: OwnerView,
  platform: choice(platforms),
  name: Type.String(),
  store_id: Type.String(),
  api_url: Type.String(),
  order_prefix: Type.String(),
  status: choice(connectionStatuses),
  callback_url: Type.String({
    description: "The URL to enter at the platform. If PACKHOUSE_BASE_URL is not set, only the path and query.",
  }),
  has_api_key: Type.Boolean(),
  api_key_last_four: lastFour,
  has_api_token: Type.Boolean(),
  api_token_last_four: lastFour,
  has_client_secret: Type.Boolean(),
  client_secret_last_four: lastFour,
  previous_client_secret_expires_at: nullable(Timestamp),
  revision: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
});

export const DeletedConnectionView = closed({ id: Type.String(), deleted: Type.Literal(true) });

export const ImportView = closed({
  id: Type.String(),
  external_id: Type.String({ description: "The platform's id of the order." }),
  order_id: Type.String({ description: "The id of the order here. The order exists once the status is `imported`." }),
  status: choice(importStatuses, {
    description: "`queued`: retried for two days. `waiting`: not paid yet. `ignored`: nothing to ship.",
  }),
  reason: Type.Union([closed({ code: Type.String(), message: Type.String() }), Type.Null()], {
    description: "The reason why the order is not imported, or why the last attempt failed.",
  }),
  attempts: Type.Integer(),
  next_attempt_at: nullable(Timestamp),
  external_updated_at: nullable(Timestamp),
  imported_at: nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
});

const open = { additionalProperties: true };

/** A notification as the specification defines it. Other fields are ignored. */
export const ThinNotification = Type.Object(
  {
    scope: textField(200, { description: "The event, such as `store/order/created`." }),
    store_id: textField(200),
    data: Type.Object(
      { type: textField(100, { min: 0 }), id: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) },
      open,
    ),
    hash: textField(200, { description: "A value that is equal for repeats of one notification." }),
    created_at: Type.Integer({ minimum: 0, maximum: 253_402_300_799, description: "Unix seconds." }),
    producer: textField(200, { description: "`stores/`, followed by the store hash." }),
  },
  open,
);

/** The body of any platform's notification. Its connector validates it. */
export const AnyNotification = Type.Object({}, { ...open, description: "The platform's notification, unchanged." });

export const NotificationView = closed({
  success: Type.Literal(true),
  order_id: nullable(
    Type.String({
      description:
        "The permanent id of the order here. The order itself is created later: until then, `GET /orders/{order_id}`" +
        " is 404 with the code `import_pending`.",
    }),
  ),
  status: choice(["processing", "ignored"]),
  estimated_ship_date: nullable(Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$" })),
});

export const ReportView = closed({
  id: Type.String(),
  order_id: Type.String(),
  shipment_id: Type.String(),
  status: choice(shipmentUpdateStatuses, {
    description:
      "`queued`: retried for five days. `skipped`: the parcel has nothing that the platform ordered, or the " +
      "connection has no `api_token`.",
  }),
  items: Type.Array(closed({ external_line_id: Type.String(), quantity: Type.Integer() }), {
    description: "The platform's lines, with the units of each in the parcel.",
  }),
  external_id: Type.Union([Type.String(), Type.Null()], { description: "The platform's id of the parcel." }),
  reason: Type.Union([closed({ code: Type.String(), message: Type.String() }), Type.Null()], {
    description: "The reason why the parcel is not reported, or why the last attempt failed.",
  }),
  attempts: Type.Integer(),
  next_attempt_at: nullable(Timestamp),
  reported_at: nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
});
