import { createHash } from "node:crypto";
import type { Db, Tx } from "../database/store.ts";
import { assert } from "../kit/assert.ts";
import { Fault, faults } from "../kit/fault.ts";
import { wireId } from "../kit/ids.ts";
import { open, seal } from "../kit/seal.ts";
import { merchant_header } from "../owners/rules.ts";
import type { Call } from "./call.ts";
import { refusalOf } from "./errors.ts";
import {
  claimKey,
  claimKeys,
  findKeptAnswer,
  isDropped,
  type KeptAnswer,
  keepAnswer,
  keepAnswers,
  releaseKeys,
} from "./store.ts";
import { inUse } from "./turns.ts";

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
  work: (tx: Tx) => Promise<KeptAnswer>,
  secret_key: Uint8Array | null = null,
): Promise<KeptAnswer> {
  const known = await claimedAnswer(tx, call, key, secret_key);
  if (known !== null) return known;
  const answer = await outcome(tx, call, work);
  await keepAnswer(tx, key, sealedBy(secret_key, answer));
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
): Promise<KeptAnswer | null> {
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
): Promise<KeptAnswer> {
  const kept = await keptAnswer(tx, call, key, secret_key);
  // An equal request at another server is about to take the key.
  if (kept === null) throw inUse();
  return kept;
}

/** A call with its Idempotency-Key. */
interface KeyedCall {
  readonly call: Call;
  readonly key: string;
}

/** What came of calls: an answer, a refusal, or that a call has to be done alone. */
interface Outcomes<Keyed> {
  get(call: Keyed): KeptAnswer | Fault | "alone" | undefined;
  set(call: Keyed, outcome: KeptAnswer): unknown;
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
  const kept: { key: string; answer: KeptAnswer }[] = [];
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
  if (kept.length > 0) await keepAnswers(tx, kept);
  if (freed.length > 0) await releaseKeys(tx, freed);
}

/** Whether a refusal is the answer to a request with the same key, too. */
function isKept({ code }: Fault): boolean {
  const { status } = faults[code];
  return status === 409 || status === 422;
}

/** An answer as it is stored: sealed, where a key is given, since it shows a secret. */
function sealedBy(secret_key: Uint8Array | null, answer: KeptAnswer): KeptAnswer {
  return secret_key === null ? answer : sealedAnswer(answer, secret_key);
}

/** An answer with a secret, as it is stored. */
export function sealedAnswer(answer: KeptAnswer, secret_key: Uint8Array): KeptAnswer {
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
): Promise<KeptAnswer | null> {
  const kept = await findOwnAnswer(db, call, key);
  if (kept === null) return null;
  if (kept.open_until !== null && kept.open_until > db.now) throw inUse();
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

async function findOwnAnswer(db: Db, call: Call, key: string): ReturnType<typeof findKeptAnswer> {
  const kept = await findKeptAnswer(db, key);
  if (kept === null || kept.fingerprint === fingerprintOf(call)) return kept;
  throw new Fault("idempotency_key_reused", "This Idempotency-Key was used for another request.");
}

async function outcome(tx: Tx, call: Call, work: (tx: Tx) => Promise<KeptAnswer>): Promise<KeptAnswer> {
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
