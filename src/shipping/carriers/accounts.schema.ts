import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, nameField, nullable, Timestamp } from "../../core/schema.ts";
import { accountStatuses } from "./account.transitions.ts";
import type { CredentialsInput } from "./account.ts";

const form = { pattern: "^[\\u0021-\\u007e]+$", form: "must be visible ASCII characters without spaces" };

const CredentialsField = Type.Unsafe<CredentialsInput>(
  Type.Record(Type.String(), nullable(Type.String({ minLength: 1, maxLength: 2000, ...form })), {
    maxProperties: 20,
    description:
      "The credentials, by the names in `credential_fields`. An update keeps omitted fields;" +
      " null removes one. `api_url` is the base URL of the connector's API, if it is not the default;" +
      " changing it requires sending the secrets again.",
  }),
);

const callback_secret = nullable(
  Type.String({
    minLength: 8,
    maxLength: 500,
    ...form,
    description:
      "The secret that signs callbacks. If omitted, a new account whose connector sends callbacks gets a generated" +
      " one, which is shown only once. Null refuses all callbacks. A replaced secret stays valid for an hour.",
  }),
);

const changeable = {
  name: Type.Optional(nameField(100)),
  callback_secret: Type.Optional(callback_secret),
  status: Type.Optional(
    choice(accountStatuses, {
      description: "A paused account returns no rates and sells no labels. Parcels with its labels are still tracked.",
    }),
  ),
};

const connector = Type.String({
  pattern: "^[a-z][a-z0-9_]{0,39}$",
  hint: "must be the name of a connector such as easypost",
  description: "`easypost`, `karrio` or `shippo`.",
});

const readOnly = [
  "id",
  "credential_fields",
  "callback_url",
  "has_callback_secret",
  "previous_callback_secret_expires_at",
  "carriers",
  "last_test",
  "revision",
  "created_at",
  "updated_at",
];

export const CreateAccount = closed({ connector, credentials: CredentialsField, ...changeable }, readOnly);
export type CreateAccount = Static<typeof CreateAccount>;

// The connector cannot be changed. The schema accepts it so that another value is refused instead of ignored.
export const UpdateAccount = closed(
  { connector: Type.Optional(connector), credentials: Type.Optional(CredentialsField), ...changeable },
  readOnly,
);
export type UpdateAccount = Static<typeof UpdateAccount>;

const text = nullable(Type.String());

const credentialField = {
  name: Type.String(),
  description: Type.String(),
  required: Type.Boolean(),
  secret: Type.Boolean(),
};

export const ConnectorsView = closed({
  connectors: Type.Array(
    closed({
      code: Type.String(),
      name: Type.String(),
      takes_callbacks: Type.Boolean({
        description: "Whether it sends tracking updates to the account's callback URL.",
      }),
      credential_fields: Type.Array(closed(credentialField)),
    }),
  ),
});

const fields = {
  id: Type.String(),
  connector: Type.String(),
  name: Type.String(),
  status: choice(accountStatuses),
  credential_fields: Type.Array(
    closed({
      ...credentialField,
      is_set: Type.Boolean(),
      value: nullable(Type.String({ description: "Null for a secret." })),
      last_four: nullable(
        Type.String({ description: "The last four characters of a secret; null if it has fewer than 16." }),
      ),
    }),
  ),
  callback_url: nullable(
    Type.String({
      description:
        "The URL to enter at the carrier; null when it sends no callbacks. If PACKHOUSE_BASE_URL is not set, only the" +
        " path and query.",
    }),
  ),
  has_callback_secret: Type.Boolean(),
  previous_callback_secret_expires_at: nullable(Timestamp),
  carriers: Type.Array(
    closed({
      code: Type.String(),
      name: Type.String(),
      services: Type.Array(closed({ code: Type.String(), name: Type.String() })),
    }),
    { description: "The carriers and services that the last successful test listed." },
  ),
  last_test: nullable(closed({ tested_at: Timestamp, ok: Type.Boolean(), code: text, message: text })),
  revision: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const AccountView = closed(fields);

export const NewAccountView = closed({
  ...fields,
  callback_secret: Type.Optional(
    Type.String({ description: "The generated secret. It is shown only in this response." }),
  ),
});

export const DeletedAccountView = closed({ id: Type.String(), deleted: Type.Literal(true) });
