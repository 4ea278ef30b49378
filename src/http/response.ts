// Reads and writes for requests: each in its transaction, and with its response.
import type { Db, Tx, Writer } from "../storage/database.ts";
import { applyBackpressure } from "./backpressure.ts";
import type { Call } from "./call.ts";
import { enveloped, etagOf, jsonResponse, type WrapData, writtenAnswer } from "./envelope.ts";
import { findResponse, holdIdempotencyLock, once, storageKeyOf } from "./idempotency.ts";
import { isKnown, refuseUnmatched } from "./preconditions.ts";
import type { StoredResponse } from "./stored_responses.sql.ts";

/**
 * Runs a command in one write transaction and responds with the data that `work` returns, once it is durable. With an
 * `Idempotency-Key`, the response is stored with the effect, and a repeated request gets the same bytes. Data with a
 * revision has an `ETag`. A response that shows a secret passes the `secret_key` that encrypts its stored copy.
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
  const key = storageKeyOf(call);
  await applyBackpressure(call);
  const done = key === null ? await writeFor(call, act) : await actOnce(call, key, act, secret_key);
  return jsonResponse(call, done.status, done.body, done.headers);
}

/** Keeps a response that shows a secret out of every cache. */
function neverCache({ headers }: Call): void {
  headers["cache-control"] = "no-store";
}

/** Runs an act once for its key. A request that waited for an equal one may not need to write at all. */
function actOnce(
  call: Call,
  key: string,
  act: (tx: Tx) => Promise<StoredResponse>,
  secret_key: Uint8Array | null,
): Promise<StoredResponse> {
  return holdIdempotencyLock(call, key, async (waited) => {
    const stored = waited ? await call.store.read((db) => findResponse(db, call, key, secret_key)) : null;
    return stored ?? writeFor(call, (tx) => once(tx, call, key, act, secret_key));
  });
}

/** Runs a write transaction for a request, if the caller is still permitted when it starts. */
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

/** A writer for work with many transactions. Each of them checks that the caller is still permitted. */
export function writerOf(call: Call): Writer {
  return { write: (work) => writeFor(call, work) };
}

/**
 * Responds with the result of `work`, which takes several transactions, or with the stored response for the request's
 * `Idempotency-Key`. The last transaction stores the response, encrypted under `secret_key` if it shows a secret.
 */
export async function answerLongWork(
  call: Call,
  work: () => Promise<Response>,
  secret_key: Uint8Array | null = null,
): Promise<Response> {
  if (secret_key !== null) neverCache(call);
  const key = storageKeyOf(call);
  if (key === null) return work();
  return holdIdempotencyLock(call, key, async () => {
    const stored = await call.store.read((db) => findResponse(db, call, key, secret_key));
    return stored === null ? work() : jsonResponse(call, stored.status, stored.body, stored.headers);
  });
}

/**
 * Reads in one consistent view and responds with 200 and the data that `work` returns, or with 304 when the client
 * already has it.
 */
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
