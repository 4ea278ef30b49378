// The deliveries that one server has claimed, in a line for each subscription. Some are being sent; others were
// claimed ahead, so that a free slot is used at once and not after the next transaction.
import type { AttemptResult } from "../attempt.ts";
import { isLate } from "../deliveries/delivery.ts";
import type { Claim } from "./claim.ts";
import { afterLoad, type Busy, full_load, type Load, type Room } from "./rules.ts";

// After that its subscription may have changed, or its receiver slowed down; a new claim will show it.
const ahead_ms = 50;
// Deliveries claimed ahead for a slower receiver would expire before a slot is free.
const quick_ms = ahead_ms / 2;

interface Line {
  /** The deliveries being sent, each with the promise of its end. */
  readonly sending: Map<Claim, Promise<void>>;
  /** The deliveries claimed ahead, and when (monotonic ms). */
  ahead: { readonly claim: Claim; readonly at: number }[];
  load: Load;
  /** How many were quickly accepted since the last transaction, if none failed. */
  accepted: number;
  /** Whether the last claim was a late one. */
  late: boolean;
}

/** The lines of one store. */
export class Lines {
  readonly #now: () => number;
  readonly #lines = new Map<number, Line>();
  #count = 0;
  #last_id = 0;
  #unwanted: Claim[] = [];

  /** Waits are measured with `now`, in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** How many are claimed and neither ended nor released. */
  get count(): number {
    return this.#count;
  }

  /** Claimed deliveries that will not be sent here. The caller has to release them: they are answered only once. */
  takeUnwanted(): readonly Claim[] {
    return this.#unwanted.splice(0);
  }

  get hasUnwanted(): boolean {
    return this.#unwanted.length > 0;
  }

  /** What there is room for now. Ahead, twice the number that was quickly accepted since the last call. */
  room(): Room {
    const accepted = new Map<number, number>();
    const busy = new Map<number, Busy>();
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
  add(claims: readonly Claim[]): void {
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
  next(subscription_id: number): Claim | null {
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
  begin(claim: Claim, ended: Promise<void>): void {
    this.#lineOf(claim.subscription.id).sending.set(claim, ended);
  }

  /** Removes a delivery that was sent, with its result; null when the result is unknown. */
  end(claim: Claim, result: AttemptResult | null): void {
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

  #lineOf(subscription_id: number): Line {
    let line = this.#lines.get(subscription_id);
    if (line === undefined) {
      line = { sending: new Map(), ahead: [], load: full_load, accepted: 0, late: false };
      this.#lines.set(subscription_id, line);
    }
    return line;
  }
}

function busyWith({ sending, ahead }: Line): Busy {
  let late = 0;
  for (const { delivery } of sending.keys()) if (isLate(delivery)) late += 1;
  for (const { claim } of ahead) if (isLate(claim.delivery)) late += 1;
  return { all: sending.size + ahead.length, late };
}
