// Calls platforms' APIs, with errors that refer to the store's connection.

import { systemClock } from "../../core/clock.ts";
import { Fault } from "../../core/faults.ts";
import type { Service } from "../../http/service.ts";
import {
  type ApiCallOptions,
  type ApiParty,
  type ApiRequest,
  type ApiResult,
  askApi,
  defaultWords,
  secondsOf,
  understoodOr,
  without,
} from "../../outbound/api.ts";
import { apiOf } from "../../outbound/caller.ts";
import type { Store } from "../../storage/database.ts";
import { credentialsOf } from "../connection.ts";
import type { StoreConnection } from "../platform.ts";
import type { PlatformAccess } from "./connector.ts";

/**
 * Creates the fault of a refusal or failure of a platform's API. `wait_ms` is the delay that the platform asked for.
 */
export function platformError(
  words: string,
  { permanent, wait_ms = null }: { permanent: boolean; wait_ms?: number | null },
): Fault {
  const seconds = wait_ms === null ? null : secondsOf(wait_ms);
  return new Fault("platform_error", words, { permanent, ...(seconds !== null && { retry_after_seconds: seconds }) });
}

/** How platforms' APIs are called, and how their refusals are worded. */
export const platform: ApiParty = {
  name: "The platform's API",
  answer_mebibytes_max: 2,
  explained,
  wordsOf: defaultWords,
  refusal: (words, { permanent, retry_after_seconds: seconds }) =>
    new Fault("platform_error", words, { permanent, ...(seconds !== null && { retry_after_seconds: seconds }) }),
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

/** Removes the connection's secrets from a text, in case the platform repeats them. */
export function withoutSecrets(text: string, access: Pick<PlatformAccess, "credentials">): string {
  return without(secretsOf(access), text);
}

const realTime = systemClock();

const chooserOf = ({ is_operator_address }: StoreConnection) => (is_operator_address ? "operator" : "merchant");

/** Returns all that a connector needs to call a store's API. Platforms use real time, also for test data. */
export function accessTo(connection: StoreConnection, store: Store, service: Service): PlatformAccess {
  const { mode, clock } = store;
  const credentials = credentialsOf(connection, service.secret_key, clock.now());
  const now = mode === "live" ? clock.now() : realTime.now();
  return { connection, credentials, api: apiOf(service, mode, chooserOf(connection), platform), now };
}
