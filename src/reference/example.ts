// Examples are requests that were made and what was answered to them: see test/reference/story.ts.

/** One request and its answer, as text or as parsed JSON. */
export interface Example {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly status: number;
  /** Null for a document that is no text. */
  readonly answer: unknown;
}

/** Examples by the name of their operation. */
export type Examples = Readonly<Record<string, Example>>;

/** The recorded answers of refused requests, by code. */
export type RefusedExamples = Readonly<Record<string, unknown>>;
