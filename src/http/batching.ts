// Batching: calls for the same act that are queued at the same time share a transaction, which locks and reads what
// they need once. No call waits for a batch to fill: it starts at once when nothing is running.

import { asFault, Fault, faults } from "../core/faults.ts";
import { counter, histogram } from "../core/metrics.ts";
import type { Db, Store, Tx } from "../storage/database.ts";
import { applyBackpressure } from "./backpressure.ts";
import type { Call } from "./call.ts";
import { enveloped, jsonResponse, writtenAnswer } from "./envelope.ts";
import {
  claimKeysOf,
  findResponse,
  holdIdempotencyLock,
  once,
  responseOfTakenKey,
  storageKeyOf,
  storeOutcomes,
} from "./idempotency.ts";
import { answerWrite } from "./response.ts";
import type { StoredResponse } from "./stored_responses.sql.ts";

interface BatchedCall<Input> {
  readonly input: Input;
  readonly call: Call;
}

/** An act that several calls can run in one transaction. */
export interface BatchableCommand<Input, Done> {
  readonly name: string;
  /** The status of a successful response. */
  readonly status: number;
  /** The size of a call, in order lines or similar. The total per transaction is limited. */
  readonly weight: (input: Input) => number;
  /** Runs the act for one call. */
  readonly runOne: (tx: Tx, part: BatchedCall<Input>) => Promise<Done>;
  /**
   * Runs the act for several calls, as if one after the other. Returns the outcome of each: a fault, or
   * "run_individually". Neither has changed anything.
   */
  readonly runBatch: (
    tx: Tx,
    parts: readonly BatchedCall<Input>[],
  ) => Promise<readonly (Done | Fault | "run_individually")[]>;
  /** The data of the response. */
  readonly view: (done: Done, db: Db, call: Call) => unknown;
  /** For responses that show a secret: the key that encrypts the stored response. */
  readonly secret_key?: Uint8Array;
}

// Others wait while a transaction holds its locks; on SQLite, that is for its whole duration.
const calls_max = 64;
const weight_max = 200;
// While one transaction waits for the disk, the next one works.
const running_max = 2;

const batch_sizes = histogram(
  "packhouse_calls_together",
  "How many calls for the same act shared a transaction.",
  [1, 2, 4, 8, 16, 32],
  ["act", "mode"],
);
const split_batches = counter(
  "packhouse_calls_parted_total",
  "Transactions of several calls that failed, so that each call was run individually.",
  ["act", "mode"],
);

/**
 * As `answerWrite`, for an act that can be batched. Each call keeps its own actor, `Idempotency-Key`, history and
 * response. A refused call does not affect the others.
 */
export async function answerBatched<Input, Done>(
  call: Call,
  act: BatchableCommand<Input, Done>,
  input: Input,
): Promise<Response> {
  // An audit entry or a condition needs a transaction of its own.
  if (call.recording !== null || call.renew !== null || call.request.headers.has("if-match")) {
    const work = async (tx: Tx) => act.view(await act.runOne(tx, { input, call }), tx, call);
    return answerWrite(call, act.status, work, enveloped, act.secret_key);
  }
  const key = storageKeyOf(call);
  await applyBackpressure(call);
  const queue = queueOf(call.store, act);
  const { status, body, headers } =
    key === null
      ? await queue.join(call, input, null)
      : await holdIdempotencyLock(call, key, async (waited) => {
          const stored = waited ? await call.store.read((db) => findResponse(db, call, key, act.secret_key)) : null;
          return stored ?? queue.join(call, input, key);
        });
  return jsonResponse(call, status, body, headers);
}

const queues = new WeakMap<Store, Map<unknown, unknown>>();

/** The queue of a store's calls for an act. */
function queueOf<Input, Done>(store: Store, act: BatchableCommand<Input, Done>): BatchQueue<Input, Done> {
  const own = queues.getOrInsertComputed(store, () => new Map());
  return own.getOrInsertComputed(act, () => new BatchQueue(store, act)) as BatchQueue<Input, Done>;
}

interface WaitingCall<Input> extends BatchedCall<Input> {
  readonly key: string | null;
  readonly resolve: (answer: StoredResponse) => void;
  readonly reject: (error: unknown) => void;
}

/** The outcome of a call: its response, its refusal, or that it must run individually. */
type BatchOutcome = StoredResponse | Fault | "run_individually";

function settle(waiting: Pick<WaitingCall<unknown>, "resolve" | "reject">, outcome: BatchOutcome | undefined): void {
  if (outcome instanceof Fault) waiting.reject(outcome);
  else if (outcome !== undefined && outcome !== "run_individually") waiting.resolve(outcome);
}

const isStorageFailure = (error: unknown): boolean => error instanceof Fault && faults[error.code].status >= 500;

/** The queued calls of one store for one act. */
class BatchQueue<Input, Done> {
  readonly #store: Store;
  readonly #act: BatchableCommand<Input, Done>;
  #waiting: WaitingCall<Input>[] = [];
  #running = 0;
  /** Whether a transaction was requested but has not started. It takes the calls that are queued when it starts. */
  #requested = false;

  constructor(store: Store, act: BatchableCommand<Input, Done>) {
    this.#store = store;
    this.#act = act;
  }

