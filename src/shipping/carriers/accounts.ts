import { open, seal } from "../../core/crypto.ts";
import { Fault, invalid } from "../../core/faults.ts";
import { transition } from "../../core/transitions.ts";
import type { Service } from "../../http/service.ts";
import type { Db, Tx } from "../../storage/database.ts";
import type { ListedCarrier } from "../offer.ts";
import { accountStarts, accountTransitions } from "./account.transitions.ts";
import {
  type CarrierAccount,
  type CredentialField,
  changedCredentials,
  credentialsOf,
  digestOf,
  secret_overlap_ms,
  secret_purpose,
} from "./account.ts";
import type { CreateAccount, UpdateAccount } from "./accounts.schema.ts";
import { hasLabelInProgress, insertAccount, listUndeletedAccounts, lockAccount, saveAccount } from "./accounts.sql.ts";
import { outsideCarriersOf } from "./connectors.ts";

/** What an account is validated against: its connector's fields and callback support, and the sealing key. */
export interface AccountRules {
  readonly name: string;
  readonly credentials: readonly CredentialField[];
  readonly takes_callbacks: boolean;
  readonly secret_key: Uint8Array;
}

/**
 * Creates an account with sealed secrets. `callback_secret` is the default if the request has none.
 * Refuses: validation_failed, duplicate_connection.
 */
export async function createAccount(
  tx: Tx,
  input: CreateAccount,
  rules: AccountRules,
  callback_secret: string,
): Promise<CarrierAccount> {
  const { secret_key } = rules;
  refuseSecret(input.callback_secret, rules);
  const credentials = changedCredentials(rules.credentials, {}, input.credentials);
  const generated = rules.takes_callbacks ? callback_secret : null;
  const secret = input.callback_secret === undefined ? generated : input.callback_secret;
  const fields: Omit<CarrierAccount, "id"> = {
    key: tx.newId(tx.mode),
    connector: input.connector,
    name: input.name ?? rules.name,
    ...sealedCredentials(input.connector, credentials, secret_key),
    callback_secret: secret === null ? null : seal(secret, secret_key, secret_purpose),
    previous_callback_secret: null,
    previous_callback_secret_expires_at: null,
    status: input.status ?? accountStarts,
    carriers: [],
    ...untested,
    revision: 1,
    created_at: tx.now,
    updated_at: tx.now,
  };
  return { id: await insertAccount(tx, fields), ...fields };
}

const untested = { checked_at: null, check_code: null, check_message: null };

function sealedCredentials(connector: string, credentials: Readonly<Record<string, string>>, secret_key: Uint8Array) {
  return {
    credentials: seal(JSON.stringify(credentials), secret_key, secret_purpose),
    credentials_digest: digestOf(connector, credentials, secret_key),
  };
}

function refuseSecret(secret: string | null | undefined, { name, takes_callbacks }: AccountRules): void {
  if (secret != null && !takes_callbacks)
    throw invalid("callback_secret", `is not possible: ${name} sends no callbacks`);
}

/**
 * Changes an account. The previous callback secret stays valid for an hour. New credentials count as untested. Without
 * a change the account keeps its revision.
 * Refuses: resource_missing, validation_failed, immutable_field, duplicate_connection.
 */
export async function updateAccount(
  tx: Tx,
  id: string,
  input: UpdateAccount,
  rules: AccountRules,
): Promise<CarrierAccount> {
  const before = await lockAccount(tx, id);
  if (input.connector !== undefined && input.connector !== before.connector) {
    const field = { field: "connector", code: "immutable_field", message: "cannot change" };
    throw new Fault("immutable_field", "To use another connector, create a new account.", { fields: [field] });
  }
  refuseSecret(input.callback_secret, rules);
  const { name = before.name, status } = input;
  const next =
    status === undefined ? before.status : transition(accountTransitions, pauseOrResume[status], before.status);
  const changed = { ...credentialChanges(before, input, rules), ...callbackSecretChanges(tx, before, input, rules) };
  const after: CarrierAccount = { ...before, name, status: next, ...changed };
  const same = (Object.keys(after) as (keyof CarrierAccount)[]).every((field) => after[field] === before[field]);
  if (same) return before;
  const account = { ...after, revision: before.revision + 1, updated_at: tx.now };
  await saveAccount(tx, account);
  return account;
}

