// The responses of an operation: its successes, and its errors with their possible codes.
import type { TSchema } from "@sinclair/typebox";
import { type FaultCode, faults } from "../../core/faults.ts";
import type { JsonObject, Publisher } from "./json_schema.ts";
import type { Example, RefusedExamples } from "./operation.ts";
import { isTagged, isWrite, type Operation, refusalsOf } from "./operation.ts";

const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

const header = (description: string, schema: JsonObject, example: unknown) => ({ description, schema, example });

/** Response headers, as shared components. */
export const headers: JsonObject = {
  RequestId: header("The id of this request, in logs and in order histories.", { type: "string" }, "req_42"),
  ETag: header(
    "Identifies the state of the resource, for `If-Match` and `If-None-Match`. It changes whenever the response does." +
      " Treat it as opaque: its form may change.",
    { type: "string" },
    '"7-2mgqk1x0c4f9e"',
  ),
  IdempotencyReplayed: header(
    "`true` if this is the stored response to an earlier request with the same `Idempotency-Key`.",
    { type: "string", enum: ["true"] },
    "true",
  ),
  RateLimit: header(
    "The number of requests left now, and the seconds until the limit is fully restored.",
    { type: "string" },
    '"default";r=199;t=1',
  ),
  RateLimitPolicy: header(
    "The number of requests that this key may send at once, and the seconds until all are restored: 200 every 2" +
      " seconds are 6000 a minute. `X-RateLimit-Limit`, `-Remaining` and `-Reset` (Unix seconds) have the same values.",
    { type: "string" },
    '"default";q=200;w=2',
  ),
  RetryAfter: header("Seconds to wait before the next attempt.", { type: "integer", minimum: 0 }, 1),
  WwwAuthenticate: header("What was wrong with the key.", { type: "string" }, 'Bearer error="invalid_token"'),
};

const always = { "X-Request-Id": ref("headers", "RequestId") };
const limited = { RateLimit: ref("headers", "RateLimit"), "RateLimit-Policy": ref("headers", "RateLimitPolicy") };

const phrases: Readonly<Record<number, string>> = {
  200: "Success.",
  201: "Created.",
  202: "Accepted; the work continues in the background.",
  400: "The request is malformed.",
  401: "The key is missing, unknown or no longer valid.",
  403: "The key may not do this.",
  404: "Not found.",
  409: "Conflicts with the current state.",
  412: "The resource has changed since it was read.",
  413: "The body is too large.",
  415: "The body has an unsupported type.",
  422: "The request cannot be carried out.",
  429: "Too many requests.",
  431: "The headers are too large.",
  500: "An internal error.",
  502: "The carrier returned an error.",
  503: "Temporarily unavailable; try again.",
  504: "The carrier did not respond in time.",
};

/** The schemas of all errors, as JSON and as problem+json. */
export function errorSchemas(): Record<string, JsonObject> {
  const text = { type: "string" };
  const codes = Object.keys(faults);
  const types = [...new Set(Object.values(faults).map(({ type }) => type))];
  const object = (properties: JsonObject, required: readonly string[]): JsonObject => ({
    type: "object",
    properties,
    required,
    additionalProperties: true,
  });
  const detail = object({ field: text, pointer: { ...text, format: "json-pointer" }, code: text, message: text }, [
    "field",
    "pointer",
    "code",
    "message",
  ]);
  const problem = {
    type: { ...text, format: "uri-reference" },
    title: text,
    status: { type: "integer" },
    detail: text,
    instance: text,
    code: ref("schemas", "ErrorCode"),
    request_id: text,
    errors: { type: "array", items: ref("schemas", "ErrorDetail") },
  };
  const error = {
    type: { type: "string", enum: types },
    code: ref("schemas", "ErrorCode"),
    message: { ...text, description: "For display. Programs should use `code`." },
    details: { type: "array", items: ref("schemas", "ErrorDetail"), description: "All invalid fields." },
    doc_url: { ...text, format: "uri-reference", description: "The documentation of the code." },
  };
  return {
    ErrorCode: { type: "string", enum: codes, description: "Why a request was refused. Codes may be added." },
    ErrorDetail: { ...detail, description: "An invalid field, as sent and as a JSON pointer." },
    Error: {
      ...object(
        {
          success: { type: "boolean", const: false },
          error: {
            ...object(error, ["type", "code", "message", "details", "doc_url"]),
            description: "Some codes add fields, such as `existing_id`.",
          },
          meta: ref("schemas", "Meta"),
        },
        ["success", "error", "meta"],
      ),
    },
    Problem: {
      ...object(problem, ["type", "title", "status", "detail", "instance", "code", "errors", "request_id"]),
      description: "The same error as `application/problem+json` (RFC 9457), if `Accept` asks for it.",
    },
  };
}

const names: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  412: "PreconditionFailed",
  413: "PayloadTooLarge",
  415: "UnsupportedMediaType",
  422: "Unprocessable",
  429: "TooManyRequests",
  431: "HeadersTooLarge",
  500: "InternalError",
  502: "BadGateway",
  503: "Unavailable",
  504: "GatewayTimeout",
};

/** Collects the errors of all operations. Errors that several operations share become named components. */
export class Refusals {
  readonly #meaning: (code: FaultCode) => string;
  readonly #examples: RefusedExamples;
  readonly #uses = new Map<string, { readonly status: number; readonly codes: readonly FaultCode[]; count: number }>();

