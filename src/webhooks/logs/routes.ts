import { Elysia } from "elysia";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { ListView } from "../../http/envelope.ts";
import { answerList } from "../../http/paging.ts";
import { documented } from "../../http/route.ts";
import { queryOf } from "../../kit/schema.ts";
import { eventFilterOf } from "../schemas.ts";
import { getSubscription } from "../subscriptions/store.ts";
import { attemptView } from "./log.ts";
import { AttemptView, ListAttempts } from "./schemas.ts";
import { countAttempts, listAttempts } from "./store.ts";

/** The log of what was sent. */
export const logRoutes = new Elysia({ prefix: "/webhooks" })
  .use(conventions)
  .get("/:id/logs", ({ call, params, query }) => listLog(call, params.id, query), {
    query: queryOf(ListAttempts),
    detail: documented({
      id: "listWebhookLogs",
      summary: "List the attempts made at a subscription's deliveries",
      answers: { 200: ListView(AttemptView) },
    }),
  });

function listLog(call: Call, id: string, query: ListAttempts): Promise<Response> {
  const asked = { status: query.status, ...eventFilterOf(query) };
  const filter = (subscription_id: number) => ({ subscription_id, ...asked });
  return answerList(
    call,
    query,
    {
      rows: async (db, window) => listAttempts(db, filter((await getSubscription(db, id)).id), window),
      count: async (db) => countAttempts(db, filter((await getSubscription(db, id)).id)),
      position: (line) => [line.started_at, line.id],
    },
    (lines) => lines.map(attemptView),
  );
}
