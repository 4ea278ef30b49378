// The acts of the clock: events become deliveries, deliveries are sent. Nothing is sent inside a transaction: they are
// claimed in one, sent, and recorded in another.
import type { Store, Tx } from "../../database/store.ts";
import type { Service } from "../../http/service.ts";
import { systemClock } from "../../kit/clock.ts";
import { wireId } from "../../kit/ids.ts";
import { counter, gauge, histogram } from "../../kit/meter.ts";
import type { Mode } from "../../kit/mode.ts";
import { default_ports, ranges } from "../../outbound/destination.ts";
import { claimDeliveries, giveBack } from "../dispatch/commands.ts";
import { Lines } from "../dispatch/lines.ts";
import type { Room } from "../dispatch/rules.ts";
import { createSender, default_deadlines, type Sender } from "../dispatch/sender.ts";
import { fanOut, recordAttempts } from "./commands.ts";
import { type Claim, type Finished, signed } from "./delivery.ts";

const recorded_together_max = 128;
// A subscription with a free slot waits less long for the next turn than one that has claimed some ahead.
const gather_ms = 5;
const gather_more_ms = 20;
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

/** A round of `webhooks.fan_out`: the oldest new events become deliveries. */
export async function fanOutEvents(store: Store): Promise<number | null> {
  const more = await store.write(fanOut);
  return more ? store.clock.now() : null;
}

/** Hands out what waits, some in each transaction, so that little is left for one that hands out all. */
export async function fanOutWaiting(store: Store): Promise<void> {
  while (await store.write(fanOut));
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
  const { sending, signatures } = signed(claim, test, service.secret_key, realTime.now(), started_at);
  const begun_at = performance.now();
  under_way.add(1, store.mode);
  const result = await senderOf(service, store.mode)
    .send(sending)
    .finally(() => under_way.add(-1, store.mode));
  attempts_made.add(1, store.mode, result.error?.code ?? "delivered");
  attempt_seconds.observe((performance.now() - begun_at) / 1000, store.mode);
  return { claim, signatures, result, started_at, real_now: realTime.now(), random: draw() };
}

/** A number from 0 up to 1. */
function draw(): number {
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1));
  return number / 2 ** 32;
}

/**
 * Sends the deliveries of one store, as many at once as may be. It works in turns, one after another: in one
 * transaction what has ended is recorded and what there is room for is claimed. Between turns, what was claimed ahead
 * begins to be sent as soon as there is a slot.
 */
class Dispatcher {
  readonly #store: Store;
  readonly #service: Service;
  readonly #lines = new Lines();
  #ended: Finished[] = [];
  /** The present turn, or the last one. */
  #turn: Promise<void> = Promise.resolve();
  /** The turn after that, if one was asked for. */
  #next: Promise<void> | null = null;
  #gathering: { readonly timer: Timer; readonly until: number } | null = null;
  #taking = false;
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
    this.#lines.stopAll();
    // What a turn has taken up to record is nowhere else until it ends.
    while (this.#taking || this.#lines.count > 0 || this.#lines.hasUnwanted || this.#ended.length > 0) {
      await Promise.all(this.#lines.ends());
      await this.turn().catch(() => {});
    }
    this.#stopGathering();
    this.#resting = false;
  }

  async written(subscription_id: number, most_ms: number): Promise<void> {
    await this.#turn.catch(() => {});
    this.#lines.stop(subscription_id);
    this.#gather(gather_ms);
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, most_ms);
    await Promise.race([Promise.all(this.#lines.ends(subscription_id)), late.promise]);
    clearTimeout(timer);
  }

  async #take(): Promise<void> {
    this.#taking = true;
    this.#stopGathering();
    const ended = this.#ended.splice(0, recorded_together_max);
    const unwanted = this.#lines.takeUnwanted();
    const room = this.#resting ? null : this.#lines.room();
    try {
      const { entered, claims } = await this.#store.write((tx) => this.#act(tx, ended, unwanted, room));
      for (const { subscription, status } of entered) {
        const facts = { mode: this.#store.mode, subscription: wireId("subscription", subscription.id), status };
        this.#service.log.warn("a subscription changed", facts);
      }
      this.#lines.add(claims);
      for (const id of new Set(claims.map(({ subscription }) => subscription.id))) this.#proceed(id);
      if (this.#ended.length > 0 || this.#lines.hasUnwanted) this.#gather(gather_ms);
    } catch (error) {
      // What was not recorded is tried again once its lease has run out.
      this.#service.log.error("deliveries could not be recorded or claimed", { error: String(error) });
      this.#gather(rest_ms);
      throw error;
    } finally {
      this.#taking = false;
    }
  }

  /** Records, gives back, and claims as much as there is room for; null claims nothing. */
  async #act(tx: Tx, ended: readonly Finished[], unwanted: readonly Claim[], room: Room | null) {
    const entered = ended.length === 0 ? [] : await recordAttempts(tx, ended, this.#service.mail !== null);
    await giveBack(tx, unwanted);
    if (room === null) {
      tx.wake("webhooks.deliver", tx.now);
      return { entered, claims: [] };
    }
    const { claims, next_at } = await claimDeliveries(tx, room);
    if (next_at !== null) tx.wake("webhooks.deliver", next_at);
    return { entered, claims };
  }

  /** Begins to send of a line what there are slots for. */
  #proceed(subscription_id: number): void {
    for (;;) {
      const claim = this.#lines.next(subscription_id);
      if (claim === null) return;
      this.#lines.begin(claim, this.#send(claim));
    }
  }

  async #send(claim: Claim): Promise<void> {
    let finished: Finished | null = null;
    try {
      finished = await attempt(claim, this.#store, this.#service, false);
      this.#ended.push(finished);
    } catch (error) {
      // Its lease runs out, and then it is tried again.
      const delivery = wireId("delivery", claim.delivery.id);
      this.#service.log.error("a delivery could not be sent", { delivery, error: String(error) });
    }
    const { id } = claim.subscription;
    this.#lines.end(claim, finished?.result ?? null);
    this.#proceed(id);
    if (this.#ended.length >= Math.min(this.#lines.count, recorded_together_max)) this.#ask();
    else this.#gather(this.#lines.isDry(id) ? gather_ms : gather_more_ms);
  }

  /** Asks for a turn within so long, unless one will be sooner: a commit costs, so what ends is gathered. */
  #gather(within_ms: number): void {
    const until = performance.now() + within_ms;
    if (this.#gathering !== null && this.#gathering.until <= until) return;
    this.#stopGathering();
    this.#gathering = { timer: setTimeout(() => this.#ask(), within_ms), until };
  }

  #stopGathering(): void {
    clearTimeout(this.#gathering?.timer);
    this.#gathering = null;
  }

  /** Asks for a turn that nobody waits for; if it fails it has said so. */
  #ask(): void {
    this.turn().catch(() => {});
  }
}
