/** A field that the API refused, with the message of the API. */
interface ApiFieldProblem {
  readonly field: string;
  readonly code?: string;
  readonly message: string;
}

/** An error of the API, or status 0 if it could not be reached. */
export class ApiProblem extends Error {
  readonly status: number;
  /** The error code of the API, such as `validation_failed`; `unreachable` without a response. */
  readonly code: string;
  readonly fields: readonly ApiFieldProblem[];
  readonly request_id: string | null;
  /** Further fields of the error, such as `available` or `retry_after_seconds`. */
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
    this.fields = Array.isArray(details) ? (details as ApiFieldProblem[]) : [];
    this.request_id = typeof meta["request_id"] === "string" ? meta["request_id"] : null;
    this.facts = facts;
  }
}

/** The problem of an unreachable server. */
export function unreachable(words: string): ApiProblem {
  return new ApiProblem(0, { error: { code: "unreachable", message: words } });
}

/** The wrong fields of a form. A missing merchant counts as one, although the API does not report it as a field. */
export function wrongFields({ code, fields, message }: ApiProblem): readonly ApiFieldProblem[] {
  return code === "merchant_required" && fields.length === 0 ? [{ field: "merchant_id", message }] : fields;
}

/** Turns any thrown value into a problem. Values that are not from the API are bugs of the dashboard. */
export function problemOf(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  return new ApiProblem(-1, {
    error: { code: "unknown", message: error instanceof Error ? error.message : String(error) },
  });
}
