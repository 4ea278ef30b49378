import type { TObject, TSchema } from "@sinclair/typebox";
import type { FaultCode } from "../../core/faults.ts";
import { isOfMerchants, mayMerchant, maySuspended, mayViewing } from "../../http/auth/merchant_permissions.ts";
import { onlyReads, type RouteNeed } from "../../http/auth/permissions.ts";

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

// A route as the reference describes it, independent of the framework.

/** One route of the reference. */
export interface Operation {
  readonly id: string;
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** Below the version when `versioned`, with `{names}` of its parameters. */
  readonly path: string;
  readonly versioned: boolean;
  readonly summary: string;
  readonly description: string | null;
  /** The chapter of the reference that it stands in. */
  readonly chapter: string;
  readonly need: RouteNeed;
  /** Whether it is about data that both worlds share. */
  readonly live_only: boolean;
  readonly body: TSchema | null;
  /** The media type of the body. */
  readonly sends: string;
  readonly query: TObject | null;
  /** The answer by status: its schema, or null for a document that is no JSON. */
  readonly answers: Readonly<Record<string, TSchema | null>>;
  /** The media types of the documents that it answers with. */
  readonly documents: readonly string[];
  /** The codes of its own refusals, beyond those of every route of its kind. */
  readonly refuses: readonly FaultCode[];
  /** Whether it honours `If-Match`. */
  readonly matches: boolean;
  /** Whether its answer carries an `ETag` though it shows no version. */
  readonly tagged: boolean;
}

/** Names of the parameters in an operation's path. */
export function pathParameters({ path }: Pick<Operation, "path">): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

/** Whether it changes something, so that it takes an `Idempotency-Key`. */
export function isWrite({ method, need }: Pick<Operation, "method" | "need">): boolean {
  return method !== "get" && need !== "none" && !onlyReads(need);
}

/** Whether an answer shows one resource with its version, which goes out as `ETag`. */
export function isTagged({ answers, tagged }: Pick<Operation, "answers" | "tagged">): boolean {
  if (tagged) return true;
  return Object.values(answers).some((schema) => {
    const properties = schema?.["properties"] ?? {};
    return [properties, properties["data"]?.properties ?? {}].some(({ version }) => version?.type === "integer");
  });
}

const of_keys: readonly FaultCode[] = [
  "authentication_required",
  "invalid_api_key",
  "api_key_revoked",
  "api_key_expired",
  "ip_not_allowed",
  "rate_limited",
  "insecure_connection",
  "not_for_merchants",
];
const of_bodies: readonly FaultCode[] = ["malformed_request", "payload_too_large", "unsupported_media_type"];
const of_writes: readonly FaultCode[] = [
  "malformed_header",
  "idempotency_key_in_use",
  "idempotency_key_reused",
  "payload_expired",
  "write_conflict",
  "storage_full",
  "storage_unavailable",
];

/** Every code with which an operation may refuse: those of its kind, and its own. */
export function refusalsOf(operation: Operation): Set<FaultCode> {
  const { method, need, path, query, matches, refuses } = operation;
  const codes = new Set<FaultCode>([
    "headers_too_large",
    "route_not_found",
    "internal_error",
    "unavailable",
    "validation_failed",
    "rate_limited",
    "malformed_header",
  ]);
  const add = (when: boolean, ...more: readonly FaultCode[]) => {
    if (when) for (const code of more) codes.add(code);
  };
  add(need !== "none", ...of_keys);
  add(isOfMerchants(need, operation.id), "merchant_required");
  add(isOfMerchants(need, operation.id) && isWrite(operation), "merchant_closed");
  add(need !== "none" && need !== "any", "insufficient_permission");
  add(need !== "none" && need !== "any" && need !== "user", "second_factor_setup_required");
  add(method !== "get", ...of_bodies);
  add(method !== "get" && need !== "none", "cross_site_request");
  add(isWrite(operation), ...of_writes);
  const route = { ...operation, writes: isWrite(operation) };
  add(!mayViewing(route), "view_only");
  add(!maySuspended(route) && mayMerchant(route, { may_buy_labels: true }), "merchant_suspended");
  add(path.includes("{"), "resource_missing");
  add(path.startsWith("/orders/{id}"), "ambiguous_identifier");
  add(query !== null && "cursor" in query.properties, "invalid_cursor");
  add(isTagged(operation) || matches, "malformed_header");
  add(matches, "precondition_failed");
  add(true, ...refuses);
  return codes;
}
