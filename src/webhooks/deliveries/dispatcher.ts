// The dispatcher sends the deliveries of one store in three steps: claim in one transaction, send in none, record in
// another.

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

const batch_size = 128;
// If a subscription has a free slot and nothing claimed, the next turn comes sooner.
const gather_ms = 5;
const gather_more_ms = 20;
const rest_ms = 1000;

const dispatchers = new WeakMap<Store, Dispatcher>();

/** Notifies the operator of subscriptions whose status changed, in the transaction that records the attempts. */
type AnnounceEntered = (tx: Tx, entered: readonly Subscription[]) => Promise<void>;

/** Returns the dispatcher of a store, created on first use. */
export function dispatcherOf(store: Store, service: Service, announceEntered: AnnounceEntered): Dispatcher {
  return dispatchers.getOrInsertComputed(store, () => new Dispatcher(store, service, announceEntered));
}

/** Waits until all attempts of a store in progress have ended and are recorded. */
export async function attemptsSettled(store: Store): Promise<void> {
  await dispatchers.get(store)?.settled();
}

/**
 * Waits until this server has sent a subscription's receiver everything signed so far, at most for a connection
 * timeout.
 */
export async function requestsWritten(store: Store, subscription_id: number): Promise<void> {
  await dispatchers.get(store)?.written(subscription_id, default_deadlines.connect_ms);
}

/**
 * Sends the deliveries of one store with limited concurrency. It works in turns: one transaction records ended attempts
 * and claims new deliveries. Between turns, deliveries that were claimed ahead are sent as slots become free.
 */
class Dispatcher {
  readonly #store: Store;
  readonly #service: Service;
  readonly #announceEntered: AnnounceEntered;
  readonly #queues = new ReceiverQueues();
  #ended: FinishedAttempt[] = [];
  /** The present or last turn. */
  #turn: Promise<void> = Promise.resolve();
  /** The turn after that, if requested. */
  #next: Promise<void> | null = null;
  #gathering: { readonly timer: Timer; readonly until: number } | null = null;
  #taking = false;
  #settling = false;

  constructor(store: Store, service: Service, announceEntered: AnnounceEntered) {
    this.#store = store;
    this.#service = service;
    this.#announceEntered = announceEntered;
  }

  /** Returns the next turn. All requests before it begins share it. */
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

  /** Waits until all attempts in progress are recorded. Nothing new is claimed before. */
  async settled(): Promise<void> {
    this.#settling = true;
    await (this.#next ?? this.#turn).catch(() => {});
    this.#queues.stopAll();
    // Attempts that a turn is recording are listed nowhere else until it ends.
    while (this.#taking || this.#queues.count > 0 || this.#queues.hasUnwanted || this.#ended.length > 0) {
      await Promise.all(this.#queues.ends());
      await this.turn().catch(() => {});
    }
    this.#stopGathering();
    this.#settling = false;
  }

  async written(subscription_id: number, most_ms: number): Promise<void> {
    await this.#turn.catch(() => {});
    this.#queues.stop(subscription_id);
    this.#gather(gather_ms);
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, most_ms);
    await Promise.race([Promise.all(this.#queues.ends(subscription_id)), late.promise]);
    clearTimeout(timer);
  }

  async #take(): Promise<void> {
    this.#taking = true;
    this.#stopGathering();
    const ended = this.#ended.splice(0, batch_size);
    const unwanted = this.#queues.takeUnwanted();
    const room = this.#settling ? null : this.#queues.room();
    try {
      const { entered, claims, behind_ms } = await this.#store.write((tx) => this.#act(tx, ended, unwanted, room));
      reportDeliveryLag(this.#store, behind_ms);
      for (const { id, status } of entered) {
        const facts = { mode: this.#store.mode, subscription: wireId("subscription", id), status };
        this.#service.log.warn("a subscription changed", facts);
      }
      this.#queues.add(claims);
      for (const id of new Set(claims.map(({ subscription }) => subscription.id))) this.#proceed(id);
      if (this.#ended.length > 0 || this.#queues.hasUnwanted) this.#gather(gather_ms);
    } catch (error) {
      // What was not recorded is tried again after its claim expires.
      this.#service.log.error("deliveries could not be recorded or claimed", { error: String(error) });
      this.#gather(rest_ms);
      throw error;
    } finally {
      this.#taking = false;
    }
  }

  /** Records and releases deliveries, and claims as many as there is capacity for; with null it claims none. */
  async #act(
    tx: Tx,
    ended: readonly FinishedAttempt[],
    unwanted: readonly DeliveryClaim[],
    room: ClaimCapacity | null,
  ) {
    const entered = ended.length === 0 ? [] : await recordAttempts(tx, ended);
    await this.#announceEntered(tx, entered);
    await returnClaims(tx, unwanted);
    if (room === null) {
      tx.wake("webhooks.deliver", tx.now);
      return { entered, claims: [], behind_ms: 0 };
    }
    const { claims, next_at, behind_ms } = await claimDeliveries(tx, room);
    if (next_at !== null) tx.wake("webhooks.deliver", next_at);
    return { entered, claims, behind_ms };
  }

  /** Sends deliveries of a queue while slots are free. */
  #proceed(subscription_id: number): void {
    for (;;) {
      const claim = this.#queues.next(subscription_id);
      if (claim === null) return;
      this.#queues.begin(claim, this.#send(claim));
    }
  }

  async #send(claim: DeliveryClaim): Promise<void> {
    let finished: FinishedAttempt | null = null;
    try {
      finished = await attempt(claim, this.#store, this.#service, false);
      this.#ended.push(finished);
    } catch (error) {
      // The claim expires, and the delivery is tried again.
      const delivery = wireId("delivery", claim.delivery.id);
      this.#service.log.error("a delivery could not be sent", { delivery, error: String(error) });
    }
    const { id } = claim.subscription;
    this.#queues.end(claim, finished?.result ?? null);
    this.#proceed(id);
    if (this.#ended.length >= Math.min(this.#queues.count, batch_size)) this.#ask();
    else this.#gather(this.#queues.isDry(id) ? gather_ms : gather_more_ms);
  }

  /** Requests a turn within a time, unless one comes sooner. Commits are costly, so ended attempts are collected. */
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

  /** Requests a turn without waiting. It logs its own failures. */
  #ask(): void {
    this.turn().catch(() => {});
  }
}
