// The key that seals secrets: where it comes from, and whether it is the one that sealed what the databases hold.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { variable, WrongUse } from "./config.ts";
import { type StartRefused, startRefused } from "./database/exit.ts";
import { findSeal, lockSeal, saveSeal } from "./database/installation.ts";
import type { Stores } from "./database/open.ts";
import type { Db, Store, Tx } from "./database/store.ts";
import { wireId } from "./kit/ids.ts";
import { type Mode, modes } from "./kit/mode.ts";
import { open, readSealingKey, seal } from "./kit/seal.ts";
import { writeWhole } from "./kit/whole_file.ts";
import { secret_purpose as platform_purpose } from "./platforms/connections/connection.ts";
import { listConnections } from "./platforms/connections/store.ts";
import { secret_purpose as carrier_purpose } from "./shipping/accounts/account.ts";
import { listAccounts } from "./shipping/accounts/store.ts";
import { invitation_purpose } from "./users/invitations/invitation.ts";
import { listSealedInvitations } from "./users/invitations/store.ts";
import { second_factor_purpose } from "./users/second_factor/factor.ts";
import { listSecondFactors } from "./users/second_factor/store.ts";
import { secret_purpose as webhook_purpose } from "./webhooks/subscriptions/secret.ts";
import { listSubscriptions } from "./webhooks/subscriptions/store.ts";

const purpose = "installation.seal";
const all = { limit: 1_000_000, offset: 0, after: null };

/** The 32 bytes from `PACKHOUSE_SECRET_KEY`; null when they are kept beside the data. */
export function givenSecretKey(database_url: string | null): Uint8Array | null {
  const given = variable("PACKHOUSE_SECRET_KEY");
  const key = given === null ? null : readSealingKey(given);
  if (given !== null && key === null) {
    throw new WrongUse("PACKHOUSE_SECRET_KEY must be 32 bytes as hex or base64, such as `openssl rand -hex 32` makes.");
  }
  if (key === null && database_url !== null) {
    throw new WrongUse(
      "With PostgreSQL, set PACKHOUSE_SECRET_KEY to the same 32 bytes on every server (`openssl rand -hex 32`).",
    );
  }
  return key;
}

/**
 * The secret key of an installation: the given one, or that of the data directory, made at the first start. Each
 * database remembers it by a seal. Refuses to start with a key that is not the one of both.
 */
export async function secretKeyOf(stores: Stores, data: string, given: Uint8Array | null): Promise<Uint8Array> {
  const key = given ?? keptSecretKey(data) ?? (await firstSecretKey(stores, data));
  // Neither is sealed under a key that the other refuses.
  const unsealed: Mode[] = [];
  for (const mode of modes) {
    const fits = await sealOf(stores[mode], key);
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
  const is_given = variable("PACKHOUSE_SECRET_KEY") !== null;
  const given = is_given ? givenSecretKey(database_url) : null;
  const key = given ?? (database_url === null ? keptSecretKey(data) : null);
  if (key === null) return null;
  for (const mode of modes) {
    if ((await sealOf(stores[mode], key)) === "other") return otherKey(mode, given, data).message;
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
  for (const mode of modes) {
    const strange = await stores[mode].write(async (tx) => {
      const known = await lockSeal(tx);
      if (known === null || open(known, key, purpose) === null) await saveSeal(tx, seal(mode, key, purpose));
      return strangeSecrets(tx, key);
    });
    lines.push(...strange.map((line) => `${mode}: ${line}`));
  }
  return lines;
}

/** Whether a database was sealed under this key; `unsealed` when it was under none, and nothing in it contradicts. */
async function keyFits(db: Db, known: string | null, key: Uint8Array): Promise<"own" | "other" | "unsealed"> {
  if (known !== null) return open(known, key, purpose) === null ? "other" : "own";
  return (await strangeSecrets(db, key)).length > 0 ? "other" : "unsealed";
}

const sealOf = (store: Store, key: Uint8Array) => store.read(async (db) => keyFits(db, await findSeal(db), key));

async function sealOnce(tx: Tx, key: Uint8Array) {
  const fits = await keyFits(tx, await lockSeal(tx), key);
  if (fits === "unsealed") await saveSeal(tx, seal(tx.mode, key, purpose));
  return fits;
}

/** What holds a secret that this key does not open, and what to do about it, a line each. */
async function strangeSecrets(db: Db, key: Uint8Array): Promise<string[]> {
  const isStrange = (sealed: string | null, use: string) => sealed !== null && open(sealed, key, use) === null;
  const webhooks = (await listSubscriptions(db, all))
    .filter(({ secret }) => isStrange(secret, webhook_purpose))
    .map(({ id }) => `webhook ${wireId("subscription", id)}: give it another secret by POST …/rotate-secret`);
  const platforms = (await listConnections(db, all))
    .filter((it) => [it.api_key, it.api_token, it.client_secret].some((secret) => isStrange(secret, platform_purpose)))
    .map(({ id }) => `platform ${wireId("connection", id)}: give it its secrets anew by PATCH`);
  const carriers = (await listAccounts(db, all))
    .filter((it) => [it.credentials, it.callback_secret].some((secret) => isStrange(secret, carrier_purpose)))
    .map(({ id }) => `carrier account ${wireId("carrier_account", id)}: give it its credentials anew by PATCH`);
  const factors = (await listSecondFactors(db))
    .filter(({ secret }) => isStrange(secret, second_factor_purpose))
    .map(({ user_id }) => `user ${wireId("user", user_id)}: signs in with a recovery code, and sets up the app anew`);
  const invitations = (await listSealedInvitations(db))
    .filter(({ mail_link }) => isStrange(mail_link, invitation_purpose))
    .map(({ id }) => `invitation ${wireId("invitation", id)}: send it again by POST …/resend`);
  return [...webhooks, ...platforms, ...carriers, ...factors, ...invitations];
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
  for (const mode of modes) {
    if ((await sealOf(stores[mode], nobodys)) !== "unsealed") throw lostKey(data);
  }
  return makeSecretKey(data);
}

function makeSecretKey(data: string): Uint8Array {
  const key = randomBytes(32);
  writeWhole(pathOf(data), key.toString("hex"));
  return key;
}

const way_out = "Only if that key is lost for good: `packhouse new-secret-key` goes on with another one.";

function lostKey(data: string): StartRefused {
  const said = `${pathOf(data)} is gone, and the data was sealed with the key in it. Put it back, from a backup.`;
  return startRefused("unsuitable", `${said} ${way_out}`);
}

function otherKey(mode: Mode, given: Uint8Array | null, data: string): StartRefused {
  const source = given === null ? `the one in ${pathOf(data)}` : "PACKHOUSE_SECRET_KEY";
  const said = `The ${mode} data was sealed with another secret key than ${source}. Start with the one it was sealed`;
  return startRefused("unsuitable", `${said} with, which every server must have. ${way_out}`);
}
