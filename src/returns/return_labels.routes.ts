import type { Call } from "../http/call.ts";
import { EnvelopedView, enveloped } from "../http/envelope.ts";
import { answerWrite } from "../http/response.ts";
import { respond, routes } from "../http/routes.ts";
import type { Service } from "../http/service.ts";
import { linkSigner } from "../shipping/labels/label_documents.ts";
import { chooseSeller } from "../shipping/labels/label_purchases.ts";
import { answerClaimed, viewer } from "../shipping/labels/labels.routes.ts";
import { LabelView } from "../shipping/labels/labels.schema.ts";
import { isBuiltIn } from "../shipping/rates/built_in_carrier.ts";
import type { Tx } from "../storage/database.ts";
import { beginReturnLabel, buyReturnLabel } from "./return_labels.ts";
import { BuyReturnLabel } from "./returns.schema.ts";
import { getReturn } from "./returns.sql.ts";

/** Routes of return labels. */
export function returnLabelRoutes(service: Service) {
  const view = viewer(linkSigner(service.secret_key));
  return routes("Returns", [
    respond("POST", "/returns/:id/label", "returns.write", {
      id: "createReturnLabel",
      summary: "Buy a return label",
      description:
        "Buys a label with which the customer sends an `initiated` return back, and tracks the parcel in the return's" +
        " `return_shipping`; billable. If the carrier takes longer than a few seconds, the response is 202, as for" +
        " `POST /shipping/labels`. `POST /shipping/labels/{id}/void` voids the label.",
      refuses: [
        "carrier_error",
        "carrier_refused",
        "carrier_timeout",
        "carrier_unauthorized",
        "duplicate_label",
        "invalid_state_transition",
        "label_in_progress",
        "resource_missing",
      ],
      body: BuyReturnLabel,
      answers: { 201: EnvelopedView(LabelView), 202: EnvelopedView(LabelView) },
      answer: ({ call, params, body }) => buy(call, service, params.id, body, view),
    }),
  ]);
}

function buy(
  call: Call,
  service: Service,
  id: string,
  body: BuyReturnLabel,
  view: ReturnType<typeof viewer>,
): Promise<Response> {
  const buying = {
    actor: call.actor,
    additional: body.additional === true,
    quote: null,
  };
  const show = view(call);
  if (isBuiltIn(call.store.mode, body.carrier)) {
    const work = async (tx: Tx) => show(await buyReturnLabel(tx, id, body, buying), tx);
    return answerWrite(call, 201, work, enveloped, service.secret_key);
  }
  return answerClaimed(call, service, show, async (tx) => {
    // A missing return is refused before errors of the body.
    await getReturn(tx, id);
    return beginReturnLabel(tx, id, body, buying, await chooseSeller(tx, body, call));
  });
}
