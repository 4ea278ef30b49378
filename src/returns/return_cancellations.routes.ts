// Cancels returns. Their labels are voided first; carriers' labels outside any transaction.
import type { Actor } from "../core/actor.ts";
import { DryRunQuery, NoBody } from "../core/schema.ts";
import type { Call } from "../http/call.ts";
import { answerAct, RehearsableView } from "../http/rehearsals.ts";
import { answerLongWork, answerWrite } from "../http/response.ts";
import { respond, routes } from "../http/routes.ts";
import type { Service } from "../http/service.ts";
import { refusalFor } from "../shipping/labels/label.ts";
import { hasCarriersReturnLabels } from "../shipping/labels/labels.sql.ts";
import { voidAtCarriers } from "../shipping/labels/void_at_carrier.ts";
import { beginReturnVoids, recordVoided } from "../shipping/labels/void_label.ts";
import type { Tx } from "../storage/database.ts";
import { cancelLabelledReturn, labelCallbacks, noteReturnLabelVoided, readyToCancel } from "./return_labels.ts";
import { requireRevision, shown } from "./returns.routes.ts";
import { ReturnView } from "./returns.schema.ts";
import { getReturn } from "./returns.sql.ts";

/** The route that cancels a return. */
export const returnCancellationRoutes = (service: Service) =>
  routes("Returns", [
    respond("POST", "/returns/:id/cancel", "returns.write", {
      id: "cancelReturn",
      summary: "Cancel a return before anything arrived",
      description:
        "Cancels an `initiated` return, so that its units can be returned otherwise. Its labels are voided first," +
        " carriers' labels at the carrier. If a carrier refuses, or a parcel is on its way, the return stays. A dry" +
        " run calls no carrier and assumes that none refuses.",
      refuses: [
        "carrier_error",
        "carrier_unauthorized",
        "invalid_state_transition",
        "label_in_progress",
        "label_not_voidable",
      ],
      matches: true,
      body: NoBody,
      query: DryRunQuery,
      answers: { 200: RehearsableView(ReturnView) },
      answer: ({ call, params, query }) => answerCancel(call, service, params.id, query),
    }),
  ]);

async function answerCancel(call: Call, service: Service, id: string, { dry_run }: DryRunQuery): Promise<Response> {
  const { store, actor } = call;
  const cancel = async (tx: Tx) => shown(await cancelLabelledReturn(tx, id, actor));
  const has_carrier_labels = await store.read(async (db) => hasCarriersReturnLabels(db, (await getReturn(db, id)).id));
  if (!has_carrier_labels || dry_run) {
    return answerAct(call, { dry_run }, async (tx) => {
      await requireRevision(tx, call, id);
      if (has_carrier_labels) await assumeVoided(tx, id, actor);
      return cancel(tx);
    });
  }
  return answerLongWork(call, async () => {
    const at = { store, service, callbacks: labelCallbacks, refusal: refusalFor(call, "voided") };
    await voidAtCarriers(at, async (tx) => {
      await call.confirm(tx);
      await requireRevision(tx, call, id);
      return beginReturnVoids(tx, await readyToCancel(tx, id), actor);
    });
    // The return has a new revision now. If-Match was checked above.
    return answerWrite(call, 200, cancel);
  });
}

/** For a dry run: marks carriers' labels as voided. */
async function assumeVoided(tx: Tx, id: string, actor: Actor): Promise<void> {
  for (const claim of await beginReturnVoids(tx, await readyToCancel(tx, id), actor)) {
    const voided = await recordVoided(tx, claim, "accept", actor);
    if (voided !== null) await noteReturnLabelVoided(tx, voided, actor);
  }
}
