// Limits the number of concurrent deliveries in one process, so that a slow receiver delays no other.
import { type AttemptResult, isOverloaded } from "./attempt.ts";
import { isLate } from "./delivery.ts";
import type { DeliveryClaim } from "./delivery_claim.ts";

/** The limit on claimed deliveries of all subscriptions. */
const slots_in_all = 256;

/** The limit on concurrent attempts of one subscription. */
const slots_of_one = 8;

const successes_to_grow = 20;

/** Counts of claimed deliveries. Late ones have been tried before or were requeued. */
export interface ClaimedCounts {
  readonly all: number;
  readonly late: number;
}

/** The deliveries that this server has claimed, and the limit of each receiver. */
export interface ClaimCapacity {
  /** Claimed deliveries by subscription id. */
  readonly busy: ReadonlyMap<number, ClaimedCounts>;
  /** Returns the limit of concurrent attempts for a subscription's receiver. */
  readonly limitOf: (subscription_id: number) => number;
  /** Returns how many more of a subscription may be claimed before there is a free slot. */
  readonly aheadOf: (subscription_id: number) => number;
  /** The subscription served last. The next one comes first now. */
  readonly last_id: number;
  /** Whether the last claim of a subscription was a late one. */
  readonly wasLate: (subscription_id: number) => boolean;
}

/** A receiver's limit of concurrent attempts: halved when it is overloaded, growing slowly afterwards. */
interface ReceiverLoad {
  readonly limit: number;
  /** Successes since the last change of the limit. */
  readonly successes: number;
}

/** The initial limit of every receiver. */
export const full_load: ReceiverLoad = { limit: slots_of_one, successes: 0 };

/** Returns a receiver's limit after an attempt: half when it is overloaded, one more after twenty successes. */
export function afterLoad(load: ReceiverLoad, result: AttemptResult): ReceiverLoad {
  if (isOverloaded(result)) return { limit: Math.max(1, Math.floor(load.limit / 2)), successes: 0 };
  if (result.error !== null || load.limit === slots_of_one) return load;
  const successes = load.successes + 1;
  return successes < successes_to_grow ? { ...load, successes } : { limit: load.limit + 1, successes: 0 };
}

/**
 * Returns how many more deliveries of a subscription may be claimed, and how many of them late ones. Slots are shared
 * evenly among the `sharers`. Half of them, per subscription and in total, are reserved for first and second attempts.
 * Within its share a subscription may claim `ahead` of its receiver's limit. It may always claim one.
 */
export function slotsFor(
  own: ClaimedCounts,
  total: ClaimedCounts,
  limit: number,
  sharers: number,
  ahead = 0,
): ClaimedCounts {
  const fair = Math.max(1, Math.floor(slots_in_all / Math.max(1, sharers)));
  const share = Math.min(limit, fair);
  const least = own.all === 0 ? 1 : 0;
  const all = Math.max(least, Math.min(Math.min(limit + ahead, fair) - own.all, slots_in_all - total.all));
  const late = Math.min(Math.ceil(share / 2) - own.late, slots_in_all / 2 - total.late);
  return { all, late: Math.min(all, Math.max(least, late)) };
}

/** Returns how many deliveries a rate limit allows in one burst. Bursts are spread over the second. */
export function burst(rate_per_second: number): number {
  return Math.max(1, Math.floor(rate_per_second / 10));
}

/** Returns when the rate limit allows the next delivery (ms), after `count` started now. */
export function pacedUntil(rate_per_second: number, count: number, now: number): number {
  return now + Math.ceil((count * 1000) / rate_per_second);
}

// The deliveries that one server has claimed, in one queue per subscription. Some are being sent; others were claimed
// ahead, so that a free slot is used without waiting for the next transaction.

// After this time the subscription or its receiver may have changed. A new claim will show it.
const ahead_ms = 50;
// For a slower receiver, deliveries claimed ahead would expire before a slot is free.
const quick_ms = ahead_ms / 2;

interface ReceiverQueue {
  /** The deliveries being sent, each with the promise of its end. */
  readonly sending: Map<DeliveryClaim, Promise<void>>;
  /** The deliveries claimed ahead, with the time of the claim (monotonic ms). */
  ahead: { readonly claim: DeliveryClaim; readonly at: number }[];
  load: ReceiverLoad;
  /** The number of quick successes since the last transaction, without a failure. */
  accepted: number;
  /** Whether the last claim was a late one. */
  late: boolean;
}

/** The receiver queues of one store. */
export class ReceiverQueues {
  readonly #now: () => number;
  readonly #queues = new Map<number, ReceiverQueue>();
  #count = 0;
  #last_id = 0;
  #unwanted: DeliveryClaim[] = [];

