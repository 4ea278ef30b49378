// The jobs of the service: timed jobs, and jobs that commits trigger.
import { Cron } from "croner";
import { loadPostalCodes } from "../addresses/addresses.jobs.ts";
import { closeStorage } from "../billing/storage_days.jobs.ts";
import { engine } from "../core/config.ts";
import { counter } from "../core/metrics.ts";
import { type RetrySchedule, retryWait } from "../core/retry.ts";
import { minute_ms, second_ms } from "../core/time.ts";
import { removeFiles } from "../files/files.jobs.ts";
import { buyParcelLabels } from "../floor/packing/buy_parcel_label.ts";
import { settleWaves } from "../floor/picking/waves.jobs.ts";
import { deleteOldPrintJobs, printDue, printsSettled } from "../floor/printing/print_jobs.jobs.ts";
import { forgetOldRequests } from "../http/request_log/request_log.jobs.ts";
import type { Service } from "../http/service.ts";
import { deleteExpiredAnswers } from "../http/stored_responses.sql.ts";
import { forgetOldActs, mailInvitations } from "../identity/identity.jobs.ts";
import {
  deleteOldImports,
  fileImportsSettled,
  importFiles,
  interruptFileImports,
} from "../imports/file_imports.jobs.ts";
import { expireLots, expireReservations, fillBackorders } from "../inventory/inventory.jobs.ts";
import { copyMerchantsOf } from "../merchants/merchants.jobs.ts";
import { shiftBackupRuns } from "../operations/backups/backup_runs.sql.ts";
import { backupsSettled, carryOutDecision, runBackups, settleRestored } from "../operations/backups/backups.jobs.ts";
import { checkIndexes, checkPages, notePoint } from "../operations/health/health.jobs.ts";
import { forgetUpgrades } from "../operations/upgrades/upgrade.ts";
import {
  addUpOrders,
  holdOfSuspended,
  holdRecalled,
  noteAllAllocationChanges,
  recheckAddresses,
  recheckGoods,
  releaseHolds,
  settleSuspended,
} from "../orders/orders.jobs.ts";
import { deleteOldNotifications, importDue, importsSettled, reconcile } from "../platforms/imports/imports.jobs.ts";
import { sendShipmentUpdates, shipmentUpdatesSettled } from "../platforms/shipment_updates/shipment_updates.jobs.ts";
import {
  compareStock,
  deleteOldPushes,
  pushStock,
  stockPushesSettled,
} from "../platforms/stock_updates/stock_updates.jobs.ts";
import { pendingErasures } from "../privacy/erasures.sql.ts";
import {
  deleteOldDocuments,
  deleteOldInvitations,
  eraseDue,
  eraseIdleCustomers,
  eraseOldOrders,
  shredErased,
} from "../privacy/privacy.jobs.ts";
import { askAboutAddresses } from "../shipping/carriers/address_checks.jobs.ts";
import { finishPurchases, purchasesSettled } from "../shipping/labels/label_purchases.jobs.ts";
import { deleteExpiredDocuments, drawDue } from "../shipping/printing/printed_documents.jobs.ts";
import { deleteExpiredQuotes } from "../shipping/rates/quotes.sql.ts";
import { type JobName, jobNames } from "../storage/commit_effects.ts";
import type { Store, Tx } from "../storage/database.ts";
import { writeChunks } from "../storage/database.ts";
import { shiftLeases } from "../storage/leases.ts";
import { deleteOldCallbacks, pollDue, pollsSettled } from "../tracking/tracking.jobs.ts";
import { shiftSubscriptionTimes } from "../webhooks/subscriptions/subscriptions.sql.ts";
import {
  deliverDue,
  deliveriesSettled,
  endWaiting,
  fanOutEvents,
  forgetOldDeliveries,
  mailNotices,
  queueRecoveries,
  trimBacklogs,
} from "../webhooks/webhooks.jobs.ts";
import { forgetEndedClaims, queues, takeOverEarlier, takeOverLeases } from "./lease_takeover.ts";

