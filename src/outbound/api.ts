// Requests to an API and their results, for every caller and every API.
import type { Fault } from "../kit/fault.ts";

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
export interface ApiAnswer {
  readonly status: number;
  /** By name in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Calls an API at a checked address. Without a complete answer it refuses, in the words of the caller. */
export type Api = (request: ApiRequest) => Promise<ApiAnswer>;

/** Why an API's answer is of no use. */
export interface Trouble {
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
export interface Party {
  /** The start of a sentence about it, such as `The platform's API`. */
  readonly name: string;
  /** How much of an answer is read. */
  readonly answer_mebibytes_max: number;
  /** An explanation of a status, from its comma to before the full stop. */
  readonly explained: (status: number) => string;
  /** Where the API puts the reason of a refusal in its JSON. */
  readonly wordsOf: (said: unknown) => readonly unknown[];
  readonly refusal: (words: string, trouble: Trouble) => Fault;
}
