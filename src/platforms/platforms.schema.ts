import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, nameField, nullable, Timestamp, textField, timestamp } from "../core/schema.ts";
import { OwnerView, ofMerchant } from "../storage/tenant.schema.ts";
import {
  connectionStatuses,
  importStatuses,
  pendingOrders,
  pickupChoices,
  platforms,
  shipmentUpdateStatuses,
  testOrders,
} from "./platforms.transitions.ts";

const secret = (description: string) =>
  Type.String({
    minLength: 8,
    maxLength: 500,
    pattern: "^[\\u0021-\\u007e]+$",
    form: "must be visible ASCII characters without spaces",
    description,
  });

const store_text =
  "The store at its platform: BigCommerce's store hash, Shopify's `….myshopify.com` domain, or the URL of " +
  "a WooCommerce site.";
const store_id = textField(300, { description: store_text });
const platform = choice(platforms, { description: "The platform that hosts the store." });
const name_text = "What the dashboard calls the store";
const prefix_text = "Put before the platform's order numbers to make `order_number`; empty by default.";
const client_id_text =
  "For Shopify only: the client id of an app from the Dev Dashboard. Access tokens are then requested with it and " +
  "`client_secret`, and renewed, and `api_token` is not used. The app and the store must belong to one organization.";
const pending_text =
  "For Shopify: whether orders whose payment is expected later (cash on delivery, net terms) are imported at once, " +
  "or `wait` until they are paid; `wait` by default.";
const tests_text =
  "For Shopify: whether test orders of the store are imported into live data; `ignore` by default. In test data " +
  'they always are. They have the tag "test order".';
const pickup_text =
  "Whether orders that their buyers collect are imported, with the `fulfillment_type` `pickup`, or ignored; `ignore` " +
  "by default.";
const changeable = {
  name: Type.Optional(nameField(100, { description: `${name_text}; by default, its \`store_id\`.` })),
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
  client_id: Type.Optional(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: 100,
        pattern: "^[\\u0021-\\u007e]+$",
        form: "must be visible ASCII characters without spaces",
        description: client_id_text,
      }),
    ),
  ),
  order_prefix: Type.Optional(textField(20, { min: 0, description: prefix_text })),
  pending_orders: Type.Optional(choice(pendingOrders, { description: pending_text })),
  test_orders: Type.Optional(choice(testOrders, { description: tests_text })),
  pickup_orders: Type.Optional(choice(pickupChoices, { description: pickup_text })),
  status: Type.Optional(
    choice(connectionStatuses, { description: "While `paused`, orders are received and imported later." }),
  ),
};

const readOnly = [
  "merchant_id",
  "id",
  "callback_url",
  ...["api_key", "api_token", "client_secret"].flatMap((name) => [`has_${name}`, `${name}_last_four`]),
  "previous_client_secret_expires_at",
  "health",
  "warnings",
  "revision",
  "created_at",
  "updated_at",
];

export const CreateConnection = closed({ ...ofMerchant, platform, store_id, ...changeable }, readOnly);
export type CreateConnection = Static<typeof CreateConnection>;

// These fields cannot be changed. The schema accepts them so that another value is refused instead of ignored.
export const UpdateConnection = closed(
  {
    platform: Type.Optional(choice(platforms, { description: "Cannot change: connect another store instead." })),
    store_id: Type.Optional(textField(300, { description: "Cannot change; accepted if it is the present one." })),
    ...changeable,
  },
  readOnly,
);
export type UpdateConnection = Static<typeof UpdateConnection>;

const lastFour = (secret: string) =>
  nullable(
    Type.String({
      description: `The last four characters of ${secret}; null if it has fewer than 16, or none is set.`,
    }),
  );
const isSet = (secret: string) => Type.Boolean({ description: `Whether ${secret} is set.` });

