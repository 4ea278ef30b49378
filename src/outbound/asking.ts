// How answers of APIs are read, as far as it is the same for all. Each feature words its own messages.
import { Fault } from "../kit/fault.ts";
import { readRetryAfter } from "../kit/retry_after.ts";
import type { Api, ApiAnswer, ApiRequest, Party } from "./api.ts";
import { fieldsOrNone, readText } from "./reading.ts";

const second_ms = 1000;
const retry_after_seconds_max = 24 * 3600;
const words_max = 200;

/** What a call needs: the way to the API, the time, and the secrets that no message may repeat. */
interface Means {
  readonly api: Api;
  readonly now: number;
  readonly secrets: readonly (string | null)[];
}

/** A success, or 404: not found. */
export interface Found {
  readonly status: number;
  /** Null for an empty body. */
  readonly json: unknown;
}

/** How an answer is read where APIs differ. */
export interface Taking {
  /** How long to wait before asking again, in milliseconds, if the API does not use Retry-After for it. */
  readonly waitOf?: (headers: ApiAnswer["headers"]) => number | null;
  /** Statuses besides 2xx and 404 that count as an answer. */
  readonly also?: readonly number[];
}

/**
 * Asks an API for JSON. Refuses other statuses than 2xx and 404: after 408, 409, 425, 429 and all from 500 asking again
 * may help, after the others not.
 */
export async function askApi(party: Party, means: Means, request: ApiRequest, taking: Taking = {}): Promise<Found> {
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
export function refused(party: Party, means: Omit<Means, "api">, answer: ApiAnswer, { waitOf }: Taking = {}): Fault {
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
export function usualWords(said: unknown): readonly unknown[] {
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

function parsed(party: Party, { status, body }: ApiAnswer): unknown {
  const json = parsedOrNull(body);
  if (json !== null || new TextDecoder().decode(body).trim() === "null") return json;
  // A temporary page during maintenance, for example.
  const trouble = { status, permanent: false, retry_after_seconds: null, written: true, said: null };
  throw party.refusal(`${party.name} did not answer in JSON.`, trouble);
}
