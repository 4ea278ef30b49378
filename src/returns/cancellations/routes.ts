// Cancelling returns. Their labels are voided first, those of carriers in no transaction.
import { Elysia } from "elysia";
import type { Tx } from "../../database/store.ts";
import { answerLongWork, answerWrite } from "../../http/answer.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { answerAct, RehearsableView } from "../../http/rehearsals.ts";
import { documented } from "../../http/route.ts";
import type { Service } from "../../http/service.ts";
import type { Actor } from "../../kit/actor.ts";
import { Rehearse } from "../../kit/rehearse.ts";
import { bodyOf, queryOf } from "../../kit/schema.ts";
import { refusalFor } from "../../shipping/labels/merchant_view.ts";
import { hasCarriersReturnLabels } from "../../shipping/labels/store.ts";
import { voidCarrierReturnLabels } from "../../shipping/labels/voids/buyer.ts";
import { beginReturnVoids, recordVoided } from "../../shipping/labels/voids/commands.ts";
import { cancelLabelledReturn, labelNews, noteReturnLabelVoided, readyToCancel } from "../labels/commands.ts";
import { requireVersion, shown } from "../routes.ts";
import { NoBody, ReturnView } from "../schemas.ts";
import { getReturn } from "../store.ts";

/** Cancels returns. */
export const returnCancellationRoutes = (service: Service) =>
  new Elysia({ prefix: "/returns" })
    .use(conventions)
    .post("/:id/cancel", ({ call, params, query }) => answerCancel(call, service, params.id, query), {
      body: bodyOf(NoBody),
      query: queryOf(Rehearse),
      detail: documented({
        id: "cancelReturn",
        needs: "returns.write",
        chapter: "Returns",
        summary: "Cancel a return before anything arrived",
        description:
          "Its labels are voided first, carriers' labels by their carriers. If a carrier refuses, or a label's" +
          " parcel is on its way, nothing is cancelled. A dry run asks no carrier and assumes that none refuses.",
        matches: true,
        refuses: [
          "carrier_error",
          "carrier_unauthorized",
          "invalid_state_transition",
          "label_in_progress",
          "label_not_voidable",
        ],
        answers: { 200: RehearsableView(ReturnView) },
      }),
    });

async function answerCancel(call: Call, service: Service, id: string, { dry_run }: Rehearse): Promise<Response> {
  const { store, actor } = call;
  const cancel = async (tx: Tx) => shown(await cancelLabelledReturn(tx, id, actor));
  const concerned = await store.read(async (db) => hasCarriersReturnLabels(db, (await getReturn(db, id)).id));
  if (!concerned || dry_run) {
    return answerAct(call, { dry_run }, async (tx) => {
      await requireVersion(tx, call, id);
      if (concerned) await supposeTaken(tx, id, actor);
      return cancel(tx);
    });
  }
  return answerLongWork(call, async () => {
    const at = { store, service, news: labelNews, refusal: refusalFor(call, "voided") };
    await voidCarrierReturnLabels(at, actor, async (tx) => {
      await call.confirm(tx);
      await requireVersion(tx, call, id);
      return readyToCancel(tx, id);
    });
    // The return has a new version by now. If-Match was checked before.
    return answerWrite(call, 200, cancel);
  });
}

/** Assumes that the carriers of a return's labels have voided them: for a dry run. */
async function supposeTaken(tx: Tx, id: string, actor: Actor): Promise<void> {
  for (const claim of await beginReturnVoids(tx, await readyToCancel(tx, id), actor)) {
    const voided = await recordVoided(tx, claim, "accept", actor);
    if (voided !== null) await noteReturnLabelVoided(tx, voided, actor);
  }
}
