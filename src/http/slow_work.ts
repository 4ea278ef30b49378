// Work that calls other servers between its transactions, such as buying a label. Its first transaction stores a 202
// response; the last one replaces it with the final response.

import { Fault } from "../core/faults.ts";
import type { Tx } from "../storage/database.ts";
import type { Call } from "./call.ts";
import { enveloped, jsonResponse } from "./envelope.ts";
import { refusalOf } from "./errors.ts";
import { encryptedResponse, findResponse, holdIdempotencyLock, once, storageKeyOf } from "./idempotency.ts";
import { refuseUnmatched } from "./preconditions.ts";
import { writeFor } from "./response.ts";
import { closeAnswer, forgetAnswer, openAnswer, replaceAnswer, type StoredResponse } from "./stored_responses.sql.ts";

/** The final result: a view, or a refusal. */
export type SlowWorkResult = { readonly status: number; readonly data: unknown } | Fault;

/** Called in the transaction that ends the work. */
type EndSlowWork = (tx: Tx, ending: SlowWorkResult) => Promise<void>;

/** Work in several transactions. A job finishes it when this process ends early. */
interface SlowWork<Begun> {
  /**
   * The first transaction: stores what must be known before another server is called, and returns the view for the 202.
   * With a `status`, nothing is left to do: this is the final response. The audit trail records the request here,
   * however the work ends.
   */
  readonly begin: (
    tx: Tx,
  ) => Promise<{ readonly begun: Begun; readonly data: unknown; readonly status?: number | undefined }>;
  /**
   * The rest of the work, with its own transactions. It calls `end` in the transaction that ends the work, or leaves
   * the end to a job.
   */
  readonly finish: (begun: Begun, end: EndSlowWork) => Promise<void>;
  /** How long a client waits for the end. */
  readonly timeout_ms: number;
}

// A stored 202 that is not replaced by this long after the timeout is final: the process that would replace it has
// ended.
const closing_ms = 10_000;

/**
 * Responds with the result of the work if it ends in time, else with 202 and its current state. With an
 * `Idempotency-Key`, the first transaction stores the 202, and the last one replaces it, unless a client has already
 * received the 202. All requests with this key get the same bytes, even after a crash. A 5xx failure that leaves
 * nothing behind frees the key.
 * Refuses: idempotency_key_in_use, idempotency_key_reused.
 */
export async function answerSlowWork<Begun>(
  call: Call,
  work: SlowWork<Begun>,
  secret_key: Uint8Array,
): Promise<Response> {
  const key = storageKeyOf(call);
  if (key === null) return begin(call, work, null, secret_key);
  return holdIdempotencyLock(call, key, async () => {
    const kept = await call.store.read((db) => findResponse(db, call, key, secret_key));
    return kept === null ? begin(call, work, key, secret_key) : respond(call, kept);
  });
}

async function begin<Begun>(call: Call, work: SlowWork<Begun>, key: string | null, secret_key: Uint8Array) {
  // If the transaction is retried, its last run counts.
  const last: { begun: { readonly it: Begun } | null } = { begun: null };
  const act = async (tx: Tx): Promise<StoredResponse> => {
    const { begun, data, status } = await work.begin(tx);
    refuseUnmatched(call);
    await call.recording?.note(tx, call, status ?? 202, data);
    last.begun = status === undefined ? { it: begun } : null;
    return answerOf(call, tx, { status: status ?? 202, data });
  };
  const first = await writeFor(call, async (tx) => {
    last.begun = null;
    if (key === null) return act(tx);
    const answer = await once(tx, call, key, act, secret_key);
    if (last.begun !== null) await openAnswer(tx, key, tx.now + work.timeout_ms + closing_ms);
    return answer;
  });
  if (last.begun === null) return respond(call, first);
  const ended = await finish(call, work, last.begun.it, key, secret_key);
  return respond(call, ended ?? first);
}

/** The result of the work if it ended before the 202 was sent; else null. */
async function finish<Begun>(
  call: Call,
  work: SlowWork<Begun>,
  begun: Begun,
  key: string | null,
  secret_key: Uint8Array,
): Promise<StoredResponse | null> {
  const last: { answer: StoredResponse | null } = { answer: null };
  const end: EndSlowWork = async (tx, ending) => {
    last.answer = null;
    const answer = answerOf(call, tx, ending);
    if (key === null) last.answer = answer;
    else if (answer.status >= 500) last.answer = (await forgetAnswer(tx, key)) ? answer : null;
    else last.answer = (await replaceAnswer(tx, key, encryptedResponse(answer, secret_key))) ? answer : null;
  };
  const running = work.finish(begun, end);
  const late = Promise.withResolvers<"late">();
  const timer = setTimeout(() => late.resolve("late"), work.timeout_ms);
  const first_done = await Promise.race([running, late.promise]).finally(() => clearTimeout(timer));
  if (first_done !== "late" && last.answer !== null) return last.answer;
  // From here on the 202 is final, unless the work has just ended.
  if (key === null || (await call.store.write((tx) => closeAnswer(tx, key)))) {
    // The work itself reports later errors.
    running.catch(() => {});
    return null;
  }
  await running;
  return last.answer;
}

function answerOf(call: Call, tx: Tx, ending: SlowWorkResult): StoredResponse {
  if (ending instanceof Fault) return refusalOf(ending, call, tx.now);
  return { status: ending.status, body: JSON.stringify(enveloped(ending.data, call.request_id, tx.now)), headers: {} };
}

const respond = (call: Call, { status, body, headers }: StoredResponse) => jsonResponse(call, status, body, headers);