  /** `now` is a clock in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** The number of claimed deliveries that neither ended nor were released. */
  get count(): number {
    return this.#count;
  }

  /** Returns claimed deliveries that will not be sent here, once each. The caller must release them. */
  takeUnwanted(): readonly DeliveryClaim[] {
    return this.#unwanted.splice(0);
  }

  get hasUnwanted(): boolean {
    return this.#unwanted.length > 0;
  }

  /** Returns the present capacity. Ahead, it allows twice the number of quick successes since the last call. */
  room(): ClaimCapacity {
    const accepted = new Map<number, number>();
    const busy = new Map<number, ClaimedCounts>();
    for (const [id, queue] of this.#queues) {
      accepted.set(id, queue.accepted);
      queue.accepted = 0;
      if (queue.sending.size + queue.ahead.length > 0) busy.set(id, busyWith(queue));
      else if (queue.load === full_load && !queue.late) this.#queues.delete(id);
    }
    return {
      busy,
      limitOf: (id) => this.#queues.get(id)?.load.limit ?? full_load.limit,
      aheadOf: (id) => 2 * (accepted.get(id) ?? 0),
      last_id: this.#last_id,
      wasLate: (id) => this.#queues.get(id)?.late ?? false,
    };
  }

  /** Adds claims to their queues. */
  add(claims: readonly DeliveryClaim[]): void {
    const at = this.#now();
    for (const claim of claims) {
      const queue = this.#queueOf(claim.subscription.id);
      queue.ahead.push({ claim, at });
      queue.late = isLate(claim.delivery);
    }
    this.#count += claims.length;
    this.#last_id = claims.at(-1)?.subscription.id ?? this.#last_id;
  }

  /** Returns the next delivery of a queue; null when its receiver is at its limit or nothing is left. */
  next(subscription_id: number): DeliveryClaim | null {
    const queue = this.#queues.get(subscription_id);
    if (queue === undefined || queue.sending.size >= queue.load.limit) return null;
    const first = queue.ahead.shift();
    if (first === undefined) return null;
    if (this.#now() - first.at <= ahead_ms) return first.claim;
    queue.ahead.unshift(first);
    this.stop(subscription_id);
    return null;
  }

  /** Tracks a delivery that is being sent until it ends. */
  begin(claim: DeliveryClaim, ended: Promise<void>): void {
    this.#queueOf(claim.subscription.id).sending.set(claim, ended);
  }

  /** Removes a delivery that was sent, with its result; null when the result is unknown. */
  end(claim: DeliveryClaim, result: AttemptResult | null): void {
    const { id } = claim.subscription;
    const queue = this.#queueOf(id);
    queue.sending.delete(claim);
    this.#count -= 1;
    if (result !== null) queue.load = afterLoad(queue.load, result);
    if (queue.load.limit === full_load.limit) queue.load = full_load;
    if (result === null || result.error !== null) this.stop(id);
    else if ((result.duration_ms ?? 0) <= quick_ms) queue.accepted += 1;
  }

  /** Whether a queue has a free slot and nothing to send. */
  isDry(subscription_id: number): boolean {
    const queue = this.#queues.get(subscription_id);
    return queue === undefined || (queue.ahead.length === 0 && queue.sending.size < queue.load.limit);
  }

  /** Releases the deliveries of a queue that are not being sent yet. */
  stop(subscription_id: number): void {
    const queue = this.#queues.get(subscription_id);
    if (queue === undefined) return;
    queue.accepted = 0;
    this.#count -= queue.ahead.length;
    this.#unwanted.push(...queue.ahead.splice(0).map(({ claim }) => claim));
  }

  /** Stops all queues. */
  stopAll(): void {
    for (const id of this.#queues.keys()) this.stop(id);
  }

  /** Returns the ends of deliveries being sent, of one queue or of all. */
  ends(subscription_id: number | null = null): Promise<void>[] {
    const some = subscription_id === null ? this.#queues.values() : [this.#queues.get(subscription_id)];
    return [...some].flatMap((queue) => [...(queue?.sending.values() ?? [])]);
  }

  #queueOf(subscription_id: number): ReceiverQueue {
    const none = () => ({ sending: new Map(), ahead: [], load: full_load, accepted: 0, late: false });
    return this.#queues.getOrInsertComputed(subscription_id, none);
  }
}

function busyWith({ sending, ahead }: ReceiverQueue): ClaimedCounts {
  let late = 0;
  for (const { delivery } of sending.keys()) if (isLate(delivery)) late += 1;
  for (const { claim } of ahead) if (isLate(claim.delivery)) late += 1;
  return { all: sending.size + ahead.length, late };
}
