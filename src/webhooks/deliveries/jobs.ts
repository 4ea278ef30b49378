// The acts of the clock: events become deliveries, deliveries are sent. Nothing is sent inside a transaction: they are
// claimed in one, sent, and recorded in another.
import type { Store } from "../../database/store.ts";
import type { Service } from "../../http/service.ts";
import { systemClock } from "../../kit/clock.ts";
import { randomId, wireId } from "../../kit/ids.ts";
import type { Mode } from "../../kit/mode.ts";
import { default_ports, ranges } from "../address.ts";
import { createSender, type Sender } from "../sender.ts";
import { claimDeliveries, fanOut, recordAttempts } from "./commands.ts";
import { type Claim, type Finished, signed } from "./delivery.ts";

const in_flight_max = 256;
const in_flight_of_one_max = 8;
const recorded_together_max = 64;

const realTime = systemClock();
const server = randomId("srv");

/** A round of `webhooks.fan_out`: the oldest new events become deliveries. */
export async function fanOutEvents(store: Store): Promise<number | null> {
  const more = await store.write((tx) => fanOut(tx, server));
  return more ? store.clock.now() : null;
}

const dispatchers = new WeakMap<Store, Dispatcher>();

/** A round of `webhooks.deliver`: what is due begins to be sent. */
export async function deliverDue(store: Store, service: Service): Promise<number | null> {
  let dispatcher = dispatchers.get(store);
  if (dispatcher === undefined) {
    dispatcher = new Dispatcher(store, service);
    dispatchers.set(store, dispatcher);
  }
  return await dispatcher.round();
}

/** Waits until every attempt under way is over and recorded. */
export async function deliveriesSettled(store: Store): Promise<void> {
  await dispatchers.get(store)?.settled();
}

const senders = new WeakMap<Service, Readonly<Record<Mode, Sender>>>();

/** The one sender of a mode. */
export function senderOf(service: Service, mode: Mode): Sender {
  let made = senders.get(service);
  if (made === undefined) {
    const openings = ranges(service.webhook_allow_cidrs);
    const policy = { loopback_server: service.loopback_only, ports: default_ports, openings };
    made = {
      live: createSender({ policy: { ...policy, mode: "live" } }),
      test: createSender({ policy: { ...policy, mode: "test" } }),
    };
    senders.set(service, made);
  }
  return made[mode];
}

/** Makes one attempt at a claimed delivery. */
export async function attempt(claim: Claim, store: Store, service: Service, test: boolean): Promise<Finished> {
  const started_at = store.clock.now();
  const sending = signed(claim, test, service.secret_key, realTime.now(), started_at);
  const result = await senderOf(service, store.mode).send(sending);
  return { claim, request_headers: sending.headers, result, started_at, real_now: realTime.now(), random: draw() };
}

/** A number from 0 up to 1. */
function draw(): number {
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1));
  return number / 2 ** 32;
}

/** Sends the deliveries of one store, as many at once as may be. */
class Dispatcher {
  readonly #store: Store;
  readonly #service: Service;
  /** Attempts under way for each subscription. */
  readonly #inFlight = new Map<number, number>();
  readonly #attempts = new Set<Promise<void>>();
  #last_id = 0;
  #ended: Finished[] = [];
  #recording: Promise<void> | null = null;

  constructor(store: Store, service: Service) {
    this.#store = store;
    this.#service = service;
  }

  async round(): Promise<number | null> {
    const of = (id: number) => in_flight_of_one_max - (this.#inFlight.get(id) ?? 0);
    const room = { in_all: in_flight_max - this.#attempts.size, of, last_id: this.#last_id };
    const { claims, next_at } = await this.#store.write((tx) => claimDeliveries(tx, room));
    for (const claim of claims) {
      const sent = this.#send(claim).finally(() => this.#attempts.delete(sent));
      this.#attempts.add(sent);
    }
    this.#last_id = claims.at(-1)?.subscription.id ?? this.#last_id;
    return next_at;
  }

  async settled(): Promise<void> {
    while (this.#attempts.size > 0 || this.#recording !== null) {
      await Promise.all([...this.#attempts]);
      await this.#recording;
    }
  }

  async #send(claim: Claim): Promise<void> {
    const { id } = claim.subscription;
    this.#inFlight.set(id, (this.#inFlight.get(id) ?? 0) + 1);
    try {
      this.#ended.push(await attempt(claim, this.#store, this.#service, false));
      this.#recording ??= this.#record();
    } catch (error) {
      // Its lease runs out, and then it is tried again.
      const delivery = wireId("delivery", claim.delivery.id);
      this.#service.log.error("a delivery could not be sent", { delivery, error: String(error) });
    } finally {
      const left = (this.#inFlight.get(id) ?? 1) - 1;
      if (left === 0) this.#inFlight.delete(id);
      else this.#inFlight.set(id, left);
    }
  }

  /** Records what has ended; what ends meanwhile is recorded together. */
  async #record(): Promise<void> {
    try {
      while (this.#ended.length > 0) {
        const ended = this.#ended.splice(0, recorded_together_max);
        const entered = await this.#store.write((tx) => recordAttempts(tx, ended));
        for (const { subscription_id, status } of entered) {
          const subscription = wireId("subscription", subscription_id);
          this.#service.log.warn("a subscription changed", { mode: this.#store.mode, subscription, status });
        }
      }
    } catch (error) {
      this.#service.log.error("attempts could not be recorded", { error: String(error) });
    } finally {
      this.#recording = null;
    }
  }
}
