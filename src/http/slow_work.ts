// Work that calls other servers between its transactions, such as the purchase of a label. Its first transaction stores
// 202 as the answer; the last one replaces it with the final answer.

import { Fault } from "../core/faults.ts";
import type { Tx } from "../storage/database.ts";
import type { Call } from "./call.ts";
import { enveloped } from "./envelope.ts";
import { refusalOf } from "./errors.ts";
import { holdIdempotencyLock, keptAnswer, keptName, once, sealedAnswer } from "./idempotency.ts";
import { refuseUnmatched } from "./preconditions.ts";
import { jsonResponse, writeFor } from "./response.ts";
import { closeAnswer, forgetAnswer, openAnswer, replaceAnswer, type StoredResponse } from "./stored_responses.sql.ts";

/** The final answer: a view, or a refusal. */
export type SlowWorkResult = { readonly status: number; readonly data: unknown } | Fault;

/** Called in the transaction that ends the work. */
type EndSlowWork = (tx: Tx, ending: SlowWorkResult) => Promise<void>;

/** Work in several transactions. A job finishes it when this process ends early. */
interface SlowWork<Begun> {
  /**
   * The first transaction: stores what must be known before another server is called, and answers the view for the 202.
   * The audit trail records the request here, however the work ends.
   */
  readonly begin: (tx: Tx) => Promise<{ readonly begun: Begun; readonly data: unknown }>;
  /**
   * The rest of the work, with transactions of its own. It calls `end` in the transaction that ends the work, or does
   * not call it and leaves the end to a job.
   */
  readonly goOn: (begun: Begun, end: EndSlowWork) => Promise<void>;
  /** How long a client waits for the end. */
  readonly patience_ms: number;
}

// An answer that is open for so much longer is final: the process that would replace it has ended.
const closing_ms = 10_000;

/**
 * Answers with the result of the work if it ends in time, else 202 with its present state. With an `Idempotency-Key`
 * the first transaction stores the 202, and the last one replaces it, unless a client was sent the 202 before: all
 * requests with this key get the same bytes, also after a crash. A 5xx failure that leaves nothing of the work frees
 * the key.
 * Refuses: idempotency_key_in_use, idempotency_key_reused.
 */
export async function answerSlowWork<Begun>(
  call: Call,
  work: SlowWork<Begun>,
  secret_key: Uint8Array,
): Promise<Response> {
  const key = keptName(call);
  if (key === null) return begin(call, work, null, secret_key);
  return holdIdempotencyLock(call, key, async () => {
    const kept = await call.store.read((db) => keptAnswer(db, call, key, secret_key));
    return kept === null ? begin(call, work, key, secret_key) : respond(call, kept);
  });
}

async function begin<Begun>(call: Call, work: SlowWork<Begun>, key: string | null, secret_key: Uint8Array) {
  // The last run of the transaction is the one that counts.
  const last: { begun: { readonly it: Begun } | null } = { begun: null };
  const act = async (tx: Tx): Promise<StoredResponse> => {
    const { begun, data } = await work.begin(tx);
    refuseUnmatched(call);
    await call.recording?.note(tx, call, 202, data);
    last.begun = { it: begun };
    return answerOf(call, tx, { status: 202, data });
  };
  const first = await writeFor(call, async (tx) => {
    last.begun = null;
    if (key === null) return act(tx);
    const answer = await once(tx, call, key, act, secret_key);
    if (last.begun !== null) await openAnswer(tx, key, tx.now + work.patience_ms + closing_ms);
    return answer;
  });
  if (last.begun === null) return respond(call, first);
  const ended = await goOn(call, work, last.begun.it, key, secret_key);
  return respond(call, ended ?? first);
}

/** The result of the work, if it ended before the 202 was sent. */
async function goOn<Begun>(
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
    else last.answer = (await replaceAnswer(tx, key, sealedAnswer(answer, secret_key))) ? answer : null;
  };
  const going = work.goOn(begun, end);
  const late = Promise.withResolvers<"late">();
  const timer = setTimeout(() => late.resolve("late"), work.patience_ms);
  const came = await Promise.race([going, late.promise]).finally(() => clearTimeout(timer));
  if (came !== "late" && last.answer !== null) return last.answer;
  // From here on the 202 is final, unless the work has ended just now.
  if (key === null || (await call.store.write((tx) => closeAnswer(tx, key)))) {
    // The work itself reports later errors.
    going.catch(() => {});
    return null;
  }
  await going;
  return last.answer;
}

function answerOf(call: Call, tx: Tx, ending: SlowWorkResult): StoredResponse {
  if (ending instanceof Fault) return refusalOf(ending, call, tx.now);
  return { status: ending.status, body: JSON.stringify(enveloped(ending.data, call.request_id, tx.now)), headers: {} };
}

const respond = (call: Call, { status, body, headers }: StoredResponse) => jsonResponse(call, status, body, headers);
