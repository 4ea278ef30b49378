// Calls platforms' APIs, with errors that refer to the store's connection.

import { equalInConstantTime, hmacBase64 } from "../../core/crypto.ts";
import { Fault } from "../../core/faults.ts";
import type { Service } from "../../http/service.ts";
import {
  type ApiCallOptions,
  type ApiParty,
  type ApiRequest,
  type ApiResult,
  askApi,
  defaultWords,
  understoodOr,
  without,
} from "../../outbound/api.ts";
import { apiOf, partyTime } from "../../outbound/caller.ts";
import type { Store } from "../../storage/database.ts";
import { tokenSource } from "../access_tokens.ts";
import { credentialsOf } from "../connection.ts";
import type { StoreConnection } from "../platform.ts";
import type { PlatformAccess, PlatformConnector } from "./connector.ts";

/**
 * Creates the fault of a refusal or failure of a platform's API. `retry_after_seconds` is the delay that the platform
 * asked for.
 */
export function platformError(
  words: string,
  { permanent, retry_after_seconds = null }: { permanent: boolean; retry_after_seconds?: number | null },
): Fault {
  const delay = retry_after_seconds === null ? {} : { retry_after_seconds };
  return new Fault("platform_error", words, { permanent, ...delay });
}

/** How platforms' APIs are called, and how their refusals are worded. */
export const platform: ApiParty = {
  name: "The platform's API",
  answer_mebibytes_max: 2,
  explained,
  wordsOf: defaultWords,
  refusal: platformError,
};

function explained(status: number): string {
  if (status === 401) return ", it does not accept the connection's credentials";
  if (status === 403) return ", the connection's credentials lack a permission";
  if (status >= 300 && status < 400) return ", and redirects are not followed; check the connection's api_url";
  return "";
}

/** Returns the secrets of a call, which no message may contain. */
export function secretsOf({ credentials }: Pick<PlatformAccess, "credentials">): (string | null)[] {
  const { api_key, api_token, client_secrets } = credentials;
  return [api_key, api_token, ...client_secrets];
}

/** Calls a platform's API like `askApi`. Refuses: platform_error. */
export async function ask(access: PlatformAccess, request: ApiRequest, options?: ApiCallOptions): Promise<ApiResult> {
  const { api, now } = access;
  return await askApi(platform, { api, now, secrets: secretsOf(access) }, request, options);
}

/** Parses a reply. Refuses: platform_error, naming what cannot be parsed. */
export function parseReply<T>(read: () => T): T {
  const refusal = (problems: string) =>
    platformError(`The platform's response is not valid: ${problems}.`, { permanent: true });
  return understoodOr(refusal, read);
}

/** Returns a credential that the call needs. Refuses: platform_error. */
export function requireCredential(secret: string | null, name: string): string {
  if (secret !== null && secret !== "") return secret;
  throw platformError(`The connection has no ${name}. Add it to call the platform's API.`, { permanent: true });
}

/** Reads pages until one is not full. `read` gets a page's number, from 1, and the last entry of the one before. */
export async function readPages<Entry>(
  page_size: number,
  read: (page: number, last: Entry | undefined) => Promise<readonly Entry[]>,
): Promise<Entry[]> {
  const all: Entry[] = [];
  for (let page = 1; page <= pages_max; page += 1) {
    const entries = await read(page, all.at(-1));
    all.push(...entries);
    if (entries.length < page_size) break;
  }
  return all;
}

const pages_max = 400;

/** Splits a list into batches of at most `size` entries. */
export function inBatches<Entry>(list: readonly Entry[], size: number): Entry[][] {
  const starts = Array.from({ length: Math.ceil(list.length / size) }, (_, index) => index * size);
  return starts.map((start) => list.slice(start, start + size));
}

/** Removes the connection's secrets from a text, in case the platform repeats them. */
export function withoutSecrets(text: string, access: Pick<PlatformAccess, "credentials">): string {
  return without(secretsOf(access), text);
}

/** Verifies notifications whose header is the HMAC of their body, in base64, with one of the secrets. */
export function verifyHeader(header: string): PlatformConnector["verify"] {
  return ({ headers, raw }, { client_secrets }) => {
    const signature = headers.get(header) ?? "";
    return client_secrets.some((secret) => equalInConstantTime(signature, hmacBase64(secret, raw)));
  };
}

const chooserOf = ({ is_operator_address }: StoreConnection) => (is_operator_address ? "operator" : "merchant");

/** Returns all that a connector needs to call a store's API. */
export function accessTo(connection: StoreConnection, store: Store, service: Service): PlatformAccess {
  const credentials = credentialsOf(connection, service.secret_key, store.clock.now());
  const api = apiOf(service, store.mode, chooserOf(connection), platform);
  return { connection, credentials, tokenFor: tokenSource(connection, store, service), api, now: partyTime(store) };
}
