// A request that asks for many acts does each as if it had been asked for alone.
import { createHash } from "node:crypto";
import type { Call } from "./call.ts";
import { idempotencyKey } from "./idempotency.ts";
import { traceOf } from "./trace.ts";

/** One act of a request, as a request of its own would name it. */
export interface Part {
  readonly method: string;
  /** The pattern of its route, `/orders/:id/hold`, and its path. */
  readonly route: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The entity tag that it must still match. */
  readonly if_match?: string | undefined;
}

/**
 * The call of one act of a request. It is who the request is, and is known by its own address in the audit trail. With
 * an `Idempotency-Key` the act has one that follows from it, so that a request that was interrupted goes on where it
 * was, and none of its acts is done twice.
 */
export function partOf(call: Call, { method, route, path, query = {}, body, if_match }: Part): Call {
  const { origin } = new URL(call.request.url);
  const headers = new Headers();
  const key = idempotencyKey(call.request);
  const address = `${path}?${new URLSearchParams(query)}`;
  if (key !== null) headers.set("idempotency-key", partKey(key, method, address));
  if (if_match !== undefined) headers.set("if-match", if_match);
  const request = new Request(`${origin}/v1${address}`, { method, headers });
  const trace = traceOf(request);
  trace.route = route;
  return { ...call, request, path, raw_body: body === undefined ? "" : JSON.stringify(body), headers: {} };
}

const partKey = (key: string, method: string, address: string) =>
  `part-${createHash("sha256")
    .update(JSON.stringify([key, method, address]))
    .digest("hex")}`;
