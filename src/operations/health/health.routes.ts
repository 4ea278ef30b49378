import { systemClock } from "../../core/clock.ts";
import { engine, version } from "../../core/config.ts";
import type { Environment } from "../../core/environment.ts";
import { allMetrics, exposition } from "../../core/metrics.ts";
import { countOpenFiles, openFilesLimit } from "../../core/process.ts";
import { jsonResponse } from "../../http/envelope.ts";
import { respond, routes } from "../../http/routes.ts";
import type { Service } from "../../http/service.ts";
import type { Store, StoreFacts } from "../../storage/database.ts";
import { ping, proveWrite } from "../../storage/leases.ts";
import { known_migrations } from "../../storage/migrations/migrate.ts";
import { runningServers } from "../../storage/servers.ts";
import { findLastDone } from "../backups/backup_runs.sql.ts";
import { HealthView, LivenessView } from "./health.schema.ts";
import {
  type ByMode,
  backupFamilies,
  processFamilies,
  queueFamilies,
  serverFamily,
  storageFamilies,
} from "./metrics.ts";

const health_timeout_ms = 2000;
const remembered_ms = 1000;
const proof_every_ms = 10_000;
const room_bytes_min = 256 << 20;
const started_at = systemClock().now();

/** Routes of the service's health and metrics. */
export const operationRoutes = (service: Service) => {
  const look = healthProbe(service);
  return routes("Service", [
    respond("GET", "/health", "none", {
      id: "getHealth",
      summary: "Get the health of the service",
      description:
        "Shows whether the service accepts requests. It returns 503 while a database does not respond or accepts no" +
        " writes, and while the service shuts down, although it still serves for a while. Use it for load balancers.",
      answers: { 200: HealthView, 503: HealthView },
      answer: async ({ call }) => {
        const seen = await look();
        const health: HealthReport = service.draining.aborted ? { ...seen, status: "stopping" } : seen;
        return jsonResponse(call, health.status === "ok" ? 200 : 503, JSON.stringify(health), no_store);
      },
    }),
    respond("GET", "/health/live", "none", {
      id: "getLiveness",
      summary: "Check that the process responds",
      description:
        "Checks no database. Use it to restart a process that hangs. A database outage needs no restart: the service" +
        " recovers by itself.",
      answers: { 200: LivenessView },
      answer: ({ call }) => jsonResponse(call, 200, JSON.stringify({ status: "ok" }), no_store),
    }),
    respond("GET", "/metrics", "metrics.read", {
      id: "getMetrics",
      summary: "Get metrics for Prometheus",
      description:
        "Text in the Prometheus format: requests, queues, webhook deliveries, storage, backups and the process. A" +
        " test key gets only the metrics of the test environment and of the process.",
      documents: ["text/plain"],
      answers: { 200: null },
      answer: async ({ call }) => {
        const body = await metricsText(service, call.store.mode);
        const headers = { "content-type": "text/plain; version=0.0.4; charset=utf-8", ...no_store };
        return jsonResponse(call, 200, body, headers);
      },
    }),
  ]);
};

const no_store = { "cache-control": "no-store" };

type HealthReport = (typeof HealthView)["static"];

/** Checks the databases at most once a second, regardless of the number of requests. */
function healthProbe({ stores, registry }: Service): () => Promise<HealthReport> {
  let known: { readonly health: Promise<HealthReport>; readonly until: number } | null = null;
  const proofs = { live: proofOf(stores.live, registry), test: proofOf(stores.test, registry) };
  const look = async (): Promise<HealthReport> => {
    const state = async (mode: Environment, facts: StoreFacts | null) => {
      const answers = (await inTime(stores[mode].read(ping))) !== null;
      const is_sound = facts !== null && facts.damage === null;
      return answers && is_sound && (await proofs[mode]()) ? "ok" : "failing";
    };
    const [facts, test_facts] = await Promise.all([inTime(stores.live.facts()), inTime(stores.test.facts())]);
    const [live, test] = await Promise.all([state("live", facts), state("test", test_facts)]);
    const status = live === "ok" && test === "ok" ? "ok" : "failing";
    const migrations = known_migrations[engine].length;
    const storage = { engine, live, test, migrations, room: roomOf(facts) } as const;
    return { status, version, storage };
  };
  return () => {
    if (known === null || performance.now() >= known.until) {
      known = { health: look(), until: performance.now() + remembered_ms };
    }
    return known.health;
  };
}

/**
 * Returns a check whether a store accepts writes. It tries a write from time to time; only the first request waits for
 * it. A write that takes very long counts as failed.
 */
function proofOf(store: Store, registry: Service["registry"]): () => Promise<boolean> {
  let known: boolean | null = null;
  let begun_at = Number.NEGATIVE_INFINITY;
  let trying: Promise<void> | null = null;
  const attempt = async () => {
    known = await store
      .write((tx) => proveWrite(tx, "health", registry))
      .then(
        () => true,
        () => false,
      );
    trying = null;
  };
  return async () => {
    const now = performance.now();
    // After a failure every check tries again, so that a recovery shows soon.
    if (trying === null && (known === false || now - begun_at >= proof_every_ms)) {
      begun_at = now;
      trying = attempt();
    }
    if (known !== true && trying !== null) await inTime(trying);
    return known === true && !(trying !== null && now - begun_at >= proof_every_ms);
  };
}

function roomOf(facts: StoreFacts | null): HealthReport["storage"]["room"] {
  const free_bytes = facts?.free_bytes ?? null;
  if (free_bytes === null) return "unknown";
  return free_bytes < room_bytes_min ? "low" : "ok";
}

/** Returns all metrics in Prometheus format, without those that a database does not provide in time. */
async function metricsText({ stores, backups }: Service, mode: Environment): Promise<string> {
  // Loaded at the first request, because these tables would slow the start.
  const { counted_max, findQueues } = await import("./queues.sql.ts");
  const queuesOf = (store: Store) => inTime(store.read(async (db) => ({ ...(await findQueues(db)), now: db.now })));
  const [live, test] = await Promise.all([queuesOf(stores.live), queuesOf(stores.test)]);
  const storages: ByMode<StoreFacts> = {
    live: await inTime(stores.live.facts()),
    test: await inTime(stores.test.facts()),
  };
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const [open_files, open_files_limit] = [await countOpenFiles(), openFilesLimit()];
  const backup = await inTime(stores.live.read(async (db) => ({ last: await findLastDone(db, "backup") })));
  const since = backups === null ? null : started_at;
  const families = [
    ...processFamilies({
      version,
      engine,
      bun: Bun.version,
      migrations: known_migrations[engine].length,
      started_at,
      resident_bytes: rss,
      heap_bytes: heapUsed,
      cpu_seconds: (user + system) / 1e6,
      open_files,
      open_files_limit,
    }),
    ...storageFamilies(storages),
    serverFamily((await inTime(stores.live.read(runningServers))) ?? []),
    ...(backup === null ? [] : backupFamilies(backup.last, since, stores.live.clock.now())),
    ...queueFamilies({ live, test }, counted_max),
    ...allMetrics(),
  ];
  return exposition(families, (labels) => mode === "live" || labels["mode"] !== "live");
}

/** Returns the result, or null if the work failed or took too long. */
async function inTime<T>(work: Promise<T>): Promise<T | null> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), health_timeout_ms);
  return Promise.race([work.catch(() => null), late.promise]).finally(() => clearTimeout(timer));
}
