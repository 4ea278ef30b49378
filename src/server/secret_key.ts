// The secret key: where it comes from, and whether the databases were encrypted with it.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { UsageError, variable } from "../core/config.ts";
import { open, readSealingKey, seal } from "../core/crypto.ts";
import { type Environment, environments } from "../core/environment.ts";
import { writeAtomically } from "../core/files.ts";
import { listKeys } from "../identity/api_keys/api_keys.sql.ts";
import { hasUsers } from "../identity/users/users.sql.ts";
import type { Db, Tx } from "../storage/database.ts";
import { findSeal, lockSeal, saveSeal } from "../storage/installation.ts";
import type { Stores } from "../storage/open_stores.ts";
import { type StartRefusal, startRefused } from "../storage/start_refused.ts";

const purpose = "installation.seal";

/**
 * The 32 bytes of `PACKHOUSE_SECRET_KEY`; null if the variable is not set, because the key is in the data directory.
 * Throws `UsageError` for an invalid key, and for none with PostgreSQL.
 */
export function configuredSecretKey(database_url: string | null): Uint8Array | null {
  const text = variable("PACKHOUSE_SECRET_KEY");
  const key = text === null ? null : readSealingKey(text);
  if (text !== null && key === null) {
    throw new UsageError(
      "PACKHOUSE_SECRET_KEY must be 32 bytes as hex or base64. Create one with `openssl rand -hex 32`.",
    );
  }
  if (key === null && database_url !== null) {
    throw new UsageError(
      "With PostgreSQL, set PACKHOUSE_SECRET_KEY to the same 32 bytes on every server (`openssl rand -hex 32`).",
    );
  }
  return key;
}

/** The secret key from `PACKHOUSE_SECRET_KEY` or from the data directory; null when there is none. */
export function secretKeyAtHand(data: string, database_url: string | null): Uint8Array | null {
  if (variable("PACKHOUSE_SECRET_KEY") !== null) return configuredSecretKey(database_url);
  return database_url === null ? storedSecretKey(data) : null;
}

/**
 * The secret key of an installation: the configured one, or the one in the data directory, which the first start
 * creates. Each database stores a seal made with its key. Refuses to start with a key that does not match both.
 */
export async function secretKeyOf(stores: Stores, data: string, configured: Uint8Array | null): Promise<Uint8Array> {
  const key = configured ?? storedSecretKey(data) ?? (await firstSecretKey(stores, data));
  // Check both first, so that no database is sealed with a key that the other refuses.
  const unsealed: Environment[] = [];
  for (const mode of environments) {
    const match = await sealOf(stores, mode, key);
    if (match === "other") throw otherKey(mode, configured, data);
    if (match === "unsealed") unsealed.push(mode);
  }
  for (const mode of unsealed) {
    if ((await stores[mode].write((tx) => sealOnce(tx, key))) === "other") throw otherKey(mode, configured, data);
  }
  return key;
}

/**
 * The message if the secret key does not match the databases, or null. Also null without a key: a command that runs
 * alongside a server does not need it.
 */
export async function secretKeyProblem(stores: Stores, data: string, database_url: string | null) {
  const key = secretKeyAtHand(data, database_url);
  if (key === null) return null;
  const configured = variable("PACKHOUSE_SECRET_KEY") === null ? null : key;
  for (const mode of environments) {
    if ((await sealOf(stores, mode, key)) === "other") return otherKey(mode, configured, data).message;
  }
  return null;
}

/**
 * Seals both databases with the configured key, or with the one in the data directory, which is created if lost.
 * Returns one line for each secret that was encrypted with another key and has to be entered again.
 */
export async function renewSecretKey(stores: Stores, data: string, configured: Uint8Array | null): Promise<string[]> {
  const key = configured ?? storedSecretKey(data) ?? makeSecretKey(data);
  const lines: string[] = [];
  const { unreadableSecrets } = await sealedSecrets();
  for (const mode of environments) {
    const unreadable = await stores[mode].write(async (tx) => {
      const known = await lockSeal(tx);
      if (known === null || open(known, key, purpose) === null) await saveSeal(tx, seal(mode, key, purpose));
      return unreadableSecrets(tx, key);
    });
    lines.push(...unreadable.map((line) => `${mode}: ${line}`));
  }
  return lines;
}

type KeyMatch = "own" | "other" | "unsealed";

const opens = (known: string, key: Uint8Array): KeyMatch => (open(known, key, purpose) === null ? "other" : "own");

/** Loads the search for unreadable secrets. A start does not need it if the databases have a seal. */
const sealedSecrets = () => import("./sealed_secrets.ts");

/** Whether a database was sealed with this key; `unsealed` if it has no seal and no secret that contradicts the key. */
async function sealOf(stores: Stores, mode: Environment, key: Uint8Array): Promise<KeyMatch> {
  const store = stores[mode];
  const known = await store.read(findSeal);
  if (known !== null) return opens(known, key);
  if ((await store.read(hasNoKeys)) && !(await stores.live.read(hasUsers))) return "unsealed";
  const { unreadableSecrets } = await sealedSecrets();
  return (await store.read((db) => unreadableSecrets(db, key))).length > 0 ? "other" : "unsealed";
}

// An environment without keys holds no secrets unless a user has stored them. Users exist only in live.
const hasNoKeys = async (db: Db) => (await listKeys(db)).length === 0;

/** Seals a database that has no seal. If another server sealed it first, returns whether its key is the same. */
async function sealOnce(tx: Tx, key: Uint8Array): Promise<KeyMatch> {
  const known = await lockSeal(tx);
  if (known !== null) return opens(known, key);
  await saveSeal(tx, seal(tx.mode, key, purpose));
  return "unsealed";
}

const pathOf = (data: string) => join(data, "secret.key");

/** The key in the file of a data directory; null when there is none, or only the zero bytes left by a power cut. */
function storedSecretKey(data: string): Uint8Array | null {
  let text: string;
  try {
    text = readFileSync(pathOf(data), "utf8").trim();
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return null;
    throw error;
  }
  if (/^\0*$/.test(text)) return null;
  const key = readSealingKey(text);
  if (key === null) {
    throw startRefused("damaged", `${pathOf(data)} does not hold 32 bytes as hex. Restore it from a backup.`);
  }
  return key;
}

async function firstSecretKey(stores: Stores, data: string): Promise<Uint8Array> {
  const unused_key = new Uint8Array(32);
  for (const mode of environments) {
    if ((await sealOf(stores, mode, unused_key)) !== "unsealed") throw lostKey(data);
  }
  return makeSecretKey(data);
}

function makeSecretKey(data: string): Uint8Array {
  const key = randomBytes(32);
  writeAtomically(pathOf(data), key.toString("hex"));
  return key;
}

const way_out = "If that key is lost, run `packhouse new-secret-key`.";

function lostKey(data: string): StartRefusal {
  const problem = `${pathOf(data)} is missing, and the data was encrypted with its key. Restore it from a backup.`;
  return startRefused("unsuitable", `${problem} ${way_out}`);
}

function otherKey(mode: Environment, configured: Uint8Array | null, data: string): StartRefusal {
  const source = configured === null ? `the one in ${pathOf(data)}` : "PACKHOUSE_SECRET_KEY";
  const problem = `The ${mode} data was encrypted with a different secret key than ${source}.`;
  return startRefused("unsuitable", `${problem} Use the original key on every server. ${way_out}`);
}