export const ConnectionView = closed({
  id: Type.String(),
  merchant_id: OwnerView,
  platform,
  name: Type.String({ description: `${name_text}.` }),
  store_id: Type.String({ description: store_text }),
  api_url: Type.String({ description: "The base URL at which the platform's API is called." }),
  order_prefix: Type.String({ description: prefix_text }),
  pending_orders: choice(pendingOrders, { description: pending_text }),
  test_orders: choice(testOrders, { description: tests_text }),
  pickup_orders: choice(pickupChoices, { description: pickup_text }),
  status: choice(connectionStatuses, {
    description: "While `paused`, nothing is imported or reported; notifications are kept for later.",
  }),
  callback_url: Type.String({
    description: "The URL to enter at the platform. If PACKHOUSE_BASE_URL is not set, only the path and query.",
  }),
  has_api_key: isSet("the consumer key of WooCommerce"),
  api_key_last_four: lastFour("the consumer key"),
  has_api_token: isSet("the access token"),
  api_token_last_four: lastFour("the access token"),
  has_client_secret: isSet("the secret that signs notifications"),
  client_secret_last_four: lastFour("the secret that signs notifications"),
  client_id: nullable(Type.String({ description: client_id_text })),
  previous_client_secret_expires_at: nullable(
    timestamp("Until then notifications may be signed with the previous secret; null if none was replaced."),
  ),
  health: Type.Object(
    {
      last_notification_at: nullable(
        timestamp("When the last notification of an order came; null if none is stored any more."),
      ),
      last_fetch_at: nullable(timestamp("When the store's changed orders were last listed, as every night.")),
      last_report_at: nullable(timestamp("When a parcel was last reported.")),
      failed_imports: Type.Integer({ description: "Imports that are `failed`." }),
      failed_reports: Type.Integer({ description: "Shipment reports that are `failed`." }),
      last_stock_push_at: nullable(timestamp("When a number of its stock was last set at the store.")),
      failed_listings: Type.Integer({ description: "Listings whose number the store refused." }),
      stock_differences: Type.Integer({ description: "Differences of stock that are not repaired." }),
      token_expires_at: nullable(
        timestamp("When the access token that was requested with `client_id` expires; it is renewed long before."),
      ),
    },
    { additionalProperties: false, description: "How the connection works." },
  ),
  warnings: Type.Array(
    closed({
      code: choice(["no_access_token", "fetch_failed", "addresses_hidden", "stock_failed"], {
        description:
          "`no_access_token`: none was issued for the `client_id`. `fetch_failed`: the changed orders could not be" +
          " listed. `addresses_hidden`: the store's plan hides its buyers' addresses from apps. `stock_failed`: stock" +
          " could not be pushed.",
      }),
      message: Type.String({ description: "What is wrong, and what to do." }),
    }),
    { description: "What somebody should do about the connection." },
  ),
  revision: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
});

export const TestConnection = closed({
  create_webhooks: Type.Optional(
    Type.Boolean({
      description:
        "Whether to create the webhooks that are missing first, at Shopify and WooCommerce; false by" +
        " default. BigCommerce's send an API key, so they are created there.",
    }),
  ),
});
export type TestConnection = Static<typeof TestConnection>;

const checks = ["credentials", "scope", "notifications", "locations", "addresses"] as const;
const ConnectionCheckView = closed({
  check: choice(checks, {
    description:
      "`credentials`: whether the platform accepts them. `scope`: a permission, one line each. `notifications`:" +
      " whether webhooks call the `callback_url`. `locations`: the places that count stock. `addresses`: whether the" +
      " orders have them.",
  }),
  result: choice(["ok", "warning", "failed"], {
    description: "`failed`: orders or parcels are not exchanged. `warning`: something else does not work.",
  }),
  message: Type.String({ description: "What was found, and what to do." }),
});
export type ConnectionCheck = Static<typeof ConnectionCheckView>;

export const ConnectionTestView = closed({
  checks: Type.Array(ConnectionCheckView, { description: "The results, one line each." }),
});

