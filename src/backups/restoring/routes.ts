import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { listRestorations, type Restoration } from "../../database/restorations.ts";
import { answerRead, answerWrite } from "../../http/answer.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { documented } from "../../http/route.ts";
import { iso, isoOrNull } from "../../kit/clock.ts";
import { wireId } from "../../kit/ids.ts";
import { bodyOf } from "../../kit/schema.ts";
import { decide } from "./commands.ts";
import { DecideRestored, RestorationView } from "./schemas.ts";

/** That the data came from a backup, and what becomes of what waited then. */
export const restorationRoutes = new Elysia({ prefix: "/restorations" })
  .use(conventions)
  .get("", ({ call }) => answerRead(call, async (db) => (await listRestorations(db)).map(restorationView)), {
    detail: documented({
      id: "listRestorations",
      needs: "metrics.read",
      chapter: "Service",
      summary: "List the restores of this world from backups, the last one first",
      description:
        "What a restore left out is never given: a consumer of `GET /events` goes on with its cursor, and of what it" +
        " knows that happened after `as_of` the service knows nothing.",
      answers: { 200: EnvelopedView(Type.Array(RestorationView)) },
    }),
  })
  .post(
    "/decide",
    ({ call, body }) =>
      answerWrite(call, 202, async (tx) => restorationView(await decide(tx, body.action, call.actor.name))),
    {
      body: bodyOf(DecideRestored),
      detail: documented({
        id: "decideRestored",
        needs: "house.manage",
        chapter: "Service",
        summary: "Decide what becomes of what has waited since a restore",
        description: "A job carries it out. The same decision may be sent again, and another one is refused.",
        refuses: ["invalid_state_transition"],
        answers: { 202: EnvelopedView(RestorationView) },
      }),
    },
  );

function restorationView(restoration: Restoration): (typeof RestorationView)["static"] {
  const { id, archive, decision, decided_by, settled_at } = restoration;
  return {
    id: wireId("restoration", id),
    archive,
    as_of: iso(restoration.as_of),
    restored_at: iso(restoration.restored_at),
    numbers_advanced_by: restoration.advanced_by,
    waiting: {
      deliveries: restoration.waiting_deliveries,
      reports: restoration.waiting_reports,
      purchases: restoration.waiting_purchases,
    },
    status: settled_at !== null ? "settled" : decision === null ? "waiting" : "settling",
    decision,
    decided_at: isoOrNull(restoration.decided_at),
    decided_by,
  };
}
