import { Elysia } from "elysia";
import { answerRead, answerWrite } from "../http/answer.ts";
import { conventions } from "../http/conventions.ts";
import { EnvelopedView } from "../http/envelope.ts";
import { documentedAs } from "../http/route.ts";
import type { Service } from "../http/service.ts";
import { bodyOf } from "../kit/schema.ts";
import { type RetentionChange, retentionView } from "./rules.ts";
import { RetentionView, UpdateRetention } from "./schemas.ts";
import { retentionIn, saveRetention } from "./store.ts";

const documented = documentedAs({ needs: "house.manage", chapter: "Privacy" });

/** For how long each kind of record is kept, in the asking world. */
export const retentionRoutes = (service: Service) =>
  new Elysia({ prefix: "/settings/retention" })
    .use(conventions)
    .get("", ({ call }) => answerRead(call, async (db) => retentionView(await retentionIn(db, service), service)), {
      detail: documented({
        id: "getRetention",
        summary: "Get how long each kind of record is kept",
        answers: { 200: EnvelopedView(RetentionView) },
      }),
    })
    .patch(
      "",
      ({ call, body }) =>
        answerWrite(call, 200, async (tx) => {
          await saveRetention(tx, body as RetentionChange);
          return retentionView(await retentionIn(tx, service), service);
        }),
      {
        body: bodyOf(UpdateRetention),
        detail: documented({
          id: "updateRetention",
          summary: "Set how long kinds of records are kept",
          description:
            "Each world has its own times. What is older is deleted in the night, some in each transaction: nothing" +
            " waits for it. A longer time brings nothing back.",
          answers: { 200: EnvelopedView(RetentionView) },
        }),
      },
    );
