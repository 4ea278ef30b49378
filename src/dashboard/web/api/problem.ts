/** A field that the API found wrong, in its own words. */
interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** A refusal of the API, or that it could not be reached (status 0). */
export class ApiProblem extends Error {
  readonly status: number;
  /** The code of the API's table, such as `validation_failed`; `unreachable` without an answer. */
  readonly code: string;
  readonly fields: readonly FieldProblem[];
  readonly request_id: string | null;
  /** What stands beside the code, such as `available` or `retry_after_seconds`. */
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(status: number, body: unknown) {
    const { error = {}, meta = {} } = (body ?? {}) as {
      error?: Record<string, unknown>;
      meta?: Record<string, unknown>;
    };
    const { code, message, details, type: _type, doc_url: _doc_url, ...facts } = error;
    super(typeof message === "string" ? message : `The server answered ${status}.`);
    this.status = status;
    this.code = typeof code === "string" ? code : "unknown";
    this.fields = Array.isArray(details) ? (details as FieldProblem[]) : [];
    this.request_id = typeof meta["request_id"] === "string" ? meta["request_id"] : null;
    this.facts = facts;
  }
}

/** The problem of a server that gave no answer. */
export function unreachable(words: string): ApiProblem {
  return new ApiProblem(0, { error: { code: "unreachable", message: words } });
}

/** A problem from whatever was thrown: what is none of the API's is a mistake of this program. */
export function problemOf(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  return new ApiProblem(-1, {
    error: { code: "unknown", message: error instanceof Error ? error.message : String(error) },
  });
}
