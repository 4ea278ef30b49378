import { type Static, Type } from "@sinclair/typebox";
import { pageFields } from "../../kit/page.ts";
import { choice, closed, nameField, nullable, textField } from "../../kit/schema.ts";
import { connectionStatuses, platforms } from "../status.ts";

const moment = Type.String({ format: "date-time" });

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
    "What the platform calls the store: BigCommerce's store hash, Shopify's `….myshopify.com` domain, the address of " +
    "a WooCommerce site.",
});
const changeable = {
  name: Type.Optional(nameField(100)),
  api_url: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2048,
      description: "Where the store's API is, if not at its usual address.",
    }),
  ),
  api_key: Type.Optional(nullable(secret("WooCommerce's consumer key."))),
  api_token: Type.Optional(nullable(secret("The access token of the API; of WooCommerce the consumer secret."))),
  client_secret: Type.Optional(
    nullable(
      secret(
        "What the platform signs its notifications with: the client secret of the app, of WooCommerce the secret of " +
          "the webhook. The one before counts for another hour.",
      ),
    ),
  ),
  order_prefix: Type.Optional(
    textField(20, { min: 0, description: "Put before the platform's order numbers to make ours." }),
  ),
  status: Type.Optional(
    choice(connectionStatuses, { description: "While paused, orders are taken in and imported later." }),
  ),
};

const readOnly = [
  "id",
  "callback_url",
  ...["api_key", "api_token", "client_secret"].flatMap((name) => [`has_${name}`, `${name}_last_four`]),
  "previous_client_secret_expires_at",
  "version",
  "created_at",
  "updated_at",
];

export const CreateConnection = closed({ platform: choice(platforms), store_id, ...changeable }, readOnly);
export type CreateConnection = Static<typeof CreateConnection>;

// What can be sent back but not changed is read, so that another value is refused instead of passed over.
export const UpdateConnection = closed(
  { platform: Type.Optional(choice(platforms)), store_id: Type.Optional(store_id), ...changeable },
  readOnly,
);
export type UpdateConnection = Static<typeof UpdateConnection>;

export const ListConnections = closed(pageFields);
export type ListConnections = Static<typeof ListConnections>;

const lastFour = nullable(Type.String({ description: "Null too for a secret of less than sixteen characters." }));

export const ConnectionView = closed({
  id: Type.String(),
  platform: choice(platforms),
  name: Type.String(),
  store_id: Type.String(),
  api_url: Type.String(),
  order_prefix: Type.String(),
  status: choice(connectionStatuses),
  callback_url: Type.String({
    description: "The address to enter at the platform; without PACKHOUSE_BASE_URL, what follows the host.",
  }),
  has_api_key: Type.Boolean(),
  api_key_last_four: lastFour,
  has_api_token: Type.Boolean(),
  api_token_last_four: lastFour,
  has_client_secret: Type.Boolean(),
  client_secret_last_four: lastFour,
  previous_client_secret_expires_at: nullable(moment),
  version: Type.Integer(),
  created_at: moment,
  updated_at: moment,
});

export const DeletedConnectionView = closed({ id: Type.String(), deleted: Type.Literal(true) });
