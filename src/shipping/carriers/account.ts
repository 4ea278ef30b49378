import { iso, isoOrNull } from "../../core/clock.ts";
import { hmacHex, open } from "../../core/crypto.ts";
import { type FieldProblem, invalidFields } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import type { ListedCarrier } from "../offer.ts";
import type { AccountStatus } from "./account.transitions.ts";

/** A field of an account's credentials, as the CLI and the API request it. */
export interface CredentialField {
  readonly name: string;
  readonly secret: boolean;
  readonly required: boolean;
  /** Where to find the value, in one sentence. */
  readonly description: string;
}

/** The values of the credentials, by field name. */
type CarrierCredentials = Readonly<Record<string, string>>;

/** An account at a carrier, or at a service that resells many carriers. Its secrets are sealed. */
export interface CarrierAccount {
  readonly id: number;
  /** Random text that names the account in its callback address: `?account=…`. */
  readonly key: string;
  /** The code of its connector, such as `easypost`. */
  readonly connector: string;
  readonly name: string;
  /** The credentials as JSON, sealed; null once the account is deleted. */
  readonly credentials: string | null;
  /** Equal for equal credentials of one connector; null once the account is deleted. */
  readonly credentials_digest: string | null;
  /** The secret that signs callbacks, sealed; null when none are accepted. */
  readonly callback_secret: string | null;
  readonly previous_callback_secret: string | null;
  readonly previous_callback_secret_expires_at: number | null;
  readonly status: AccountStatus;
  /** The carriers that the last successful test listed. */
  readonly carriers: readonly ListedCarrier[];
  /** When these credentials were last tested; null if never. */
  readonly checked_at: number | null;
  /** Why that test failed; null when it succeeded. */
  readonly check_code: string | null;
  readonly check_message: string | null;
  readonly revision: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** The purpose under which the secrets of accounts are sealed. */
export const secret_purpose = "shipping.account";

/** How long the previous callback secret stays valid. */
export const secret_overlap_ms = 3_600_000;

/** Opens the credentials of an account. Empty when they were sealed with another key of the service. */
export function credentialsOf({ credentials }: Pick<CarrierAccount, "credentials">, secret_key: Uint8Array) {
  const opened = credentials === null ? null : open(credentials, secret_key, secret_purpose);
  return opened === null ? {} : (JSON.parse(opened) as CarrierCredentials);
}

/** Opens the secrets that may sign callbacks of an account, newest first. */
export function callbackSecretsOf(account: CarrierAccount, secret_key: Uint8Array, now: number): string[] {
  const overlaps = (account.previous_callback_secret_expires_at ?? 0) > now;
  return [account.callback_secret, overlaps ? account.previous_callback_secret : null]
    .map((sealed) => (sealed === null ? null : open(sealed, secret_key, secret_purpose)))
    .filter((secret) => secret !== null);
}

/** Returns a keyed digest, equal for equal credentials of one connector. */
export function digestOf(connector: string, credentials: CarrierCredentials, secret_key: Uint8Array): string {
  const sorted = Object.entries(credentials).sort(([a], [b]) => (a < b ? -1 : 1));
  return hmacHex(hmacHex(secret_key, secret_purpose), JSON.stringify([connector, sorted]));
}

/** The context that an account view needs. */
interface AccountContext {
  readonly secret_key: Uint8Array;
  /** The origin (scheme and host) under which this client reaches the service. */
  readonly origin: string;
  /** The connector's fields, and whether it sends callbacks; null for a connector that this release lacks. */
  readonly connector: { readonly credentials: readonly CredentialField[]; readonly takes_callbacks: boolean } | null;
}

/** Returns the account as the API shows it, with at most the last four characters of each secret. */
export function accountView(account: CarrierAccount, { secret_key, origin, connector }: AccountContext) {
  const { id, key, name, status, carriers, revision, checked_at, check_code, check_message } = account;
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
    revision,
    created_at: iso(account.created_at),
    updated_at: iso(account.updated_at),
  };
}

const last_four_min_characters = 16;

/** The field as the API shows it. A secret that is long enough shows its last four characters. */
function fieldView({ name, secret, required, description }: CredentialField, value: string | undefined) {
  const is_long = secret && value !== undefined && value.length >= last_four_min_characters;
  return {
    name,
    description,
    required,
    secret,
    is_set: value !== undefined,
    value: secret ? null : (value ?? null),
    last_four: is_long ? value.slice(-4) : null,
  };
}

/** The credentials in a request, by field name; null removes one. */
export type CredentialsInput = Readonly<Record<string, string | null>>;

/**
 * Returns the credentials of an account after a change. A new `api_url` requires the secrets again, so that a person
 * who can only edit the address cannot redirect stored secrets to a server of their own.
 * Refuses: validation_failed.
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
    const sent = input[name];
    const value = sent === undefined ? (before[name] ?? null) : sent;
    if (value !== null) after[name] = value;
    else if (required) refuse(name, "required", `is required: ${description}`);
    const unchanged = sent === undefined && before[name] !== undefined;
    if (secret && unchanged && moved) refuse(name, "required", "is required when the address changes");
  }
  if (problems.length > 0) throw invalidFields(problems);
  return after;
}

/** Whether a field holds an API address, which must pass the outbound address policy. */
export function isAddress(name: string): boolean {
  return name === "api_url";
}