const pauseOrResume = { active: "resume", paused: "pause" } as const;

/** The sealed new credentials; empty if they do not change. */
function credentialChanges(before: CarrierAccount, input: UpdateAccount, rules: AccountRules) {
  if (input.credentials === undefined) return {};
  const known = credentialsOf(before, rules.secret_key);
  const after = changedCredentials(rules.credentials, known, input.credentials);
  const sealed = sealedCredentials(before.connector, after, rules.secret_key);
  return sealed.credentials_digest === before.credentials_digest ? {} : { ...sealed, ...untested };
}

/** The sealed new callback secret; empty if it does not change. */
function callbackSecretChanges(
  tx: Tx,
  before: CarrierAccount,
  { callback_secret }: UpdateAccount,
  { secret_key }: AccountRules,
) {
  const sealed = before.callback_secret;
  const known = sealed === null ? null : open(sealed, secret_key, secret_purpose);
  if (callback_secret === undefined || (callback_secret === known && (sealed === null) === (known === null))) return {};
  const overlaps = callback_secret !== null && sealed !== null;
  return {
    callback_secret: callback_secret === null ? null : seal(callback_secret, secret_key, secret_purpose),
    previous_callback_secret: overlaps ? sealed : null,
    previous_callback_secret_expires_at: overlaps ? tx.now + secret_overlap_ms : null,
  };
}

/** The result of testing credentials: the carriers and services that the account sells, or the failure. */
export type AccountTestResult =
  | { readonly carriers: readonly ListedCarrier[] }
  | { readonly code: string; readonly message: string };

/**
 * Stores the result of a test. `tested` is the account as it was when the test began. A failed test keeps the carriers
 * of the last successful one. Refuses: resource_missing, write_conflict.
 */
export async function recordTest(tx: Tx, tested: CarrierAccount, result: AccountTestResult): Promise<CarrierAccount> {
  const before = await lockAccount(tx, tested.id);
  if (before.credentials !== tested.credentials) {
    throw new Fault("write_conflict", "The account's credentials were changed during the test. Test it again.");
  }
  const check =
    "carriers" in result
      ? { carriers: result.carriers, check_code: null, check_message: null }
      : { check_code: result.code, check_message: result.message };
  const account = { ...before, ...check, checked_at: tx.now };
  await saveAccount(tx, account);
  return account;
}

/**
 * Deletes an account and its secrets, and keeps its labels. Refused while a label is in progress: without the
 * credentials its purchase could no longer be looked up. Refuses: resource_missing, label_in_progress.
 */
export async function deleteAccount(tx: Tx, id: string): Promise<CarrierAccount> {
  const before = await lockAccount(tx, id);
  if (await hasLabelInProgress(tx, before.id)) {
    const message = "A label is being bought or voided with this account. Pause the account and delete it later.";
    throw new Fault("label_in_progress", message);
  }
  const none = { credentials: null, credentials_digest: null, callback_secret: null };
  const previous = { previous_callback_secret: null, previous_callback_secret_expires_at: null };
  const after = { ...before, ...none, ...previous, revision: before.revision + 1, updated_at: tx.now };
  await saveAccount(tx, after, tx.now);
  return after;
}

/** Lists the accounts that can track parcels, oldest first. */
export async function listTrackingAccounts(db: Db, service: Service): Promise<CarrierAccount[]> {
  const connectors = outsideCarriersOf(service);
  const accounts = await listUndeletedAccounts(db);
  return accounts.filter(({ connector }) => connectors[connector]?.capabilities.has("tracking"));
}
