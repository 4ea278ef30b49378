// `packhouse keys …`: manages API keys. A running server applies a change within a second.
import { randomBytes } from "node:crypto";
import { iso, isoOrNull } from "../core/clock.ts";
import { UsageError } from "../core/config.ts";
import { type Environment, environments } from "../core/environment.ts";
import { choice, date, date_forms, dateIn, type FlagValues, flag, int, parsed, text } from "../core/flags.ts";
import { readId, wireId } from "../core/ids.ts";
import { addressList } from "../core/ip_addresses.ts";
import { levels } from "../http/auth/permissions.ts";
import type { ApiKey } from "../identity/api_keys/api_key.ts";
import { lockoutAt, ofOwner, overlap_seconds_max, statusOf } from "../identity/api_keys/api_key.ts";
import { listKeys } from "../identity/api_keys/api_keys.sql.ts";
import { type CreatedKey, createKey, revokeKey, rotateKey, updateKey } from "../identity/api_keys/api_keys.ts";
import { recordCommand } from "../identity/audit_log/audit_log.sql.ts";
import { isActive } from "../identity/identity.transitions.ts";
import { getMerchant, listMerchants } from "../merchants/merchants.sql.ts";
import type { Store, Tx } from "../storage/database.ts";
import type { Stores } from "../storage/open_stores.ts";
import { type CommandOutput, type Commands, dataCommand, jsonFlag } from "./command.ts";

const keyId = {
  id: text({ value: "key_N", help: "the key's id from `keys list`", required: "the key's id from `keys list`" }),
};
const creation = {
  name: text({ value: "NAME", help: "what the key is for", required: "what the key is for" }),
  permission: choice(levels, { default: "read_write", help: "access level" }),
  mode: choice(environments, {
    help: "environment: live or test",
    required: "live or test",
    refusal: () => "is required: live or test.",
  }),
  merchant: text({
    value: "CODE",
    help: "limit the key to this merchant's records; without it, the key can access all merchants",
  }),
  "rate-limit": int(0, 9_999_999, {
    value: "N",
    help: "requests per minute, or 0 for no limit (6000)",
    refusal: (text) => `must be a number of requests per minute, or 0 for no limit (got ${text}).`,
  }),
  allow: parsed({ value: "CIDR,…", help: "accept requests only from these IP addresses and ranges" }, ranges),
  expires: date({ value: "DATE", help: `expiry date, ${date_forms}` }),
  "create-data": flag("create the database if none exists, before the first serve"),
  ...jsonFlag,
};
const revocation = {
  ...keyId,
  at: date({ value: "DATE", help: `when to revoke it, ${date_forms} (now)` }),
  ...jsonFlag,
};
const rotation = {
  ...keyId,
  overlap: int(0, overlap_seconds_max, {
    value: "SECONDS",
    default: "86400",
    help: "how long the old key keeps working",
    refusal: () => `must be a number of seconds from 0 to ${overlap_seconds_max}.`,
  }),
  ...jsonFlag,
};
const expiry = {
  ...keyId,
  at: parsed(
    { value: "DATE|never", help: `expiry date, ${date_forms}`, required: `a date, ${date_forms}, or never` },
    (text, label) => (text === "never" ? null : dateIn(text, label)),
  ),
  ...jsonFlag,
};

/** The `keys` commands. */
export const keyCommands: Commands = {
  "keys create": dataCommand({
    summary: "create an API key and print it once",
    flags: creation,
    opening: (options) => ({ must_exist: !options["create-data"] }),
    run: create,
  }),
  "keys list": dataCommand({ summary: "list API keys", flags: jsonFlag, run: list }),
  "keys revoke": dataCommand({ summary: "revoke an API key, now or at a date", flags: revocation, run: revoke }),
  "keys rotate": dataCommand({
    summary: "replace an API key and print the new one once",
    flags: rotation,
    run: rotate,
  }),
  "keys expire": dataCommand({ summary: "set or remove the expiry of an API key", flags: expiry, run: expire }),
};

async function create(options: FlagValues<typeof creation>, stores: Stores, { print }: CommandOutput): Promise<void> {
  const { name, mode, permission, merchant, allow: ip_list = [] } = options;
  const ip_mode: ApiKey["ip_mode"] = ip_list.length === 0 ? "off" : "enforce";
  const rate_limit_per_minute = options["rate-limit"] ?? null;
  const expires_at = options.expires ?? null;
  const input = { name, permission, ip_list, ip_mode, rate_limit_per_minute, expires_at };
  const created = await audited(stores, mode, "createKey", async (tx) => {
    const merchant_id = merchant === undefined ? null : (await getMerchant(tx, merchant)).id;
    return createKey(tx, { ...input, merchant_id }, secret());
  });
  for (const line of linesOfSecret(created, mode, options.json)) print(line);
}

function ranges(list: string, label: string): string[] {
  const texts = list.split(",").map((text) => text.trim());
  try {
    addressList(texts);
  } catch (error) {
    throw new UsageError(`${label}: ${error instanceof Error ? error.message : error}`);
  }
  return texts;
}

const secret = () => randomBytes(96);

/** Changes a key and records it in the audit log: for live keys in the same transaction, for test keys right after. */
async function audited<Done extends ApiKey | CreatedKey>(
  stores: Stores,
  mode: Environment,
  action: string,
  act: (tx: Tx) => Promise<Done>,
): Promise<Done> {
  const record = (tx: Tx, done: Done) => {
    const { id } = "key" in done ? done.key : done;
    return recordCommand(tx, { mode, action, targets: [wireId("key", id)] });
  };
  const done = await stores[mode].write(async (tx) => {
    const it = await act(tx);
    if (mode === "live") await record(tx, it);
    return it;
  });
  if (mode === "test") await stores.live.write((tx) => record(tx, done));
  return done;
}