  constructor(operations: readonly Operation[], meaning: (code: FaultCode) => string, examples: RefusedExamples) {
    this.#meaning = meaning;
    this.#examples = examples;
    for (const operation of operations) {
      for (const [status, codes] of this.#byStatus(operation)) {
        const key = `${status} ${codes.join(" ")}`;
        this.#uses.getOrInsert(key, { status, codes, count: 0 }).count += 1;
      }
    }
  }

  /** Returns the shared responses by name. */
  components(): JsonObject {
    const shared = [...this.#uses.values()].filter(({ count }) => count > 1);
    const named = shared.map(
      ({ status, codes }) => [this.#nameOf(status, codes), this.#answer(status, codes)] as const,
    );
    return Object.fromEntries(named.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Returns the errors of one operation by status. */
  of(operation: Operation): JsonObject {
    const answers = this.#byStatus(operation).map(([status, codes]) => {
      const shared = (this.#uses.get(`${status} ${codes.join(" ")}`)?.count ?? 0) > 1;
      return [status, shared ? ref("responses", this.#nameOf(status, codes)) : this.#answer(status, codes)];
    });
    return Object.fromEntries(answers);
  }

  #byStatus(operation: Operation): [number, FaultCode[]][] {
    const groups = Map.groupBy([...refusalsOf(operation)].sort(), (code) => faults[code].status);
    return [...groups].sort(([a], [b]) => a - b) as [number, FaultCode[]][];
  }

  /** The most common response of a status has its plain name; others append the codes that differ. */
  #nameOf(status: number, codes: readonly FaultCode[]): string {
    const rivals = [...this.#uses.values()].filter((use) => use.status === status && use.count > 1);
    const [first] = rivals.sort((a, b) => b.count - a.count || (a.codes.join() < b.codes.join() ? -1 : 1));
    const name = names[status] ?? `Status${status}`;
    if (first === undefined || first.codes.join() === codes.join()) return name;
    const more = codes.filter((code) => !first.codes.includes(code));
    const less = first.codes.filter((code) => !codes.includes(code));
    const words = [...more, ...less.map((code) => `not_${code}`)].join("_").split("_");
    return name + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  }

  #answer(status: number, codes: readonly FaultCode[]): JsonObject {
    const open = { type: "object", additionalProperties: true };
    // Required, so that the type of an error in generated clients is narrowed to these codes.
    const error = { ...open, properties: { code: { type: "string", enum: codes } }, required: ["code"] };
    const narrowed = { ...open, properties: { error }, required: ["error"] };
    const schema = { allOf: [ref("schemas", "Error"), narrowed] };
    const shown = codes.filter((code) => code in this.#examples).map((code) => [code, ref("examples", code)]);
    const examples = shown.length === 0 ? {} : { examples: Object.fromEntries(shown) };
    const lines = codes.map((code) => `- \`${code}\`: ${this.#meaning(code)}`);
    return {
      description: [phrases[status] ?? "Refused.", "", ...lines].join("\n"),
      headers: {
        ...always,
        ...(status === 401 ? { "WWW-Authenticate": ref("headers", "WwwAuthenticate") } : {}),
        ...(status === 412 ? { ETag: ref("headers", "ETag") } : {}),
        ...(status === 429 || status === 503 ? { "Retry-After": ref("headers", "RetryAfter") } : {}),
      },
      content: {
        "application/json": { schema, ...examples },
        "application/problem+json": { schema: ref("schemas", "Problem") },
      },
    };
  }
}

/** Returns the successful responses of an operation, with the recorded one as the example. */
export function successes(operation: Operation, publisher: Publisher, example: Example | undefined): JsonObject {
  const answers = Object.entries(operation.answers).map(([status, schema]) => {
    const shown = example?.status === Number(status) ? example.answer : null;
    return [status, success(operation, Number(status), schema, { publisher, shown })];
  });
  if (!isTagged(operation) || operation.method !== "get") return Object.fromEntries(answers);
  const unchanged = {
    description: "Not modified: the client has the current revision.",
    headers: { ...always, ETag: ref("headers", "ETag") },
  };
  return Object.fromEntries([...answers, ["304", unchanged]]);
}

interface ShownResponse {
  readonly publisher: Publisher;
  readonly shown: unknown;
}

function success(
  operation: Operation,
  status: number,
  schema: TSchema | null,
  { publisher, shown }: ShownResponse,
): JsonObject {
  const documents = operation.documents.map((type) => {
    const isText = /^text\/csv|\+json$/.test(type);
    return [type, { schema: { type: "string" }, ...(isText && typeof shown === "string" ? { example: shown } : {}) }];
  });
  const isJson = schema !== null && typeof shown !== "string" && shown !== null;
  const json =
    schema === null
      ? []
      : [["application/json", { schema: publisher.publishOpen(schema), ...(isJson ? { example: shown } : {}) }]];
  return {
    description: phrases[status] ?? "Done.",
    headers: {
      ...always,
      ...(operation.need === "none" ? {} : limited),
      ...(isTagged(operation) ? { ETag: ref("headers", "ETag") } : {}),
      ...(isWrite(operation) ? { "Idempotency-Replayed": ref("headers", "IdempotencyReplayed") } : {}),
    },
    content: Object.fromEntries([...json, ...documents]),
  };
}
