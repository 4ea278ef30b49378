import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, nameField, nullable, pageFields, textField } from "../core/schema.ts";
import { OwnerView, ofMerchant } from "../storage/tenant.schema.ts";
import { connectionStatuses, importStatuses, platforms, shipmentUpdateStatuses } from "./platforms.transitions.ts";

const connection_moment = Type.String({ format: "date-time" });

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
    "The store at its platform: BigCommerce's store hash, Shopify's `….myshopify.com` domain, the address of " +
    "a WooCommerce site.",
});
const changeable = {
  name: Type.Optional(nameField(100)),
  api_url: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2048,
      description: "The address of the store's API, if it is not the usual one.",
    }),
  ),
  api_key: Type.Optional(nullable(secret("WooCommerce's consumer key."))),
  api_token: Type.Optional(nullable(secret("The access token of the API; of WooCommerce the consumer secret."))),
  client_secret: Type.Optional(
    nullable(
      secret(
        "The secret with which the platform signs: the client secret of the app; for WooCommerce the secret of " +
          "the webhook. The previous one stays valid for an hour.",
      ),
    ),
  ),
  order_prefix: Type.Optional(
    textField(20, { min: 0, description: "A prefix: with it the platform's order numbers become ours." }),
  ),
  status: Type.Optional(
    choice(connectionStatuses, { description: "While it is paused, orders are received, and imported later." }),
  ),
};

const readOnly = [
  "merchant_id",
  "id",
  "callback_url",
  ...["api_key", "api_token", "client_secret"].flatMap((name) => [`has_${name}`, `${name}_last_four`]),
  "previous_client_secret_expires_at",
  "version",
  "created_at",
  "updated_at",
];

export const CreateConnection = closed(
  { ...ofMerchant, platform: choice(platforms), store_id, ...changeable },
  readOnly,
);
export type CreateConnection = Static<typeof CreateConnection>;

// These fields cannot be changed. The schema reads them so that another value is refused and not ignored.
export const UpdateConnection = closed(
  { platform: Type.Optional(choice(platforms)), store_id: Type.Optional(store_id), ...changeable },
  readOnly,
);
export type UpdateConnection = Static<typeof UpdateConnection>;

export const ListConnections = closed(pageFields);
export type ListConnections = Static<typeof ListConnections>;

const lastFour = nullable(
  Type.String({ description: "The last four characters of the secret; null if it has" + " fewer than sixteen." }),
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
    description: "The address to enter at the platform. Without PACKHOUSE_BASE_URL only the part after the host.",
  }),
  has_api_key: Type.Boolean(),
  api_key_last_four: lastFour,
  has_api_token: Type.Boolean(),
  api_token_last_four: lastFour,
  has_client_secret: Type.Boolean(),
  client_secret_last_four: lastFour,
  previous_client_secret_expires_at: nullable(connection_moment),
  version: Type.Integer(),
  created_at: connection_moment,
  updated_at: connection_moment,
});

export const DeletedConnectionView = closed({ id: Type.String(), deleted: Type.Literal(true) });

const import_moment = Type.String({ format: "date-time" });

export const ListImports = closed({
  ...pageFields,
  status: Type.Optional(choice(importStatuses)),
  external_id: Type.Optional(textField(100, { description: "The platform's id of the order." })),
});
export type ListImports = Static<typeof ListImports>;

export const ImportView = closed({
  id: Type.String(),
  external_id: Type.String({ description: "The platform's id of the order." }),
  order_id: Type.String({ description: "The order's id here. The order exists once the status is `imported`." }),
  status: choice(importStatuses, {
    description: "`queued` is tried for two days; `waiting` is not paid yet; `ignored` has nothing to send.",
  }),
  reason: Type.Union([closed({ code: Type.String(), message: Type.String() }), Type.Null()], {
    description: "Why it is not imported, or why the last try failed.",
  }),
  attempts: Type.Integer(),
  next_attempt_at: nullable(import_moment),
  external_updated_at: nullable(import_moment),
  imported_at: nullable(import_moment),
  created_at: import_moment,
  updated_at: import_moment,
});

const open = { additionalProperties: true };

/** A notification in the form of the specification. Other fields that a platform sends are ignored. */
export const ThinNotification = Type.Object(
  {
    scope: textField(200, { description: "What happened, such as `store/order/created`." }),
    store_id: textField(200),
    data: Type.Object(
      { type: textField(100, { min: 0 }), id: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) },
      open,
    ),
    hash: textField(200, { description: "Equal for repeats of one notification." }),
    created_at: Type.Integer({ minimum: 0, maximum: 253_402_300_799, description: "Unix seconds." }),
    producer: textField(200, { description: "`stores/` and the store hash." }),
  },
  open,
);

/** Whatever a platform sends; its connector reads it. */
export const AnyNotification = Type.Object({}, { ...open, description: "The platform's order, as it sends it." });

export const NotificationView = closed({
  success: Type.Literal(true),
  order_id: nullable(
    Type.String({ description: "The order's id here, which does not change. The order itself is created later." }),
  ),
  status: choice(["processing", "ignored"]),
  estimated_ship_date: nullable(Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$" })),
});

const shipment_update_moment = Type.String({ format: "date-time" });

export const ListReports = closed({
  ...pageFields,
  status: Type.Optional(choice(shipmentUpdateStatuses)),
  order_id: Type.Optional(textField(100, { description: "The order's id or its order number." })),
});
export type ListReports = Static<typeof ListReports>;

export const ReportView = closed({
  id: Type.String(),
  order_id: Type.String(),
  shipment_id: Type.String(),
  status: choice(shipmentUpdateStatuses, {
    description:
      "`queued` is tried for five days; `skipped` has nothing that the platform ordered, or the " +
      "connection has no `api_token`.",
  }),
  items: Type.Array(closed({ external_line_id: Type.String(), quantity: Type.Integer() }), {
    description: "The platform's lines and how many units of each are in the parcel.",
  }),
  external_id: Type.Union([Type.String(), Type.Null()], { description: "The platform's id of the parcel." }),
  reason: Type.Union([closed({ code: Type.String(), message: Type.String() }), Type.Null()], {
    description: "Why it is not reported, or why the last try failed.",
  }),
  attempts: Type.Integer(),
  next_attempt_at: nullable(shipment_update_moment),
  reported_at: nullable(shipment_update_moment),
  created_at: shipment_update_moment,
  updated_at: shipment_update_moment,
});
