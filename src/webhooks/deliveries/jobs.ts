// The acts of the clock: events become deliveries, deliveries are sent. Nothing is sent inside a transaction: they are
// claimed in one, sent, and recorded in another.
import type { Store, Tx } from "../../database/store.ts";
import { default_ports, ranges } from "../../http/destination.ts";
import type { Service } from "../../http/service.ts";
import { systemClock } from "../../kit/clock.ts";
import { randomId, wireId } from "../../kit/ids.ts";
import { counter, gauge, histogram } from "../../kit/meter.ts";
import type { Mode } from "../../kit/mode.ts";
import { claimDeliveries, type Room } from "../claims/commands.ts";
import { afterLoad, type Busy, full_load, type Load } from "../claims/slots.ts";
import { createSender, default_deadlines, type Sender } from "../sender.ts";
import { fanOut, recordAttempts } from "./commands.ts";
import { type Claim, type Finished, isLate, signed } from "./delivery.ts";

const recorded_together_max = 64;
const gather_ms = 5;
const rest_ms = 1000;

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
  await dispatcher.turn();
  return null;
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

/**
 * Sends the deliveries of one store, as many at once as may be. It works in turns, one after another: in one
 * transaction what has ended is recorded and what there is room for is claimed, and then that begins to be sent.
 */
class Dispatcher {
  readonly #store: Store;
  readonly #service: Service;
  /** Attempts under way, by subscription. */
  readonly #busy = new Map<number, Map<Promise<void>, Claim>>();
  readonly #loads = new Map<number, Load>();
  /** Subscriptions of which a late delivery was claimed last. */
  readonly #late = new Set<number>();
  #last_id = 0;
  #ended: Finished[] = [];
  /** The present turn, or the last one. */
  #turn: Promise<void> = Promise.resolve();
  /** The turn after that, if one was asked for. */
  #next: Promise<void> | null = null;
  #gathering: Timer | undefined;
  #resting = false;

  constructor(store: Store, service: Service) {
    this.#store = store;
    this.#service = service;
  }

  /** The next turn: whoever asks before it begins shares it. */
  turn(): Promise<void> {
    this.#next ??= this.#turn
      .catch(() => {})
      .then(() => {
        this.#next = null;
        this.#turn = this.#take();
        return this.#turn;
      });
    return this.#next;
  }

  /** Waits until every attempt under way is recorded. Until then nothing more is claimed. */
  async settled(): Promise<void> {
    this.#resting = true;
    await (this.#next ?? this.#turn).catch(() => {});
    while (this.#busy.size > 0 || this.#ended.length > 0) {
      await Promise.all(this.#busy.values().flatMap((claims) => claims.keys()));
      await this.turn().catch(() => {});
    }
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#resting = false;
  }

  async written(subscription_id: number, most_ms: number): Promise<void> {
    await this.#turn.catch(() => {});
    const attempts = this.#busy.get(subscription_id)?.keys() ?? [];
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, most_ms);
    await Promise.race([Promise.all(attempts), late.promise]);
    clearTimeout(timer);
  }

  async #take(): Promise<void> {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    const ended = this.#ended.splice(0, recorded_together_max);
    try {
      const { entered, claims } = await this.#store.write((tx) => this.#act(tx, ended));
      for (const { subscription, status } of entered) {
        const facts = { mode: this.#store.mode, subscription: wireId("subscription", subscription.id), status };
        this.#service.log.warn("a subscription changed", facts);
      }
      for (const claim of claims) this.#begin(claim);
      this.#last_id = claims.at(-1)?.subscription.id ?? this.#last_id;
      if (this.#ended.length > 0) this.#gather();
    } catch (error) {
      // What was not recorded is tried again once its lease has run out.
      this.#service.log.error("deliveries could not be recorded or claimed", { error: String(error) });
      this.#gathering ??= setTimeout(() => this.#ask(), rest_ms);
      throw error;
    }
  }

  async #act(tx: Tx, ended: readonly Finished[]) {
    const entered = ended.length === 0 ? [] : await recordAttempts(tx, ended, this.#service.mail !== null);
    if (this.#resting) {
      tx.wake("webhooks.deliver", tx.now);
      return { entered, claims: [] };
    }
    const { claims, next_at } = await claimDeliveries(tx, this.#room());
    if (next_at !== null) tx.wake("webhooks.deliver", next_at);
    return { entered, claims };
  }

  #room(): Room {
    const busy = new Map(this.#busy.entries().map(([id, claims]) => [id, busyWith([...claims.values()])]));
    const wasLate = (id: number) => this.#late.has(id);
    return { busy, limitOf: (id) => this.#loadOf(id).limit, last_id: this.#last_id, wasLate };
  }

  #loadOf(subscription_id: number): Load {
    return this.#loads.get(subscription_id) ?? full_load;
  }

  #begin(claim: Claim): void {
    const { id } = claim.subscription;
    const claims = this.#busy.get(id) ?? new Map<Promise<void>, Claim>();
    this.#busy.set(id, claims);
    if (isLate(claim.delivery)) this.#late.add(id);
    else this.#late.delete(id);
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
      this.#gather();
    } catch (error) {
      // Its lease runs out, and then it is tried again.
      const delivery = wireId("delivery", claim.delivery.id);
      this.#service.log.error("a delivery could not be sent", { delivery, error: String(error) });
    }
  }

  /** Asks for a turn at once when as many have ended as are under way still, else a little later: a commit costs. */
  #gather(): void {
    const going = this.#busy.values().reduce((sum, claims) => sum + claims.size, 0);
    if (this.#ended.length >= Math.min(going, recorded_together_max)) this.#ask();
    else this.#gathering ??= setTimeout(() => this.#ask(), gather_ms);
  }

  /** Asks for a turn that nobody waits for; if it fails it has said so. */
  #ask(): void {
    this.turn().catch(() => {});
  }
}

const busyWith = (claims: readonly Claim[]): Busy => ({
  all: claims.length,
  late: claims.filter(({ delivery }) => isLate(delivery)).length,
});
