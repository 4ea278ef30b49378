// Sends hints of events and of changes by requests to all listeners, and ends the streams of listeners whose access has
// ended. Without listeners it does nothing.

import { iso } from "../../core/clock.ts";
import { engine } from "../../core/config.ts";
import { Fault } from "../../core/faults.ts";
import { counter, gauge } from "../../core/metrics.ts";
import { lastPosition, listAfterPosition } from "../../events/events.sql.ts";
import { requestPathOf } from "../../http/request_input.ts";
import type { Service } from "../../http/service.ts";
import type { RequestTrace } from "../../http/trace.ts";
import type { FollowedRecords, JobName } from "../../storage/commit_effects.ts";
import type { Store } from "../../storage/database.ts";
import { type ChangeOfCall, type Hint, hintOfEvent, idsIn, Ring, type UnnumberedHint } from "./hint.ts";
import { heartbeat, hintText, readyText, resyncText, type Stream } from "./hint_stream.ts";
import { changedOwners, type JobMarks, type JobNoun, jobMarks } from "./job_changes.sql.ts";

const streams = gauge("packhouse_live_streams", "Streams of hints to the dashboard that are open.", ["mode"]);
const dropped = counter("packhouse_live_streams_dropped_total", "Streams whose client took too little.", ["mode"]);

const heartbeat_ms = 15_000;
// Hints within this time are sent together, without duplicates.
const gather_ms = 50;
const jobs_told_every_ms = 500;
// With more hints than this at once, clients reload everything instead, which is cheaper.
const batch_max = 512;
// The polling interval for commits of other servers.
const other_servers_ms = 500;
// A client that reconnects within this time receives the missed hints.
const linger_ms = 60_000;

// Jobs that change lists without an event.
const changed_by_jobs: { readonly [Name in JobName]?: JobNoun } = {
  "webhooks.mail": "notices",
  "platforms.import": "platforms",
  "platforms.report": "platforms",
  "platforms.stock": "platforms",
  "orders.hold_suspended": "orders",
};

/** A client that receives hints. */
export interface Listener {
  readonly stream: Stream;
  /** Whether the client may call the hint's route and see records of its audience. */
  readonly may: (hint: Pick<UnnumberedHint, "reads" | "audience">) => boolean;
  /** Throws if the client may no longer listen or its permissions have changed. */
  readonly check: () => Promise<void>;
  /** Ends the connection of a client that does not read. */
  readonly disconnect: () => void;
}

/** The hints of one store. */
export class Feed {
  readonly #store: Store;
  readonly #service: Service;
  readonly #changes: ReadonlyMap<string, ChangeOfCall>;
  readonly #ring = new Ring();
  readonly #listeners = new Set<Listener>();
  /** The position of the last event sent; null without listeners. */
  #position: number | null = null;
  #starting: Promise<void> | null = null;
  #polling = false;
  #again = false;
  /** The pending hints, by the records they are about. */
  readonly #pending = new Map<string, UnnumberedHint>();
  /** Lists changed by jobs, to be sent shortly. */
  readonly #soon = new Set<JobNoun>();
  /** The position up to which changes by jobs were read, by list. */
  readonly #marks = new Map<JobNoun, JobMarks>();
  #last_sent_at = Number.NEGATIVE_INFINITY;
  #send_timer: Timer | undefined;
  #lingering: Timer | undefined;
  #timers: Timer[] = [];

