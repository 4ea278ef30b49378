import { createHash } from "node:crypto";
import { open, seal } from "../core/crypto.ts";
import { assert, Fault, faults } from "../core/faults.ts";
import { wireId } from "../core/ids.ts";
import { day_ms } from "../core/time.ts";
import type { Db, Store, Tx } from "../storage/database.ts";
import { merchant_header } from "../storage/tenant.ts";
import type { Call } from "./call.ts";
import { refusalOf } from "./errors.ts";
import {
  claimKey,
  claimKeys,
  findStoredResponse,
  isDropped,
  releaseKeys,
  type StoredResponse,
  storeResponse,
  storeResponses,
} from "./stored_responses.sql.ts";
import { traceOf } from "./trace.ts";

/** How long a repeated request waits for the first before it is refused. */
const lock_timeout_ms = 2000;

/** A request in progress, and the promise of its end. */
interface IdempotencyLock {
  readonly call: Call;
  readonly done: Promise<unknown>;
}

const idempotency_locks = new WeakMap<Store, Map<string, IdempotencyLock>>();

/**
 * Runs `work` while no other request with the same `Idempotency-Key` is in progress in this process. Waits up to 2
 * seconds for one that is; `waited` is then true, since its response may be stored by now. A nested call with the same
 * key runs at once.
 * Refuses: idempotency_key_in_use.
 */
export async function holdIdempotencyLock<Done>(
  call: Call,
  key: string,
  work: (waited: boolean) => Promise<Done>,
): Promise<Done> {
  const locks = idempotencyLocksOf(call.store.base);
  const { promise: late, resolve: tooLate } = Promise.withResolvers<"late">();
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    for (;;) {
      const other = locks.get(key);
      if (other === undefined) break;
      if (other.call === call) return await work(false);
      timer ??= setTimeout(() => tooLate("late"), lock_timeout_ms);
      if ((await Promise.race([other.done, late])) === "late") throw keyInUse();
    }
    const { promise: done, resolve: finish } = Promise.withResolvers<void>();
    locks.set(key, { call, done });
    try {
      return await work(timer !== undefined);
    } finally {
      locks.delete(key);
      finish();
    }
  } finally {
    clearTimeout(timer);
  }
}

function idempotencyLocksOf(store: Store): Map<string, IdempotencyLock> {
  return idempotency_locks.getOrInsertComputed(store, () => new Map());
}

/** Creates the fault for a key whose first request is still in progress. */
function keyInUse(): Fault {
  const message = "A request with this Idempotency-Key is still in progress. Send it again later.";
  return new Fault("idempotency_key_in_use", message, { retry_after_seconds: 1 });
}

const stored_ms = day_ms;
const sealed_for = "idempotency.answer";

/** Returns the request's `Idempotency-Key`, or null. Refuses: malformed_header. */
export function idempotencyKey(request: Request): string | null {
  const header = request.headers.get("idempotency-key");
  if (header === null) return null;
  const key = header.replace(/^"(.*)"$/, "$1");
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new Fault("malformed_header", "Idempotency-Key must be 1 to 255 visible ASCII characters.");
  }
  return key;
}

/**
 * The key under which a call's response is stored; null without an `Idempotency-Key`. Merchants and the operator may
 * use equal keys, and so may users on routes about themselves. The API key plays no part, so a rotated key still finds
 * earlier responses.
 * Refuses: malformed_header.
 */
export function storageKeyOf({ request, merchant_id, route, actor }: Call): string | null {
  const key = idempotencyKey(request);
  const owner = merchant_id === null ? null : wireId("merchant", merchant_id);
  const whose = route.need === "user" ? actor.id : owner;
  // Headers cannot contain a space, so no key of the operator looks like this.
  return key === null || whose === null ? key : `${whose} ${key}`;
}

/**
 * Runs `work` once per key. Its response is stored in the same transaction, and a repeated request gets the same bytes.
 * A refusal by the act (409 or 422) undoes only the act and is stored as the response. With `secret_key`, for responses
 * that show a secret, the stored response is encrypted.
 * Refuses: idempotency_key_reused, idempotency_key_in_use, payload_expired.
 */
export async function once(
  tx: Tx,
  call: Call,
  key: string,
  work: (tx: Tx) => Promise<StoredResponse>,
  secret_key: Uint8Array | null = null,
): Promise<StoredResponse> {
  const known = await claimOrFind(tx, call, key, secret_key);
  if (known !== null) return known;
  const answer = await outcome(tx, call, work);
  await storeResponse(tx, key, encryptedIf(secret_key, answer));
  return answer;
}

/**
 * Claims a key for this transaction, which then stores a response under it, and returns null. If the key is already
 * claimed, returns its stored response.
 * Refuses: idempotency_key_reused, idempotency_key_in_use, payload_expired.
 */
async function claimOrFind(
  tx: Tx,
  call: Call,
  key: string,
  secret_key: Uint8Array | null = null,
): Promise<StoredResponse | null> {
  const is_claimed = await claimKey(tx, { key, fingerprint: fingerprintOf(call), expires_at: tx.now + stored_ms });
  return is_claimed ? null : responseOfTakenKey(tx, call, key, secret_key);
}

/**
 * Returns the response stored under a key that could not be claimed.
 * Refuses: idempotency_key_reused, idempotency_key_in_use, payload_expired.
 */
export async function responseOfTakenKey(
  tx: Tx,
  call: Call,
  key: string,
  secret_key: Uint8Array | null = null,
): Promise<StoredResponse> {
  const kept = await findResponse(tx, call, key, secret_key);
  // The same request on another server is about to claim the key.
  if (kept === null) throw keyInUse();
  return kept;
}

