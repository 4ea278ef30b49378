import { hostname } from "node:os";
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { engine, version } from "../../config.ts";
import { known_migrations } from "../../database/migrate.ts";
import { runningServers } from "../../database/servers.ts";
import { answerRead } from "../../http/answer.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { documented } from "../../http/route.ts";
import type { Service } from "../../http/service.ts";
import { iso, systemClock } from "../../kit/clock.ts";
import { ServerView } from "./schemas.ts";

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
