// The key that seals secrets: where it comes from, and whether it is the one that sealed what the databases hold.
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

/** The 32 bytes from `PACKHOUSE_SECRET_KEY`; null when they are kept beside the data. */
export function givenSecretKey(database_url: string | null): Uint8Array | null {
  const given = variable("PACKHOUSE_SECRET_KEY");
  const key = given === null ? null : readSealingKey(given);
  if (given !== null && key === null) {
    throw new UsageError(
      "PACKHOUSE_SECRET_KEY must be 32 bytes as hex or base64, such as `openssl rand -hex 32` makes.",
    );
  }
  if (key === null && database_url !== null) {
    throw new UsageError(
      "With PostgreSQL, set PACKHOUSE_SECRET_KEY to the same 32 bytes on every server (`openssl rand -hex 32`).",
    );
  }
  return key;
}

/** The secret key at hand: that of `PACKHOUSE_SECRET_KEY`, or of the data directory; null when there is none. */
export function secretKeyAtHand(data: string, database_url: string | null): Uint8Array | null {
  if (variable("PACKHOUSE_SECRET_KEY") !== null) return givenSecretKey(database_url);
  return database_url === null ? keptSecretKey(data) : null;
}

/**
 * The secret key of an installation: the given one, or that of the data directory, made at the first start. Each
 * database remembers it by a seal. Refuses to start with a key that is not the one of both.
 */
export async function secretKeyOf(stores: Stores, data: string, given: Uint8Array | null): Promise<Uint8Array> {
  const key = given ?? keptSecretKey(data) ?? (await firstSecretKey(stores, data));
  // Neither is sealed under a key that the other refuses.
  const unsealed: Environment[] = [];
  for (const mode of environments) {
    const fits = await sealOf(stores, mode, key);
    if (fits === "other") throw otherKey(mode, given, data);
    if (fits === "unsealed") unsealed.push(mode);
  }
  for (const mode of unsealed) {
    if ((await stores[mode].write((tx) => sealOnce(tx, key))) === "other") throw otherKey(mode, given, data);
  }
  return key;
}

/**
 * Why the secret key at hand is not the one of these databases; null when it is. Null also when none is at hand: beside
 * a server that is given one, a command need not have it.
 */
export async function secretKeyProblem(stores: Stores, data: string, database_url: string | null) {
  const key = secretKeyAtHand(data, database_url);
  if (key === null) return null;
  const given = variable("PACKHOUSE_SECRET_KEY") === null ? null : key;
  for (const mode of environments) {
    if ((await sealOf(stores, mode, key)) === "other") return otherKey(mode, given, data).message;
  }
  return null;
}

/**
 * Seals both databases under the given key, or under that of the data directory, which is made when it is lost. Answers
 * what was sealed under another key before and must be given anew, a line each.
 */
export async function renewSecretKey(stores: Stores, data: string, given: Uint8Array | null): Promise<string[]> {
  const key = given ?? keptSecretKey(data) ?? makeSecretKey(data);
  const lines: string[] = [];
  const { unreadableSecrets } = await sealedSecrets();
  for (const mode of environments) {
    const strange = await stores[mode].write(async (tx) => {
      const known = await lockSeal(tx);
      if (known === null || open(known, key, purpose) === null) await saveSeal(tx, seal(mode, key, purpose));
      return unreadableSecrets(tx, key);
    });
    lines.push(...strange.map((line) => `${mode}: ${line}`));
  }
  return lines;
}

type KeyMatch = "own" | "other" | "unsealed";

const opens = (known: string, key: Uint8Array): KeyMatch => (open(known, key, purpose) === null ? "other" : "own");

/** What looks through all that is sealed. A start does without where the databases remember their key. */
const sealedSecrets = () => import("./sealed_secrets.ts");

/** Whether a database was sealed under this key; `unsealed` when it was under none, and nothing in it contradicts. */
async function sealOf(stores: Stores, mode: Environment, key: Uint8Array): Promise<KeyMatch> {
  const store = stores[mode];
  const known = await store.read(findSeal);
  if (known !== null) return opens(known, key);
  if ((await store.read(hasNoKeys)) && !(await stores.live.read(hasUsers))) return "unsealed";
  const { unreadableSecrets } = await sealedSecrets();
  return (await store.read((db) => unreadableSecrets(db, key))).length > 0 ? "other" : "unsealed";
}

// A world without keys holds no secrets unless a user has stored them. Users are kept in the live world alone.
const hasNoKeys = async (db: Db) => (await listKeys(db)).length === 0;

/** Seals a database that was under no key. Answers with what it was sealed meanwhile, if it was. */
async function sealOnce(tx: Tx, key: Uint8Array): Promise<KeyMatch> {
  const known = await lockSeal(tx);
  if (known !== null) return opens(known, key);
  await saveSeal(tx, seal(tx.mode, key, purpose));
  return "unsealed";
}

const pathOf = (data: string) => join(data, "secret.key");

/** The key in the file of a data directory; null when there is none, or what a power cut has left of one. */
function keptSecretKey(data: string): Uint8Array | null {
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
  const nobodys = new Uint8Array(32);
  for (const mode of environments) {
    if ((await sealOf(stores, mode, nobodys)) !== "unsealed") throw lostKey(data);
  }
  return makeSecretKey(data);
}

function makeSecretKey(data: string): Uint8Array {
  const key = randomBytes(32);
  writeAtomically(pathOf(data), key.toString("hex"));
  return key;
}

const way_out = "Only if that key is lost for good: `packhouse new-secret-key` goes on with another one.";

function lostKey(data: string): StartRefusal {
  const said = `${pathOf(data)} is gone, and the data was sealed with the key in it. Put it back, from a backup.`;
  return startRefused("unsuitable", `${said} ${way_out}`);
}

function otherKey(mode: Environment, given: Uint8Array | null, data: string): StartRefusal {
  const source = given === null ? `the one in ${pathOf(data)}` : "PACKHOUSE_SECRET_KEY";
  const said = `The ${mode} data was sealed with another secret key than ${source}. Start with the one it was sealed`;
  return startRefused("unsuitable", `${said} with, which every server must have. ${way_out}`);
}
