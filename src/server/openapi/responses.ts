// The responses of an operation: its successes, and its errors with their possible codes.
import type { TSchema } from "@sinclair/typebox";
import { type FaultCode, faults } from "../../core/faults.ts";
import { type JsonObject, type Publisher, pascal } from "./json_schema.ts";
import type { Example, RefusedExamples } from "./operation.ts";
import { isCommon, isTagged, type Operation, refusalsOf } from "./operation.ts";

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
  RetryAfter: header(
    "Seconds to wait before the next attempt; on a 404, with the code `import_pending` only.",
    { type: "integer", minimum: 0 },
    1,
  ),
  WwwAuthenticate: header("What was wrong with the key.", { type: "string" }, 'Bearer error="invalid_token"'),
};

const commonHeaders = {
  "X-Request-Id": ref("headers", "RequestId"),
  RateLimit: ref("headers", "RateLimit"),
  "RateLimit-Policy": ref("headers", "RateLimitPolicy"),
  "Retry-After": ref("headers", "RetryAfter"),
  "WWW-Authenticate": ref("headers", "WwwAuthenticate"),
};

const phrases: Readonly<Record<number | string, string>> = {
  200: "Success.",
  201: "Created.",
  202: "Accepted; the work continues in the background.",
  400: "The request is malformed.",
  401: "The key is missing, unknown or no longer valid.",
  403: "The key may not do this.",
  404: "Not found.",
  409: "Conflicts with the current state.",
  412: "The resource has changed since it was read.",
  422: "The request cannot be carried out.",
  502: "The carrier returned an error.",
  503: "Temporarily unavailable; try again.",
  504: "The carrier did not respond in time.",
};

const error_fields = ["type", "code", "message", "details", "doc_url"];

/** The fields that some codes add to their errors. */
const fields_of_codes: Readonly<Record<string, string>> = {
  action: "The refused action.",
  allowed_actions: "The actions that the current state allows.",
  column: "The column of the syntax error, from 1.",
  connection_id: "The platform connection that imports the order.",
  current_quantity: "The units on hand now.",
  etag: "The `ETag` of the current state.",
  existing_id: "The record that has the value already.",
  used_by: "The record that uses it.",
  expected_quantity: "The units on hand that the request expected.",
  from: "The status of the record.",
  granted: "The level of the key.",
  import_id: "The import of the order.",
  labels: "Labels whose purchase is in progress.",
  line: "The line of the syntax error, from 1.",
  merchant: "The merchant, by id or code.",
  mode: "The environment, `live` or `test`, in which the merchant has open orders or stock.",
  open_orders: "How many of the merchant's orders are open.",
  orders: "The numbers of the person's open orders.",
  rate_card_id: "The card that is valid on the same days.",
  reason: "Why the import failed, as `code` and `message`; null while it is pending.",
  required: "The level of key that is required.",
  resource: "The kind of record that was not found.",
  retry_after_seconds: "Seconds until the next attempt.",
  returns: "The person's open returns.",
  shortages: "Each SKU that is short, with the units requested and available.",
  units: "How many units the merchant has in stock.",
  variables: "The settings that are missing.",
};

/** The fields that the recorded errors have beyond those of all errors. */
function fieldsOfCodes(refused: RefusedExamples): JsonObject {
  const names = Object.values(refused).flatMap((answer) => Object.keys((answer as { readonly error: object }).error));
  const own = [...new Set(names)].filter((name) => !error_fields.includes(name));
  return Object.fromEntries(own.map((name) => [name, { description: fields_of_codes[name] }]));
}

/** The schemas of all errors. */
export function errorSchemas(refused: RefusedExamples): Record<string, JsonObject> {
  const text = { type: "string" };
  const codes = Object.keys(faults);
  const types = [...new Set(Object.values(faults).map(({ type }) => type))];
  const object = (properties: JsonObject, required: readonly string[]): JsonObject => ({
    type: "object",
    properties,
    required,
  });
  const detail_fields = {
    field: { ...text, description: "The field, such as `line_items[0].quantity`." },
    pointer: { ...text, format: "json-pointer", description: "The same as a JSON pointer: `/line_items/0/quantity`." },
    code: { ...text, description: "What is wrong, such as `too_small`." },
    message: { ...text, description: "What is wrong, for display." },
  };
  const detail = object(detail_fields, Object.keys(detail_fields));
  const error = {
    type: { type: "string", enum: types, description: "The group of the code." },
    code: ref("schemas", "ErrorCode"),
    message: { ...text, description: "For display. Programs should use `code`." },
    details: { type: "array", items: ref("schemas", "ErrorDetail"), description: "All invalid fields." },
    doc_url: { ...text, format: "uri-reference", description: "The documentation of the code." },
  };
  return {
    ErrorCode: { type: "string", enum: codes, description: "Why a request was refused. Codes may be added." },
    ErrorDetail: { ...detail, description: "An invalid field, as sent and as a JSON pointer." },
    ErrorBody: {
      ...object({ ...error, ...fieldsOfCodes(refused) }, error_fields),
      description: "What was wrong with the request.",
    },
    Error: {
      ...object(
        {
          success: { type: "boolean", const: false, description: "Always false." },
          error: ref("schemas", "ErrorBody"),
          meta: ref("schemas", "Meta"),
        },
        ["success", "error", "meta"],
      ),
      description:
        "An error. With `Accept: application/problem+json` it is a problem document instead (RFC 9457): see the guide" +
        " *Conventions*.",
      ...("validation_failed" in refused ? { examples: [refused["validation_failed"]] } : {}),
    },
  };
}

