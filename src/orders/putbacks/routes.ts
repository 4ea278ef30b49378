import { Elysia } from "elysia";
import { answerWrite } from "../../http/answer.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { documented } from "../../http/route.ts";
import { putBack } from "../../inventory/putbacks/commands.ts";
import { PutBack, PutBackView } from "../../inventory/putbacks/schemas.ts";
import { bodyOf } from "../../kit/schema.ts";
import { resolveOrder } from "../store.ts";

/** Put-backs. They lie below `/inventory`, but only orders know order numbers. */
export const putBackRoutes = new Elysia({ prefix: "/inventory/putbacks" })
  .use(conventions)
  .post(
    "",
    ({ call, body }) =>
      answerWrite(call, 201, async (tx) => putBack(tx, await resolveOrder(tx, body.order_id), body, call.actor)),
    {
      body: bodyOf(PutBack),
      detail: documented({
        id: "putBack",
        summary: "Put units of a cancelled order back on the shelf",
        answers: { 201: EnvelopedView(PutBackView) },
      }),
    },
  );
