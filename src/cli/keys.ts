// `packhouse keys …`: manages API keys. A running server applies a change within a second.
import { randomBytes } from "node:crypto";
import { iso, isoOrNull, parseMoment } from "../core/clock.ts";
import { type Flags, UsageError } from "../core/config.ts";
import { type Environment, environments } from "../core/environment.ts";
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
import { type CommandOutput, type DataCommand, dataCommand, jsonFlag } from "./command.ts";

const id = { id: { type: "string", value: "key_N", help: "the key's id from `keys list`" } } as const;
const date = "such as 2027-01-31 or 2027-01-31T18:00:00Z";
const settings = {
  "rate-limit": { type: "string", value: "N", help: "requests per minute, or 0 for no limit (6000)" },
  allow: { type: "string", value: "CIDR,…", help: "accept requests only from these IP addresses and ranges" },
} as const satisfies Flags;

/** The `keys` commands by their second word. */
export const keyCommands: Readonly<Record<string, DataCommand>> = {
  create: dataCommand({
    summary: "create an API key and print it once",
    flags: {
      name: { type: "string", value: "NAME", help: "what the key is for" },
      permission: { type: "string", value: levels.join("|"), default: "read_write", help: "access level" },
      mode: { type: "string", value: "live|test", help: "environment: live or test" },
      merchant: {
        type: "string",
        value: "CODE",
        help: "limit the key to this merchant's records; without it, the key can access all merchants",
      },
      ...settings,
      expires: { type: "string", value: "DATE", help: `expiry date, ${date}` },
      "create-data": { type: "boolean", help: "create the database if none exists, before the first serve" },
      ...jsonFlag,
    },
    run: create,
  }),
  list: dataCommand({ summary: "list API keys", flags: jsonFlag, run: list }),
  revoke: dataCommand({
    summary: "revoke an API key, now or at a date",
    flags: { ...id, at: { type: "string", value: "DATE", help: `when to revoke it, ${date} (now)` }, ...jsonFlag },
    run: revoke,
  }),
  rotate: dataCommand({
    summary: "replace an API key and print the new one once",
    flags: {
      ...id,
      overlap: { type: "string", value: "SECONDS", default: "86400", help: "how long the old key keeps working" },
      ...jsonFlag,
    },
    run: rotate,
  }),
  expire: dataCommand({
    summary: "set or remove the expiry of an API key",
    flags: { ...id, at: { type: "string", value: "DATE|never", help: `expiry date, ${date}` }, ...jsonFlag },
    run: expire,
  }),
};

interface CreateKeyFlags {
  readonly merchant: string | undefined;
  readonly name: string | undefined;
  readonly permission: string | undefined;
  readonly mode: string | undefined;
  readonly "rate-limit": string | undefined;
  readonly allow: string | undefined;
  readonly expires: string | undefined;
  readonly json: boolean;
}

async function create(stores: Stores, options: CreateKeyFlags, { print }: CommandOutput): Promise<void> {
  const { name, allow, expires } = options;
  if (!name) throw new UsageError("--name is required: what the key is for.");
  const mode = environments.find((word) => word === options.mode);
  if (mode === undefined) throw new UsageError("--mode is required: live or test.");
  const permission = levels.find((word) => word === options.permission);
  if (permission === undefined) throw new UsageError(`--permission must be one of ${levels.join(", ")}.`);
  const limit = options["rate-limit"];
  if (limit !== undefined && !/^\d{1,7}$/.test(limit))
    throw new UsageError(`--rate-limit must be a number of requests per minute, or 0 for no limit (got ${limit}).`);
  const ip_list = allow === undefined ? [] : ranges(allow);
  const ip_mode: ApiKey["ip_mode"] = ip_list.length === 0 ? "off" : "enforce";
  const rate_limit_per_minute = limit === undefined ? null : Number(limit);
  const expires_at = expires === undefined ? null : moment("--expires", expires);
  const input = { name, permission, ip_list, ip_mode, rate_limit_per_minute, expires_at };
  const { merchant } = options;
  const created = await audited(stores, mode, "createKey", async (tx) => {
    const merchant_id = merchant === undefined ? null : (await getMerchant(tx, merchant)).id;
    return createKey(tx, { ...input, merchant_id }, secret());
  });
  for (const line of linesOfSecret(created, mode, options.json)) print(line);
}

