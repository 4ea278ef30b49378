// Requests to APIs of other parties and how their responses are read. Each feature words its own messages.

import { Fault } from "../core/faults.ts";
import { readRetryAfter } from "../core/http_headers.ts";
import { parseWithLargeIntegers } from "../core/json.ts";
import { second_ms } from "../core/time.ts";

/** One request to an API. */
export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Timeout for the response's head, and again for its body: 20 seconds by default. */
  readonly wait_ms?: number;
}

/** An API's complete response, whatever its status. */
interface ApiAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Calls an API at a checked address. Without a complete response it throws the caller's refusal. */
export type Api = (request: ApiRequest) => Promise<ApiAnswer>;

/** Why a call failed. */
export interface ApiFailure {
  /** The response's status, or null without a complete response. */
  readonly status: number | null;
  /** Whether a retry cannot help. */
  readonly permanent: boolean;
  /** When to retry, if the API stated it. */
  readonly retry_after_seconds: number | null;
  /** Whether the request was sent, so that it may have taken effect. */
  readonly written: boolean;
  /** The JSON of a refusal, or null. */
  readonly payload: unknown;
}

/** The other party, and how its refusals are reported. */
export interface ApiParty {
  /** The subject of a sentence about it, such as `The platform's API`. */
  readonly name: string;
  /** The maximum size of a response. */
  readonly answer_mebibytes_max: number;
  /** An explanation of a status, from its comma to before the full stop. */
  readonly explained: (status: number) => string;
  /** Finds the reason in the JSON of a refusal; the first entry that is a text counts. */
  readonly wordsOf: (payload: unknown) => readonly unknown[];
  readonly refusal: (words: string, trouble: ApiFailure) => Fault;
}

/** A JSON object from another party; its fields may have any shape. */
export type JsonFields = Readonly<Record<string, unknown>>;

const unprintable = /[\p{Cc}\u{fffd}]+/gu;

/** The object, or one without fields if it is anything else. */
export function fieldsOrNone(value: unknown): JsonFields {
  return typeof value === "object" && value !== null ? (value as JsonFields) : {};
}

/** The objects in a list; other entries are left out, and anything but a list is an empty one. */
export function fieldsIn(value: unknown): JsonFields[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === "object" && entry !== null) : [];
}

/** A text of one line without outer spaces, cut to its maximum; null when empty or not a text. */
export function readText(value: unknown, characters_max: number): string | null {
  if (typeof value !== "string") return null;
  const text = value.toWellFormed().replace(unprintable, " ").trim().slice(0, characters_max);
  return text.toWellFormed().replace(unprintable, "").trim() || null;
}

const retry_after_seconds_max = 24 * 3600;
const reason_characters_max = 200;

/** What a call needs: the API, the time (ms), and the secrets that no message may repeat. */
interface ApiCallContext {
  readonly api: Api;
  readonly now: number;
  readonly secrets: readonly (string | null)[];
}

/** A success, or 404: not found. */
export interface ApiResult {
  readonly status: number;
  /** Null for an empty body. */
  readonly json: unknown;
}

/** How a response is read where APIs differ. */
export interface ApiCallOptions {
  /** The wait before a retry (ms), if the API does not use Retry-After for it. */
  readonly waitOf?: (headers: ApiAnswer["headers"]) => number | null;
  /** Statuses besides 2xx and 404 that are returned instead of refused. */
  readonly also?: readonly number[];
}

/**
 * Calls an API that returns JSON. Refuses other statuses than 2xx and 404. The refusal is temporary for 408, 409, 425,
 * 429 and 5xx, otherwise permanent.
 */
export async function askApi(
  party: ApiParty,
  context: ApiCallContext,
  request: ApiRequest,
  options: ApiCallOptions = {},
): Promise<ApiResult> {
  const response = await context.api(request);
  const { status, body } = response;
  if (succeeded(status)) return { status, json: body.length === 0 ? null : parsed(party, response) };
  if (status === 404 || options.also?.includes(status)) return { status, json: parsedOrNull(body) };
  throw refused(party, context, response, options);
}

/** Whether a status means success. */
export function succeeded(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The refusal for a response with an error status. */
export function refused(
  party: ApiParty,
  { now, secrets }: Omit<ApiCallContext, "api">,
  { status, headers, body }: ApiAnswer,
  { waitOf }: ApiCallOptions = {},
): Fault {
  const is_temporary = status >= 500 || [408, 409, 425, 429].includes(status);
  const wait_ms = is_temporary ? (readRetryAfter(headers["retry-after"], now) ?? waitOf?.(headers) ?? null) : null;
  const payload = parsedOrNull(body);
  const reason =
    party
      .wordsOf(payload)
      .map((text) => readText(text, reason_characters_max))
      .find(Boolean) ?? null;
  const words = reason === null ? "" : ` Its message: ${without(secrets, reason)}`;
  const retry_after_seconds = wait_ms === null ? null : secondsOf(wait_ms);
  const failure = { status, permanent: !is_temporary, retry_after_seconds, written: true, payload };
  return party.refusal(`${party.name} answered ${status}${party.explained(status)}.${words}`, failure);
}

/** A wait (ms) in whole seconds, at most a day. */
export function secondsOf(wait_ms: number): number {
  return Math.min(Math.ceil(wait_ms / second_ms), retry_after_seconds_max);
}

/** The reason of a refusal where most APIs have it: a top-level text, or one in the first entry of a list. */
export function defaultWords(payload: unknown): readonly unknown[] {
  const { message, title, errors, error } = fieldsOrNone(Array.isArray(payload) ? payload[0] : payload);
  return [message, title, errors, error];
}

/** Removes the secrets of a call from another party's text, in case it repeats them. */
export function without(secrets: readonly (string | null)[], text: string): string {
  return secrets.reduce<string>((shown, secret) => (secret ? shown.replaceAll(secret, "…") : shown), text);
}

/** Returns what `read` returns. If it refuses fields, throws `refusal` with the problem of each field. */
export function understoodOr<Said>(refusal: (problems: string) => Fault, read: () => Said): Said {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw refusal((error.facts.fields ?? []).map(({ field, message }) => `${field} ${message}`).join("; "));
  }
}

/** Parses JSON; null if it is not valid. */
export function parsedOrNull(body: Uint8Array): unknown {
  try {
    return parseWithLargeIntegers(new TextDecoder().decode(body));
  } catch {
    return null; // The status is enough.
  }
}

function parsed(party: ApiParty, { status, body }: ApiAnswer): unknown {
  const json = parsedOrNull(body);
  if (json !== null || new TextDecoder().decode(body).trim() === "null") return json;
  // A temporary page during maintenance, for example.
  const failure = { status, permanent: false, retry_after_seconds: null, written: true, payload: null };
  throw party.refusal(`${party.name} did not answer in JSON.`, failure);
}
