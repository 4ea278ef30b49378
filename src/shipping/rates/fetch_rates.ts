// Requests rates from the carriers of all accounts in parallel. A slow carrier delays no other: each request has a
// timeout, each account has a limit on open requests, and an account that keeps failing is paused for a while.
import { systemClock } from "../../core/clock.ts";
import { Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import type { Log } from "../../core/log.ts";
import type { Service } from "../../http/service.ts";
import type { CarrierAccount } from "../carriers/account.ts";
import { refusalOf } from "../carriers/call_carrier.ts";
import type { CarrierContext, OutsideCarrier } from "../carriers/connector.ts";
import type { RateMessage, RateOffer, RateOffers, ShipmentRequest } from "../offer.ts";
import type { OfAccount } from "./quote.ts";

/** An account, its connector, and the context for its calls. */
export interface RateSource {
  readonly account: CarrierAccount;
  readonly connector: OutsideCarrier;
  readonly ctx: CarrierContext;
}

/** The offers and messages of carriers, each with its account. */
export interface RateAnswers {
  readonly offers: readonly (OfAccount & { readonly offer: RateOffer })[];
  readonly messages: readonly (OfAccount & RateMessage)[];
}

/** The state of an account from earlier requests. */
interface AccountQueue {
  readonly revision: number;
  readonly slots: RequestSlots;
  /** Consecutive failures. */
  failures: number;
  /** The account is paused until this time, in milliseconds. */
  rest_until: number;
  last: Fault | null;
}

const slots_max = 32;
const failures_max = 3;
const rest_ms = 30_000;
const rest_max_ms = 5 * 60_000;
// A request that never ends frees its slot after this time.
const slot_timeout_ms = 60_000;

/** Limits the open requests of one account. Further requests wait for a slot. */
class RequestSlots {
  #free = slots_max;
  readonly #waiting: (() => void)[] = [];

  /** Runs a request in a slot, which is freed when the request ends or after a timeout. */
  async within<T>(send: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    let is_taken = true;
    const leave = () => {
      if (is_taken) this.#passOn();
      is_taken = false;
    };
    const timeout = setTimeout(leave, slot_timeout_ms);
    timeout.unref();
    try {
      return await send();
    } finally {
      clearTimeout(timeout);
      leave();
    }
  }

  #passOn(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}

const fetchers = new WeakMap<Service, RateFetcher>();
const realTime = systemClock();

/** Returns the fetcher of a service, which all of its requests share. */
export function rateFetcherOf(service: Service): RateFetcher {
  return fetchers.getOrInsertComputed(service, () => new RateFetcher({ now: () => realTime.now(), log: service.log }));
}

/** Requests rates from accounts and tracks their failures. `now` is in milliseconds. */
export class RateFetcher {
  readonly #queues = new Map<string, AccountQueue>();
  readonly #now: () => number;
  readonly #log: Log;

  constructor({ now, log }: { readonly now: () => number; readonly log: Log }) {
    this.#now = now;
    this.#log = log;
  }

  /**
   * Requests rates from all sources in parallel, each with a timeout of `wait_ms` milliseconds. Failures become
   * messages.
   */
  async ask(sources: readonly RateSource[], carriage: ShipmentRequest, wait_ms: number): Promise<RateAnswers> {
    const answers = await Promise.all(sources.map((source) => this.#askOne(source, carriage, wait_ms)));
    return {
      offers: answers.flatMap(({ account_id, result }) => result.offers.map((offer) => ({ account_id, offer }))),
      messages: answers.flatMap(({ account_id, result }) =>
        result.messages.map((message) => ({ account_id, ...message })),
      ),
    };
  }

  async #askOne(source: RateSource, carriage: ShipmentRequest, wait_ms: number) {
    const queue = this.#queueOf(source);
    const result = this.#refusal(source, queue) ?? (await this.#answer(source, queue, carriage, wait_ms));
    if (!(result instanceof Fault)) return { account_id: source.account.id, result };
    const { code, message } = result;
    const failure: RateMessage = { carrier: source.connector.code, service: null, level: "error", code, message };
    return { account_id: source.account.id, result: { offers: [], messages: [failure] } };
  }

  /** Returns the state of an account; a new one after the account was changed. */
  #queueOf({ account, ctx }: RateSource): AccountQueue {
    const key = `${ctx.mode}/${account.id}`;
    const known = this.#queues.get(key);
    if (known?.revision === account.revision) return known;
    const queue = { revision: account.revision, slots: new RequestSlots(), failures: 0, rest_until: 0, last: null };
    this.#queues.set(key, queue);
    return queue;
  }

  /** Returns the reason why an account is paused; null when it is not. */
  #refusal({ account }: RateSource, queue: AccountQueue): Fault | null {
    const now = this.#now();
    if (now < queue.rest_until) {
      const seconds = Math.ceil((queue.rest_until - now) / 1000);
      const last = queue.last === null ? "" : ` Its last error: ${queue.last.message}`;
      const message = `${account.name} failed repeatedly. The next attempt is in ${seconds} seconds.${last}`;
      return new Fault(queue.last?.code ?? "carrier_error", message);
    }
    // One request tests the account again. Until it ends, other requests skip the account.
    if (queue.failures >= failures_max) queue.rest_until = now + rest_ms;
    return null;
  }

  async #answer(
    source: RateSource,
    queue: AccountQueue,
    carriage: ShipmentRequest,
    wait_ms: number,
  ): Promise<RateOffers | Fault> {
    const { account } = source;
    const message = `${account.name} did not answer within ${wait_ms / 1000} seconds.`;
    const late = new Fault("carrier_timeout", message);
    const { promise: timeout, resolve } = Promise.withResolvers<Fault>();
    let is_late = false;
    const timer = setTimeout(() => {
      is_late = true;
      resolve(late);
    }, wait_ms);
    const answer = queue.slots.within(async () => (is_late ? late : this.#call(source, carriage)));
    const result = await Promise.race([answer, timeout]);
    clearTimeout(timer);
    this.#record(source, queue, result);
    return result;
  }

  async #call({ connector, ctx }: RateSource, carriage: ShipmentRequest): Promise<RateOffers | Fault> {
    try {
      return await connector.offers(carriage, ctx);
    } catch (error) {
      return refusalOf(error, ctx, this.#log);
    }
  }

  #record({ account }: RateSource, queue: AccountQueue, result: RateOffers | Fault): void {
    const now = this.#now();
    const failed = result instanceof Fault && (result.code === "carrier_timeout" || result.code === "carrier_error");
    if (!failed) {
      Object.assign(queue, { failures: 0, rest_until: 0, last: null });
      return;
    }
    queue.failures += 1;
    queue.last = result;
    const { retry_after_seconds } = result.facts;
    const requested_ms =
      typeof retry_after_seconds === "number" ? Math.min(retry_after_seconds * 1000, rest_max_ms) : 0;
    const own = queue.failures >= failures_max ? rest_ms : 0;
    queue.rest_until = Math.max(queue.rest_until, now + Math.max(requested_ms, own));
    if (queue.failures !== failures_max) return;
    const facts = { account: wireId("carrier_account", account.id), code: result.code, reason: result.message };
    this.#log.warn("a carrier account failed several times in a row; its rate requests are paused", facts);
  }
}