/** A call with its `Idempotency-Key`. */
interface KeyedCall {
  readonly call: Call;
  readonly key: string;
}

/** The outcomes of calls: a response, a fault, or "run_individually". */
interface Outcomes<Keyed> {
  get(call: Keyed): StoredResponse | Fault | "run_individually" | undefined;
  set(call: Keyed, outcome: StoredResponse): unknown;
}

/** Claims the different keys of several calls in this transaction. Returns the calls whose keys were free. */
export async function claimKeysOf<Keyed extends KeyedCall>(tx: Tx, calls: readonly Keyed[]): Promise<Set<Keyed>> {
  if (calls.length === 0) return new Set();
  const expires_at = tx.now + stored_ms;
  const claims = calls.map(({ call, key }) => ({ key, fingerprint: fingerprintOf(call), expires_at }));
  const is_claimed = await claimKeys(tx, claims);
  return new Set(calls.filter(({ key }) => is_claimed.has(key)));
}

/**
 * Stores the outcomes of calls under their claimed keys. A fault that is stored becomes the response. Frees the keys of
 * the other calls: these run again, or were refused for a reason that may pass.
 */
export async function storeOutcomes<Keyed extends KeyedCall>(
  tx: Tx,
  calls: readonly Keyed[],
  outcomes: Outcomes<NoInfer<Keyed>>,
  secret_key: Uint8Array | null = null,
): Promise<void> {
  const kept: { key: string; answer: StoredResponse }[] = [];
  const freed: string[] = [];
  for (const keyed of calls) {
    const outcome = outcomes.get(keyed) ?? "run_individually";
    if (outcome === "run_individually" || (outcome instanceof Fault && !isStored(outcome))) freed.push(keyed.key);
    else {
      const answer = outcome instanceof Fault ? refusalOf(outcome, keyed.call, tx.now) : outcome;
      outcomes.set(keyed, answer);
      kept.push({ key: keyed.key, answer: encryptedIf(secret_key, answer) });
    }
  }
  if (kept.length > 0) await storeResponses(tx, kept);
  if (freed.length > 0) await releaseKeys(tx, freed);
}

/** Whether a fault is stored as the response for later requests with the same key. */
function isStored({ code }: Fault): boolean {
  const { status } = faults[code];
  return status === 409 || status === 422;
}

/** The response to store, encrypted if a key is passed. */
function encryptedIf(secret_key: Uint8Array | null, answer: StoredResponse): StoredResponse {
  return secret_key === null ? answer : encryptedResponse(answer, secret_key);
}

/** A response with a secret, encrypted for storage. */
export function encryptedResponse(answer: StoredResponse, secret_key: Uint8Array): StoredResponse {
  return { ...answer, body: seal(answer.body, secret_key, sealed_for) };
}

/**
 * Returns the stored response for a key, decrypted if necessary, or null.
 * Refuses: idempotency_key_reused, idempotency_key_in_use (the response may still be replaced), payload_expired.
 */
export async function findResponse(
  db: Db,
  call: Call,
  key: string,
  secret_key: Uint8Array | null = null,
): Promise<StoredResponse | null> {
  const kept = await findOwnResponse(db, call, key);
  if (kept === null) return null;
  if (kept.open_until !== null && kept.open_until > db.now) throw keyInUse();
  if (isDropped(kept.answer)) {
    const message =
      "This request was already executed. Its stored response was deleted, and it will not be executed again.";
    throw new Fault("payload_expired", message);
  }
  const { status, headers, body: bytes } = kept.answer;
  const body = secret_key === null ? bytes : open(bytes, secret_key, sealed_for);
  assert(body !== null, "the stored response was encrypted under another secret key");
  return { status, body, headers: { ...headers, "idempotency-replayed": "true" } };
}

/** Refuses a key that was used for another request. Refuses: idempotency_key_reused. */
export async function refuseReused(db: Db, call: Call, key: string): Promise<void> {
  await findOwnResponse(db, call, key);
}

async function findOwnResponse(db: Db, call: Call, key: string): ReturnType<typeof findStoredResponse> {
  const kept = await findStoredResponse(db, key);
  if (kept === null || kept.fingerprint === fingerprintOf(call)) return kept;
  throw new Fault("idempotency_key_reused", "This Idempotency-Key was used for a different request. Use a new key.");
}

async function outcome(tx: Tx, call: Call, work: (tx: Tx) => Promise<StoredResponse>): Promise<StoredResponse> {
  try {
    return await tx.nested(work);
  } catch (error) {
    if (!(error instanceof Fault && isStored(error))) throw error;
    return refusalOf(error, call, tx.now);
  }
}

function fingerprintOf({ request, path, raw_body }: Call): string {
  const query = new URL(request.url).searchParams;
  query.sort();
  const merchant = request.headers.get(merchant_header);
  const parts = [request.method, path, query.toString(), raw_body];
  return createHash("sha256")
    .update(JSON.stringify(merchant === null ? parts : [...parts, merchant]))
    .digest("hex");
}

// A bulk request runs each of its acts as if it were a request of its own.

/** One act of a bulk request, described like the equivalent single request. */
export interface BulkPart {
  readonly method: string;
  /** The route pattern, `/orders/:id/hold`, and the actual path. */
  readonly route: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The entity tag that the record must still have. */
  readonly if_match?: string | undefined;
}

/**
 * The call of one act of a bulk request. Its actor is that of the request, and the audit trail shows the act's own
 * path. With an `Idempotency-Key`, the act has a key derived from it: repeating an interrupted request continues it,
 * and no act runs twice.
 */
export function bulkPartOf(call: Call, { method, route, path, query = {}, body, if_match }: BulkPart): Call {
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
