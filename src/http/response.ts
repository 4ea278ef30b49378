import type { Db, Tx, Writer } from "../storage/database.ts";
import { applyBackpressure } from "./backpressure.ts";
import type { Call } from "./call.ts";
import { enveloped } from "./envelope.ts";
import { holdIdempotencyLock, keptAnswer, keptName, once } from "./idempotency.ts";
import { entityTag, isKnown, refuseUnmatched } from "./preconditions.ts";
import type { StoredResponse } from "./stored_responses.sql.ts";
import { traceOf } from "./trace.ts";

/** How an answer's data is wrapped: the envelope, or nothing around it (customers). */
type WrapData = (data: unknown, request_id: string, now: number) => unknown;

/** Answers with the data alone, as the customer routes are specified. */
export const bare: WrapData = (data) => data;

/**
 * Runs a command in one write transaction and answers with what `work` returns, durable when it goes out. With an
 * `Idempotency-Key` the answer is kept with the effect, and a repeated request gets the same bytes. What has a version
 * carries it as `ETag`. An answer that shows a secret takes the `secret_key` under which it is kept.
 */
export async function answerWrite<Data>(
  call: Call,
  status: number,
  work: (tx: Tx) => Promise<Data>,
  wrap: WrapData = enveloped,
  secret_key: Uint8Array | null = null,
): Promise<Response> {
  const act = async (tx: Tx) => {
    const data = await work(tx);
    refuseUnmatched(call);
    await call.recording?.note(tx, call, status, data);
    return writtenAnswer(call, status, data, tx.now, wrap);
  };
  if (secret_key !== null) neverCache(call);
  const key = keptName(call);
  await applyBackpressure(call);
  const done = key === null ? await writeFor(call, act) : await actOnce(call, key, act, secret_key);
  return jsonResponse(call, done.status, done.body, done.headers);
}

/** Keeps an answer that shows a secret out of every cache. */
function neverCache({ headers }: Call): void {
  headers["cache-control"] = "no-store";
}

/** The answer that shows this data. */
export function writtenAnswer(
  call: Call,
  status: number,
  data: unknown,
  now: number,
  wrap: WrapData = enveloped,
): StoredResponse {
  return { status, body: JSON.stringify(wrap(data, call.request_id, now)), headers: etagOf(data) };
}

/** Does an act once for its key; a request that waited for an equal one need not even begin to write. */
function actOnce(
  call: Call,
  key: string,
  act: (tx: Tx) => Promise<StoredResponse>,
  secret_key: Uint8Array | null,
): Promise<StoredResponse> {
  return holdIdempotencyLock(call, key, async (waited) => {
    const kept = waited ? await call.store.read((db) => keptAnswer(db, call, key, secret_key)) : null;
    return kept ?? writeFor(call, (tx) => once(tx, call, key, act, secret_key));
  });
}

/** Writes for a request, if who asks may still do so when the transaction begins. */
export async function writeFor<Done>(call: Call, work: (tx: Tx) => Promise<Done>): Promise<Done> {
  const { recording } = call;
  if (call.renew !== null) await call.renew();
  const done = await call.store.write(async (tx) => {
    recording?.begin();
    await call.confirm(tx);
    return work(tx);
  });
  if (recording !== null) await recording.settle();
  return done;
}

/** The store of a request for work of many transactions, in each of which its key must still be good. */
export function writerOf(call: Call): Writer {
  return { write: (work) => writeFor(call, work) };
}

/**
 * Answers by `work`, which takes more than one transaction, or as the request with the same `Idempotency-Key` was
 * answered before. The last of the transactions keeps the answer, under `secret_key` when it shows a secret.
 */
export async function answerLongWork(
  call: Call,
  work: () => Promise<Response>,
  secret_key: Uint8Array | null = null,
): Promise<Response> {
  if (secret_key !== null) neverCache(call);
  const key = keptName(call);
  if (key === null) return work();
  return holdIdempotencyLock(call, key, async () => {
    const kept = await call.store.read((db) => keptAnswer(db, call, key, secret_key));
    return kept === null ? work() : jsonResponse(call, kept.status, kept.body, kept.headers);
  });
}

/** Reads in one consistent view and answers 200 with what `work` returns, or 304 when the client holds it already. */
export async function answerRead<Data>(
  call: Call,
  work: (db: Db) => Promise<Data>,
  wrap: WrapData = enveloped,
): Promise<Response> {
  const { data, now } = await call.store.read(async (db) => ({ data: await work(db), now: db.now }));
  const headers = etagOf(data);
  if (headers.etag !== undefined && isKnown(call, headers.etag)) {
    return new Response(null, {
      status: 304,
      headers: { "x-request-id": call.request_id, ...call.headers, ...headers },
    });
  }
  return jsonResponse(call, 200, JSON.stringify(wrap(data, call.request_id, now)), headers);
}

function etagOf(data: unknown): { readonly etag?: string } {
  const etag = entityTag(data);
  return etag === null ? {} : { etag };
}

/** An answer from JSON text that is already written. */
export function jsonResponse(call: Call, status: number, body: string, headers: Readonly<Record<string, string>> = {}) {
  traceOf(call.request).bytes_out = Buffer.byteLength(body);
  return new Response(body, {
    status,
    headers: { "content-type": "application/json", "x-request-id": call.request_id, ...call.headers, ...headers },
  });
}
