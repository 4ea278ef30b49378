import { Fault, invalid, invalidFields, missing } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import type { KeyLevel } from "../../http/auth/permissions.ts";
import { refuseClosed } from "../../merchants/merchant.ts";
import { findMerchant } from "../../merchants/merchants.sql.ts";
import type { Tx } from "../../storage/database.ts";
import { takeTurn } from "../../storage/leases.ts";
import { isActive } from "../identity.transitions.ts";
import {
  type ApiKey,
  type KeySettings,
  keyHashOf,
  keyText,
  ofOwner,
  refuseEnded,
  refuseLockout,
  settingProblems,
  statusOf,
} from "./api_key.ts";
import { forgetObservation, insertKey, listKeys, saveKey } from "./api_keys.sql.ts";

const keys_max = 20;

const defaults = {
  merchant_id: null,
  ip_mode: "off",
  ip_list: [],
  rate_limit_per_minute: null,
  expires_at: null,
} as const satisfies Omit<KeySettings, "name"> & Pick<ApiKey, "merchant_id">;

/** The settings of a new key. */
export type NewKey = Pick<ApiKey, "name" | "permission"> & Partial<KeySettings & Pick<ApiKey, "merchant_id">>;

/** A new key and its text, which is not stored and cannot be shown again. */
export interface CreatedKey {
  readonly key: ApiKey;
  readonly text: string;
}

/**
 * Creates an API key in the store's environment, for the operator unless `merchant_id` is set. Its text is returned
 * only here, and only its hash is stored. `random` is at least 60 random bytes.
 * Refuses: validation_failed, key_limit, merchant_closed.
 */
export async function createKey(tx: Tx, input: NewKey, random: Uint8Array): Promise<CreatedKey> {
  const settings = { ...defaults, ...input };
  refuseProblems(settings, tx.now);
  const { merchant_id } = settings;
  if (merchant_id !== null) refuseClosed(await findMerchant(tx, merchant_id));
  refuseFull(await takenKeys(tx), settings, tx.now, "revoke one first");
  return makeKey(tx, settings, random);
}

/** Refuses another key for an owner that has the maximum number in use. Refuses: key_limit. */
function refuseFull(keys: readonly ApiKey[], owner: Pick<ApiKey, "merchant_id">, now: number, advice: string): void {
  if (ofOwner(keys, owner).filter((key) => isActive(statusOf(key, now))).length < keys_max) return;
  const whose = owner.merchant_id === null ? "" : " per merchant";
  throw new Fault("key_limit", `At most ${keys_max} active keys${whose} are allowed in each environment: ${advice}.`);
}

async function makeKey(
  tx: Tx,
  it: KeySettings & Pick<ApiKey, "merchant_id" | "permission">,
  random: Uint8Array,
): Promise<CreatedKey> {
  const text = keyText(tx.mode, random);
  const key = await insertKey(tx, {
    merchant_id: it.merchant_id,
    name: it.name,
    hash: keyHashOf(text),
    last_four: text.slice(-4),
    permission: it.permission,
    ip_mode: it.ip_mode,
    ip_list: [...it.ip_list],
    rate_limit_per_minute: it.rate_limit_per_minute,
    created_at: tx.now,
    last_used_at: null,
    expires_at: it.expires_at,
    revoked_at: null,
    replaced_by: null,
    revision: 1,
  });
  return { key, text };
}

/**
 * Changes the settings of a key. Its permission cannot change, and a key that has ended cannot change at all. With
 * `allow_lockout` the last key with full permission may expire, too.
 * Refuses: resource_missing, validation_failed, immutable_field, invalid_state_transition, would_lock_out.
 */
export async function updateKey(
  tx: Tx,
  id: string,
  input: Partial<KeySettings> & { readonly permission?: KeyLevel },
  allow_lockout: boolean,
): Promise<ApiKey> {
  const keys = await takenKeys(tx);
  const before = keyNamed(keys, id);
  if (input.permission !== undefined && input.permission !== before.permission) {
    throw new Fault("immutable_field", "A key's permission cannot change. Create another key.", {
      fields: [{ field: "permission", code: "immutable_field", message: "cannot change" }],
    });
  }
  refuseEnded(before, "update", tx.now);
  const after = { ...before, ...input };
  refuseProblems(after, tx.now);
  if (!allow_lockout) refuseLockout(keys, after, tx.now);
  if (input.ip_list !== undefined || input.ip_mode === "observe") await forgetObservation(tx, before.id);
  return saveKey(tx, after);
}

/**
 * Creates a key with the settings of another one, which ends `overlap_seconds` later, or sooner if that was set.
 * Refuses: resource_missing, invalid_state_transition, rotation_in_progress (it was rotated before), key_limit (the old
 * key stays in use as well).
 */
export async function rotateKey(tx: Tx, id: string, overlap_seconds: number, random: Uint8Array): Promise<CreatedKey> {
  const keys = await takenKeys(tx);
  const before = keyNamed(keys, id);
  refuseEnded(before, "rotate", tx.now);
  if (before.replaced_by !== null) {
    const replaced_by = wireId("key", before.replaced_by);
    throw new Fault("rotation_in_progress", `This key was already replaced by ${replaced_by}.`, { replaced_by });
  }
  const revoked_at = Math.min(tx.now + overlap_seconds * 1000, before.revoked_at ?? Number.POSITIVE_INFINITY);
  const others = keys.map((key) => (key.id === before.id ? { ...key, revoked_at } : key));
  refuseFull(others, before, tx.now, "revoke one first, or rotate with an overlap of 0 seconds");
  const made = await makeKey(tx, before, random);
  await saveKey(tx, { ...before, revoked_at, replaced_by: made.key.id });
  return made;
}

/**
 * Revokes a key now, or later at `at` (ms), which can be changed until then. A revoked key stays as it is. With
 * `allow_lockout` it may also be the last one with full permission.
 * Refuses: resource_missing, validation_failed (a time in the past), would_lock_out.
 */
export async function revokeKey(tx: Tx, id: string, at: number | null, allow_lockout: boolean): Promise<ApiKey> {
  const keys = await takenKeys(tx);
  const before = keyNamed(keys, id);
  if (at !== null && at <= tx.now) throw invalid("at", "must be in the future; leave it out to revoke the key now");
  if (statusOf(before, tx.now) === "revoked") return before;
  const after = { ...before, revoked_at: at ?? tx.now };
  if (!allow_lockout) refuseLockout(keys, after, tx.now);
  return saveKey(tx, after);
}

/** The key that an identifier names, locked until this transaction ends. Refuses: resource_missing. */
export async function lockKey(tx: Tx, id: string): Promise<ApiKey> {
  return keyNamed(await takenKeys(tx), id);
}

/** Every key of the environment, locked until this transaction ends. */
async function takenKeys(tx: Tx): Promise<ApiKey[]> {
  await takeTurn(tx, "keys.change");
  return listKeys(tx);
}

function keyNamed(keys: readonly ApiKey[], id: string): ApiKey {
  const key = keys.find((it) => it.id === readId("key", id));
  if (key === undefined) throw missing("API key", id);
  return key;
}

function refuseProblems(settings: KeySettings, now: number): void {
  const problems = settingProblems(settings, now);
  if (problems.length > 0) throw invalidFields(problems);
}
