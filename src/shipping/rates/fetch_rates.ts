// Asks the carriers of all accounts for their rates at once. A slow carrier delays no other: there is a limit on
// each wait, and on the open requests of each account, and an account that failed several times in a row is left out
// for a while.
import { Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import type { Log } from "../../core/log.ts";
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

/** What earlier requests have shown of an account. */
interface AccountQueue {
  readonly version: number;
  readonly places: RequestSlots;
  /** Failures in a row. */
  failures: number;
  /** Until when it is not asked, in milliseconds. */
  rest_until: number;
  last: Fault | null;
}

const places_max = 32;
const failures_max = 3;
const rest_ms = 30_000;
const rest_max_ms = 5 * 60_000;
// A request that never ends gives up its place after this time.
const place_ms = 60_000;

/** The open requests of one account. One that finds no place waits for its turn. */
class RequestSlots {
  #free = places_max;
  readonly #waiting: (() => void)[] = [];

  /** Sends a request from a place, and frees the place when it is answered, or after a time without an answer. */
  async within<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    let is_taken = true;
    const leave = () => {
      if (is_taken) this.#handOn();
      is_taken = false;
    };
    const forgotten = setTimeout(leave, place_ms);
    forgotten.unref();
    try {
      return await ask();
    } finally {
      clearTimeout(forgotten);
      leave();
    }
  }

  #handOn(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}

/** Asks accounts for rates, and remembers which of them fail. `now` is in milliseconds. */
export class RateFetcher {
  readonly #lines = new Map<string, AccountQueue>();
  readonly #now: () => number;
  readonly #log: Log;

  constructor({ now, log }: { readonly now: () => number; readonly log: Log }) {
    this.#now = now;
    this.#log = log;
  }

  /** Asks all of them at once, and waits for each for so many milliseconds. A failure becomes a message. */
  async ask(sources: readonly RateSource[], carriage: ShipmentRequest, wait_ms: number): Promise<RateAnswers> {
    const answers = await Promise.all(sources.map((source) => this.#askOne(source, carriage, wait_ms)));
    return {
      offers: answers.flatMap(({ account_id, found }) => found.offers.map((offer) => ({ account_id, offer }))),
      messages: answers.flatMap(({ account_id, found }) => found.messages.map((said) => ({ account_id, ...said }))),
    };
  }

  async #askOne(source: RateSource, carriage: ShipmentRequest, wait_ms: number) {
    const line = this.#lineOf(source);
    const found = this.#refusal(source, line) ?? (await this.#answer(source, line, carriage, wait_ms));
    if (!(found instanceof Fault)) return { account_id: source.account.id, found };
    const { code, message } = found;
    const said: RateMessage = { carrier: source.connector.code, service: null, level: "error", code, message };
    return { account_id: source.account.id, found: { offers: [], messages: [said] } };
  }

  /** What earlier requests have shown of an account; nothing once the account was changed. */
  #lineOf({ account, ctx }: RateSource): AccountQueue {
    const key = `${ctx.mode}/${account.id}`;
    const known = this.#lines.get(key);
    if (known?.version === account.version) return known;
    const line = { version: account.version, places: new RequestSlots(), failures: 0, rest_until: 0, last: null };
    this.#lines.set(key, line);
    return line;
  }

  /** Why an account is not asked now; null when it is. */
  #refusal({ account }: RateSource, line: AccountQueue): Fault | null {
    const now = this.#now();
    if (now < line.rest_until) {
      const seconds = Math.ceil((line.rest_until - now) / 1000);
      const said = line.last === null ? "" : ` Its last answer: ${line.last.message}`;
      const message = `${account.name} failed several times in a row and is asked again in ${seconds} seconds.${said}`;
      return new Fault(line.last?.code ?? "carrier_error", message);
    }
    // One request tests whether it works again. Until that is answered, other requests leave the account out.
    if (line.failures >= failures_max) line.rest_until = now + rest_ms;
    return null;
  }

  async #answer(
    source: RateSource,
    line: AccountQueue,
    carriage: ShipmentRequest,
    wait_ms: number,
  ): Promise<RateOffers | Fault> {
    const { account } = source;
    const message = `${account.name} did not answer within ${wait_ms / 1000} seconds.`;
    const late = new Fault("carrier_timeout", message);
    const { promise: lateness, resolve } = Promise.withResolvers<Fault>();
    let is_late = false;
    const timer = setTimeout(() => {
      is_late = true;
      resolve(late);
    }, wait_ms);
    const answer = line.places.within(async () => (is_late ? late : this.#call(source, carriage)));
    const found = await Promise.race([answer, lateness]);
    clearTimeout(timer);
    this.#remember(source, line, found);
    return found;
  }

  async #call({ connector, ctx }: RateSource, carriage: ShipmentRequest): Promise<RateOffers | Fault> {
    try {
      return await connector.offers(carriage, ctx);
    } catch (error) {
      return refusalOf(error, ctx, this.#log);
    }
  }

  #remember({ account }: RateSource, line: AccountQueue, found: RateOffers | Fault): void {
    const now = this.#now();
    const failed = found instanceof Fault && (found.code === "carrier_timeout" || found.code === "carrier_error");
    if (!failed) {
      Object.assign(line, { failures: 0, rest_until: 0, last: null });
      return;
    }
    line.failures += 1;
    line.last = found;
    const { retry_after_seconds } = found.facts;
    const asked_to = typeof retry_after_seconds === "number" ? Math.min(retry_after_seconds * 1000, rest_max_ms) : 0;
    const own = line.failures >= failures_max ? rest_ms : 0;
    line.rest_until = Math.max(line.rest_until, now + Math.max(asked_to, own));
    if (line.failures !== failures_max) return;
    const facts = { account: wireId("carrier_account", account.id), code: found.code, reason: found.message };
    this.#log.warn("a carrier account failed several times in a row, and is asked for rates less often", facts);
  }
}
