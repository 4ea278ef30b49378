// How many deliveries are sent at once, so that a slow receiver delays no other. All of it is for one process.
import { type AttemptResult, isOverloaded } from "./attempt.ts";
import { isLate } from "./delivery.ts";
import type { DeliveryClaim } from "./delivery_claim.ts";

/** Deliveries claimed at once, of all subscriptions together. */
const slots_in_all = 256;

/** Attempts in progress at once of one subscription. */
const slots_of_one = 8;

const successes_to_grow = 20;

/** Claimed deliveries; late ones have been tried before or were queued again. */
export interface ClaimedCounts {
  readonly all: number;
  readonly late: number;
}

/** What this server has claimed, and the limit of each receiver. */
export interface ClaimCapacity {
  /** Claimed deliveries by subscription. */
  readonly busy: ReadonlyMap<number, ClaimedCounts>;
  /** How many attempts at once the receiver of a subscription takes. */
  readonly limitOf: (subscription_id: number) => number;
  /** How many more of a subscription may be claimed before there is a slot for them. */
  readonly aheadOf: (subscription_id: number) => number;
  /** The subscription that was served last: the one after it comes first now. */
  readonly last_id: number;
  /** Whether the last claim of a subscription was a late one. */
  readonly wasLate: (subscription_id: number) => boolean;
}

/** How many attempts at once a receiver takes: halved when the receiver is overloaded, and growing slowly. */
interface ReceiverLoad {
  readonly limit: number;
  /** Successes since the limit last changed. */
  readonly successes: number;
}

/** The limit of every receiver at first. */
export const full_load: ReceiverLoad = { limit: slots_of_one, successes: 0 };

/** A receiver's limit after an attempt: half when it was overloaded, one more after twenty successes. */
export function afterLoad(load: ReceiverLoad, result: AttemptResult): ReceiverLoad {
  if (isOverloaded(result)) return { limit: Math.max(1, Math.floor(load.limit / 2)), successes: 0 };
  if (result.error !== null || load.limit === slots_of_one) return load;
  const successes = load.successes + 1;
  return successes < successes_to_grow ? { ...load, successes } : { limit: load.limit + 1, successes: 0 };
}

/**
 * How many more deliveries of a subscription may be claimed, and how many of them late ones. The slots are shared
 * evenly among the subscriptions that want any (`sharers`). Half of them, of each and in all, are for first and second
 * attempts only. Within its share a subscription may claim some ahead of its receiver's limit. It may always claim one.
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

/** How many deliveries a rate limit lets start in one burst; bursts are spread over the second. */
export function burst(rate_per_second: number): number {
  return Math.max(1, Math.floor(rate_per_second / 10));
}

/** When the rate limit lets the next delivery start, after `count` started now. */
export function pacedUntil(rate_per_second: number, count: number, now: number): number {
  return now + Math.ceil((count * 1000) / rate_per_second);
}

// The deliveries that one server has claimed, in a line for each subscription. Some are being sent; others were
// claimed ahead, so that a free slot is used at once and not after the next transaction.

// After that its subscription may have changed, or its receiver slowed down; a new claim will show it.
const ahead_ms = 50;
// Deliveries claimed ahead for a slower receiver would expire before a slot is free.
const quick_ms = ahead_ms / 2;

interface ReceiverQueue {
  /** The deliveries being sent, each with the promise of its end. */
  readonly sending: Map<DeliveryClaim, Promise<void>>;
  /** The deliveries claimed ahead, and when (monotonic ms). */
  ahead: { readonly claim: DeliveryClaim; readonly at: number }[];
  load: ReceiverLoad;
  /** How many were quickly accepted since the last transaction, if none failed. */
  accepted: number;
  /** Whether the last claim was a late one. */
  late: boolean;
}

/** The lines of one store. */
export class ReceiverQueues {
  readonly #now: () => number;
  readonly #lines = new Map<number, ReceiverQueue>();
  #count = 0;
  #last_id = 0;
  #unwanted: DeliveryClaim[] = [];

  /** Waits are measured with `now`, in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** How many are claimed and neither ended nor released. */
  get count(): number {
    return this.#count;
  }

  /** Claimed deliveries that will not be sent here. The caller has to release them: they are answered only once. */
  takeUnwanted(): readonly DeliveryClaim[] {
    return this.#unwanted.splice(0);
  }