/** A job that runs at set times in each environment. Each run continues until nothing is left to do. */
interface TimedJob {
  /** Whether it also runs when the service starts. */
  readonly at_start?: true;
  /** A cron pattern in UTC, by the machine's clock. Seconds may come first. */
  readonly when: string;
  readonly what: string;
  readonly job: (store: Store, service: Service) => Promise<void>;
}

/** A job that runs when a commit requests it (`tx.wake`), or at the time that its last round returned. */
export interface TriggeredJob {
  readonly what: string;
  /** One bounded round. Returns when to run next (ms, the store's clock), or null to wait for a wake. */
  readonly job: (store: Store, service: Service) => Promise<number | null>;
  /** Asks long work that rounds left running to end early, before the service stops. */
  readonly interrupt?: (store: Store) => void;
  /** Waits for work that rounds left running. */
  readonly settle?: (store: Store) => Promise<void>;
}

// Rows in one transaction, which blocks all other writes.
const deleted_batch_max = 1000;

const rounds = counter("packhouse_job_rounds_total", "Rounds of jobs that succeeded.", ["job", "mode"]);
const failed_rounds = counter("packhouse_job_failures_total", "Rounds of jobs that failed.", ["job", "mode"]);
const held_rounds = counter(
  "packhouse_job_held_rounds_total",
  "Rounds of jobs that were delayed because the job ran without a pause.",
  ["job", "mode"],
);

async function forgetAnswers(store: Store, service: Service): Promise<void> {
  await writeChunks(store, service, (tx) => deleteExpiredAnswers(tx, deleted_batch_max));
}

/** Deletes ended claims and expired quotes. */
async function forgetEnded(store: Store, service: Service): Promise<void> {
  await writeChunks(store, service, forgetEndedClaims);
  await writeChunks(store, service, (tx) => deleteExpiredQuotes(tx, deleted_batch_max));
}

/** Deletes backups of upgrades after 30 days: they contain personal data that may have been erased since. */
async function forgetUpgradeBackups({ mode, clock }: Store, { data }: Service): Promise<void> {
  if (mode === "live" && data !== "") forgetUpgrades(data, clock.now());
}

// biome-ignore format: a table is read by its columns.
const timedJobs: readonly TimedJob[] = [
  { when: "7 * * * *",  what: "forget answers kept for repeated requests",      job: forgetAnswers },
  { when: "41 * * * *", what: "forget notifications that platforms do not repeat",     job: deleteOldNotifications },
  { when: "47 * * * *", what: "forget uploaded files in their time",                   job: deleteOldImports },
  { when: "53 * * * *", what: "forget callbacks that carriers do not repeat",          job: deleteOldCallbacks },
  { when: "59 1 * * *", what: "compare the stock of shops with ours",                 job: compareStock },
  { when: "33 3 * * *", what: "forget old pushes of stock to shops",                  job: deleteOldPushes },
  { when: "29 2 * * *", what: "find orders of platforms whose notification was lost",  job: reconcile },
  { when: "* * * * *",  what: "skip what waits too long for a receiver, or is too much", job: trimBacklogs },
  { when: "* * * * *",  what: "forget claims and quotes that are over",        job: forgetEnded },
  { when: "* * * * *",  what: "forget printed documents after a day",         job: deleteExpiredDocuments },
  { when: "* * * * *",  what: "take over what an earlier process had claimed", job: takeOverEarlier, at_start: true },
  { when: "37 2 * * *", what: "forget print jobs after 30 days",              job: deleteOldPrintJobs },
  { when: "* * * * *",  what: "copy merchants that test data lacks", job: copyMerchantsOf, at_start: true },
  { when: "11 * * * *", what: "hold the orders of suspended merchants alone", job: settleSuspended, at_start: true },
  { when: "17 * * * *", what: "load the ZIP codes that the program carries", job: loadPostalCodes, at_start: true },
  { when: "*/5 * * * * *", what: "add up what was counted of orders",            job: addUpOrders },
  { when: "*/10 * * * * *", what: "see what was decided after a restore",        job: carryOutDecision },
  { when: "*/30 * * * * *", what: "note the figures of the moment",              job: notePoint },
  { when: "*/10 * * * *", what: "forget requests past their time, and too many",  job: forgetOldRequests },
  { when: "23 3 * * *", what: "forget payloads and log lines in their time",   job: forgetOldDeliveries },
  { when: "19 4 * * 1-6", what: "look for damage in the database",              job: checkPages },
  { when: "19 4 * * 0", what: "look for damage in the database and its indexes",   job: checkIndexes },
  { when: "*/15 * * * *", what: "add up the storage of days that are over", job: closeStorage },
  { when: "13 * * * *", what: "cut the log after erasures", job: shredErased, at_start: true },
  { when: "43 2 * * *", what: "forget documents of labels in their time",       job: deleteOldDocuments },
  { when: "51 2 * * *", what: "forget who ended orders were for, in their time",  job: eraseOldOrders },
  { when: "57 2 * * *", what: "forget customers who were idle, in their time",     job: eraseIdleCustomers },
  { when: "27 3 * * *", what: "forget invitations that are over, in their time",    job: deleteOldInvitations },
  { when: "31 4 * * *", what: "forget what upgrades kept a month ago",          job: forgetUpgradeBackups },
  { when: "37 3 * * *", what: "forget what the audit trail has kept long enough",      job: forgetOldActs },
];