/** Stands for the statuses that operations of a kind have in common: `default` in the document. */
const common = "default";

const names: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  412: "PreconditionFailed",
  422: "Unprocessable",
  502: "BadGateway",
  503: "Unavailable",
  504: "GatewayTimeout",
};

/** The kinds of operations: those of a kind have many errors in common. */
const kinds = ["PublicError", "ReadError", "WriteError"] as const;
const kindOf = ({ need, method }: Operation): (typeof kinds)[number] =>
  need === "none" ? "PublicError" : method === "get" ? "ReadError" : "WriteError";

/** The codes that one or more operations have of a status. */
interface Use {
  readonly status: number;
  readonly codes: readonly FaultCode[];
  /** The first of these operations. */
  readonly first: string;
  count: number;
}

/** How many codes a name lists at most. */
const named_codes_max = 2;

/** Collects the errors of all operations. Errors that several operations share become named components. */
export class Refusals {
  readonly #meaning: (code: FaultCode) => string;
  readonly #uses = new Map<string, Use>();
  /** The codes that operations of a kind have in common. */
  readonly #common: Readonly<Record<string, FaultCode[]>>;

  constructor(operations: readonly Operation[], meaning: (code: FaultCode) => string) {
    this.#meaning = meaning;
    this.#common = Object.fromEntries(
      kinds.map((kind) => {
        const some = operations.filter((operation) => kindOf(operation) === kind);
        const codes = some.flatMap((one) => [...refusalsOf(one)].filter((code) => isCommon(one, code)));
        return [kind, [...new Set(codes)].sort()];
      }),
    );
    for (const operation of operations) {
      for (const [status, codes] of this.#byStatus(operation)) {
        const key = `${status} ${codes.join(" ")}`;
        this.#uses.getOrInsert(key, { status, codes, first: operation.id, count: 0 }).count += 1;
      }
    }
  }

  /** Returns the shared responses by name. */
  components(): Record<string, JsonObject> {
    const shared = [...this.#uses.values()].filter(({ count }) => count > 1);
    const named = [
      ...shared.map(({ status, codes }) => [this.#nameOf(status, codes), this.#answer(status, codes)] as const),
      ...Object.entries(this.#common).map(([kind, codes]) => [kind, this.#answer(common, codes)] as const),
    ];
    return Object.fromEntries(named.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Returns the errors of one operation by status. */
  of(operation: Operation): JsonObject {
    const answers = this.#byStatus(operation).map(([status, codes]) => {
      const shared = (this.#uses.get(`${status} ${codes.join(" ")}`)?.count ?? 0) > 1;
      return [status, shared ? ref("responses", this.#nameOf(status, codes)) : this.#answer(status, codes)];
    });
    return { ...Object.fromEntries(answers), default: ref("responses", kindOf(operation)) };
  }

  /** The statuses of which the operation has codes of its own: these, and those that its kind has in common. */
  #byStatus(operation: Operation): [number, FaultCode[]][] {
    const own = [...refusalsOf(operation)].filter((code) => !isCommon(operation, code));
    const statuses = new Set(own.map((code) => faults[code].status));
    const codes = new Set([...own, ...(this.#common[kindOf(operation)] ?? [])]);
    const groups = Map.groupBy([...codes].sort(), (code) => faults[code].status);
    return [...groups].filter(([status]) => statuses.has(status)).sort(([a], [b]) => a - b) as [number, FaultCode[]][];
  }

  /** The most common response of a status has its plain name; others append what differs, or an operation. */
  #nameOf(status: number, codes: readonly FaultCode[]): string {
    const rivals = [...this.#uses.values()].filter((use) => use.status === status && use.count > 1);
    const [first] = rivals.sort((a, b) => b.count - a.count || (a.codes.join() < b.codes.join() ? -1 : 1));
    const name = names[status] ?? `Status${status}`;
    if (first === undefined || first.codes.join() === codes.join()) return name;
    const more = codes.filter((code) => !first.codes.includes(code));
    const less = first.codes.filter((code) => !codes.includes(code));
    const differing = [...more, ...less.map((code) => `not_${code}`)];
    const use = this.#uses.get(`${status} ${codes.join(" ")}`);
    if (differing.join() === "idempotency_key_reused") return `${name}Write`;
    if (differing.length > named_codes_max && use !== undefined) return `${name}Of${pascal(use.first)}`;
    return name + pascal(differing.join("_"));
  }

  #answer(status: number | typeof common, codes: readonly FaultCode[]): JsonObject {
    // Required, so that the type of an error in generated clients is narrowed to these codes. Problem documents are not
    // listed, because clients would get a union of both forms, in which nothing is narrowed.
    const code = { type: "object", properties: { code: { type: "string", enum: codes } }, required: ["code"] };
    const narrowed = { type: "object", properties: { error: code }, required: ["error"] };
    const schema = { allOf: [ref("schemas", "Error"), narrowed] };
    const own = codes.filter((code) => !isCommon({ refuses: [] }, code));
    const lines = own.map((code) => `- \`${code}\`: ${this.#meaning(code)}`);
    return {
      description: [
        phrases[status] ?? "An error that any operation of this kind may return.",
        ...(lines.length === 0 ? [] : ["", ...lines]),
      ].join("\n"),
      ...(status === common ? { headers: commonHeaders } : {}),
      ...(status === 412 ? { headers: { ETag: ref("headers", "ETag") } } : {}),
      ...(codes.includes("import_pending") ? { headers: { "Retry-After": ref("headers", "RetryAfter") } } : {}),
      content: { "application/json": { schema } },
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
    headers: { ETag: ref("headers", "ETag") },
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
    const lines = isText && typeof shown === "string" ? { example: shortened(shown) } : {};
    return [type, { schema: { type: "string" }, ...lines }];
  });
  const isJson = schema !== null && typeof shown !== "string" && shown !== null;
  const example = shortened(shown);
  const json =
    schema === null
      ? []
      : [["application/json", { schema: inEnvelope(publisher.publishOpen(schema)), ...(isJson ? { example } : {}) }]];
  return {
    description: phrases[status] ?? "Done.",
    ...(isTagged(operation) && operation.method === "get" ? { headers: { ETag: ref("headers", "ETag") } } : {}),
    content: Object.fromEntries([...json, ...documents]),
  };
}

/** The envelopes of successful responses by the schema of their `meta`. */
const envelopes: Readonly<Record<string, string>> = {
  Meta: "Success",
  ListMeta: "ListSuccess",
  DryRunMeta: "DryRunSuccess",
};

/** The schemas of the envelopes, without the data. */
export const envelopeSchemas: Readonly<Record<string, JsonObject>> = Object.fromEntries(
  Object.entries(envelopes).map(([meta, name]) => {
    const success = { type: "boolean", const: true, description: "Always true; errors have false." };
    const properties = { success, meta: ref("schemas", meta) };
    const description = "The envelope of a response. What was requested is in `data`.";
    return [name, { type: "object", description, properties, required: ["success", "meta"] }];
  }),
);

/** Describes an enveloped response by a reference to its envelope, and its data. */
function inEnvelope(schema: JsonObject): JsonObject {
  const { properties, anyOf } = schema as { properties?: Record<string, JsonObject>; anyOf?: JsonObject[] };
  if (anyOf) return { ...schema, anyOf: anyOf.map(inEnvelope) };
  const meta = String(properties?.["meta"]?.["$ref"]).split("/").at(-1) ?? "";
  const envelope = envelopes[meta];
  if (envelope === undefined || Object.keys(properties ?? {}).join() !== "success,data,meta") return schema;
  const own = { type: "object", properties: { data: properties?.["data"] }, required: ["data"] };
  return { allOf: [ref("schemas", envelope), own] };
}

const shown_items_max = 1;

/** An example with only the first record of its lists; of a file, its header and first row. */
export function shortened(example: unknown): unknown {
  if (typeof example === "string")
    return example
      .split("\n")
      .slice(0, 1 + shown_items_max)
      .join("\n");
  if (Array.isArray(example)) {
    const isOfRecords = typeof example[0] === "object";
    return isOfRecords ? example.slice(0, shown_items_max).map(shortened) : example;
  }
  if (typeof example !== "object" || example === null) return example;
  return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, shortened(value)]));
}
