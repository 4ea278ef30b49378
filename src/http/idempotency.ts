import { createHash } from "node:crypto";
import { open, seal } from "../core/crypto.ts";
import { assert, Fault, faults } from "../core/faults.ts";
import { wireId } from "../core/ids.ts";
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

/** How long a repeated request waits for the first, before it is refused. */
const lock_timeout_ms = 2000;

/** The request that is under way, and when it is done. */
interface IdempotencyLock {
  readonly call: Call;
  readonly done: Promise<unknown>;
}

const idempotency_locks = new WeakMap<Store, Map<string, IdempotencyLock>>();

/**
 * Runs `work` when no other request with the same `Idempotency-Key` is under way in this process. It waits a while for
 * one that is, and tells `work` that it has waited: the answer of the first may be stored by then. A nested call with
 * the same key runs at once.
 * Refuses: idempotency_key_in_use.
 */
export async function holdIdempotencyLock<Done>(
  call: Call,
  key: string,
  work: (waited: boolean) => Promise<Done>,
): Promise<Done> {
  const under_way = idempotencyLocksOf(call.store.base);
  const { promise: late, resolve: tooLate } = Promise.withResolvers<"late">();
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    for (;;) {
      const other = under_way.get(key);
      if (other === undefined) break;
      if (other.call === call) return await work(false);
      timer ??= setTimeout(() => tooLate("late"), lock_timeout_ms);
      if ((await Promise.race([other.done, late])) === "late") throw keyInUse();
    }
    const { promise: done, resolve: finish } = Promise.withResolvers<void>();
    under_way.set(key, { call, done });
    try {
      return await work(timer !== undefined);
    } finally {
      under_way.delete(key);
      finish();
    }
  } finally {
    clearTimeout(timer);
  }
}

function idempotencyLocksOf(store: Store): Map<string, IdempotencyLock> {
  const known = idempotency_locks.get(store) ?? new Map<string, IdempotencyLock>();
  idempotency_locks.set(store, known);
  return known;
}

/** Says that the first request with a key is not done yet. */
function keyInUse(): Fault {
  const message = "A request with this Idempotency-Key is still being worked on; send it again.";
  return new Fault("idempotency_key_in_use", message, { retry_after_seconds: 1 });
}

const kept_ms = 24 * 3_600_000;
const sealed_for = "idempotency.answer";

/** The request's `Idempotency-Key`, or null. Refuses: malformed_header. */
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
 * The name under which the answer to a call is kept, or null without an `Idempotency-Key`. Merchants and the house may
 * use equal keys, and so may users for what they do about themselves, as whomever they act; a key that was rotated
 * finds what the one before it did. Refuses: malformed_header.
 */
export function keptName({ request, merchant_id, route, actor }: Call): string | null {
  const key = idempotencyKey(request);
  const owner = merchant_id === null ? null : wireId("merchant", merchant_id);
  const whose = route.need === "user" ? actor.id : owner;
  // No header holds a space, so that no key of the house reads like this.
  return key === null || whose === null ? key : `${whose} ${key}`;
}

/**
 * Runs `work` once for a key: its answer is kept in the same transaction, and a repeated request gets the same bytes.
 * A refusal by the command (409 or 422) undoes the command alone and is kept as the answer. With `secret_key`, for
 * answers that show a secret, what is kept is sealed. Refuses: idempotency_key_reused, idempotency_key_in_use,
 * payload_expired.
 */
export async function once(
  tx: Tx,
  call: Call,
  key: string,
  work: (tx: Tx) => Promise<StoredResponse>,
  secret_key: Uint8Array | null = null,
): Promise<StoredResponse> {
  const known = await claimedAnswer(tx, call, key, secret_key);
  if (known !== null) return known;
  const answer = await outcome(tx, call, work);
  await storeResponse(tx, key, sealedBy(secret_key, answer));
  return answer;
}

/**
 * Takes a key for this transaction, which then keeps an answer under it, and answers null; or the answer that is kept.
 * Refuses: idempotency_key_reused, idempotency_key_in_use, payload_expired.
 */
async function claimedAnswer(
  tx: Tx,
  call: Call,
  key: string,
  secret_key: Uint8Array | null = null,
): Promise<StoredResponse | null> {
  const claimed = await claimKey(tx, { key, fingerprint: fingerprintOf(call), expires_at: tx.now + kept_ms });
  return claimed ? null : takenAnswer(tx, call, key, secret_key);
}

/**
 * The answer that is kept under a key which could not be taken. Refuses: idempotency_key_reused,
 * idempotency_key_in_use, payload_expired.
 */
export async function takenAnswer(
  tx: Tx,
  call: Call,
  key: string,
  secret_key: Uint8Array | null = null,
): Promise<StoredResponse> {
  const kept = await keptAnswer(tx, call, key, secret_key);
  // An equal request at another server is about to take the key.
  if (kept === null) throw keyInUse();
  return kept;
}

/** A call with its Idempotency-Key. */
interface KeyedCall {
  readonly call: Call;
  readonly key: string;
}

