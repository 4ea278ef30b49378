import { type Static, Type } from "@sinclair/typebox";
import { pageFields } from "../../kit/page.ts";
import { choice, closed, nameField, nullable, textField } from "../../kit/schema.ts";
import { OwnerView, ofMerchant } from "../../owners/schemas.ts";
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
  previous_client_secret_expires_at: nullable(moment),
  version: Type.Integer(),
  created_at: moment,
  updated_at: moment,
});

export const DeletedConnectionView = closed({ id: Type.String(), deleted: Type.Literal(true) });
