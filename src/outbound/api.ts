// What is asked of an API and what comes of it, whoever asks and whoever is asked.
import type { Fault } from "../kit/fault.ts";

/** One request to an API. */
export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** For how long its answer is awaited, in milliseconds, and as long again for it to end: 20 seconds unless said. */
  readonly wait_ms?: number;
}

/** What an API answered, whatever the status. */
export interface ApiAnswer {
  readonly status: number;
  /** By name in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Calls an API at a checked address. It refuses, in the words of who asks, when there is no whole answer. */
export type Api = (request: ApiRequest) => Promise<ApiAnswer>;

/** Why an API's answer is of no use. */
export interface Trouble {
  /** What it answered, or null when there was no whole answer. */
  readonly status: number | null;
  /** Whether asking again cannot help. */
  readonly permanent: boolean;
  /** When to ask again, where the API said so. */
  readonly retry_after_seconds: number | null;
  /** Whether the request was on its way, so that what it asks for may have been done. */
  readonly written: boolean;
  /** The JSON of a refusal, or null. */
  readonly said: unknown;
}

/** Who is asked, and how a refusal is told here. */
export interface Party {
  /** How a sentence begins about it, such as `The platform's API`. */
  readonly name: string;
  /** How much of an answer is read. */
  readonly answer_mebibytes_max: number;
  /** What a person should know of a status, from its comma to before its full stop. */
  readonly explained: (status: number) => string;
  /** The words in which the API itself refuses, out of the JSON of its answer. */
  readonly wordsOf: (said: unknown) => readonly unknown[];
  readonly refusal: (words: string, trouble: Trouble) => Fault;
}
