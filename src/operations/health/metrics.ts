// Metrics that are read on request, as metric families.

import { type Environment, environments } from "../../core/environment.ts";
import { type MetricFamily, type MetricSample, reading } from "../../core/metrics.ts";

type MetricNumbers = Omit<MetricSample, "suffix">[];

/** Values by environment; null if its database does not respond. */
export type ByMode<T> = Readonly<Record<Environment, T | null>>;

/** The queues of one store. Times in milliseconds by the store's clock. */
export interface QueueFigures {
  readonly now: number;
  /** Events not yet dispatched to subscriptions. */
  readonly events: number;
  /** When the oldest of them was stored. */
  readonly oldest_event_at: number | null;
  /** Pending deliveries: first and second attempts, and later ones. */
  readonly first: number;
  readonly late: number;
  /** When the most overdue delivery of each lane was due. */
  readonly first_due_at: number | null;
  readonly late_due_at: number | null;
  /** Backordered lines of orders and reservations. */
  readonly backorders: number;
  /** Platform orders to import, and parcels to report to platforms. */
  readonly imports: number;
  readonly reports: number;
  /** Unsent emails to the operator. */
  readonly mails: number;
  readonly subscriptions: readonly { readonly status: string; readonly count: number }[];
  /** Subscriptions with an open circuit, which are only probed. */
  readonly open_circuits: number;
}

/** Storage metrics of one environment. */
interface StorageFigures {
  readonly database_bytes: number;
  readonly log_bytes: number | null;
  readonly free_bytes: number | null;
  readonly connections: { readonly busy: number; readonly idle: number; readonly waiting: number } | null;
  readonly damage: string | null;
}

// Queues with one number per environment.
const lengths: readonly (readonly [name: string, help: string, of: (queue: QueueFigures) => number])[] = [
  ["packhouse_events_waiting", "Events not yet dispatched to subscriptions", ({ events }) => events],
  ["packhouse_backorder_lines", "Backordered lines of orders and reservations", ({ backorders }) => backorders],
  ["packhouse_platform_imports_waiting", "Platform orders to import", ({ imports }) => imports],
  ["packhouse_platform_reports_waiting", "Parcels to report to platforms", ({ reports }) => reports],
  ["packhouse_mails_waiting", "Unsent emails to the operator", ({ mails }) => mails],
];

/** Returns the metric families of the queues. `counted_max` is the highest count of a queue. */
export function queueFamilies(queues: ByMode<QueueFigures>, counted_max: number): MetricFamily[] {
  const each = (numbersOf: (queue: QueueFigures, mode: Environment) => MetricNumbers): MetricNumbers =>
    environments.flatMap((mode) => {
      const queue = queues[mode];
      return queue === null ? [] : numbersOf(queue, mode);
    });
  const one = (figure: (queue: QueueFigures) => number) =>
    each((queue, mode) => [{ labels: { mode }, value: figure(queue) }]);
  const lanes = (first: number, late: number, mode: Environment): MetricNumbers => [
    { labels: { lane: "first", mode }, value: first },
    { labels: { lane: "late", mode }, value: late },
  ];
  const age = (at: number | null, now: number) => (at === null ? 0 : Math.max(0, now - at) / 1000);
  const up = environments.map((mode) => ({ labels: { mode }, value: queues[mode] === null ? 0 : 1 }));
  return [
    reading("packhouse_store_up", "Whether the database of a mode responds.", up),
    ...lengths.map(([name, help, of]) => reading(name, `${help}, counted up to ${counted_max}.`, one(of))),
    reading(
      "packhouse_events_waiting_seconds",
      "Age of the oldest event that is not yet dispatched.",
      one(({ oldest_event_at, now }) => age(oldest_event_at, now)),
    ),
    reading(
      "packhouse_deliveries_pending",
      `Pending deliveries: first and second attempts, and later ones; counted up to ${counted_max}.`,
      each(({ first, late }, mode) => lanes(first, late, mode)),
    ),
    reading(
      "packhouse_deliveries_overdue_seconds",
      "How long the most overdue delivery has been due.",
      each(({ first_due_at, late_due_at, now }, mode) => lanes(age(first_due_at, now), age(late_due_at, now), mode)),
    ),
    reading(
      "packhouse_subscriptions",
      "Webhook subscriptions by status.",
      each(({ subscriptions }, mode) =>
        subscriptions.map(({ status, count }) => ({ labels: { mode, status }, value: count })),
      ),
    ),
    reading(
      "packhouse_circuits_open",
      "Subscriptions whose receiver fails and is only probed.",
      one(({ open_circuits }) => open_circuits),
    ),
  ];
}

