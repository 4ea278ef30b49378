import { createHash } from "node:crypto";
import type { Db, Tx } from "../database/store.ts";
import { assert } from "../kit/assert.ts";
import { Fault, faults } from "../kit/fault.ts";
import { open, seal } from "../kit/seal.ts";
import type { Call } from "./call.ts";
import { refusalOf } from "./errors.ts";
import { claimKey, findKeptAnswer, type KeptAnswer, keepAnswer, releaseKey } from "./store.ts";
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
 * Runs `work` once for a key: its answer is kept in the same transaction, and a repeated request gets the same bytes.
 * A refusal by the command (409 or 422) undoes the command alone and is kept as the answer. With `secret_key`, for
 * answers that show a secret, what is kept is sealed. Refuses: idempotency_key_reused, idempotency_key_in_use.
 */
export async function once(
  tx: Tx,
  call: Call,
  key: string,
  work: (tx: Tx) => Promise<KeptAnswer>,
  secret_key: Uint8Array | null,
): Promise<KeptAnswer> {
  const known = await claimedAnswer(tx, call, key, secret_key);
  if (known !== null) return known;
  const answer = await outcome(tx, call, work);
  await keepAnswer(tx, key, secret_key === null ? answer : sealedAnswer(answer, secret_key));
  return answer;
}

/**
 * Takes a key for this transaction, which then keeps an answer under it, and answers null; or the answer that is kept.
 * Refuses: idempotency_key_reused, idempotency_key_in_use.
 */
export async function claimedAnswer(
  tx: Tx,
  call: Call,
  key: string,
  secret_key: Uint8Array | null,
): Promise<KeptAnswer | null> {
  if (await claimKey(tx, key, fingerprintOf(call), tx.now + kept_ms)) return null;
  const kept = await keptAnswer(tx, call, key, secret_key);
  // An equal request at another server is about to take the key.
  if (kept === null) throw inUse();
  return kept;
}

/**
 * Keeps what came of a call under the key that was taken for it, and answers that. A refusal that is not kept frees the
 * key.
 */
export async function keepOutcome(
  tx: Tx,
  call: Call,
  key: string,
  outcome: KeptAnswer | Fault,
): Promise<KeptAnswer | Fault> {
  if (outcome instanceof Fault && !isKept(outcome)) {
    await releaseKey(tx, key);
    return outcome;
  }
  const answer = outcome instanceof Fault ? refusalOf(outcome, call, tx.now) : outcome;
  await keepAnswer(tx, key, answer);
  return answer;
}

/** Whether a refusal is the answer to a request with the same key, too. */
function isKept({ code }: Fault): boolean {
  const { status } = faults[code];
  return status === 409 || status === 422;
}

/** An answer with a secret, as it is stored. */
export function sealedAnswer(answer: KeptAnswer, secret_key: Uint8Array): KeptAnswer {
  return { ...answer, body: seal(answer.body, secret_key, sealed_for) };
}

/**
 * The stored answer for a key, opened if it was sealed, or null.
 * Refuses: idempotency_key_reused, idempotency_key_in_use (another answer may yet take its place).
 */
export async function keptAnswer(
  db: Db,
  call: Call,
  key: string,
  secret_key: Uint8Array | null,
): Promise<KeptAnswer | null> {
  const kept = await findOwnAnswer(db, call, key);
  if (kept === null) return null;
  if (kept.open_until !== null && kept.open_until > db.now) throw inUse();
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
  return createHash("sha256")
    .update(JSON.stringify([request.method, path, query.toString(), raw_body]))
    .digest("hex");
}