function ranges(list: string): string[] {
  const texts = list.split(",").map((text) => text.trim());
  try {
    addressList(texts);
  } catch (error) {
    throw new UsageError(`--allow: ${error instanceof Error ? error.message : error}`);
  }
  return texts;
}

function moment(flag: string, text: string): number {
  const at = parseMoment(text);
  if (at === null) throw new UsageError(`${flag} must be a date, ${date} (got ${text}).`);
  return at;
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
    return recordCommand(tx, { world: mode, action, targets: [wireId("key", id)] });
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

async function list(stores: Stores, options: { json: boolean }, { print }: CommandOutput): Promise<void> {
  for (const mode of environments) {
    const { keys, merchants, now } = await stores[mode].read(async (db) => {
      return { keys: await listKeys(db), merchants: await listMerchants(db), now: db.now };
    });
    const codes = new Map(merchants.map(({ id: merchant_id, code }) => [merchant_id, code]));
    for (const key of keys) {
      const merchant = key.merchant_id === null ? "" : ` (${codes.get(key.merchant_id)})`;
      print(options.json ? JSON.stringify(facts(key, mode, now)) : lineOf(key, mode, now, merchant));
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
  stores: Stores,
  options: { id: string | undefined; at: string | undefined; json: boolean },
  output: CommandOutput,
): Promise<void> {
  const { id: named, mode, store } = keyNamed(stores, options.id);
  const at = options.at === undefined ? null : moment("--at", options.at);
  const key = await audited(stores, mode, "revokeKey", (tx) => revokeKey(tx, named, at, true));
  const revoked_at = isoOrNull(key.revoked_at);
  const { id: revoked, permission } = { id: wireId("key", key.id), permission: key.permission };
  if (options.json) output.print(JSON.stringify({ id: revoked, mode, permission, revoked_at }));
  else output.print(at === null ? `${revoked} revoked.` : `${revoked} will be revoked at ${revoked_at}.`);
  await warnOfLockout(store, key, output);
}

async function rotate(
  stores: Stores,
  options: { id: string | undefined; overlap: string | undefined; json: boolean },
  { print }: CommandOutput,
): Promise<void> {
  const { id: named, mode } = keyNamed(stores, options.id);
  const overlap_seconds = /^\d{1,6}$/.test(options.overlap ?? "") ? Number(options.overlap) : Number.NaN;
  if (!(overlap_seconds <= overlap_seconds_max)) {
    throw new UsageError(`--overlap must be a number of seconds from 0 to ${overlap_seconds_max}.`);
  }
  const created = await audited(stores, mode, "rotateKey", (tx) => rotateKey(tx, named, overlap_seconds, secret()));
  for (const line of linesOfSecret(created, mode, options.json)) print(line);
}

async function expire(
  stores: Stores,
  options: { id: string | undefined; at: string | undefined; json: boolean },
  output: CommandOutput,
): Promise<void> {
  const { id: named, mode, store } = keyNamed(stores, options.id);
  if (!options.at) throw new UsageError(`--at is required: a date, ${date}, or never.`);
  const expires_at = options.at === "never" ? null : moment("--at", options.at);
  const key = await audited(stores, mode, "updateKey", (tx) => updateKey(tx, named, { expires_at }, true));
  const { id: expiring, permission } = { id: wireId("key", key.id), permission: key.permission };
  if (options.json) output.print(JSON.stringify({ id: expiring, mode, permission, expires_at: isoOrNull(expires_at) }));
  else output.print(`${expiring} ${expires_at === null ? "never expires" : `expires at ${iso(expires_at)}`}.`);
  await warnOfLockout(store, key, output);
}

function keyNamed(stores: Stores, id: string | undefined): { id: string; mode: Environment; store: Store } {
  if (!id) throw new UsageError("--id is required: the key's id from `keys list`.");
  // Keys of the two environments are numbered in separate ranges, so an id determines its environment.
  const mode = (readId("key", id) ?? 0) >= 1_000_000_001 ? "test" : "live";
  return { id, mode, store: stores[mode] };
}

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
