import type { Store } from "../../database/store.ts";
import { allMeters } from "../../kit/meter.ts";
import { findQueues } from "../queues/store.ts";
import { type Counts, countsOf, type Point, ratesOf } from "./point.ts";

const kept_max = 24 * 120;

/** The figures of one world. */
interface History {
  readonly points: Point[];
  last: { readonly counts: Counts; readonly elapsed_ms: number } | null;
}

const histories = new WeakMap<Store, History>();

function historyOf(store: Store): History {
  const history = histories.get(store) ?? { points: [], last: null };
  histories.set(store, history);
  return history;
}

/** The points of the last day, the oldest first: those of this process alone. */
export function pointsOf(store: Store): readonly Point[] {
  return historyOf(store).points;
}

/** Adds a point to the figures of a world. Figures that a database cannot give are null. */
export async function notePoint(store: Store): Promise<void> {
  const history = historyOf(store);
  const [counts, elapsed_ms] = [countsOf(allMeters(), store.mode), store.clock.elapsed()];
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