const stoppable = { interrupt: interruptFileImports, settle: fileImportsSettled };

/** The triggered jobs by name. The type requires one for each `JobName`. */
// biome-ignore format: a table is read by its columns.
export const triggeredJobs: Readonly<Record<JobName, TriggeredJob>> = {
  "inventory.expire_reservations": { what: "end expired reservations", job: expireReservations },
  "inventory.expire_lots":         { what: "quarantine expired lots", job: expireLots },
  "inventory.fill_backorders":     { what: "allocate stock to backorders", job: fillBackorders },
  "orders.release_holds":          { what: "release holds that are due", job: releaseHolds },
  "orders.hold_recalled":          { what: "hold orders with recalled units", job: holdRecalled },
  "orders.hold_suspended":         { what: "hold orders of suspended merchants", job: holdOfSuspended },
  "orders.note_claims":            { what: "record allocation changes", job: noteAllAllocationChanges },
  "orders.recheck_goods":          { what: "release holds for unknown SKUs", job: recheckGoods },
  "orders.recheck_addresses":      { what: "release holds for bad addresses", job: recheckAddresses },
  "addresses.ask":                 { what: "verify addresses with carriers", job: askAboutAddresses },
  "files.remove":                  { what: "remove the contents of unused files", job: removeFiles },
  "floor.settle":                  { what: "close waves and free totes of packed orders", job: settleWaves },
  "platforms.import":              { what: "import orders from platforms", job: importDue, settle: importsSettled },
  "platforms.report":              { what: "report parcels", job: sendShipmentUpdates, settle: shipmentUpdatesSettled },
  "platforms.stock":               { what: "push stock to shops", job: pushStock, settle: stockPushesSettled },
  "shipping.finish_purchases":     { what: "complete label purchases", job: finishPurchases, settle: purchasesSettled },
  "shipping.print":                { what: "draw documents of many orders", job: drawDue },
  "floor.print":                   { what: "send documents to printers", job: printDue, settle: printsSettled },
  "tracking.poll":                 { what: "poll carriers for tracking", job: pollDue, settle: pollsSettled },
  "webhooks.fan_out":              { what: "create deliveries of new events", job: fanOutEvents },
  "webhooks.deliver":              { what: "send due deliveries", job: deliverDue, settle: deliveriesSettled },
  "webhooks.end_waiting":          { what: "end deliveries to deleted webhooks", job: endWaiting },
  "webhooks.recover":              { what: "queue missed deliveries again", job: queueRecoveries },
  "users.mail_invitations":        { what: "send invitation emails", job: mailInvitations },
  "floor.buy_labels":              { what: "buy labels of packed parcels", job: buyParcelLabels },
  "imports.run":                   { what: "import files", job: importFiles, ...stoppable },
  "privacy.erase":                 { what: "erase people", job: eraseDue },
  "webhooks.mail":                 { what: "send notices by email", job: mailNotices },
  "backups.settle_restored":       { what: "send or discard what is held since a restore", job: settleRestored },
  "backups.run":                   { what: "make and verify backups", job: runBackups, settle: backupsSettled },
};

