// `packhouse keys …`: API keys on the command line. A running server applies a change within a second.
import { randomBytes } from "node:crypto";
import { iso, isoOrNull, parseMoment } from "../core/clock.ts";
import { type Flags, type FlagValues, UsageError } from "../core/config.ts";
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

/** Where a command says what it did, and what an operator should know beside it. */
export interface CommandOutput {
  readonly print: (line: string) => void;
  readonly warn: (line: string) => void;
}

/** One of the commands: its line in `--help`, its flags, what it does. */
export interface DataCommand<F extends Flags = Flags> {
  readonly summary: string;
  readonly flags: F;
  readonly run: (stores: Stores, given: FlagValues<F>, voice: CommandOutput) => Promise<void>;
}
const command = <F extends Flags>(it: DataCommand<F>): DataCommand => it as unknown as DataCommand;

const json = { json: { type: "boolean", help: "print JSON for scripts" } } as const satisfies Flags;
const id = { id: { type: "string", value: "key_N", help: "the key, as `keys list` names it" } } as const;
const date = "such as 2027-01-31 or 2027-01-31T18:00:00Z";
const settings = {
  "rate-limit": { type: "string", value: "N", help: "requests a minute; 0 for no limit (6000)" },
  allow: { type: "string", value: "CIDR,…", help: "only from these addresses and ranges" },
} as const satisfies Flags;

