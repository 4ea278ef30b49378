// Calling returns off. The labels with which they were to come are voided first: those of carriers in no transaction.
import { Elysia } from "elysia";
import type { Tx } from "../../database/store.ts";
import { answerLongWork, answerWrite } from "../../http/answer.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { documented } from "../../http/route.ts";
import type { Service } from "../../http/service.ts";
import { bodyOf } from "../../kit/schema.ts";
import { hasCarriersReturnLabels } from "../../shipping/labels/store.ts";
import { giveBackReturnLabels } from "../../shipping/labels/voids/buyer.ts";
import { cancelLabelledReturn, readyToCancel } from "../labels/commands.ts";
import { requireVersion, shown } from "../routes.ts";
import { NoBody, ReturnView } from "../schemas.ts";
import { getReturn } from "../store.ts";

/** Calls returns off. */
export const returnCancellationRoutes = (service: Service) =>
  new Elysia({ prefix: "/returns" })
    .use(conventions)
    .post("/:id/cancel", ({ call, params }) => answerCancel(call, service, params.id), {
      body: bodyOf(NoBody),
      detail: documented({
        id: "cancelReturn",
        summary: "Cancel a return before anything arrived",
        description:
          "Its labels are voided, those of carriers given back to them first. Where a carrier refuses, or a label's" +
          " parcel is on its way, nothing is cancelled.",
        matches: true,
        refuses: [
          "carrier_error",
          "carrier_unauthorized",
          "invalid_state_transition",
          "label_in_progress",
          "label_not_voidable",
        ],
        answers: { 200: EnvelopedView(ReturnView) },
      }),
    });

async function answerCancel(call: Call, service: Service, id: string): Promise<Response> {
  const { store, actor } = call;
  const cancel = async (tx: Tx) => shown(await cancelLabelledReturn(tx, id, actor));
  const concerned = await store.read(async (db) => hasCarriersReturnLabels(db, (await getReturn(db, id)).id));
  if (!concerned) {
    return answerWrite(call, 200, async (tx) => {
      await requireVersion(tx, call, id);
      return cancel(tx);
    });
  }
  return answerLongWork(call, async () => {
    await giveBackReturnLabels({ store, service }, actor, async (tx) => {
      await call.confirm(tx);
      await requireVersion(tx, call, id);
      return readyToCancel(tx, id);
    });
    // The return has another version by now; that it was as the client saw it was asked before.
    return answerWrite(call, 200, cancel);
  });
}
