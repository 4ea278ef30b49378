// Calls for the same act that wait at the same moment are done together: in one transaction, with what they need locked
// and read once for all. None waits for others: a call begins at once when nothing runs.

import { asFault, Fault, faults } from "../core/faults.ts";
import { counter, histogram } from "../core/metrics.ts";
import type { Db, Store, Tx } from "../storage/database.ts";
import { applyBackpressure } from "./backpressure.ts";
import type { Call } from "./call.ts";
import { enveloped } from "./envelope.ts";
import {
  claimKeysOf,
  holdIdempotencyLock,
  keepOutcomes,
  keptAnswer,
  keptName,
  once,
  takenAnswer,
} from "./idempotency.ts";
import { answerWrite, jsonResponse, writtenAnswer } from "./response.ts";
import type { StoredResponse } from "./stored_responses.sql.ts";

/** One call's part of an act. */
interface BatchedCall<Input> {
  readonly input: Input;
  readonly call: Call;
}

/** An act that calls may do together. */
export interface BatchableCommand<Input, Done> {
  readonly name: string;
  /** The status of an answer. */
  readonly status: number;
  /** How much work a call is, in lines of an order or the like: one transaction does no more than a bounded amount. */
  readonly weight: (input: Input) => number;
  /** Does the act for one call. */
  readonly alone: (tx: Tx, part: BatchedCall<Input>) => Promise<Done>;
  /**
   * Does the act for several calls, as if one after the other. Answers what came of each: a refusal has changed
   * nothing, nor has a call that has to be alone, as those have to that it did not come to.
   */
  readonly together: (tx: Tx, parts: readonly BatchedCall<Input>[]) => Promise<readonly (Done | Fault | "alone")[]>;
  /** What the answer shows. */
  readonly view: (done: Done, db: Db, call: Call) => unknown;
  /** For answers that show a secret: what they are sealed with where they are kept. */
  readonly secret_key?: Uint8Array;
}

// Others wait for as long as a transaction holds its locks, and on SQLite for all of it.
const calls_max = 64;
const weight_max = 200;
// While one transaction waits for the disk, the next works.
const running_max = 2;

/** How many calls did an act in one transaction. */
const calls_together = histogram(
  "packhouse_calls_together",
  "How many calls for the same act shared a transaction.",
  [1, 2, 4, 8, 16, 32],
  ["act", "mode"],
);
const parted = counter(
  "packhouse_calls_parted_total",
  "Transactions of several calls that failed, so that each call was done alone.",
  ["act", "mode"],
);

/**
 * As `answerWrite`, for an act that calls may do together. Each call keeps its own actor, `Idempotency-Key`, history
 * and answer, as if it had been alone; one that is refused fails alone.
 */
export async function answerBatched<Input, Done>(
  call: Call,
  act: BatchableCommand<Input, Done>,
  input: Input,
): Promise<Response> {
  // An entry in the audit trail or a condition belongs to one transaction of its own.
  if (call.recording !== null || call.renew !== null || call.request.headers.has("if-match")) {
    const work = async (tx: Tx) => act.view(await act.alone(tx, { input, call }), tx, call);
    return answerWrite(call, act.status, work, enveloped, act.secret_key);
  }
  const key = keptName(call);
  await applyBackpressure(call);
  const queue = queueOf(call.store, act);
  const { status, body, headers } =
    key === null
      ? await queue.join(call, input, null)
      : await holdIdempotencyLock(call, key, async (waited) => {
          const kept = waited ? await call.store.read((db) => keptAnswer(db, call, key, act.secret_key)) : null;
          return kept ?? queue.join(call, input, key);
        });
  return jsonResponse(call, status, body, headers);
}

const queues = new WeakMap<Store, Map<unknown, unknown>>();

/** The calls of a store that wait for an act. */
function queueOf<Input, Done>(store: Store, act: BatchableCommand<Input, Done>): BatchQueue<Input, Done> {
  const own = queues.get(store) ?? new Map<unknown, unknown>();
  queues.set(store, own);
  const queue = (own.get(act) as BatchQueue<Input, Done> | undefined) ?? new BatchQueue(store, act);
  own.set(act, queue);
  return queue;
}

/** A call that waits for its answer. */
interface WaitingCall<Input> extends BatchedCall<Input> {
  readonly key: string | null;
  readonly answered: (answer: StoredResponse) => void;
  readonly refused: (error: unknown) => void;
}

/** What came of a call: its answer, its refusal, or that it has to be done alone. */
type BatchOutcome = StoredResponse | Fault | "alone";

function settle(waiting: Pick<WaitingCall<unknown>, "answered" | "refused">, outcome: BatchOutcome | undefined): void {
  if (outcome instanceof Fault) waiting.refused(outcome);
  else if (outcome !== undefined && outcome !== "alone") waiting.answered(outcome);
}

const isOfStorage = (error: unknown): boolean => error instanceof Fault && faults[error.code].status >= 500;

/** The calls of one store that wait for one act. */
class BatchQueue<Input, Done> {
  readonly #store: Store;
  readonly #act: BatchableCommand<Input, Done>;
  #waiting: WaitingCall<Input>[] = [];
  #running = 0;
  /** Whether a transaction was asked for that has not begun: it takes whoever waits by then. */
  #asked = false;

