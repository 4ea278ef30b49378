// The acts of the clock: events become deliveries, deliveries are sent. Nothing is sent inside a transaction: they are
// claimed in one, sent, and recorded in another.
import type { Store } from "../../database/store.ts";
import { default_ports, ranges } from "../../http/destination.ts";
import type { Service } from "../../http/service.ts";
import { systemClock } from "../../kit/clock.ts";
import { randomId, wireId } from "../../kit/ids.ts";
import { counter, gauge, histogram } from "../../kit/meter.ts";
import type { Mode } from "../../kit/mode.ts";
import { type Claimed, claimDeliveries } from "../claims/commands.ts";
import { afterLoad, type Busy, full_load, type Load } from "../claims/slots.ts";
import { createSender, default_deadlines, type Sender } from "../sender.ts";
import { fanOut, recordAttempts } from "./commands.ts";
import { type Claim, type Finished, isLate, signed } from "./delivery.ts";

const recorded_together_max = 64;

const attempts_made = counter("packhouse_delivery_attempts_total", "Attempts at deliveries.", ["mode", "outcome"]);
const attempt_seconds = histogram(
  "packhouse_delivery_attempt_seconds",
  "How long attempts at deliveries took.",
  [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  ["mode"],
);
const under_way = gauge("packhouse_deliveries_under_way", "Attempts that wait for their receiver.", ["mode"]);

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

/**
 * Waits until what was signed for a subscription before now is written to its receiver, by this server: for as long as
 * a connection may take at most.
 */
export async function requestsWritten(store: Store, subscription_id: number): Promise<void> {
  await dispatchers.get(store)?.written(subscription_id, default_deadlines.connect_ms);
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
  const begun_at = performance.now();
  under_way.add(1, store.mode);
  const result = await senderOf(service, store.mode)
    .send(sending)
    .finally(() => under_way.add(-1, store.mode));
  attempts_made.add(1, store.mode, result.error?.code ?? "delivered");
  attempt_seconds.observe((performance.now() - begun_at) / 1000, store.mode);
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
  /** Attempts under way, by subscription. */
  readonly #busy = new Map<number, Map<Promise<void>, Claim>>();
  readonly #loads = new Map<number, Load>();
  #claiming: Promise<Claimed> | null = null;
  #last_id = 0;
  #ended: Finished[] = [];
  #recording: Promise<void> | null = null;

  constructor(store: Store, service: Service) {
    this.#store = store;
    this.#service = service;
  }

  async round(): Promise<number | null> {
    const busy = new Map(this.#busy.entries().map(([id, claims]) => [id, busyWith([...claims.values()])]));
    const room = { busy, limitOf: (id: number) => this.#loadOf(id).limit, last_id: this.#last_id };
    this.#claiming = this.#store.write((tx) => claimDeliveries(tx, room));
    const { claims, next_at } = await this.#claiming.finally(() => {
      this.#claiming = null;
    });
    for (const claim of claims) this.#begin(claim);
    this.#last_id = claims.at(-1)?.subscription.id ?? this.#last_id;
    return next_at;
  }

  async settled(): Promise<void> {
    while (this.#busy.size > 0 || this.#recording !== null) {
      await Promise.all(this.#busy.values().flatMap((claims) => claims.keys()));
      await this.#recording;
    }
  }

  async written(subscription_id: number, most_ms: number): Promise<void> {
    await this.#claiming?.catch(() => {});
    const attempts = this.#busy.get(subscription_id)?.keys() ?? [];
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, most_ms);
    await Promise.race([Promise.all(attempts), late.promise]);
    clearTimeout(timer);
  }

  #loadOf(subscription_id: number): Load {
    return this.#loads.get(subscription_id) ?? full_load;
  }

  #begin(claim: Claim): void {
    const { id } = claim.subscription;
    const claims = this.#busy.get(id) ?? new Map<Promise<void>, Claim>();
    this.#busy.set(id, claims);
    const sent = this.#send(claim).finally(() => {
      claims.delete(sent);
      if (claims.size === 0) this.#busy.delete(id);
    });
    claims.set(sent, claim);
  }

  async #send(claim: Claim): Promise<void> {
    const { id } = claim.subscription;
    try {
      const finished = await attempt(claim, this.#store, this.#service, false);
      const load = afterLoad(this.#loadOf(id), finished.result);
      if (load.limit === full_load.limit) this.#loads.delete(id);
      else this.#loads.set(id, load);
      this.#ended.push(finished);
      this.#recording ??= this.#record();
    } catch (error) {
      // Its lease runs out, and then it is tried again.
      const delivery = wireId("delivery", claim.delivery.id);
      this.#service.log.error("a delivery could not be sent", { delivery, error: String(error) });
    }
  }

  /** Records what has ended; what ends meanwhile is recorded together. */
  async #record(): Promise<void> {
    try {
      while (this.#ended.length > 0) {
        const ended = this.#ended.splice(0, recorded_together_max);
        const entered = await this.#store.write((tx) => recordAttempts(tx, ended, this.#service.mail !== null));
        for (const { subscription, status } of entered) {
          const facts = { mode: this.#store.mode, subscription: wireId("subscription", subscription.id), status };
          this.#service.log.warn("a subscription changed", facts);
        }
      }
    } catch (error) {
      this.#service.log.error("attempts could not be recorded", { error: String(error) });
    } finally {
      this.#recording = null;
    }
  }
}

const busyWith = (claims: readonly Claim[]): Busy => ({
  all: claims.length,
  late: claims.filter(({ delivery }) => isLate(delivery)).length,
});
