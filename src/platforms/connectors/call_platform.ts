// How answers of platforms' APIs are read, with messages that speak of the store's connection.

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

/** A refusal or failure of a platform's API: whether asking again can help, and when, if the platform said so. */
export function platformError(
  words: string,
  { permanent, wait_ms = null }: { permanent: boolean; wait_ms?: number | null },
): Fault {
  const seconds = wait_ms === null ? null : secondsOf(wait_ms);
  return new Fault("platform_error", words, { permanent, ...(seconds !== null && { retry_after_seconds: seconds }) });
}

/** How any platform's API is called, and how its refusals are worded. */
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

/** The secrets of a call, which no message may contain. */
export function secretsOf({ credentials }: Pick<PlatformAccess, "credentials">): (string | null)[] {
  const { api_key, api_token, client_secrets } = credentials;
  return [api_key, api_token, ...client_secrets];
}

/** Asks a platform's API, as `askApi` does. Refuses: platform_error. */
export async function ask(access: PlatformAccess, request: ApiRequest, taking?: ApiCallOptions): Promise<ApiResult> {
  const { api, now } = access;
  return await askApi(platform, { api, now, secrets: secretsOf(access) }, request, taking);
}

/** Reads an answer. Refuses: platform_error, which names what cannot be read. */
export function understood<Said>(read: () => Said): Said {
  const refusal = (problems: string) =>
    platformError(`The platform's answer cannot be read: ${problems}.`, { permanent: true });
  return understoodOr(refusal, read);
}

/** A credential that the call needs. Refuses: platform_error. */
export function needed(secret: string | null, name: string): string {
  if (secret !== null && secret !== "") return secret;
  throw platformError(`The connection has no ${name}, so the platform's API cannot be called.`, { permanent: true });
}

/** A text from outside without the connection's secrets, in case the platform repeats them. */
export function withoutSecrets(text: string, access: Pick<PlatformAccess, "credentials">): string {
  return without(secretsOf(access), text);
}

const realTime = systemClock();

const chooserOf = ({ is_operator_address }: StoreConnection) => (is_operator_address ? "operator" : "merchant");

/** All that a connector needs to call the API of a connected store. Platforms use real time, in the sandbox too. */
export function accessTo(connection: StoreConnection, store: Store, service: Service): PlatformAccess {
  const { mode, clock } = store;
  const credentials = credentialsOf(connection, service.secret_key, clock.now());
  const now = mode === "live" ? clock.now() : realTime.now();
  return { connection, credentials, api: apiOf(service, mode, chooserOf(connection), platform), now };
}