  /** Runs the act for a call in the next transaction. */
  join(call: Call, input: Input, key: string | null): Promise<StoredResponse> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ call, input, key, resolve, reject });
      this.#begin();
    });
  }

  #begin(): void {
    if (this.#requested || this.#running >= running_max || this.#waiting.length === 0) return;
    this.#requested = true;
    this.#running += 1;
    void this.#run().finally(() => {
      this.#running -= 1;
      this.#begin();
    });
  }

  /** How many of the queued calls fit in one transaction. */
  #count(): number {
    let weight = 0;
    const end = this.#waiting.findIndex(({ input }, at) => {
      weight += this.#act.weight(input);
      return at > 0 && (at >= calls_max || weight > weight_max);
    });
    return end < 0 ? this.#waiting.length : end;
  }

  /** Takes queued calls for the requested transaction. */
  #take(): WaitingCall<Input>[] {
    const calls = this.#waiting.splice(0, this.#count());
    this.#requested = false;
    this.#begin();
    return calls;
  }

  async #run(): Promise<void> {
    let taken: WaitingCall<Input>[] | null = null;
    // A transaction that is retried runs for the same calls. Calls queued since then belong to the next one.
    const take = () => {
      taken ??= this.#take();
      return taken;
    };
    try {
      const outcomes = await this.#store.write(async (tx) => await this.#outcomesOf(tx, take()));
      const calls = take();
      batch_sizes.observe(calls.length, this.#act.name, this.#store.mode);
      for (const [at, waiting] of calls.entries()) settle(waiting, outcomes[at]);
      await this.#runIndividually(calls.filter((_, at) => outcomes[at] === "run_individually"));
    } catch (error) {
      // If the storage could not even start the transaction, all queued calls fail.
      const calls = take();
      // One call may have caused the failure, so each runs individually. A storage failure affects all alike.
      if (calls.length > 1 && !isStorageFailure(error)) {
        split_batches.add(1, this.#act.name, this.#store.mode);
        await this.#runIndividually(calls);
        return;
      }
      // A single call that was refused counts as a transaction too.
      if (!isStorageFailure(error)) batch_sizes.observe(calls.length, this.#act.name, this.#store.mode);
      for (const waiting of calls) waiting.reject(error);
    }
  }

  /** Runs calls in a transaction each. */
  async #runIndividually(calls: readonly WaitingCall<Input>[]): Promise<void> {
    await Promise.all(
      calls.map((waiting) =>
        this.#store.write((tx) => this.#runSingle(tx, waiting)).then(waiting.resolve, waiting.reject),
      ),
    );
  }

  async #outcomesOf(tx: Tx, calls: readonly WaitingCall<Input>[]): Promise<readonly BatchOutcome[]> {
    const [first, ...others] = calls;
    if (first === undefined) return [];
    return others.length === 0 ? [await this.#runSingle(tx, first)] : this.#runBatch(tx, calls);
  }

  async #runSingle(tx: Tx, { call, input, key }: WaitingCall<Input>): Promise<StoredResponse> {
    await call.confirm(tx);
    const work = async (part: Tx) => this.#answer(call, await this.#act.runOne(part, { input, call }), part);
    return key === null ? work(tx) : once(tx, call, key, work, this.#act.secret_key);
  }

  #answer(call: Call, done: Done, db: Db): StoredResponse {
    return writtenAnswer(call, this.#act.status, this.#act.view(done, db, call), db.now);
  }

  async #runBatch(tx: Tx, calls: readonly WaitingCall<Input>[]): Promise<readonly BatchOutcome[]> {
    const outcomes = new Map<WaitingCall<Input>, BatchOutcome>();
    await this.#admit(tx, calls, outcomes);
    const parts = calls.filter((waiting) => !outcomes.has(waiting));
    const results = parts.length === 0 ? [] : await this.#act.runBatch(tx, parts);
    for (const [at, waiting] of parts.entries()) {
      const result = results[at];
      if (result === undefined || runsIndividually(result)) outcomes.set(waiting, "run_individually");
      else if (result instanceof Fault) outcomes.set(waiting, result);
      else outcomes.set(waiting, this.#answer(waiting.call, result, tx));
    }
    await storeOutcomes(tx, parts.filter(isKeyed), outcomes, this.#act.secret_key);
    return calls.map((waiting) => outcomes.get(waiting) ?? "run_individually");
  }

  /**
   * Claims the idempotency keys of the calls for this transaction. A call that is refused, or was answered before, gets
   * its outcome here.
   */
  async #admit(
    tx: Tx,
    calls: readonly WaitingCall<Input>[],
    outcomes: Map<WaitingCall<Input>, BatchOutcome>,
  ): Promise<void> {
    for (const waiting of calls) {
      const refusal = await faultOf(waiting.call.confirm(tx));
      if (refusal !== null) outcomes.set(waiting, refusal);
    }
    const keyed = calls.filter((waiting) => !outcomes.has(waiting)).filter(isKeyed);
    const taken = await claimKeysOf(tx, keyed);
    for (const waiting of keyed) {
      if (taken.has(waiting)) continue;
      const answer = await responseOfTakenKey(tx, waiting.call, waiting.key, this.#act.secret_key).catch(asFault);
      outcomes.set(waiting, answer);
    }
  }
}

const runsIndividually = <Result>(result: Result | "run_individually"): result is "run_individually" =>
  result === "run_individually";

const isKeyed = <Waiting extends { readonly key: string | null }>(
  waiting: Waiting,
): waiting is Waiting & { readonly key: string } => waiting.key !== null;

/** The fault that work throws; null when it succeeds. */
async function faultOf(work: Promise<void>): Promise<Fault | null> {
  try {
    await work;
    return null;
  } catch (error) {
    return asFault(error);
  }
}
