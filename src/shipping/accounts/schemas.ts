import { type Static, Type } from "@sinclair/typebox";
import { pageFields } from "../../kit/page.ts";
import { choice, closed, nameField, nullable } from "../../kit/schema.ts";
import type { CredentialsInput } from "./rules.ts";
import { accountStatuses } from "./status.ts";

const moment = Type.String({ format: "date-time" });

const form = { pattern: "^[\\u0021-\\u007e]+$", form: "must be visible ASCII characters without spaces" };

const CredentialsField = Type.Unsafe<CredentialsInput>(
  Type.Record(Type.String(), nullable(Type.String({ minLength: 1, maxLength: 2000, ...form })), {
    maxProperties: 20,
    description:
      "What the connector needs, by the names that `credential_fields` lists. Of those that are left out a change" +
      " keeps what there is; null takes one away. `api_url` is where the connector's API is, if not at its usual" +
      " address; another one asks for the secrets anew.",
  }),
);

const callback_secret = nullable(
  Type.String({
    minLength: 8,
    maxLength: 500,
    ...form,
    description:
      "What callbacks are signed with. Left out, a new account of a connector that takes callbacks gets one, which is" +
      " shown this once. Null takes no callbacks. The one before counts for another hour.",
  }),
);

const changeable = {
  name: Type.Optional(nameField(100)),
  callback_secret: Type.Optional(callback_secret),
  status: Type.Optional(
    choice(accountStatuses, {
      description: "While paused, it is asked for no rates and sells no labels; what it sold is still followed.",
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

// The connector can be sent back but not changed: it is read, so that another one is refused instead of passed over.
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
      takes_callbacks: Type.Boolean({ description: "Whether it tells of parcels at the account's callback address." }),
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
      last_four: nullable(Type.String({ description: "Null too for a secret of less than sixteen characters." })),
    }),
  ),
  callback_url: nullable(
    Type.String({
      description:
        "The address to enter at the carrier, null when it sends no callbacks; without PACKHOUSE_BASE_URL, what" +
        " follows the host.",
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
    { description: "What the account sells, as its last test that went well has listed it." },
  ),
  last_test: nullable(closed({ tested_at: moment, ok: Type.Boolean(), code: text, message: text })),
  version: Type.Integer(),
  created_at: moment,
  updated_at: moment,
};

export const AccountView = closed(fields);

export const NewAccountView = closed({
  ...fields,
  callback_secret: Type.Optional(Type.String({ description: "Made for this account, and shown this once." })),
});

export const DeletedAccountView = closed({ id: Type.String(), deleted: Type.Literal(true) });
