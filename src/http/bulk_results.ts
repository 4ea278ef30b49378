// Requests that run an act on many records: each record has its own result, and a refusal does not stop the others.
import { Fault, faults } from "../core/faults.ts";
import type { Call } from "./call.ts";
import { enveloped, jsonResponse } from "./envelope.ts";
import { errorBody } from "./errors.ts";
import { once, storageKeyOf } from "./idempotency.ts";
import { writeFor } from "./response.ts";

/** The outcome of the act on one record, as a request of its own would have it. */
export interface PartResult {
  readonly ok: boolean;
  /** The HTTP status. */
  readonly status: number;
  readonly data?: object | undefined;
  readonly error?: object | undefined;
  /** The length of the response. */
  readonly bytes: number;
}

/** Runs one act of a bulk request. A refusal is its result. */
export async function resultOfPart(call: Call, work: () => Promise<Response>): Promise<PartResult> {
  try {
    const { status, ...answer } = await readAnswer(await work());
    const { data, error, bytes } = answer;
    return status >= 400 ? { ok: false, status, error, bytes } : { ok: true, status, data, bytes };
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    const { error } = errorBody(fault, call, call.store.clock.now());
    return { ok: false, status: faults[fault.code].status, error, bytes: 0 };
  }
}

async function readAnswer(answer: Response) {
  const text = await answer.text();
  const { data, error } = JSON.parse(text) as { data?: object; error?: object };
  return { status: answer.status, data, error, bytes: text.length };
}

// They share a transaction, during which others wait.
const together_max = 16;

/**
 * Runs the acts of a bulk request a few at a time, so that they share transactions, and returns their results in order.
 * Once an act fails, none is started. Acts with entries in the audit log run one after the other.
 */
export async function eachTogether<Item, Result>(
  { recording }: Call,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const together = recording === null ? together_max : 1;
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += together) {
    results.push(...(await Promise.all(items.slice(at, at + together).map(work))));
  }
  return results;
}

/** Responds with all results and stores the response for a repeated request. The audit log already has each act. */
export async function answerResults(call: Call, data: object, secret_key: Uint8Array): Promise<Response> {
  const key = storageKeyOf(call);
  const body = JSON.stringify(enveloped(data, call.request_id, call.store.clock.now()));
  if (key === null) return jsonResponse(call, 200, body);
  const stored = await writeFor(call, (tx) =>
    once(tx, call, key, async () => ({ status: 200, body, headers: {} }), secret_key),
  );
  return jsonResponse(call, stored.status, stored.body, stored.headers);
}
