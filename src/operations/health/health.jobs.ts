import { allMetrics } from "../../core/metrics.ts";
import type { Service } from "../../http/service.ts";
import type { Store } from "../../storage/database.ts";
import type { CheckDepth } from "../../storage/sqlite/whole_check.ts";
import { countsOf, type LoadCounts, type LoadPoint, ratesOf } from "./load_history.ts";
import { findQueues } from "./queues.sql.ts";

const kept_max = 24 * 120;

/** The load history of one environment. */
interface LoadHistory {
  readonly points: LoadPoint[];
  last: { readonly counts: LoadCounts; readonly elapsed_ms: number } | null;
}

const histories = new WeakMap<Store, LoadHistory>();

function historyOf(store: Store): LoadHistory {
  return histories.getOrInsertComputed(store, () => ({ points: [], last: null }));
}

/** Returns the points of the last day, oldest first. They cover this process only. */
export function pointsOf(store: Store): readonly LoadPoint[] {
  return historyOf(store).points;
}

/** Adds a point to the history of an environment. Values that the database cannot provide are null. */
export async function notePoint(store: Store): Promise<void> {
  const history = historyOf(store);
  const [counts, elapsed_ms] = [countsOf(allMetrics(), store.mode), store.clock.elapsed()];
  const { last } = history;
  if (last !== null && elapsed_ms <= last.elapsed_ms) return;
  history.last = { counts, elapsed_ms };
  if (last === null) return;
  const rates = ratesOf(last.counts, counts, (elapsed_ms - last.elapsed_ms) / 1000);
  const queues = await store.read(findQueues).catch(() => null);
  const facts = await store.facts().catch(() => null);
  history.points.push({
    at: store.clock.now(),
    ...rates,
    deliveries_waiting: queues === null ? null : queues.first + queues.late,
    database_bytes: facts?.database_bytes ?? null,
    memory_bytes: process.memoryUsage().rss,
  });
  if (history.points.length > kept_max) history.points.shift();
}

/** Checks every page of a store's database for damage. Throws if there is any. */
export const checkPages = (store: Store, service: Service) => lookFor("pages", store, service);

/** Like `checkPages`, and also checks every row in every index. */
export const checkIndexes = (store: Store, service: Service) => lookFor("indexes", store, service);

/**
 * Checks a database. If there is damage, throws with advice; `GET /health` fails from then on, and the next start
 * checks both databases before it serves.
 */
async function lookFor(depth: CheckDepth, store: Store, service: Service): Promise<void> {
  const damage = await store.findDamage(depth, service.ending);
  if (damage === null) return;
  const advice =
    "Stop the service, keep a copy of the data folder, and restore the last backup from before the damage.";
  throw new Error(`The ${store.mode} database is damaged (${damage}). ${advice}`);
}