/** Running jobs. */
export interface Schedule {
  /** Starts no more rounds, and waits for those that run. */
  stop(): Promise<void>;
}

// The first requests go before the jobs.
const start_delay_ms = 250;

/** Starts every job of both stores. Triggered jobs run once soon, to continue what the last process left. */
export function startSchedule(service: Service): Schedule {
  const stores = Object.values(service.stores);
  const triggered = stores.flatMap((store) =>
    startTriggered(store, service, triggeredJobs, default_poll_ms, start_delay_ms),
  );
  if (service.registry !== null) takeOverLeases(service, service.registry);
  let timed: readonly Schedule[] = [];
  const begin = setTimeout(() => {
    timed = stores.flatMap((store) => timedJobs.map((job) => startTimed(job, store, service)));
  }, start_delay_ms);
  return {
    async stop() {
      clearTimeout(begin);
      await Promise.all([...timed, ...triggered].map((job) => job.stop()));
    },
  };
}

function startTimed({ when, what, job, at_start }: TimedJob, store: Store, service: Service): Schedule {
  let running: Promise<void> = Promise.resolve();
  const act = async () => {
    try {
      await job(store, service);
      rounds.add(1, what, store.mode);
    } catch (error) {
      failed_rounds.add(1, what, store.mode);
      service.log.error("a job failed", { job: what, mode: store.mode, error: String(error) });
    }
  };
  const run = () => {
    running = act();
    return running;
  };
  const cron = new Cron(when, { utcOffset: 0, protect: true }, run);
  if (at_start) void cron.trigger();
  return {
    async stop() {
      cron.stop();
      await running;
    },
  };
}

/** Shifts all due times of the service by the step of the clock (ms), but no times that a person has set. */
export async function shiftDueTimes(tx: Tx, by_ms: number): Promise<void> {
  for (const queue of [...Object.values(queues), pendingErasures]) await queue.shift(tx, by_ms);
  for (const shift of [shiftLeases, shiftSubscriptionTimes, shiftBackupRuns]) await shift(tx, by_ms);
  for (const name of jobNames) tx.wake(name, tx.now);
}

// Commits of other servers do not wake jobs here.
const default_poll_ms = engine === "postgres" ? 1000 : null;

/** Starts the triggered jobs of one store: at a wake, after `first_ms`, and every `poll_ms` unless that is null. */
export function startTriggered(
  store: Store,
  service: Service,
  jobs: { readonly [Name in JobName]?: TriggeredJob } = triggeredJobs,
  poll_ms: number | null = default_poll_ms,
  first_ms = 0,
): Schedule[] {
  const timers = new Map<JobName, JobTimer>();
  for (const name of jobNames) {
    const job = jobs[name];
    if (job !== undefined) timers.set(name, new JobTimer(name, job, store, service, poll_ms));
  }
  store.onStep(shiftDueTimes);
  store.onWake((name, at) => timers.get(name)?.wake(at));
  for (const timer of timers.values()) timer.wake(store.clock.now() + first_ms);
  return [...timers.values()];
}

// The longest timer, because the store's clock may be set or run slower before it fires.
const timer_max_ms = 5000;
const retries: RetrySchedule = { first_ms: second_ms, max_ms: minute_ms, hint_max_ms: 0 };
// A job may run 200 rounds at once, then 100 per second: no work needs more.
const round_ms = 10;
const burst_ms = 200 * round_ms;
const warn_every_ms = 60_000;

