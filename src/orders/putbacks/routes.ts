import { Elysia } from "elysia";
import { answerWrite } from "../../http/answer.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { documented } from "../../http/route.ts";
import { PutBack, PutBackView } from "../../inventory/putbacks/schemas.ts";
import { bodyOf } from "../../kit/schema.ts";
import { putBackUnits } from "./commands.ts";

/** Put-backs. They lie below `/inventory`, but only orders know order numbers. */
export const putBackRoutes = new Elysia({ prefix: "/inventory/putbacks" })
  .use(conventions)
  .post("", ({ call, body }) => answerWrite(call, 201, (tx) => putBackUnits(tx, body, call.actor)), {
    body: bodyOf(PutBack),
    detail: documented({
      id: "putBack",
      summary: "Put units that were picked for an order back on the shelf",
      refuses: ["ambiguous_identifier", "ambiguous_stock", "bin_full", "insufficient_inventory", "resource_missing"],
      answers: { 201: EnvelopedView(PutBackView) },
    }),
  });