/** Returns the metric families of disk space and connections. */
export function storageFamilies(storages: ByMode<StorageFigures>): MetricFamily[] {
  const each = (figure: (storage: StorageFigures) => number | null): MetricNumbers =>
    environments.flatMap((mode) => {
      const storage = storages[mode];
      const value = storage === null ? null : figure(storage);
      return value === null ? [] : [{ labels: { mode }, value }];
    });
  const connections = environments.flatMap((mode) =>
    Object.entries(storages[mode]?.connections ?? {}).map(([state, value]) => ({ labels: { mode, state }, value })),
  );
  return [
    reading(
      "packhouse_database_bytes",
      "Size of the database.",
      each(({ database_bytes }) => database_bytes),
    ),
    reading(
      "packhouse_database_log_bytes",
      "Size of the write-ahead log of a SQLite database.",
      each(({ log_bytes }) => log_bytes),
    ),
    reading(
      "packhouse_disk_free_bytes",
      "Free space on the disk of a SQLite database.",
      each(({ free_bytes }) => free_bytes),
    ),
    reading(
      "packhouse_database_connections",
      "Connections to PostgreSQL: busy, idle, and requests that wait for one.",
      connections,
    ),
    reading(
      "packhouse_database_damaged",
      "Whether the nightly check has found damage since the start.",
      each(({ damage }) => (damage === null ? 0 : 1)),
    ),
  ];
}

/** Returns the metric family of the servers on one database, by version. */
export function serverFamily(
  servers: readonly { readonly version: string; readonly draining: boolean }[],
): MetricFamily {
  const alike = Map.groupBy(servers, ({ version, draining }) => `${version} ${draining ? "stopping" : "serving"}`);
  const samples = [...alike].map(([key, some]) => {
    const [version = "", state = ""] = key.split(" ");
    return { labels: { version, state }, value: some.length };
  });
  return reading("packhouse_servers", "Servers that run on the same PostgreSQL database.", samples);
}

/** The last backup. Times in milliseconds. */
interface LastBackup {
  readonly begun_at: number | null;
  readonly ended_at: number | null;
  readonly live_at: number | null;
  readonly size_bytes: number | null;
}

/**
 * Returns the metric families of the last automatic backup. Before the first one, the age counts from `since` (ms),
 * when the service started making backups; null if it makes none.
 */
export function backupFamilies(last: LastBackup | null, since: number | null, now: number): MetricFamily[] {
  const one = (name: string, help: string, value: number) => reading(name, help, [{ labels: {}, value }]);
  const ageOf = (at: number) =>
    one("packhouse_backup_age_seconds", "Age of the data in the last backup.", Math.max(0, now - at) / 1000);
  if (last === null) return since === null ? [] : [ageOf(since)];
  const { begun_at, ended_at, live_at, size_bytes } = last;
  return [
    ageOf(live_at ?? now),
    one("packhouse_backup_size_bytes", "Size of the last backup.", size_bytes ?? 0),
    one("packhouse_backup_seconds", "Duration of the last backup.", ((ended_at ?? 0) - (begun_at ?? 0)) / 1000),
  ];
}

/** Process metrics. */
interface ProcessFigures {
  readonly version: string;
  readonly engine: string;
  readonly bun: string;
  readonly migrations: number;
  readonly resident_bytes: number;
  readonly heap_bytes: number;
  readonly cpu_seconds: number;
  /** Open file descriptors and their limit; null if the system does not report them. */
  readonly open_files: number | null;
  readonly open_files_limit: number | null;
  readonly started_at: number;
}

/** Returns the metric families of the process, with the names that Prometheus expects. */
export function processFamilies(figures: ProcessFigures): MetricFamily[] {
  const { version, engine, bun } = figures;
  const one = (name: string, help: string, value: number) => reading(name, help, [{ labels: {}, value }]);
  const told = (name: string, help: string, value: number | null) => (value === null ? [] : [one(name, help, value)]);
  const cpu = one("process_cpu_seconds_total", "CPU time used.", figures.cpu_seconds);
  return [
    reading("packhouse_build_info", "The running program.", [{ labels: { version, engine, bun }, value: 1 }]),
    one("packhouse_migrations", "Migrations in the program and the databases.", figures.migrations),
    one("process_resident_memory_bytes", "Resident memory.", figures.resident_bytes),
    one("process_heap_bytes", "Heap memory.", figures.heap_bytes),
    { ...cpu, kind: "counter" },
    ...told("process_open_fds", "Open file descriptors.", figures.open_files),
    ...told("process_max_fds", "Maximum number of open file descriptors.", figures.open_files_limit),
    one("process_start_time_seconds", "Start time in Unix seconds.", figures.started_at / 1000),
  ];
}
