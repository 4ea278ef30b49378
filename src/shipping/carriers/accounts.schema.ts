import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, nameField, nullable, pageFields } from "../../core/schema.ts";
import { accountStatuses } from "./account.transitions.ts";
import type { CredentialsInput } from "./account.ts";

const moment = Type.String({ format: "date-time" });

const form = { pattern: "^[\\u0021-\\u007e]+$", form: "must be visible ASCII characters without spaces" };

const CredentialsField = Type.Unsafe<CredentialsInput>(
  Type.Record(Type.String(), nullable(Type.String({ minLength: 1, maxLength: 2000, ...form })), {
    maxProperties: 20,
    description:
      "The credentials, by the names that `credential_fields` lists. A change keeps what it leaves" +
      " out; null removes a field. `api_url` is the address of the connector's API, if it is not the usual" +
      " one; a new address requires the secrets again.",
  }),
);

const callback_secret = nullable(
  Type.String({
    minLength: 8,
    maxLength: 500,
    ...form,
    description:
      "The secret that signs callbacks. A new account gets one if the request has none and its connector sends" +
      " callbacks; it is shown only once. Null refuses all callbacks. The previous secret stays valid for an hour.",
  }),
);

const changeable = {
  name: Type.Optional(nameField(100)),
  callback_secret: Type.Optional(callback_secret),
  status: Type.Optional(
    choice(accountStatuses, {
      description:
        "A paused account gives no rates and sells no labels. Parcels that it sold labels for are" + " still tracked.",
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
  "version",
  "created_at",
  "updated_at",
];

export const CreateAccount = closed({ connector, credentials: CredentialsField, ...changeable }, readOnly);
export type CreateAccount = Static<typeof CreateAccount>;

// The connector cannot be changed. The schema reads it so that another one is refused and not ignored.
export const UpdateAccount = closed(
  { connector: Type.Optional(connector), credentials: Type.Optional(CredentialsField), ...changeable },
  readOnly,
);
export type UpdateAccount = Static<typeof UpdateAccount>;

export const ListAccounts = closed(pageFields);
export type ListAccounts = Static<typeof ListAccounts>;

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
        description: "Whether it sends tracking updates to the account's" + " callback address.",
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
        Type.String({ description: "The last four characters of a secret; null if it has" + " fewer than sixteen." }),
      ),
    }),
  ),
  callback_url: nullable(
    Type.String({
      description:
        "The address to enter at the carrier; null when it sends no callbacks. Without PACKHOUSE_BASE_URL only the" +
        " part after the host.",
    }),
  ),
  has_callback_secret: Type.Boolean(),
  previous_callback_secret_expires_at: nullable(moment),
  carriers: Type.Array(
    closed({
      code: Type.String(),
      name: Type.String(),
      services: Type.Array(closed({ code: Type.String(), name: Type.String() })),
    }),
    { description: "The carriers and services that the last successful test listed." },
  ),
  last_test: nullable(closed({ tested_at: moment, ok: Type.Boolean(), code: text, message: text })),
  version: Type.Integer(),
  created_at: moment,
  updated_at: moment,
};

export const AccountView = closed(fields);

export const NewAccountView = closed({
  ...fields,
  callback_secret: Type.Optional(Type.String({ description: "Created for this account, and shown only here." })),
});

export const DeletedAccountView = closed({ id: Type.String(), deleted: Type.Literal(true) });
