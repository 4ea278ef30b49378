import { hostname } from "node:os";
import { type Static, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { iso, systemClock } from "../../core/clock.ts";
import { engine, version } from "../../core/config.ts";
import { closed, nullable } from "../../core/schema.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { answerRead } from "../../http/response.ts";
import { documented } from "../../http/route.ts";
import type { Service } from "../../http/service.ts";
import { known_migrations } from "../../storage/migrations/migrate.ts";
import { runningServers } from "../../storage/servers.ts";
import { pointsOf } from "./health.jobs.ts";
import { ServerView } from "./health.schema.ts";
import type { LoadPoint } from "./load_history.ts";

const numbers = Type.Array(Type.Number());
const some = (description: string) => Type.Array(nullable(Type.Number()), { description });

/** The figures of the last day, one list each; equal places of the lists belong together. */
export const HistoryView = closed({
  at: Type.Array(Type.String({ format: "date-time" }), { description: "When each point was noted, oldest first." }),
  requests_2xx: Type.Array(Type.Number(), { description: "Requests a second, by the class of their status." }),
  requests_3xx: numbers,
  requests_4xx: numbers,
  requests_5xx: numbers,
  duration_p50_ms: some("Half of the requests of both worlds took no longer; null where there were none."),
  duration_p99_ms: some("99 of a hundred requests took no longer."),
  deliveries: Type.Array(Type.Number(), { description: "Attempts at webhook deliveries a second that arrived." }),
  deliveries_failed: numbers,
  deliveries_waiting: some("Deliveries that were still to be made."),
  database_bytes: some("The size of the database."),
  memory_bytes: Type.Array(Type.Number(), { description: "What the process held." }),
});

/** The figures of the last day, for plots. */
export const historyRoutes = new Elysia({ prefix: "/metrics" })
  .use(conventions)
  .get("/history", ({ call }) => answerRead(call, async () => historyView(pointsOf(call.store.base))), {
    detail: documented({
      id: "getMetricsHistory",
      needs: "metrics.read",
      chapter: "Service",
      summary: "Get the metrics of the last 24 hours",
      description:
        "A point each half minute, of the world that asks; memory and durations are of the process. They are kept in" +
        " the memory of the server that answers: they begin when it started, and know nothing of other servers.",
      answers: { 200: EnvelopedView(HistoryView) },
    }),
  });

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

/** The servers of this installation. */
export const serverRoutes = (service: Service) =>
  new Elysia({ prefix: "/servers" }).use(conventions).get(
    "",
    async ({ call }) => {
      // Before the view of the asking world: the live one alone knows the servers.
      const views = await serversOf(service);
      return answerRead(call, async () => views);
    },
    {
      detail: documented({
        id: "listServers",
        needs: "house.manage",
        live_only: true,
        chapter: "Service",
        summary: "List the servers that run, the oldest first",
        description:
          "On PostgreSQL all that serve the same database, by its clock: one that ended without a word is gone from" +
          " the list after some seconds. On SQLite it is the one process.",
        answers: { 200: EnvelopedView(Type.Array(ServerView)) },
      }),
    },
  );

async function serversOf({ stores, registry }: Service): Promise<ServerView[]> {
  if (registry === null) return [itself()];
  const own = registry.id;
  return (await stores.live.read(runningServers)).map((server) => ({
    ...{ number: server.id, host: server.host, version: server.version, migration: server.schema },
    status: server.draining ? "stopping" : "serving",
    ...{ started_at: iso(server.started_at), seen_at: iso(server.seen_at) },
    answers: server.id === own,
  }));
}

/** The process that has the data to itself. */
function itself(): ServerView {
  return {
    ...{ number: null, host: hostname(), version, migration: known_migrations[engine].at(-1)?.name ?? "" },
    ...{ status: "serving", started_at: iso(started_at), seen_at: iso(systemClock().now()), answers: true },
  };
}
