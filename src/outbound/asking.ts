// What the answers of APIs mean, as far as it is the same for all of them. Each feature that asks says it in its words.
import { Fault } from "../kit/fault.ts";
import { readRetryAfter } from "../kit/retry_after.ts";
import type { Api, ApiAnswer, ApiRequest, Party } from "./api.ts";
import { fieldsOrNone, readText } from "./reading.ts";

const second_ms = 1000;
const retry_after_seconds_max = 24 * 3600;
const words_max = 200;

/** One call's means: the way to the API, the moment, and the secrets that no message may repeat. */
interface Means {
  readonly api: Api;
  readonly now: number;
  readonly secrets: readonly (string | null)[];
}

/** A success, or that nothing is there (404). */
export interface Found {
  readonly status: number;
  /** Null for an empty body. */
  readonly json: unknown;
}

/** How an answer is taken where it is not the same for all APIs. */
export interface Taking {
  /** How long the API wants to be left alone, in milliseconds, where Retry-After does not say it. */
  readonly waitOf?: (headers: ApiAnswer["headers"]) => number | null;
  /** Statuses beside the successful ones and 404 that are an answer, too. */
  readonly also?: readonly number[];
}

/**
 * Asks an API for JSON. A status that neither succeeds nor says 404 is refused: after 408, 409, 425, 429 and all from
 * 500 it helps to ask again, after the others it does not.
 */
export async function askApi(party: Party, means: Means, request: ApiRequest, taking: Taking = {}): Promise<Found> {
  const answer = await means.api(request);
  const { status, body } = answer;
  if (succeeded(status)) return { status, json: body.length === 0 ? null : parsed(party, answer) };
  if (status === 404 || taking.also?.includes(status)) return { status, json: parsedOrNull(body) };
  throw refused(party, means, answer, taking);
}

/** Whether a status says that what was asked for is done. */
export function succeeded(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The refusal that an answer is. */
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
  const words = told === null ? "" : ` It says: ${without(secrets, told)}`;
  const retry_after_seconds = wait_ms === null ? null : secondsOf(wait_ms);
  const trouble = { status, permanent: !passing, retry_after_seconds, written: true, said };
  return party.refusal(`${party.name} answered ${status}${party.explained(status)}.${words}`, trouble);
}

/** A wait as refusals tell it: whole seconds, a day at most. */
export function secondsOf(wait_ms: number): number {
  return Math.min(Math.ceil(wait_ms / second_ms), retry_after_seconds_max);
}

/** The words of a refusal where most APIs have them: on top, in the first of a list, as a text. */
export function usualWords(said: unknown): readonly unknown[] {
  const { message, title, errors, error } = fieldsOrNone(Array.isArray(said) ? said[0] : said);
  return [message, title, errors, error];
}

/** A text from outside without the secrets of a call, should the other side repeat them. */
export function without(secrets: readonly (string | null)[], text: string): string {
  return secrets.reduce<string>((told, secret) => (secret ? told.replaceAll(secret, "…") : told), text);
}

/** What an answer says. A Fault of reading it is refused in words that name what cannot be read. */
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
    return null; // Whatever it is, the status has said enough.
  }
}

function parsed(party: Party, { status, body }: ApiAnswer): unknown {
  const json = parsedOrNull(body);
  if (json !== null || new TextDecoder().decode(body).trim() === "null") return json;
  // A page of maintenance, say, which is over by and by.
  const trouble = { status, permanent: false, retry_after_seconds: null, written: true, said: null };
  throw party.refusal(`${party.name} did not answer in JSON.`, trouble);
}
