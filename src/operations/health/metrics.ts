// Figures that are looked up on request, as families of samples.

import { type Environment, environments } from "../../core/environment.ts";
import { type MetricFamily, type MetricSample, reading } from "../../core/metrics.ts";

type MetricNumbers = Omit<MetricSample, "suffix">[];

/** A row of figures of one mode, by what they are about. */
export type ByMode<T> = Readonly<Record<Environment, T | null>>;

/** What waits in one store. Moments in milliseconds by the store's clock. */
export interface QueueFigures {
  readonly now: number;
  /** Events that are not yet dispatched to subscriptions. */
  readonly events: number;
  /** When the oldest of them was stored. */
  readonly oldest_event_at: number | null;
  /** Deliveries that are still to be made: first and second attempts, and later ones. */
  readonly first: number;
  readonly late: number;
  /** When the delivery of each lane that waits longest was due. */
  readonly first_due_at: number | null;
  readonly late_due_at: number | null;
  /** Lines of orders and bookings that wait for stock. */
  readonly backorders: number;
  /** Orders of platforms that are still to be imported, and parcels that platforms are still to be told of. */
  readonly imports: number;
  readonly reports: number;
  /** E-mails to the operator that are still to be sent. */
  readonly mails: number;
  readonly subscriptions: readonly { readonly status: string; readonly count: number }[];
  /** Subscriptions whose circuit is open: they are only probed. */
  readonly open_circuits: number;
}

/** The figures of the storage of one mode. */
interface StorageFigures {
  readonly database_bytes: number;
  readonly log_bytes: number | null;
  readonly free_bytes: number | null;
  readonly connections: { readonly busy: number; readonly idle: number; readonly waiting: number } | null;
  readonly damage: string | null;
}

// The queues that are one number for each mode.
const lengths: readonly (readonly [name: string, help: string, of: (queue: QueueFigures) => number])[] = [
  ["packhouse_events_waiting", "Events that are not yet dispatched to subscriptions", ({ events }) => events],
  ["packhouse_backorder_lines", "Lines of orders and bookings that wait for stock", ({ backorders }) => backorders],
  ["packhouse_platform_imports_waiting", "Orders of platforms still to be imported", ({ imports }) => imports],
  ["packhouse_platform_reports_waiting", "Parcels that platforms are still to be told of", ({ reports }) => reports],
  ["packhouse_mails_waiting", "E-mails to the operator still to be sent", ({ mails }) => mails],
];

/** Families of what waits, and whether each store answered at all. `counted_max` is how far a queue is counted. */
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
    reading("packhouse_store_up", "Whether the database of a mode answered.", up),
    ...lengths.map(([name, help, of]) => reading(name, `${help}, counted to ${counted_max}.`, one(of))),
    reading(
      "packhouse_events_waiting_seconds",
      "How long the oldest event has waited that no subscription has been told of yet.",
      one(({ oldest_event_at, now }) => age(oldest_event_at, now)),
    ),
    reading(
      "packhouse_deliveries_pending",
      `Deliveries still to be made: first and second attempts, and later ones; counted to ${counted_max}.`,
      each(({ first, late }, mode) => lanes(first, late, mode)),
    ),
    reading(
      "packhouse_deliveries_overdue_seconds",
      "How long the delivery that has waited longest is overdue.",
      each(({ first_due_at, late_due_at, now }, mode) => lanes(age(first_due_at, now), age(late_due_at, now), mode)),
    ),
    reading(
      "packhouse_subscriptions",
      "Webhook subscriptions by their status.",
      each(({ subscriptions }, mode) =>
        subscriptions.map(({ status, count }) => ({ labels: { mode, status }, value: count })),
      ),
    ),
    reading(
      "packhouse_circuits_open",
      "Subscriptions whose receiver fails, so that it is only probed.",
      one(({ open_circuits }) => open_circuits),
    ),
  ];
}

/** Families of the room that the data takes and has, and of connections. */
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
      "Size of the write-ahead log beside a SQLite database.",
      each(({ log_bytes }) => log_bytes),
    ),
    reading(
      "packhouse_disk_free_bytes",
      "Room left on the disk of a SQLite database.",
      each(({ free_bytes }) => free_bytes),
    ),
    reading(
      "packhouse_database_connections",
      "Connections to PostgreSQL that work or rest, and who waits for one.",
      connections,
    ),
    reading(
      "packhouse_database_damaged",
      "Whether the nightly look through the database has found damage since the start.",
      each(({ damage }) => (damage === null ? 0 : 1)),
    ),
  ];
}

/** The family of the servers on one database, by what they run. */
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

/** The last backup that was made, as metrics tell of it. Moments in milliseconds. */
interface LastBackup {
  readonly begun_at: number | null;
  readonly ended_at: number | null;
  readonly live_at: number | null;
  readonly size_bytes: number | null;
}

/**
 * Families of the last backup that the service has made by itself. Where there is none yet, the age counts from
 * `since`, when it began to make them: null where it makes none.
 */
export function backupFamilies(last: LastBackup | null, since: number | null, now: number): MetricFamily[] {
  const one = (name: string, help: string, value: number) => reading(name, help, [{ labels: {}, value }]);
  const ageOf = (at: number) =>
    one("packhouse_backup_age_seconds", "How old the data in the last backup is.", Math.max(0, now - at) / 1000);
  if (last === null) return since === null ? [] : [ageOf(since)];
  const { begun_at, ended_at, live_at, size_bytes } = last;
  return [
    ageOf(live_at ?? now),
    one("packhouse_backup_size_bytes", "The size of the last backup.", size_bytes ?? 0),
    one("packhouse_backup_seconds", "How long the last backup took.", ((ended_at ?? 0) - (begun_at ?? 0)) / 1000),
  ];
}

/** What is known of the process, in the names that Prometheus knows. */
interface ProcessFigures {
  readonly version: string;
  readonly engine: string;
  readonly bun: string;
  readonly migrations: number;
  readonly resident_bytes: number;
  readonly heap_bytes: number;
  readonly cpu_seconds: number;
  /** Files and connections that are open, and how many may be; null where the system does not tell. */
  readonly open_files: number | null;
  readonly open_files_limit: number | null;
  readonly started_at: number;
}

/** Families of the process itself. */
export function processFamilies(figures: ProcessFigures): MetricFamily[] {
  const { version, engine, bun } = figures;
  const one = (name: string, help: string, value: number) => reading(name, help, [{ labels: {}, value }]);
  const told = (name: string, help: string, value: number | null) => (value === null ? [] : [one(name, help, value)]);
  const cpu = one("process_cpu_seconds_total", "Time that the processors worked for it.", figures.cpu_seconds);
  return [
    reading("packhouse_build_info", "The program that runs.", [{ labels: { version, engine, bun }, value: 1 }]),
    one("packhouse_migrations", "Migrations that this program carries and the databases have.", figures.migrations),
    one("process_resident_memory_bytes", "Memory that the process holds.", figures.resident_bytes),
    one("process_heap_bytes", "Memory that its objects take.", figures.heap_bytes),
    { ...cpu, kind: "counter" },
    ...told("process_open_fds", "Files and connections that are open.", figures.open_files),
    ...told("process_max_fds", "Files and connections that may be open.", figures.open_files_limit),
    one("process_start_time_seconds", "When the process began, in Unix seconds.", figures.started_at / 1000),
  ];
}