/** What came of calls: an answer, a refusal, or that a call has to be done alone. */
interface Outcomes<Keyed> {
  get(call: Keyed): StoredResponse | Fault | "alone" | undefined;
  set(call: Keyed, outcome: StoredResponse): unknown;
}

/** Claims the keys of several calls, all different, in this transaction. Answers the calls whose keys were free. */
export async function claimKeysOf<Keyed extends KeyedCall>(tx: Tx, calls: readonly Keyed[]): Promise<Set<Keyed>> {
  if (calls.length === 0) return new Set();
  const expires_at = tx.now + kept_ms;
  const claims = calls.map(({ call, key }) => ({ key, fingerprint: fingerprintOf(call), expires_at }));
  const claimed = await claimKeys(tx, claims);
  return new Set(calls.filter(({ key }) => claimed.has(key)));
}

/**
 * Keeps what came of calls under the keys that were taken for them, as it goes out: a refusal that is kept becomes the
 * answer. Frees the keys of the others: their calls are done again, or were refused for a reason that may pass.
 */
export async function keepOutcomes<Keyed extends KeyedCall>(
  tx: Tx,
  calls: readonly Keyed[],
  outcomes: Outcomes<NoInfer<Keyed>>,
  secret_key: Uint8Array | null = null,
): Promise<void> {
  const kept: { key: string; answer: StoredResponse }[] = [];
  const freed: string[] = [];
  for (const keyed of calls) {
    const outcome = outcomes.get(keyed) ?? "alone";
    if (outcome === "alone" || (outcome instanceof Fault && !isKept(outcome))) freed.push(keyed.key);
    else {
      const answer = outcome instanceof Fault ? refusalOf(outcome, keyed.call, tx.now) : outcome;
      outcomes.set(keyed, answer);
      kept.push({ key: keyed.key, answer: sealedBy(secret_key, answer) });
    }
  }
  if (kept.length > 0) await storeResponses(tx, kept);
  if (freed.length > 0) await releaseKeys(tx, freed);
}

/** Whether a refusal is the answer to a request with the same key, too. */
function isKept({ code }: Fault): boolean {
  const { status } = faults[code];
  return status === 409 || status === 422;
}

/** An answer as it is stored: sealed, where a key is given, since it shows a secret. */
function sealedBy(secret_key: Uint8Array | null, answer: StoredResponse): StoredResponse {
  return secret_key === null ? answer : sealedAnswer(answer, secret_key);
}

/** An answer with a secret, as it is stored. */
export function sealedAnswer(answer: StoredResponse, secret_key: Uint8Array): StoredResponse {
  return { ...answer, body: seal(answer.body, secret_key, sealed_for) };
}

/**
 * The stored answer for a key, opened if it was sealed, or null.
 * Refuses: idempotency_key_reused, idempotency_key_in_use (another answer may yet take its place), payload_expired.
 */
export async function keptAnswer(
  db: Db,
  call: Call,
  key: string,
  secret_key: Uint8Array | null = null,
): Promise<StoredResponse | null> {
  const kept = await findOwnAnswer(db, call, key);
  if (kept === null) return null;
  if (kept.open_until !== null && kept.open_until > db.now) throw keyInUse();
  if (isDropped(kept.answer)) {
    const message = "This request was carried out before. Its answer was deleted, and it is not carried out again.";
    throw new Fault("payload_expired", message);
  }
  const { status, headers, body: bytes } = kept.answer;
  const body = secret_key === null ? bytes : open(bytes, secret_key, sealed_for);
  assert(body !== null, "a kept answer was sealed under another secret key");
  return { status, body, headers: { ...headers, "idempotency-replayed": "true" } };
}

/** Refuses: idempotency_key_reused, when the key was used for another request. */
export async function refuseReused(db: Db, call: Call, key: string): Promise<void> {
  await findOwnAnswer(db, call, key);
}

async function findOwnAnswer(db: Db, call: Call, key: string): ReturnType<typeof findStoredResponse> {
  const kept = await findStoredResponse(db, key);
  if (kept === null || kept.fingerprint === fingerprintOf(call)) return kept;
  throw new Fault("idempotency_key_reused", "This Idempotency-Key was used for another request.");
}

async function outcome(tx: Tx, call: Call, work: (tx: Tx) => Promise<StoredResponse>): Promise<StoredResponse> {
  try {
    return await tx.nested(work);
  } catch (error) {
    if (!(error instanceof Fault && isKept(error))) throw error;
    return refusalOf(error, call, tx.now);
  }
}

function fingerprintOf({ request, path, raw_body }: Call): string {
  const query = new URL(request.url).searchParams;
  query.sort();
  const merchant = request.headers.get(merchant_header);
  const asked = [request.method, path, query.toString(), raw_body];
  return createHash("sha256")
    .update(JSON.stringify(merchant === null ? asked : [...asked, merchant]))
    .digest("hex");
}

// A bulk request runs each of its acts as if it had been sent as a request of its own.

/** One act of a bulk request, described as the single request would be. */
export interface BulkPart {
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
