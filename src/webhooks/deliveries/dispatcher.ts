// The dispatcher sends the deliveries of one store. Nothing is sent inside a transaction: deliveries are claimed in
// one, sent, and recorded in another.

import { wireId } from "../../core/ids.ts";
import { reportDeliveryLag } from "../../http/backpressure.ts";
import type { Service } from "../../http/service.ts";
import type { Store, Tx } from "../../storage/database.ts";
import type { Subscription } from "../subscriptions/subscription.ts";
import { claimDeliveries, recordAttempts, returnClaims } from "./claim_deliveries.ts";
import type { DeliveryClaim, FinishedAttempt } from "./delivery_claim.ts";
import type { ClaimCapacity } from "./receiver_queues.ts";
import { ReceiverQueues } from "./receiver_queues.ts";
import { attempt, default_deadlines } from "./send_delivery.ts";

const recorded_together_max = 128;
// A subscription with a free slot and nothing claimed waits less for the next turn.
const gather_ms = 5;
const gather_more_ms = 20;
const rest_ms = 1000;

const dispatchers = new WeakMap<Store, Dispatcher>();

/** Notifies the operator, in the transaction that recorded the attempts, of subscriptions whose status changed. */
type AnnounceEntered = (tx: Tx, entered: readonly Subscription[]) => Promise<void>;

/** The one dispatcher of a store, created on first use. */
export function dispatcherOf(store: Store, service: Service, tellEntered: AnnounceEntered): Dispatcher {
  let dispatcher = dispatchers.get(store);
  if (dispatcher === undefined) {
    dispatcher = new Dispatcher(store, service, tellEntered);
    dispatchers.set(store, dispatcher);
  }
  return dispatcher;
}

/** Waits until every attempt of a store in progress is over and recorded. */
export async function attemptsSettled(store: Store): Promise<void> {
  await dispatchers.get(store)?.settled();
}

/**
 * Waits until this server has written to a subscription's receiver everything that it has signed so far; at most as
 * long as a connection may take.
 */
export async function requestsWritten(store: Store, subscription_id: number): Promise<void> {
  await dispatchers.get(store)?.written(subscription_id, default_deadlines.connect_ms);
}

/**
 * Sends the deliveries of one store, as many at once as allowed. It works in turns: one transaction records what has
 * ended and claims what there is room for. Between turns, deliveries claimed ahead are sent as slots become free.
 */
class Dispatcher {
  readonly #store: Store;
  readonly #service: Service;
  readonly #tellEntered: AnnounceEntered;
  readonly #lines = new ReceiverQueues();
  #ended: FinishedAttempt[] = [];
  /** The present turn, or the last one. */
  #turn: Promise<void> = Promise.resolve();
  /** The turn after that, if one was requested. */
  #next: Promise<void> | null = null;
  #gathering: { readonly timer: Timer; readonly until: number } | null = null;
  #taking = false;
  #resting = false;

  constructor(store: Store, service: Service, tellEntered: AnnounceEntered) {
    this.#store = store;
    this.#service = service;
    this.#tellEntered = tellEntered;
  }

  /** The next turn. All who request it before it begins share it. */
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

  /** Waits until every attempt in progress is recorded. Until then nothing more is claimed. */
  async settled(): Promise<void> {
    this.#resting = true;
    await (this.#next ?? this.#turn).catch(() => {});
    this.#lines.stopAll();
    // The attempts that a turn is recording are listed nowhere else until it ends.
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
      const { entered, claims, behind_ms } = await this.#store.write((tx) => this.#act(tx, ended, unwanted, room));
      reportDeliveryLag(this.#store, behind_ms);
      for (const { id, status } of entered) {
        const facts = { mode: this.#store.mode, subscription: wireId("subscription", id), status };
        this.#service.log.warn("a subscription changed", facts);
      }
      this.#lines.add(claims);
      for (const id of new Set(claims.map(({ subscription }) => subscription.id))) this.#proceed(id);
      if (this.#ended.length > 0 || this.#lines.hasUnwanted) this.#gather(gather_ms);
    } catch (error) {
      // What was not recorded is tried again once its claim has expired.
      this.#service.log.error("deliveries could not be recorded or claimed", { error: String(error) });
      this.#gather(rest_ms);
      throw error;
    } finally {
      this.#taking = false;
    }
  }

  /** Records and releases deliveries, and claims as many as there is room for; with null it claims none. */
  async #act(
    tx: Tx,
    ended: readonly FinishedAttempt[],
    unwanted: readonly DeliveryClaim[],
    room: ClaimCapacity | null,
  ) {
    const entered = ended.length === 0 ? [] : await recordAttempts(tx, ended);
    await this.#tellEntered(tx, entered);
    await returnClaims(tx, unwanted);
    if (room === null) {
      tx.wake("webhooks.deliver", tx.now);
      return { entered, claims: [], behind_ms: 0 };
    }
    const { claims, next_at, behind_ms } = await claimDeliveries(tx, room);
    if (next_at !== null) tx.wake("webhooks.deliver", next_at);
    return { entered, claims, behind_ms };
  }

  /** Sends deliveries of a line for which there are slots. */
  #proceed(subscription_id: number): void {
    for (;;) {
      const claim = this.#lines.next(subscription_id);
      if (claim === null) return;
      this.#lines.begin(claim, this.#send(claim));
    }
  }

  async #send(claim: DeliveryClaim): Promise<void> {
    let finished: FinishedAttempt | null = null;
    try {
      finished = await attempt(claim, this.#store, this.#service, false);
      this.#ended.push(finished);
    } catch (error) {
      // Its claim expires, and then it is tried again.
      const delivery = wireId("delivery", claim.delivery.id);
      this.#service.log.error("a delivery could not be sent", { delivery, error: String(error) });
    }
    const { id } = claim.subscription;
    this.#lines.end(claim, finished?.result ?? null);
    this.#proceed(id);
    if (this.#ended.length >= Math.min(this.#lines.count, recorded_together_max)) this.#ask();
    else this.#gather(this.#lines.isDry(id) ? gather_ms : gather_more_ms);
  }

  /** Requests a turn within a time, unless one comes sooner: each commit costs, so ended attempts are collected. */
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

  /** Requests a turn without waiting for it. It logs its own failures. */
  #ask(): void {
    this.turn().catch(() => {});
  }
}