  get hasUnwanted(): boolean {
    return this.#unwanted.length > 0;
  }

  /** What there is room for now. Ahead, twice the number that was quickly accepted since the last call. */
  room(): ClaimCapacity {
    const accepted = new Map<number, number>();
    const busy = new Map<number, ClaimedCounts>();
    for (const [id, line] of this.#lines) {
      accepted.set(id, line.accepted);
      line.accepted = 0;
      if (line.sending.size + line.ahead.length > 0) busy.set(id, busyWith(line));
      else if (line.load === full_load && !line.late) this.#lines.delete(id);
    }
    return {
      busy,
      limitOf: (id) => this.#lines.get(id)?.load.limit ?? full_load.limit,
      aheadOf: (id) => 2 * (accepted.get(id) ?? 0),
      last_id: this.#last_id,
      wasLate: (id) => this.#lines.get(id)?.late ?? false,
    };
  }

  /** Puts claims into their lines. */
  add(claims: readonly DeliveryClaim[]): void {
    const at = this.#now();
    for (const claim of claims) {
      const line = this.#lineOf(claim.subscription.id);
      line.ahead.push({ claim, at });
      line.late = isLate(claim.delivery);
    }
    this.#count += claims.length;
    this.#last_id = claims.at(-1)?.subscription.id ?? this.#last_id;
  }

  /** The next delivery of a line to send; null when its receiver has its limit, or nothing is left. */
  next(subscription_id: number): DeliveryClaim | null {
    const line = this.#lines.get(subscription_id);
    if (line === undefined || line.sending.size >= line.load.limit) return null;
    const first = line.ahead.shift();
    if (first === undefined) return null;
    if (this.#now() - first.at <= ahead_ms) return first.claim;
    line.ahead.unshift(first);
    this.stop(subscription_id);
    return null;
  }

  /** Keeps a delivery that is being sent until it ends. */
  begin(claim: DeliveryClaim, ended: Promise<void>): void {
    this.#lineOf(claim.subscription.id).sending.set(claim, ended);
  }

  /** Removes a delivery that was sent, with its result; null when the result is unknown. */
  end(claim: DeliveryClaim, result: AttemptResult | null): void {
    const { id } = claim.subscription;
    const line = this.#lineOf(id);
    line.sending.delete(claim);
    this.#count -= 1;
    if (result !== null) line.load = afterLoad(line.load, result);
    if (line.load.limit === full_load.limit) line.load = full_load;
    if (result === null || result.error !== null) this.stop(id);
    else if ((result.duration_ms ?? 0) <= quick_ms) line.accepted += 1;
  }

  /** Whether a line has a free slot and nothing to send. */
  isDry(subscription_id: number): boolean {
    const line = this.#lines.get(subscription_id);
    return line === undefined || (line.ahead.length === 0 && line.sending.size < line.load.limit);
  }

  /** Sends no more of a line than what is being sent. */
  stop(subscription_id: number): void {
    const line = this.#lines.get(subscription_id);
    if (line === undefined) return;
    line.accepted = 0;
    this.#count -= line.ahead.length;
    this.#unwanted.push(...line.ahead.splice(0).map(({ claim }) => claim));
  }

  /** Stops every line. */
  stopAll(): void {
    for (const id of this.#lines.keys()) this.stop(id);
  }

  /** The ends of deliveries being sent, of one line or of all. */
  ends(subscription_id: number | null = null): Promise<void>[] {
    const some = subscription_id === null ? this.#lines.values() : [this.#lines.get(subscription_id)];
    return [...some].flatMap((line) => [...(line?.sending.values() ?? [])]);
  }

  #lineOf(subscription_id: number): ReceiverQueue {
    let line = this.#lines.get(subscription_id);
    if (line === undefined) {
      line = { sending: new Map(), ahead: [], load: full_load, accepted: 0, late: false };
      this.#lines.set(subscription_id, line);
    }
    return line;
  }
}

function busyWith({ sending, ahead }: ReceiverQueue): ClaimedCounts {
  let late = 0;
  for (const { delivery } of sending.keys()) if (isLate(delivery)) late += 1;
  for (const { claim } of ahead) if (isLate(claim.delivery)) late += 1;
  return { all: sending.size + ahead.length, late };
}
