import { type Static, Type } from "@sinclair/typebox";
import {
  choice,
  closed,
  momentField,
  nameField,
  nullable,
  Timestamp,
  textField,
  timestamp,
} from "../../core/schema.ts";
import { levels } from "../../http/auth/permissions.ts";
import { ipModes, keyStatuses } from "../identity.transitions.ts";
import { overlap_seconds_max } from "./api_key.ts";

const permission = choice(levels, {
  description: "`read`, `read_write`, or `full`, which also allows keys, webhooks and settings. Fixed at creation.",
});
const name_text = "What uses the key, such as `Web shop`.";
const list_text = "Addresses and ranges such as `203.0.113.0/24` or `2001:db8::/32`.";
const ipMode = choice(ipModes, {
  description:
    "For requests from addresses outside of `ip_list`: `enforce` refuses them, `observe` only logs them, `off` allows" +
    " them.",
});
const rate_limit_max = 10_000_000;
const rateLimit = Type.Integer({
  minimum: 0,
  maximum: rate_limit_max,
  description: "Requests per minute; 0 for no limit, null for the default of 6000.",
});
const allowLockout = Type.Boolean({ description: "Send true to proceed even if no key with full permission is left." });

const readOnly = [
  "id",
  "merchant_id",
  "mode",
  "prefix",
  "last_four",
  "status",
  "created_at",
  "last_used_at",
  "revoked_at",
  "replaced_by",
  "observed",
];

const optional = {
  ip_mode: Type.Optional(ipMode),
  ip_list: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      maxItems: 100,
      description: list_text,
    }),
  ),
  rate_limit_per_minute: Type.Optional(nullable(rateLimit)),
  expires_at: Type.Optional(nullable(momentField("When the key expires; null for never."))),
};

const merchant_id = Type.Optional(
  nullable(
    Type.Union([Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), textField(24)], {
      description:
        "The merchant, by id or code, to whose records the key is limited; null, the default, for a key of the" +
        " operator, which accesses all records. A merchant's key can only create keys for its own merchant.",
    }),
  ),
);

export const CreateKey = closed(
  { name: nameField(100, { description: name_text }), permission, merchant_id, ...optional },
  readOnly.filter((name) => name !== "merchant_id"),
);
export type CreateKey = Static<typeof CreateKey>;

export const UpdateKey = closed(
  {
    name: Type.Optional(nameField(100, { description: name_text })),
    permission: Type.Optional(permission),
    ...optional,
    allow_lockout: Type.Optional(allowLockout),
  },
  readOnly,
);
export type UpdateKey = Static<typeof UpdateKey>;

export const RotateKey = closed({
  overlap_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: overlap_seconds_max,
      description: "How long the old key stays valid after the rotation; one day by default, 0 ends it at once.",
    }),
  ),
});
export type RotateKey = Static<typeof RotateKey>;

export const RevokeKey = closed({
  at: Type.Optional(momentField("When the key ends; now by default. A later time can be changed until then.")),
  allow_lockout: Type.Optional(allowLockout),
});
export type RevokeKey = Static<typeof RevokeKey>;

export const DeleteKey = closed({ allow_lockout: Type.Optional(allowLockout) });
export type DeleteKey = Static<typeof DeleteKey>;

const keyFields = {
  id: Type.String(),
  merchant_id: nullable(
    Type.String({ description: "The merchant to whose records it is limited; null for a key of the operator." }),
  ),
  name: Type.String({ description: name_text }),
  mode: choice(["live", "test"], { description: "The environment whose data the key accesses." }),
  permission,
  prefix: Type.String({ description: "The first characters of the key, `ph_live_` or `ph_test_`." }),
  last_four: Type.String({ description: "The last four characters of the key." }),
  status: choice(keyStatuses, {
    description: "Only an `active` key is accepted; the others never become active again.",
  }),
  ip_mode: ipMode,
  ip_list: Type.Array(Type.String(), { description: list_text }),
  rate_limit_per_minute: nullable(rateLimit),
  created_at: Timestamp,
  last_used_at: nullable(timestamp("The last request with it, accurate to ten minutes; null if there was none.")),
  expires_at: nullable(timestamp("When the key expires; null for never.")),
  revoked_at: nullable(timestamp("When the key was revoked, or will be; null if never.")),
  replaced_by: nullable(Type.String({ description: "The key that it was rotated to; null if it was not." })),
  observed: nullable({
    ...closed({
      denied: Type.Integer({ description: "Requests that `ip_list` would have refused." }),
      last_at: timestamp("The last of these requests."),
      addresses: Type.Array(
        closed({
          address: Type.String({ description: "An IP address outside of `ip_list`." }),
          at: timestamp("Its last request."),
        }),
        { description: "The addresses of the latest of them, newest first; at most ten." },
      ),
    }),
    description: "What `observe` found since it began or the list was set; null if nothing.",
  }),
};

export const KeyView = closed(keyFields);

export const CreatedKeyView = closed({
  ...keyFields,
  key: Type.String({ description: "The key itself, shown only here." }),
});
