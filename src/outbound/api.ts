// Requests to an API and their results, for every caller and every API.
import { Fault } from "../core/faults.ts";
import { readRetryAfter } from "../core/http_headers.ts";

/** One request to an API. */
export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** How long to wait for the answer, in milliseconds, and as long again for its end: 20 seconds by default. */
  readonly wait_ms?: number;
}

/** What an API answered, whatever the status. */
interface ApiAnswer {
  readonly status: number;
  /** By name in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Calls an API at a checked address. Without a complete answer it refuses, in the words of the caller. */
export type Api = (request: ApiRequest) => Promise<ApiAnswer>;

/** Why an API's answer is of no use. */
export interface ApiFailure {
  /** The answer, or null when there was no complete one. */
  readonly status: number | null;
  /** Whether asking again cannot help. */
  readonly permanent: boolean;
  /** When to ask again, if the API said so. */
  readonly retry_after_seconds: number | null;
  /** Whether the request was sent, so that it may have taken effect. */
  readonly written: boolean;
  /** The JSON of a refusal, or null. */
  readonly said: unknown;
}

/** Who is asked, and how its refusals are reported. */
export interface ApiParty {
  /** The start of a sentence about it, such as `The platform's API`. */
  readonly name: string;
  /** How much of an answer is read. */
  readonly answer_mebibytes_max: number;
  /** An explanation of a status, from its comma to before the full stop. */
  readonly explained: (status: number) => string;
  /** Where the API puts the reason of a refusal in its JSON. */
  readonly wordsOf: (said: unknown) => readonly unknown[];
  readonly refusal: (words: string, trouble: ApiFailure) => Fault;
}

// Reads JSON from other parties, which may have any shape.

/** An object as it came. */
export type JsonFields = Readonly<Record<string, unknown>>;

const unprintable = /[\p{Cc}\u{fffd}]+/gu;

/** The object, or one without fields if it is anything else. */
export function fieldsOrNone(value: unknown): JsonFields {
  return typeof value === "object" && value !== null ? (value as JsonFields) : {};
}

/** The objects in a list; other entries are left out, and anything but a list is an empty one. */
export function fieldsIn(value: unknown): JsonFields[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "object" && one !== null) : [];
}

/** A text of one line without outer spaces, cut to its maximum; null when empty or not a text. */
export function readText(value: unknown, characters_max: number): string | null {
  if (typeof value !== "string") return null;
  const text = value.toWellFormed().replace(unprintable, " ").trim().slice(0, characters_max);
  return text.toWellFormed().replace(unprintable, "").trim() || null;
}

// How answers of APIs are read, as far as it is the same for all. Each feature words its own messages.

const second_ms = 1000;
const retry_after_seconds_max = 24 * 3600;
const words_max = 200;

/** What a call needs: the way to the API, the time, and the secrets that no message may repeat. */
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

/** How an answer is read where APIs differ. */
export interface ApiCallOptions {
  /** How long to wait before asking again, in milliseconds, if the API does not use Retry-After for it. */
  readonly waitOf?: (headers: ApiAnswer["headers"]) => number | null;
  /** Statuses besides 2xx and 404 that count as an answer. */
  readonly also?: readonly number[];
}

/**
 * Asks an API for JSON. Refuses other statuses than 2xx and 404: after 408, 409, 425, 429 and all from 500 asking again
 * may help, after the others not.
 */
export async function askApi(
  party: ApiParty,
  means: ApiCallContext,
  request: ApiRequest,
  taking: ApiCallOptions = {},
): Promise<ApiResult> {
  const answer = await means.api(request);
  const { status, body } = answer;
  if (succeeded(status)) return { status, json: body.length === 0 ? null : parsed(party, answer) };
  if (status === 404 || taking.also?.includes(status)) return { status, json: parsedOrNull(body) };
  throw refused(party, means, answer, taking);
}

/** Whether a status means success. */
export function succeeded(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The refusal in an answer. */
export function refused(
  party: ApiParty,
  means: Omit<ApiCallContext, "api">,
  answer: ApiAnswer,
  { waitOf }: ApiCallOptions = {},
): Fault {
  const { now, secrets } = means;
  const { status, headers, body } = answer;
  const passing = status >= 500 || [408, 409, 425, 429].includes(status);
  const wait_ms = passing ? (readRetryAfter(headers["retry-after"], now) ?? waitOf?.(headers) ?? null) : null;
  const said = parsedOrNull(body);
  const told =
    party
      .wordsOf(said)
      .map((words) => readText(words, words_max))
      .find(Boolean) ?? null;
  const words = told === null ? "" : ` Its message: ${without(secrets, told)}`;
  const retry_after_seconds = wait_ms === null ? null : secondsOf(wait_ms);
  const trouble = { status, permanent: !passing, retry_after_seconds, written: true, said };
  return party.refusal(`${party.name} answered ${status}${party.explained(status)}.${words}`, trouble);
}

/** A wait as refusals state it: whole seconds, a day at most. */
export function secondsOf(wait_ms: number): number {
  return Math.min(Math.ceil(wait_ms / second_ms), retry_after_seconds_max);
}

/** The reason of a refusal where most APIs have it: a text at the top, or in the first entry of a list. */
export function defaultWords(said: unknown): readonly unknown[] {
  const { message, title, errors, error } = fieldsOrNone(Array.isArray(said) ? said[0] : said);
  return [message, title, errors, error];
}

/** A text from outside without the secrets of a call, in case the other side repeats them. */
export function without(secrets: readonly (string | null)[], text: string): string {
  return secrets.reduce<string>((told, secret) => (secret ? told.replaceAll(secret, "…") : told), text);
}

/** Reads an answer. An error is refused in words that name what cannot be read. */
export function understoodOr<Said>(refusal: (problems: string) => Fault, read: () => Said): Said {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw refusal((error.facts.fields ?? []).map(({ field, message }) => `${field} ${message}`).join("; "));
  }
}

function parsedOrNull(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return null; // The body does not matter: the status says enough.
  }
}

function parsed(party: ApiParty, { status, body }: ApiAnswer): unknown {
  const json = parsedOrNull(body);
  if (json !== null || new TextDecoder().decode(body).trim() === "null") return json;
  // A temporary page during maintenance, for example.
  const trouble = { status, permanent: false, retry_after_seconds: null, written: true, said: null };
  throw party.refusal(`${party.name} did not answer in JSON.`, trouble);
}