/** Runs one job of one store, one round at a time, at the earliest time requested. */
class JobTimer implements Schedule {
  readonly #name: JobName;
  readonly #job: TriggeredJob;
  readonly #store: Store;
  readonly #service: Service;
  readonly #poll_ms: number | null;
  /** When the next round is due (ms, the store's clock), or null. */
  #due: number | null = null;
  /** After a failure, the earliest next round (elapsed ms of the store's clock). */
  #retry_at = 0;
  #failures = 0;
  /** Until when the rate limit is used up (ms, monotonic clock). Each round adds `round_ms`. */
  #spent_until = 0;
  /** Whether the rate limit delays the next round. */
  #held = false;
  /** No further warning before this time (ms, monotonic clock). */
  #warned_until = 0;
  #timer: Timer | undefined;
  /** When the timer fires (ms, monotonic clock). */
  #fires_at = 0;
  #running: Promise<void> | null = null;
  #stopped = false;

  constructor(name: JobName, job: TriggeredJob, store: Store, service: Service, poll_ms: number | null) {
    this.#name = name;
    this.#job = job;
    this.#store = store;
    this.#service = service;
    this.#poll_ms = poll_ms;
  }

  wake(at: number): void {
    this.#due = Math.min(at, this.#due ?? at);
    this.#arm();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
    this.#job.interrupt?.(this.#store);
    await this.#job.settle?.(this.#store);
  }

  /** Sets the timer, unless it already fires in time. The store's clock may have been set in between. */
  #arm(): void {
    if (this.#stopped || this.#running !== null || this.#due === null) return;
    const wait = Math.min(Math.max(this.#wait(this.#due), 0), timer_max_ms);
    if (wait > 0 && this.#spent_until > performance.now()) this.#held = true;
    const fires_at = performance.now() + wait;
    if (this.#timer !== undefined && fires_at >= this.#fires_at) return;
    clearTimeout(this.#timer);
    this.#fires_at = fires_at;
    this.#timer = setTimeout(() => this.#fire(), wait);
  }

  /** The remaining wait (ms) of a round that is due at `due`. */
  #wait(due: number): number {
    const { clock } = this.#store;
    return Math.max(due - clock.now(), this.#retry_at - clock.elapsed(), this.#spent_until - performance.now());
  }

  #fire(): void {
    this.#timer = undefined;
    // A long wait takes several timers.
    if (this.#due !== null && this.#wait(this.#due) > 0) {
      this.#arm();
      return;
    }
    this.#due = null;
    this.#spend();
    this.#running = this.#round().finally(() => {
      this.#running = null;
      this.#arm();
    });
  }

  /** Limits the rate of rounds, so that a job never runs without a pause. */
  #spend(): void {
    const now = performance.now();
    this.#spent_until = Math.max(this.#spent_until, now - burst_ms) + round_ms;
    if (!this.#held) return;
    this.#held = false;
    const { job, mode } = { job: this.#name, mode: this.#store.mode };
    held_rounds.add(1, job, mode);
    if (now < this.#warned_until) return;
    this.#warned_until = now + warn_every_ms;
    this.#service.log.warn("a job runs without a pause and is slowed down", { job, mode });
  }

  async #round(): Promise<void> {
    const name = this.#name;
    try {
      const next = await this.#job.job(this.#store, this.#service);
      this.#failures = 0;
      rounds.add(1, name, this.#store.mode);
      if (next !== null) this.wake(next);
      if (this.#poll_ms !== null) this.wake(this.#store.clock.now() + this.#poll_ms);
    } catch (error) {
      failed_rounds.add(1, name, this.#store.mode);
      const rest_ms = retryWait(retries, ++this.#failures, null);
      this.#retry_at = this.#store.clock.elapsed() + rest_ms;
      this.#service.log.error("a job failed", { job: name, mode: this.#store.mode, error: String(error) });
      this.wake(this.#store.clock.now());
    }
  }
}