  constructor(store: Store, act: BatchableCommand<Input, Done>) {
    this.#store = store;
    this.#act = act;
  }

  /** Does the act for a call, in the next transaction. */
  join(call: Call, input: Input, key: string | null): Promise<StoredResponse> {
    return new Promise((answered, refused) => {
      this.#waiting.push({ call, input, key, answered, refused });
      this.#begin();
    });
  }

  #begin(): void {
    if (this.#asked || this.#running >= running_max || this.#waiting.length === 0) return;
    this.#asked = true;
    this.#running += 1;
    void this.#run().finally(() => {
      this.#running -= 1;
      this.#begin();
    });
  }

  /** How many of those who wait one transaction can do. */
  #count(): number {
    let weight = 0;
    const end = this.#waiting.findIndex(({ input }, at) => {
      weight += this.#act.weight(input);
      return at > 0 && (at >= calls_max || weight > weight_max);
    });
    return end < 0 ? this.#waiting.length : end;
  }

  /** Takes those who wait for the transaction that was asked for. */
  #take(): WaitingCall<Input>[] {
    const calls = this.#waiting.splice(0, this.#count());
    this.#asked = false;
    this.#begin();
    return calls;
  }

  async #run(): Promise<void> {
    let taken: WaitingCall<Input>[] | null = null;
    // A transaction that runs again does so for the same calls: those that wait by then are the next one's.
    const take = () => {
      taken ??= this.#take();
      return taken;
    };
    try {
      const outcomes = await this.#store.write(async (tx) => await this.#outcomesOf(tx, take()));
      const calls = take();
      calls_together.observe(calls.length, this.#act.name, this.#store.mode);
      for (const [at, waiting] of calls.entries()) settle(waiting, outcomes[at]);
      await this.#doAlone(calls.filter((_, at) => outcomes[at] === "alone"));
    } catch (error) {
      // Where the storage did not even begin the transaction, it is refused to those that wait for it.
      const calls = take();
      // It may be the fault of one of them: then the others are done without it. The storage fails all alike.
      if (calls.length > 1 && !isOfStorage(error)) {
        parted.add(1, this.#act.name, this.#store.mode);
        await this.#doAlone(calls);
        return;
      }
      // A call by itself that is refused had a transaction as well.
      if (!isOfStorage(error)) calls_together.observe(calls.length, this.#act.name, this.#store.mode);
      for (const waiting of calls) waiting.refused(error);
    }
  }

  /** Does calls each in a transaction of its own, begun one after the other. */
  async #doAlone(calls: readonly WaitingCall<Input>[]): Promise<void> {
    await Promise.all(
      calls.map((waiting) =>
        this.#store.write((tx) => this.#alone(tx, waiting)).then(waiting.answered, waiting.refused),
      ),
    );
  }

  async #outcomesOf(tx: Tx, calls: readonly WaitingCall<Input>[]): Promise<readonly BatchOutcome[]> {
    const [first, ...others] = calls;
    if (first === undefined) return [];
    return others.length === 0 ? [await this.#alone(tx, first)] : this.#together(tx, calls);
  }

  async #alone(tx: Tx, { call, input, key }: WaitingCall<Input>): Promise<StoredResponse> {
    await call.confirm(tx);
    const work = async (part: Tx) => this.#answer(call, await this.#act.alone(part, { input, call }), part);
    return key === null ? work(tx) : once(tx, call, key, work, this.#act.secret_key);
  }

  #answer(call: Call, done: Done, db: Db): StoredResponse {
    return writtenAnswer(call, this.#act.status, this.#act.view(done, db, call), db.now);
  }

  async #together(tx: Tx, calls: readonly WaitingCall<Input>[]): Promise<readonly BatchOutcome[]> {
    const outcomes = new Map<WaitingCall<Input>, BatchOutcome>();
    await this.#admit(tx, calls, outcomes);
    const parts = calls.filter((waiting) => !outcomes.has(waiting));
    const results = parts.length === 0 ? [] : await this.#act.together(tx, parts);
    for (const [at, waiting] of parts.entries()) {
      const result = results[at];
      if (result === undefined || runsIndividually(result)) outcomes.set(waiting, "alone");
      else if (result instanceof Fault) outcomes.set(waiting, result);
      else outcomes.set(waiting, this.#answer(waiting.call, result, tx));
    }
    await keepOutcomes(tx, parts.filter(isKeyed), outcomes, this.#act.secret_key);
    return calls.map((waiting) => outcomes.get(waiting) ?? "alone");
  }

  /**
   * Takes the keys of the calls for this transaction. What is known of a call before it is done becomes its outcome:
   * that it may not be, or how it was answered before.
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
      const answer = await takenAnswer(tx, waiting.call, waiting.key, this.#act.secret_key).catch(asFault);
      outcomes.set(waiting, answer);
    }
  }
}

const runsIndividually = <Result>(result: Result | "alone"): result is "alone" => result === "alone";

const isKeyed = <Waiting extends { readonly key: string | null }>(
  waiting: Waiting,
): waiting is Waiting & { readonly key: string } => waiting.key !== null;

/** The refusal in which work ended; null when it was done. */
async function faultOf(work: Promise<void>): Promise<Fault | null> {
  try {
    await work;
    return null;
  } catch (error) {
    return asFault(error);
  }
}