const reasonFields = closed({
  code: Type.String({ description: "Identifies the reason for programs, such as `validation_failed`." }),
  message: Type.String({ description: "The reason in plain English." }),
});

export const ImportView = closed({
  id: Type.String(),
  external_id: Type.String({ description: "The platform's id of the order." }),
  order_id: Type.String({ description: "The id of the order here, which exists once it was `imported`." }),
  other_order_ids: Type.Array(Type.String(), {
    description: "Further orders, one for each other destination of an order with several.",
  }),
  status: choice(importStatuses, {
    description:
      "`queued`: retried for two days. `waiting`: not paid yet. `ignored`: nothing to ship. `failed`: given up.",
  }),
  reason: Type.Union([reasonFields, Type.Null()], {
    description: "Why the order is not imported, or why the last attempt failed; null if neither applies.",
  }),
  attempts: Type.Integer({ description: "Attempts since it was last queued." }),
  next_attempt_at: nullable(timestamp("When the next attempt is due; null unless `queued`.")),
  external_updated_at: nullable(
    timestamp("When the order had last changed at the platform, as of its last import; null before."),
  ),
  imported_at: nullable(timestamp("When it was last imported, or updated here from the platform; null if never.")),
  created_at: Timestamp,
  updated_at: Timestamp,
});

const open = { additionalProperties: true };

/** A notification as the specification defines it. Other fields are ignored. */
export const ThinNotification = Type.Object(
  {
    scope: textField(200, { description: "The event, such as `store/order/created`." }),
    store_id: textField(200, { description: "The store hash; used if `producer` names no store." }),
    data: Type.Object(
      {
        type: textField(100, { min: 0, description: "The type of the record: `order`." }),
        id: Type.Integer({
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          description: "BigCommerce's id of the order.",
        }),
      },
      { ...open, description: "The record that the notification is about." },
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
  status: choice(["processing", "ignored"], { description: "`ignored` if the notification is not about an order." }),
  estimated_ship_date: nullable(
    Type.String({
      pattern: "^\\d{4}-\\d{2}-\\d{2}$",
      description: "The day on which it should ship if it is accepted now; null if unknown.",
    }),
  ),
});

export const ReportView = closed({
  id: Type.String(),
  order_id: Type.String(),
  shipment_id: Type.String(),
  status: choice(shipmentUpdateStatuses, {
    description:
      "`queued`: retried for five days. `skipped`: the parcel has nothing that the platform ordered, or the " +
      "connection has no `api_token`. `failed`: given up.",
  }),
  items: Type.Array(
    closed({
      external_line_id: Type.String({ description: "The platform's id of the order line." }),
      quantity: Type.Integer({ description: "Units of the line in the parcel." }),
    }),
    { description: "The platform's lines, with the units of each in the parcel." },
  ),
  external_id: Type.Union([Type.String(), Type.Null()], {
    description: "The platform's id of the parcel; null until it is reported, or if the platform gives none.",
  }),
  reason: Type.Union([reasonFields, Type.Null()], {
    description: "Why the parcel is not reported, or why the last attempt failed; null if neither applies.",
  }),
  attempts: Type.Integer({ description: "Attempts since it was last queued." }),
  next_attempt_at: nullable(timestamp("When the next attempt is due; null unless `queued`.")),
  reported_at: nullable(timestamp("When the platform accepted the report; null until then.")),
  created_at: Timestamp,
  updated_at: Timestamp,
});

export const ShippingMethodsView = Type.Array(
  closed({
    shipping_method: nullable(Type.String({ description: "The text that the buyer saw; null if there was none." })),
    shipping_method_code: nullable(Type.String({ description: "The store's code of it; null if it has none." })),
    orders: Type.Integer({ description: "How many of the store's newest orders have it." }),
    last_order_at: timestamp("When the last of these orders was created here."),
    rule_ids: Type.Array(Type.String(), { description: "The active shipping rules that name it, first to last." }),
  }),
);
