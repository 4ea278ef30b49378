import { levels } from "../../src/http/auth/permissions.ts";
import { ipModes } from "../../src/identity/identity.transitions.ts";
import { id, int, json, oneOf, table, text, time, unique } from "../kit.ts";
import { ownerOrOperator } from "./merchants.ts";

export const api_keys = table(
  "api_keys",
  {
    id: id(),
    merchant_id: ownerOrOperator(),
    name: text().notNull(),
    hash: text().notNull(),
    last_four: text().notNull(),
    permission: text().$type<(typeof levels)[number]>().notNull(),
    ip_mode: text().$type<(typeof ipModes)[number]>().notNull(),
    ip_list: json<string[]>().notNull(),
    rate_limit_per_minute: int(),
    created_at: time().notNull(),
    last_used_at: time(),
    expires_at: time(),
    revoked_at: time(),
    replaced_by: int(),
    /** Incremented when the key is edited, not when it is used. */
    revision: int().notNull().default(1),
  },
  (t) => [
    unique("api_keys_hash").on(t.hash),
    oneOf("api_keys", "permission", levels),
    oneOf("api_keys", "ip_mode", ipModes),
  ],
);
