import { hostname } from "node:os";
import { type Static, Type } from "@sinclair/typebox";
import { iso, systemClock } from "../../core/clock.ts";
import { engine, version } from "../../core/config.ts";
import { closed, nullable, Timestamp } from "../../core/schema.ts";
import { read, routes } from "../../http/routes.ts";
import type { Service } from "../../http/service.ts";
import { known_migrations } from "../../storage/migrations/migrate.ts";
import { runningServers } from "../../storage/servers.ts";
import { pointsOf } from "./health.jobs.ts";
import { ServerView } from "./health.schema.ts";
import type { LoadPoint } from "./load_history.ts";

const numbers = (description: string) => Type.Array(Type.Number(), { description });
const some = (description: string) => Type.Array(nullable(Type.Number()), { description });

/** The load history as one list per metric. Equal positions belong to the same point. */
export const HistoryView = closed({
  at: Type.Array(Timestamp, { description: "The time of each point, oldest first." }),
  requests_2xx: numbers("Successful requests per second."),
  requests_3xx: numbers("Requests per second that were answered with 3xx, such as 304."),
  requests_4xx: numbers("Refused requests per second."),
  requests_5xx: numbers("Requests per second that failed in the service."),
  duration_p50_ms: some("Median request duration of both environments; null without requests."),
  duration_p99_ms: some("The 99th percentile of the request duration; null without requests."),
  deliveries: numbers("Successful webhook delivery attempts per second."),
  deliveries_failed: numbers("Failed webhook delivery attempts per second."),
  deliveries_waiting: some("Pending deliveries; null if unknown."),
  database_bytes: some("The size of the database; null if unknown."),
  memory_bytes: numbers("Resident memory of the process."),
});

/** Route of the load history, for charts. */
export const historyRoutes = routes("Service", [
  read("/metrics/history", "metrics.read", {
    id: "getMetricsHistory",
    summary: "Get the metrics of the last 24 hours",
    description:
      "A point per half minute, for the environment of the request; memory and durations cover the whole process. The" +
      " server that responds keeps it in memory: it begins when that server started, and excludes other servers.",
    view: HistoryView,
    data: (_, { call }) => historyView(pointsOf(call.store.base)),
  }),
]);

function historyView(points: readonly LoadPoint[]): Static<typeof HistoryView> {
  return {
    at: points.map(({ at }) => iso(at)),
    requests_2xx: points.map(({ requests }) => requests["2xx"]),
    requests_3xx: points.map(({ requests }) => requests["3xx"]),
    requests_4xx: points.map(({ requests }) => requests["4xx"]),
    requests_5xx: points.map(({ requests }) => requests["5xx"]),
    duration_p50_ms: points.map(({ p50_ms }) => p50_ms),
    duration_p99_ms: points.map(({ p99_ms }) => p99_ms),
    deliveries: points.map(({ deliveries }) => deliveries),
    deliveries_failed: points.map(({ failed_deliveries }) => failed_deliveries),
    deliveries_waiting: points.map(({ deliveries_waiting }) => deliveries_waiting),
    database_bytes: points.map(({ database_bytes }) => database_bytes),
    memory_bytes: points.map(({ memory_bytes }) => memory_bytes),
  };
}

const started_at = systemClock().now();

/** Route of the servers of this installation. */
export const serverRoutes = (service: Service) =>
  routes("Service", [
    read("/servers", "operator.manage", {
      id: "listServers",
      summary: "List the running servers, oldest first",
      description:
        "On PostgreSQL, every server that uses the database, with times of the database's clock; one that stops" +
        " responding disappears after a few seconds. On SQLite, the only process. Use it to follow a rolling upgrade.",
      live_only: true,
      view: Type.Array(ServerView),
      // Before the view of the requested environment, because only the live one knows the servers.
      prepare: () => serversOf(service),
      data: (_, { prepared }) => prepared,
    }),
  ]);

async function serversOf({ stores, registry }: Service): Promise<ServerView[]> {
  if (registry === null) return [itself()];
  const own = registry.id;
  return (await stores.live.read(runningServers)).map((server) => ({
    number: server.id,
    host: server.host,
    version: server.version,
    migration: server.schema,
    status: server.draining ? "stopping" : "serving",
    started_at: iso(server.started_at),
    seen_at: iso(server.seen_at),
    is_current: server.id === own,
  }));
}

/** The only process, on SQLite. */
function itself(): ServerView {
  return {
    number: null,
    host: hostname(),
    version,
    migration: known_migrations[engine].at(-1)?.name ?? "",
    status: "serving",
    started_at: iso(started_at),
    seen_at: iso(systemClock().now()),
    is_current: true,
  };
}
