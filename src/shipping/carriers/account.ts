import { iso, isoOrNull } from "../../core/clock.ts";
import { hmacHex, open } from "../../core/crypto.ts";
import { type FieldProblem, invalidFields } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import type { ListedCarrier } from "../offer.ts";
import type { AccountStatus } from "./account.transitions.ts";

/** A field of an account's credentials, as `packhouse` and the API ask for it. */
export interface CredentialField {
  readonly name: string;
  readonly secret: boolean;
  readonly required: boolean;
  /** Where the value is found, in one sentence. */
  readonly description: string;
}

/** The fields of the credentials, by the names that the connector gives them. */
type CarrierCredentials = Readonly<Record<string, string>>;

/** An account at a carrier, or at a service that sells for many carriers. Its secrets are sealed. */
export interface CarrierAccount {
  readonly id: number;
  /** Random text that names the account in its callback address: `?account=…`. */
  readonly key: string;
  /** The name of the connector that calls for it. */
  readonly connector: string;
  readonly name: string;
  /** The credentials as JSON, sealed; null once the account is deleted. */
  readonly credentials: string | null;
  /** Equal for equal credentials of one connector; null once the account is deleted. */
  readonly credentials_digest: string | null;
  /** What callbacks are signed with; null when none are taken. Sealed. */
  readonly callback_secret: string | null;
  readonly previous_callback_secret: string | null;
  readonly previous_callback_secret_expires_at: number | null;
  readonly status: AccountStatus;
  /** The carriers that the last successful test has listed. */
  readonly carriers: readonly ListedCarrier[];
  /** When these credentials were last tested; null when they never were. */
  readonly checked_at: number | null;
  /** Why that test failed; null when it did not. */
  readonly check_code: string | null;
  readonly check_message: string | null;
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** The purpose under which the secrets of accounts are sealed. */
export const secret_purpose = "shipping.account";

/** How long the previous callback secret stays valid. */
export const secret_overlap_ms = 3_600_000;

/** The credentials of an account, opened. Empty when they were sealed under another key of the service. */
export function credentialsOf({ credentials }: Pick<CarrierAccount, "credentials">, secret_key: Uint8Array) {
  const opened = credentials === null ? null : open(credentials, secret_key, secret_purpose);
  return opened === null ? {} : (JSON.parse(opened) as CarrierCredentials);
}

/** The secrets that callbacks of an account may be signed with, newest first. */
export function callbackSecretsOf(account: CarrierAccount, secret_key: Uint8Array, now: number): string[] {
  const overlaps = (account.previous_callback_secret_expires_at ?? 0) > now;
  return [account.callback_secret, overlaps ? account.previous_callback_secret : null]
    .map((sealed) => (sealed === null ? null : open(sealed, secret_key, secret_purpose)))
    .filter((secret) => secret !== null);
}

/** Equal for equal credentials of one connector. Without the key it reveals nothing of them. */
export function digestOf(connector: string, credentials: CarrierCredentials, secret_key: Uint8Array): string {
  const sorted = Object.entries(credentials).sort(([one], [other]) => (one < other ? -1 : 1));
  return hmacHex(hmacHex(secret_key, secret_purpose), JSON.stringify([connector, sorted]));
}

/** What a view of an account needs besides the account. */
interface AccountContext {
  readonly secret_key: Uint8Array;
  /** Where this client reaches the service. */
  readonly origin: string;
  /** The connector's fields, and whether it sends callbacks; null for a connector that this release does not have. */
  readonly connector: { readonly credentials: readonly CredentialField[]; readonly takes_callbacks: boolean } | null;
}

/** The account as the API shows it: of each secret at most the last four characters. */
export function accountView(account: CarrierAccount, { secret_key, origin, connector }: AccountContext) {
  const { id, key, name, status, carriers, version, checked_at, check_code, check_message } = account;
  const credentials = credentialsOf(account, secret_key);
  const path = `${origin}/v1/webhooks/carriers/${account.connector}?account=${key}`;
  return {
    id: wireId("carrier_account", id),
    connector: account.connector,
    name,
    status,
    credential_fields: (connector?.credentials ?? []).map((field) => fieldView(field, credentials[field.name])),
    callback_url: connector?.takes_callbacks ? path : null,
    has_callback_secret: account.callback_secret !== null,
    previous_callback_secret_expires_at: isoOrNull(account.previous_callback_secret_expires_at),
    carriers: carriers.map(({ code, name: called, services }) => ({
      code,
      name: called,
      services: services.map((service) => ({ code: service.code, name: service.name })),
    })),
    last_test:
      checked_at === null
        ? null
        : { tested_at: iso(checked_at), ok: check_code === null, code: check_code, message: check_message },
    version,
    created_at: iso(account.created_at),
    updated_at: iso(account.updated_at),
  };
}

const told_from_characters = 16;

/** A field as the API shows it: the last four characters of a secret that is long enough. */
function fieldView({ name, secret, required, description }: CredentialField, value: string | undefined) {
  const bears = secret && value !== undefined && value.length >= told_from_characters;
  return {
    name,
    description,
    required,
    secret,
    is_set: value !== undefined,
    value: secret ? null : (value ?? null),
    last_four: bears ? value.slice(-4) : null,
  };
}

/** Credentials as a request gives them; null removes one. */
export type CredentialsInput = Readonly<Record<string, string | null>>;

/**
 * The credentials of an account after a change. Refuses: validation_failed, for a field that the connector does not
 * have, for a required field that is missing, and for a new address without the secrets that would be sent to it:
 * whoever changes the address must not be able to read them there.
 */
export function changedCredentials(
  fields: readonly CredentialField[],
  before: CarrierCredentials,
  input: CredentialsInput,
): CarrierCredentials {
  const problems: FieldProblem[] = [];
  const refuse = (name: string, code: string, message: string) =>
    problems.push({ field: `credentials.${name}`, code, message });
  const names = fields.map(({ name }) => name);
  for (const name of Object.keys(input)) {
    if (!names.includes(name)) refuse(name, "unknown_field", `is not one of: ${names.join(", ")}`);
  }
  const moved = fields.some(({ name }) => isAddress(name) && name in input && input[name] !== (before[name] ?? null));
  const after: Record<string, string> = {};
  for (const { name, secret, required, description } of fields) {
    const given = input[name];
    const value = given === undefined ? (before[name] ?? null) : given;
    if (value !== null) after[name] = value;
    else if (required) refuse(name, "required", `is required: ${description}`);
    const kept = given === undefined && before[name] !== undefined;
    if (secret && kept && moved) refuse(name, "required", "is required when the address changes");
  }
  if (problems.length > 0) throw invalidFields(problems);
  return after;
}

/** Whether a field holds the address of an API, which must be one that the service may call. */
export function isAddress(name: string): boolean {
  return name === "api_url";
}