export const keyCommands: Readonly<Record<string, DataCommand>> = {
  create: command({
    summary: "make an API key, printed this once",
    flags: {
      name: { type: "string", value: "NAME", help: "what the key is for" },
      permission: { type: "string", value: levels.join("|"), default: "read_write", help: "what it may do" },
      mode: { type: "string", value: "live|test", help: "which of the two worlds" },
      merchant: {
        type: "string",
        value: "CODE",
        help: "whose records alone it reaches; a key of the house reaches all",
      },
      ...settings,
      expires: { type: "string", value: "DATE", help: `when it ends by itself, ${date}` },
      "create-data": { type: "boolean", help: "create the data, if there is none yet, before the first serve" },
      ...json,
    },
    run: create,
  }),
  list: command({ summary: "list API keys", flags: json, run: list }),
  revoke: command({
    summary: "end an API key, at once or at a date",
    flags: { ...id, at: { type: "string", value: "DATE", help: `when it ends, ${date}; now unless given` }, ...json },
    run: revoke,
  }),
  rotate: command({
    summary: "replace an API key by another one, printed this once",
    flags: {
      ...id,
      overlap: { type: "string", value: "SECONDS", default: "86400", help: "how long the old key is good beside it" },
      ...json,
    },
    run: rotate,
  }),
  expire: command({
    summary: "set when an API key ends by itself",
    flags: { ...id, at: { type: "string", value: "DATE|never", help: `when, ${date}` }, ...json },
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

async function create(stores: Stores, given: CreateKeyFlags, { print }: CommandOutput): Promise<void> {
  const { name, allow, expires } = given;
  if (!name) throw new UsageError("--name is required: say what the key is for.");
  const mode = environments.find((word) => word === given.mode);
  if (mode === undefined) throw new UsageError("--mode must say which: live or test.");
  const permission = levels.find((word) => word === given.permission);
  if (permission === undefined) throw new UsageError(`--permission must be one of ${levels.join(", ")}.`);
  const limit = given["rate-limit"];
  if (limit !== undefined && !/^\d{1,7}$/.test(limit))
    throw new UsageError("--rate-limit must be a number; 0 for none.");
  const ip_list = allow === undefined ? [] : ranges(allow);
  const ip_mode: ApiKey["ip_mode"] = ip_list.length === 0 ? "off" : "enforce";
  const rate_limit_per_minute = limit === undefined ? null : Number(limit);
  const expires_at = expires === undefined ? null : moment("--expires", expires);
  const input = { name, permission, ip_list, ip_mode, rate_limit_per_minute, expires_at };
  const { merchant } = given;
  const made = await keeping(stores, mode, "createKey", async (tx) => {
    const merchant_id = merchant === undefined ? null : (await getMerchant(tx, merchant)).id;
    return createKey(tx, { ...input, merchant_id }, secret());
  });
  for (const line of madeLines(made, mode, given.json)) print(line);
}

function ranges(words: string): string[] {
  const texts = words.split(",").map((text) => text.trim());
  try {
    addressList(texts);
  } catch (error) {
    throw new UsageError(`--allow: ${error instanceof Error ? error.message : error}`);
  }
  return texts;
}

function moment(flag: string, text: string): number {
  const at = parseMoment(text);
  if (at === null) throw new UsageError(`${flag} must be a date, ${date}.`);
  return at;
}

const secret = () => randomBytes(96);

/** Does something to a key. The audit trail, in the live store, keeps it with the act, or right after it. */
async function keeping<Done extends ApiKey | CreatedKey>(
  stores: Stores,
  mode: Environment,
  action: string,
  act: (tx: Tx) => Promise<Done>,
): Promise<Done> {
  const keep = (tx: Tx, done: Done) => {
    const { id } = "key" in done ? done.key : done;
    return recordCommand(tx, { world: mode, action, targets: [wireId("key", id)] });
  };
  const done = await stores[mode].write(async (tx) => {
    const it = await act(tx);
    if (mode === "live") await keep(tx, it);
    return it;
  });
  if (mode === "test") await stores.live.write((tx) => keep(tx, done));
  return done;
}

function madeLines({ key, text }: CreatedKey, mode: Environment, as_json: boolean): string[] {
  const { id: made, permission } = { id: wireId("key", key.id), permission: key.permission };
  if (as_json) return [JSON.stringify({ id: made, key: text, mode, permission })];
  return [`${made} (${mode}, ${permission}), shown only this once:`, text];
}

async function list(stores: Stores, given: { json: boolean }, { print }: CommandOutput): Promise<void> {
  for (const mode of environments) {
    const { keys, merchants, now } = await stores[mode].read(async (db) => {
      return { keys: await listKeys(db), merchants: await listMerchants(db), now: db.now };
    });
    const codes = new Map(merchants.map(({ id: merchant_id, code }) => [merchant_id, code]));
    for (const key of keys) {
      const whose = key.merchant_id === null ? "" : ` (${codes.get(key.merchant_id)})`;
      print(given.json ? JSON.stringify(facts(key, mode, now)) : lineOf(key, mode, now, whose));
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

function lineOf(key: ApiKey, mode: Environment, now: number, whose: string): string {
  const { name, permission, last_four, expires_at, revoked_at } = key;
  const status = statusOf(key, now);
  const end = Math.min(expires_at ?? Number.POSITIVE_INFINITY, revoked_at ?? Number.POSITIVE_INFINITY);
  const ending = Number.isFinite(end) ? `  until ${iso(end)}` : "";
  const state = isActive(status) ? ending : `  ${status}`;
  const id = wireId("key", key.id).padEnd(16);
  return `${id} ph_${mode}_…${last_four}  ${permission.padEnd(10)}  ${name}${whose}${state}`;
}

async function revoke(
  stores: Stores,
  given: { id: string | undefined; at: string | undefined; json: boolean },
  voice: CommandOutput,
): Promise<void> {
  const { id: named, mode, store } = keyNamed(stores, given.id);
  const at = given.at === undefined ? null : moment("--at", given.at);
  const key = await keeping(stores, mode, "revokeKey", (tx) => revokeKey(tx, named, at, true));
  const revoked_at = isoOrNull(key.revoked_at);
  const { id: revoked, permission } = { id: wireId("key", key.id), permission: key.permission };
  if (given.json) voice.print(JSON.stringify({ id: revoked, mode, permission, revoked_at }));
  else voice.print(at === null ? `${revoked} is revoked.` : `${revoked} is good until ${revoked_at}.`);
  await warnOfLockout(store, key, voice);
}

async function rotate(
  stores: Stores,
  given: { id: string | undefined; overlap: string | undefined; json: boolean },
  { print }: CommandOutput,
): Promise<void> {
  const { id: named, mode } = keyNamed(stores, given.id);
  const overlap_seconds = /^\d{1,6}$/.test(given.overlap ?? "") ? Number(given.overlap) : Number.NaN;
  if (!(overlap_seconds <= overlap_seconds_max)) {
    throw new UsageError(`--overlap must be a number of seconds to ${overlap_seconds_max}; 0 for none.`);
  }
  const made = await keeping(stores, mode, "rotateKey", (tx) => rotateKey(tx, named, overlap_seconds, secret()));
  for (const line of madeLines(made, mode, given.json)) print(line);
}

async function expire(
  stores: Stores,
  given: { id: string | undefined; at: string | undefined; json: boolean },
  voice: CommandOutput,
): Promise<void> {
  const { id: named, mode, store } = keyNamed(stores, given.id);
  if (!given.at) throw new UsageError(`--at is required: a date, ${date}, or never.`);
  const expires_at = given.at === "never" ? null : moment("--at", given.at);
  const key = await keeping(stores, mode, "updateKey", (tx) => updateKey(tx, named, { expires_at }, true));
  const { id: expiring, permission } = { id: wireId("key", key.id), permission: key.permission };
  if (given.json) voice.print(JSON.stringify({ id: expiring, mode, permission, expires_at: isoOrNull(expires_at) }));
  else voice.print(`${expiring} ${expires_at === null ? "never expires" : `expires at ${iso(expires_at)}`}.`);
  await warnOfLockout(store, key, voice);
}

function keyNamed(stores: Stores, given: string | undefined): { id: string; mode: Environment; store: Store } {
  if (!given) throw new UsageError("--id is required: the key as `keys list` names it.");
  // The two worlds number their keys far apart, so an id names its world.
  const mode = (readId("key", given) ?? 0) >= 1_000_000_001 ? "test" : "live";
  return { id: given, mode, store: stores[mode] };
}

/** Says so when a world has, or will have, no key any more by which the API makes others. */
async function warnOfLockout(
  store: Store,
  { permission, merchant_id }: ApiKey,
  { warn }: CommandOutput,
): Promise<void> {
  if (permission !== "full" || merchant_id !== null) return;
  const at = await store.read(async (db) => lockoutAt(ofOwner(await listKeys(db), { merchant_id }), db.now));
  if (!Number.isFinite(at)) return;
  const from = at === 0 ? "" : ` from ${iso(at)} on`;
  warn(`No key with full permission is left in ${store.mode}${from}: make one with packhouse keys create.`);
}
