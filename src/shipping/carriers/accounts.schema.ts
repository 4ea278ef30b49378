import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, nameField, nullable, Timestamp, timestamp } from "../../core/schema.ts";
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
  name: Type.Optional(nameField(100, { description: "Your name for the account. Initially that of the connector." })),
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
  {
    connector: Type.Optional({ ...connector, description: "The connector of the account, which cannot change." }),
    credentials: Type.Optional(CredentialsField),
    ...changeable,
  },
  readOnly,
);
export type UpdateAccount = Static<typeof UpdateAccount>;

const credentialField = {
  name: Type.String({ description: "Its name in `credentials`." }),
  description: Type.String({ description: "What to enter, and where the carrier shows it." }),
  required: Type.Boolean({ description: "Whether an account needs it." }),
  secret: Type.Boolean({ description: "Whether it is never shown, apart from its last four characters." }),
};

export const ConnectorsView = closed({
  connectors: Type.Array(
    closed({
      code: Type.String({ description: "The code to send as `connector`." }),
      name: Type.String({ description: "The display name." }),
      takes_callbacks: Type.Boolean({
        description: "Whether it sends tracking updates to the account's callback URL.",
      }),
      credential_fields: Type.Array(closed(credentialField), { description: "The credentials that an account needs." }),
    }),
    { description: "The services through which accounts sell labels of carriers." },
  ),
});

const fields = {
  id: Type.String(),
  connector: Type.String({ description: "The connector: `easypost`, `karrio` or `shippo`." }),
  name: Type.String({ description: "Your name for the account." }),
  status: choice(accountStatuses, {
    description: "A `paused` account returns no rates and sells no labels, but still tracks and voids its own.",
  }),
  credential_fields: Type.Array(
    closed({
      ...credentialField,
      is_set: Type.Boolean({ description: "Whether the account has it." }),
      value: nullable(Type.String({ description: "The stored text; null for a secret, or if not set." })),
      last_four: nullable(
        Type.String({ description: "The last four characters of a secret; null if it has fewer than 16." }),
      ),
    }),
    { description: "The connector's credentials, and which of them are set." },
  ),
  callback_url: nullable(
    Type.String({
      description:
        "The URL to enter at the carrier; null when it sends no callbacks. If PACKHOUSE_BASE_URL is not set, only the" +
        " path and query.",
    }),
  ),
  has_callback_secret: Type.Boolean({
    description: "Whether a callback secret is set. Without one, callbacks are refused.",
  }),
  previous_callback_secret_expires_at: nullable(
    timestamp("When the secret before the present one stops being valid; null if none was replaced."),
  ),
  carriers: Type.Array(
    closed({
      code: Type.String({ description: "The carrier's code." }),
      name: Type.String({ description: "The carrier's display name." }),
      services: Type.Array(
        closed({
          code: Type.String({ description: "The code of the service." }),
          name: Type.String({ description: "The display name of the service." }),
        }),
        { description: "Its services. Empty if the account does not list them: then it may sell any." },
      ),
    }),
    { description: "The carriers and services that the last successful test listed." },
  ),
  last_test: nullable({
    ...closed({
      tested_at: timestamp("When it was tested."),
      ok: Type.Boolean({ description: "Whether the credentials work." }),
      code: nullable(Type.String({ description: "Why they do not, such as `carrier_unauthorized`; null if they do." })),
      message: nullable(Type.String({ description: "The reason in plain English; null if they work." })),
    }),
    description: "The last test of the present credentials; null if they were not tested.",
  }),
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
