import type { Tx } from "../database/store.ts";
import { Fault, invalid, missing } from "../kit/fault.ts";
import { readId } from "../kit/ids.ts";
import { type ApiKey, hashOf, keyText } from "./key.ts";
import type { IpMode, Permission } from "./permission.ts";
import { countKeys, insertKey, revokeKeyRow } from "./store.ts";

const keys_max = 20;

export interface NewKey {
  readonly name: string;
  readonly permission: Permission;
  readonly ip_mode?: IpMode;
  readonly ip_list?: readonly string[];
  readonly rate_limit_per_minute?: number | null;
  readonly expires_at?: number | null;
}

/**
 * Makes an API key for the mode of the store. Its text is returned this once; only its hash is kept. `random` is at
 * least 60 random bytes.
 * Refuses: validation_failed (a name that is no line of text), key_limit.
 */
export async function createKey(tx: Tx, input: NewKey, random: Uint8Array): Promise<{ key: ApiKey; text: string }> {
  if (!/^[^\p{Cc}]{1,100}$/u.test(input.name)) throw invalid("name", "must be 1 to 100 printable characters");
  if ((await countKeys(tx)) >= keys_max) {
    throw new Fault("key_limit", `At most ${keys_max} keys of one mode may be in use; revoke one first.`);
  }
  const text = keyText(tx.mode, random);
  const key = await insertKey(tx, {
    name: input.name,
    hash: hashOf(text),
    last_four: text.slice(-4),
    permission: input.permission,
    ip_mode: input.ip_mode ?? "off",
    ip_list: [...(input.ip_list ?? [])],
    rate_limit_per_minute: input.rate_limit_per_minute ?? null,
    created_at: tx.now,
    last_used_at: null,
    expires_at: input.expires_at ?? null,
    revoked_at: null,
    replaced_by: null,
  });
  return { key, text };
}

/** Ends a key; ending it twice is the same. Refuses: resource_missing. */
export async function revokeKey(tx: Tx, id: string): Promise<ApiKey> {
  const key = await revokeKeyRow(tx, readId("key", id) ?? 0, tx.now);
  if (key === null) throw missing("API key", id);
  return key;
}