  constructor(store: Store, service: Service, changes: ReadonlyMap<string, ChangeOfCall>) {
    this.#store = store;
    this.#service = service;
    this.#changes = changes;
    store.onWake((name, at) => {
      const noun = changed_by_jobs[name];
      // Work that is due later has changed nothing yet.
      if (noun !== undefined && at <= store.clock.now()) this.#queueSoon(noun);
    });
    store.onChange((followed) => this.#changed(followed));
    // Users of both environments are in the live store.
    service.stores.live.onChange((followed) => {
      if (followed === "users") this.#tryCheck();
    });
    service.observers.push((request, trace, status) => this.#answered(request, trace, status));
    service.ending.addEventListener("abort", () => this.#close());
  }

  /** Starts following events, unless it already does. */
  async follow(): Promise<void> {
    clearTimeout(this.#lingering);
    if (this.#position !== null) return;
    this.#starting ??= this.#start().finally(() => {
      this.#starting = null;
    });
    await this.#starting;
  }

  /** Sends a listener the hints since the last one it saw, then all new ones. */
  add(listener: Listener, last_seen: string | null): void {
    clearTimeout(this.#lingering);
    this.#listeners.add(listener);
    streams.add(1, this.#store.mode);
    const missed = last_seen === null ? [] : this.#ring.after(last_seen);
    const last = this.#ring.lastFor(listener.may);
    this.#send(listener, missed === null ? resyncText(last) : readyText(last_seen ?? last));
    for (const one of missed ?? []) if (listener.may(one)) this.#send(listener, hintText(one.hint));
  }

  /** Removes a listener whose stream has ended. */
  remove(listener: Listener): void {
    if (!this.#listeners.delete(listener)) return;
    streams.add(-1, this.#store.mode);
    if (this.#listeners.size > 0) return;
    this.#lingering = setTimeout(() => this.#rest(), linger_ms);
    this.#lingering.unref();
  }

  /** Ends the streams of listeners whose access has ended. */
  async check(): Promise<void> {
    for (const { stream, check } of [...this.#listeners]) {
      await check().catch((error) => {
        if (error instanceof Fault) stream.end();
      });
    }
  }

  /** Queues a hint of a request's change. */
  #answered({ method, url }: Request, { route, mode, rehearsed, merchant_id }: RequestTrace, status: number): void {
    if (this.#position === null || method === "GET" || status >= 300 || rehearsed) return;
    const changed = mode === this.#store.mode ? this.#changes.get(`${method} ${route}`) : undefined;
    if (changed === undefined || route === null) return;
    const ids = idsIn(route, requestPathOf(url).path);
    this.#queue({ ...changed, type: "changed", ids, at: this.#now(), audience: merchant_id });
  }

  #now(): string {
    return iso(this.#store.clock.now());
  }

  async #start(): Promise<void> {
    this.#ring.clear();
    const marks = await this.#store.read(async (db) => jobMarks(db));
    for (const noun of ["notices", "orders", "platforms", "webhooks"] as const) this.#marks.set(noun, marks);
    this.#position = await this.#store.read(lastPosition);
    const every = (ms: number, act: () => void) => {
      const timer = setInterval(act, ms);
      timer.unref();
      this.#timers.push(timer);
    };
    every(heartbeat_ms, () => {
      for (const listener of this.#listeners) this.#send(listener, heartbeat);
      this.#tryCheck();
    });
    if (engine === "postgres") every(other_servers_ms, () => void this.#poll());
  }

  #rest(): void {
    if (this.#listeners.size > 0) return;
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    clearTimeout(this.#send_timer);
    clearTimeout(this.#lingering);
    this.#send_timer = undefined;
    this.#pending.clear();
    this.#position = null;
  }

  #close(): void {
    for (const { stream } of [...this.#listeners]) stream.end();
    this.#rest();
  }

  #changed(followed: FollowedRecords): void {
    if (this.#position === null) return;
    if (followed === "events") void this.#poll();
    else if (followed === "keys") this.#tryCheck();
    else if (followed === "attempts") this.#queueSoon("webhooks");
  }

  /** Queues a check for changes by a job, at most once per interval. */
  #queueSoon(noun: JobNoun): void {
    if (this.#position === null || this.#soon.has(noun)) return;
    this.#soon.add(noun);
    const timer = setTimeout(() => {
      this.#soon.delete(noun);
      this.#queueJobChanges(noun).catch((error) => {
        this.#service.log.warn("changes were not followed", { mode: this.#store.mode, noun, error: String(error) });
      });
    }, jobs_told_every_ms);
    timer.unref();
  }

  /** Queues hints of a list that jobs changed, for the operator and the owners of the changed records. */
  async #queueJobChanges(noun: JobNoun): Promise<void> {
    const since = this.#marks.get(noun);
    if (this.#position === null || since === undefined) return;
    const audience = await this.#store.read(async (db) => {
      // Taken before the query, so that a change during the query is reported twice rather than never.
      this.#marks.set(noun, jobMarks(db));
      return changedOwners(db, noun, since);
    });
    if (this.#position === null) return;
    this.#queue({ type: "changed", noun, reads: `GET /${noun}`, ids: [], at: this.#now(), audience });
  }

  #tryCheck(): void {
    this.check().catch((error) => this.#service.log.warn("listeners were not checked", { error: String(error) }));
  }

  /** Reads new events until there are no more. */
  async #poll(): Promise<void> {
    this.#again = true;
    if (this.#polling) return;
    this.#polling = true;
    try {
      while (this.#again) {
        this.#again = false;
        await this.#read();
        // Groups many commits into one read.
        if (this.#again) await Bun.sleep(gather_ms);
      }
    } catch (error) {
      this.#service.log.warn("events were not followed", { mode: this.#store.mode, error: String(error) });
      setTimeout(() => void this.#poll(), other_servers_ms).unref();
    } finally {
      this.#polling = false;
    }
  }

  async #read(): Promise<void> {
    const after = this.#position;
    if (after === null) return;
    const found = await this.#store.read((db) => listAfterPosition(db, after, batch_max + 1));
    if (this.#position === null) return;
    if (found.length > batch_max) {
      this.#position = await this.#store.read(lastPosition);
      this.#resync();
      return;
    }
    this.#position = found.at(-1)?.position ?? after;
    for (const { type, body, created_at, merchant_id } of found) {
      if (body !== "") this.#queue(hintOfEvent(type, body, iso(created_at), merchant_id));
    }
  }

  /** Sends a hint immediately, or after a short delay if another was just sent. */
  #queue(hint: UnnumberedHint): void {
    this.#pending.set(`${hint.type} ${hint.noun} ${hint.audience} ${hint.ids.join(" ")}`, hint);
    if (this.#send_timer !== undefined) return;
    const wait_ms = Math.max(0, this.#last_sent_at + gather_ms - performance.now());
    this.#send_timer = setTimeout(() => this.#sendPending(), wait_ms);
  }

  #sendPending(): void {
    this.#send_timer = undefined;
    this.#last_sent_at = performance.now();
    const hints = [...this.#pending.values()];
    this.#pending.clear();
    if (hints.length > batch_max) this.#resync();
    else for (const one of hints) this.#spread(this.#ring.add(one), one);
  }

  #spread(hint: Hint, content: UnnumberedHint): void {
    const text = hintText(hint);
    for (const listener of this.#listeners) if (listener.may(content)) this.#send(listener, text);
  }

  #resync(): void {
    this.#pending.clear();
    this.#ring.clear();
    for (const listener of this.#listeners) this.#send(listener, resyncText(this.#ring.lastFor(listener.may)));
  }

  #send(listener: Listener, text: Uint8Array): void {
    if (listener.stream.send(text)) return;
    dropped.add(1, this.#store.mode);
    listener.disconnect();
    listener.stream.end();
  }
}
