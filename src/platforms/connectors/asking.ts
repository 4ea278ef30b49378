// What the answers of platforms' APIs mean, as far as it is the same for all of them.
import { Fault } from "../../kit/fault.ts";
import { readRetryAfter } from "../../kit/retry_after.ts";
import type { Access, ApiAnswer, ApiRequest } from "../platform.ts";
import { readText } from "./reading.ts";

const second_ms = 1000;
const retry_after_seconds_max = 24 * 3600;
const words_max = 200;

/** A success, or that nothing is there (404). */
export interface Found {
  readonly status: number;
  /** Null for an empty body. */
  readonly json: unknown;
}

/** A refusal or failure of a platform's API: whether asking again can help, and when, if the platform said so. */
export function platformError(
  words: string,
  { permanent, wait_ms = null }: { permanent: boolean; wait_ms?: number | null },
): Fault {
  const seconds = wait_ms === null ? null : Math.min(Math.ceil(wait_ms / second_ms), retry_after_seconds_max);
  return new Fault("platform_error", words, { permanent, ...(seconds !== null && { retry_after_seconds: seconds }) });
}

/**
 * Asks a platform's API. A status that neither succeeds nor says 404 is refused: after 408, 409, 425, 429 and all from
 * 500 it helps to ask again, after the others it does not. `waitOf` reads from the headers how long the platform wants
 * to be left alone, where Retry-After does not say it.
 * Refuses: platform_error.
 */
export async function ask(
  access: Access,
  request: ApiRequest,
  waitOf: (headers: ApiAnswer["headers"]) => number | null = () => null,
): Promise<Found> {
  const { status, headers, body } = await access.api(request);
  if (status >= 200 && status < 300) return { status, json: body === "" ? null : parsed(body) };
  if (status === 404) return { status, json: parsedOrNull(body) };
  const passing = status >= 500 || [408, 409, 425, 429].includes(status);
  const wait_ms = readRetryAfter(headers["retry-after"], access.now) ?? waitOf(headers);
  const said = withoutSecrets(saidIn(parsedOrNull(body)), access);
  const words = `The platform's API answered ${status}${explained(status)}.${said === null ? "" : ` It says: ${said}`}`;
  throw platformError(words, { permanent: !passing, wait_ms: passing ? wait_ms : null });
}

function explained(status: number): string {
  if (status === 401) return ", it does not accept the connection's credentials";
  if (status === 403) return ", the connection's credentials lack a permission";
  if (status >= 300 && status < 400) return ", and redirects are not followed; check the connection's api_url";
  return "";
}

/** What an answer says. Refuses: platform_error, in words that name what cannot be read of it. */
export function understood<Said>(read: () => Said): Said {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const problems = (error.facts.fields ?? []).map(({ field, message }) => `${field} ${message}`);
    throw platformError(`The platform's answer cannot be read: ${problems.join("; ")}.`, { permanent: true });
  }
}

/** A credential that a call cannot do without. Refuses: platform_error. */
export function needed(secret: string | null, name: string): string {
  if (secret !== null && secret !== "") return secret;
  throw platformError(`The connection has no ${name}, so the platform's API cannot be called.`, { permanent: true });
}

/** What of a text from outside may be told: without the connection's secrets, should the platform repeat them. */
export function withoutSecrets(text: string | null, { credentials }: Pick<Access, "credentials">): string | null {
  const { api_key, api_token, client_secrets } = credentials;
  const secrets = [api_key, api_token, ...client_secrets].flatMap((secret) => secret || []);
  return text && secrets.reduce((told, secret) => told.replaceAll(secret, "…"), text);
}

/** The platform's own words for a refusal, whose place differs by platform and version. */
function saidIn(json: unknown): string | null {
  const first = Array.isArray(json) ? json[0] : json;
  if (typeof first !== "object" || first === null) return null;
  const { message, title, errors, error } = first as Record<string, unknown>;
  return [message, title, errors, error].map((words) => readText(words, words_max)).find(Boolean) ?? null;
}

function parsedOrNull(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null; // Whatever it is, the status has said enough.
  }
}

function parsed(body: string): unknown {
  const json = parsedOrNull(body);
  // A page of maintenance, say, which is over by and by.
  if (json === null && body.trim() !== "null") {
    throw platformError("The platform's API did not answer in JSON.", { permanent: false });
  }
  return json;
}
