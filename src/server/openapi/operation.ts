import type { TObject, TSchema } from "@sinclair/typebox";
import type { FaultCode } from "../../core/faults.ts";
import { isOfMerchants, mayMerchant, maySuspended, mayViewing } from "../../http/auth/merchant_permissions.ts";
import { onlyReads, type RouteNeed } from "../../http/auth/permissions.ts";

/** A recorded request and its response, as text or parsed JSON. */
export interface Example {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly status: number;
  /** Null for a binary document. */
  readonly answer: unknown;
}

/** Examples by operation id. */
export type Examples = Readonly<Record<string, Example>>;

/** Recorded error responses, by code. */
export type RefusedExamples = Readonly<Record<string, unknown>>;

/** A route as the reference describes it, independent of the framework. */
export interface Operation {
  readonly id: string;
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** Path with `{parameters}`, relative to the API version if `versioned`. */
  readonly path: string;
  readonly versioned: boolean;
  readonly summary: string;
  readonly description: string | null;
  readonly chapter: string;
  readonly need: RouteNeed;
  /** Whether its data is shared by both environments, so that only the live one serves it. */
  readonly live_only: boolean;
  /** Whether it is another name of a listed operation, which the document leaves out. */
  readonly alias: boolean;
  readonly body: TSchema | null;
  /** The media type of the body. */
  readonly sends: string;
  readonly query: TObject | null;
  /** Response schemas by status; null for documents other than JSON. */
  readonly answers: Readonly<Record<string, TSchema | null>>;
  /** Media types of the documents that it returns. */
  readonly documents: readonly string[];
  /** Its own error codes, in addition to those common to its kind of route. */
  readonly refuses: readonly FaultCode[];
  /** Whether it honours `If-Match`. */
  readonly matches: boolean;
  /** Whether the response carries an `ETag` although it has no `revision` field. */
  readonly tagged: boolean;
}

/** Returns the names of the parameters in an operation's path. */
export function pathParameters({ path }: Pick<Operation, "path">): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

/** Whether the operation changes data, and so takes an `Idempotency-Key`. */
export function isWrite({ method, need }: Pick<Operation, "method" | "need">): boolean {
  return method !== "get" && need !== "none" && !onlyReads(need);
}

/** Whether the response carries an `ETag`: that of a single resource with its revision does. */
export function isTagged({ answers, tagged }: Pick<Operation, "answers" | "tagged">): boolean {
  if (tagged) return true;
  return Object.values(answers).some((schema) => {
    const properties = schema?.["properties"] ?? {};
    const [data = properties["data"]] = properties["data"]?.anyOf ?? [];
    return [properties, data?.properties ?? {}].some(({ revision }) => revision?.type === "integer");
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

const of_all: readonly FaultCode[] = [
  "headers_too_large",
  "route_not_found",
  "internal_error",
  "unavailable",
  "rate_limited",
  "malformed_header",
];
const common_codes: ReadonlySet<FaultCode> = new Set([
  ...[...of_all, ...of_keys, ...of_bodies, ...of_writes],
  "merchant_required",
  "merchant_closed",
  "merchant_suspended",
  "insufficient_permission",
  "second_factor_setup_required",
  "cross_site_request",
  "view_only",
] satisfies FaultCode[]);

/** Whether operations of its kind have the code in common, so that it says nothing about this one. */
export function isCommon({ refuses }: Pick<Operation, "refuses">, code: FaultCode): boolean {
  return common_codes.has(code) && !refuses.includes(code);
}

/** Returns every error code of an operation: those common to its kind, and its own. */
export function refusalsOf(operation: Operation): Set<FaultCode> {
  const { method, need, path, query, matches, refuses } = operation;
  const codes = new Set<FaultCode>([...of_all, "validation_failed"]);
  const add = (when: boolean, ...more: readonly FaultCode[]) => {
    if (when) for (const code of more) codes.add(code);
  };
  add(need !== "none", ...of_keys);
  add(isOfMerchants(need, operation.id), "merchant_required");
  add(isOfMerchants(need, operation.id) && isWrite(operation), "merchant_closed");
  add(need !== "none" && need !== "any", "insufficient_permission");
  add(operation.live_only && need !== "user", "live_only");
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
