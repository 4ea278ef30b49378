// The load of the last day, one point per half minute, from the metrics.

import type { Environment } from "../../core/environment.ts";
import type { MetricFamily } from "../../core/metrics.ts";

const classes = ["2xx", "3xx", "4xx", "5xx"] as const;
type StatusClasses = Readonly<Record<(typeof classes)[number], number>>;

/** The counts of one environment since the process started. Request durations cover both environments. */
export interface LoadCounts {
  /** Requests by status class. */
  readonly requests: StatusClasses;
  readonly deliveries: number;
  readonly failed_deliveries: number;
  /** The cumulative number of requests by upper bound in seconds, as in Prometheus. */
  readonly took: ReadonlyMap<number, number>;
}

/** A point: rates since the previous point, and the state at its time. */
export interface LoadPoint {
  readonly at: number;
  readonly requests: StatusClasses;
  readonly p50_ms: number | null;
  readonly p99_ms: number | null;
  readonly deliveries: number;
  readonly failed_deliveries: number;
  readonly deliveries_waiting: number | null;
  readonly database_bytes: number | null;
  readonly memory_bytes: number;
}

/** Reads the metrics of an environment. */
export function countsOf(meters: readonly MetricFamily[], mode: Environment): LoadCounts {
  const samplesOf = (name: string) => meters.find((family) => family.name === name)?.samples() ?? [];
  const requests = { "2xx": 0, "3xx": 0, "4xx": 0, "5xx": 0 };
  for (const { labels, value } of samplesOf("packhouse_http_requests_total")) {
    const name = `${labels["status"]?.[0]}xx`;
    const found = classes.find((word) => word === name);
    if (labels["mode"] === mode && found !== undefined) requests[found] += value;
  }
  let [deliveries, failed_deliveries] = [0, 0];
  for (const { labels, value } of samplesOf("packhouse_delivery_attempts_total")) {
    if (labels["mode"] !== mode) continue;
    if (labels["outcome"] === "delivered") deliveries += value;
    else failed_deliveries += value;
  }
  const took = new Map<number, number>();
  for (const { suffix, labels, value } of samplesOf("packhouse_http_request_seconds")) {
    if (suffix !== "_bucket") continue;
    const bound = labels["le"] === "+Inf" ? Number.POSITIVE_INFINITY : Number(labels["le"]);
    took.set(bound, (took.get(bound) ?? 0) + value);
  }
  return { requests, deliveries, failed_deliveries, took };
}

/**
 * Returns a quantile of the request durations between two counts in milliseconds, interpolated within a bucket. Null
 * without requests.
 */
export function percentile(before: LoadCounts, after: LoadCounts, share: number): number | null {
  const bounds = [...after.took.keys()].sort((one, other) => one - other);
  const upTo = bounds.map((bound) => (after.took.get(bound) ?? 0) - (before.took.get(bound) ?? 0));
  const all = upTo.at(-1) ?? 0;
  if (all <= 0) return null;
  const at = upTo.findIndex((count) => count >= share * all);
  const [upper = 0, lower = 0] = [bounds[at], bounds[at - 1]];
  if (upper === Number.POSITIVE_INFINITY) return lower * 1000;
  const [count = 0, below = 0] = [upTo[at], upTo[at - 1]];
  return 1000 * (lower + (upper - lower) * ((share * all - below) / Math.max(1, count - below)));
}

const rounded = (value: number) => Math.round(100 * value) / 100;

/** Calculates the rates of a point from the counts before and at it. */
export function ratesOf(before: LoadCounts, after: LoadCounts, seconds: number) {
  const rate = (now: number, then: number) => rounded(Math.max(0, now - then) / seconds);
  const took = (share: number) => {
    const ms = percentile(before, after, share);
    return ms === null ? null : rounded(ms);
  };
  const requestsOf = (name: keyof StatusClasses) => rate(after.requests[name], before.requests[name]);
  return {
    requests: {
      "2xx": requestsOf("2xx"),
      "3xx": requestsOf("3xx"),
      "4xx": requestsOf("4xx"),
      "5xx": requestsOf("5xx"),
    },
    p50_ms: took(0.5),
    p99_ms: took(0.99),
    deliveries: rate(after.deliveries, before.deliveries),
    failed_deliveries: rate(after.failed_deliveries, before.failed_deliveries),
  };
}
