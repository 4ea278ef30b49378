// A bulk request runs each of its acts as if it had been sent as a request of its own.
import { createHash } from "node:crypto";
import type { Call } from "./call.ts";
import { idempotencyKey } from "./idempotency.ts";
import { traceOf } from "./trace.ts";

/** One act of a bulk request, described as the single request would be. */
export interface Part {
  readonly method: string;
  /** The pattern of its route, `/orders/:id/hold`, and its path. */
  readonly route: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The entity tag that the record must still have. */
  readonly if_match?: string | undefined;
}

/**
 * The call of one act of a bulk request. Its actor is that of the request, and the audit trail shows the path of the
 * act. With an `Idempotency-Key` the act has a key derived from it: an interrupted request continues when it is
 * repeated, and no act is done twice.
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