function linesOfSecret({ key, text }: CreatedKey, mode: Environment, as_json: boolean): string[] {
  const { permission } = key;
  const id = wireId("key", key.id);
  if (as_json) return [JSON.stringify({ id, key: text, mode, permission })];
  return [`${id} (${mode}, ${permission}). The key is shown only once:`, text];
}

async function list({ json }: { json: boolean }, stores: Stores, { print }: CommandOutput): Promise<void> {
  for (const mode of environments) {
    const { keys, merchants, now } = await stores[mode].read(async (db) => {
      return { keys: await listKeys(db), merchants: await listMerchants(db), now: db.now };
    });
    const codes = new Map(merchants.map(({ id: merchant_id, code }) => [merchant_id, code]));
    for (const key of keys) {
      const merchant = key.merchant_id === null ? "" : ` (${codes.get(key.merchant_id)})`;
      print(json ? JSON.stringify(facts(key, mode, now)) : lineOf(key, mode, now, merchant));
    }
  }
}

function facts(key: ApiKey, mode: Environment, now: number) {
  const { name, permission, last_four, ip_mode, ip_list, rate_limit_per_minute, replaced_by } = key;
  return {
    id: wireId("key", key.id),
    merchant_id: key.merchant_id === null ? null : wireId("merchant", key.merchant_id),
    name,
    mode,
    permission,
    last_four,
    status: statusOf(key, now),
    ip_mode,
    ip_list,
    rate_limit_per_minute,
    created_at: isoOrNull(key.created_at),
    last_used_at: isoOrNull(key.last_used_at),
    expires_at: isoOrNull(key.expires_at),
    revoked_at: isoOrNull(key.revoked_at),
    replaced_by: replaced_by === null ? null : wireId("key", replaced_by),
  };
}

function lineOf(key: ApiKey, mode: Environment, now: number, merchant: string): string {
  const { name, permission, last_four, expires_at, revoked_at } = key;
  const status = statusOf(key, now);
  const end = Math.min(expires_at ?? Number.POSITIVE_INFINITY, revoked_at ?? Number.POSITIVE_INFINITY);
  const ending = Number.isFinite(end) ? `  until ${iso(end)}` : "";
  const state = isActive(status) ? ending : `  ${status}`;
  const id = wireId("key", key.id).padEnd(16);
  return `${id} ph_${mode}_…${last_four}  ${permission.padEnd(10)}  ${name}${merchant}${state}`;
}

async function revoke(
  { id: named, at: moment, json }: FlagValues<typeof revocation>,
  stores: Stores,
  output: CommandOutput,
): Promise<void> {
  const [mode, at] = [modeOfKey(named), moment ?? null];
  const key = await audited(stores, mode, "revokeKey", (tx) => revokeKey(tx, named, at, true));
  const revoked_at = isoOrNull(key.revoked_at);
  const { id: revoked, permission } = { id: wireId("key", key.id), permission: key.permission };
  if (json) output.print(JSON.stringify({ id: revoked, mode, permission, revoked_at }));
  else output.print(at === null ? `${revoked} revoked.` : `${revoked} will be revoked at ${revoked_at}.`);
  await warnOfLockout(stores[mode], key, output);
}

async function rotate(
  { id, overlap, json }: FlagValues<typeof rotation>,
  stores: Stores,
  { print }: CommandOutput,
): Promise<void> {
  const mode = modeOfKey(id);
  const created = await audited(stores, mode, "rotateKey", (tx) => rotateKey(tx, id, overlap, secret()));
  for (const line of linesOfSecret(created, mode, json)) print(line);
}

async function expire(
  { id: named, at: expires_at, json }: FlagValues<typeof expiry>,
  stores: Stores,
  output: CommandOutput,
): Promise<void> {
  const mode = modeOfKey(named);
  const key = await audited(stores, mode, "updateKey", (tx) => updateKey(tx, named, { expires_at }, true));
  const { id: expiring, permission } = { id: wireId("key", key.id), permission: key.permission };
  if (json) output.print(JSON.stringify({ id: expiring, mode, permission, expires_at: isoOrNull(expires_at) }));
  else output.print(`${expiring} ${expires_at === null ? "never expires" : `expires at ${iso(expires_at)}`}.`);
  await warnOfLockout(stores[mode], key, output);
}

/** Keys of the two environments are numbered in separate ranges, so an id determines its environment. */
const modeOfKey = (id: string): Environment => ((readId("key", id) ?? 0) >= 1_000_000_001 ? "test" : "live");

/** Warns if an environment has, or at some time will have, no key left that can create other keys. */
async function warnOfLockout(
  store: Store,
  { permission, merchant_id }: ApiKey,
  { warn }: CommandOutput,
): Promise<void> {
  if (permission !== "full" || merchant_id !== null) return;
  const at = await store.read(async (db) => lockoutAt(ofOwner(await listKeys(db), { merchant_id }), db.now));
  if (!Number.isFinite(at)) return;
  const from = at === 0 ? "" : ` from ${iso(at)}`;
  warn(`No key with full permission is left in ${store.mode}${from}. Create one with packhouse keys create.`);
}
