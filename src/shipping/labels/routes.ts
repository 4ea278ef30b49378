import { Elysia } from "elysia";
import type { Db, Tx } from "../../database/store.ts";
import { answerRead, answerWrite } from "../../http/answer.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView, enveloped } from "../../http/envelope.ts";
import { idempotencyKey } from "../../http/idempotency.ts";
import { originOf } from "../../http/origin.ts";
import { documented } from "../../http/route.ts";
import type { Service } from "../../http/service.ts";
import { bodyOf } from "../../kit/schema.ts";
import { buyTrackedLabel } from "../../tracking/commands.ts";
import { voidLabel } from "./commands.ts";
import { type LinkSigner, linkSigner } from "./documents/links.ts";
import { documentRoutes } from "./documents/routes.ts";
import { type Label, labelView } from "./label.ts";
import { CreateLabel, LabelView } from "./schemas.ts";
import { getLabel } from "./store.ts";
import { warmUpLabels } from "./warm_up.ts";

/** Labels of parcels, and their documents. */
export function labelRoutes(service: Service) {
  warmUpLabels();
  const signer = linkSigner(service.secret_key);
  return new Elysia().use(ownRoutes(service, signer)).use(documentRoutes(service, signer));
}

const ownRoutes = ({ secret_key }: Service, signer: LinkSigner) =>
  new Elysia({ prefix: "/shipping/labels" })
    .use(conventions)
    .post("", ({ call, body }) => buy(call, body, signer, secret_key), {
      body: bodyOf(CreateLabel),
      detail: documented({
        id: "createLabel",
        summary: "Buy a label for a parcel of an order",
        refuses: [
          "ambiguous_identifier",
          "carrier_error",
          "carrier_timeout",
          "duplicate_label",
          "invalid_state_transition",
          "resource_missing",
        ],
        answers: { 201: EnvelopedView(LabelView) },
      }),
    })
    .get(
      "/:id",
      ({ call, params }) => answerRead(call, async (db) => viewOf(signer, call)(await getLabel(db, params.id), db)),
      { detail: documented({ id: "getLabel", summary: "Get a label", answers: { 200: EnvelopedView(LabelView) } }) },
    )
    .post(
      "/:id/void",
      ({ call, params }) => {
        const work = async (tx: Tx) => viewOf(signer, call)(await voidLabel(tx, params.id, call.actor), tx);
        return answerWrite(call, 200, work, enveloped, secret_key);
      },
      {
        detail: documented({
          id: "voidLabel",
          summary: "Void a label whose parcel has not left",
          refuses: ["invalid_state_transition", "label_not_voidable"],
          answers: { 200: EnvelopedView(LabelView) },
        }),
      },
    );

/** Buys a label. Its links open without a key, so what is kept for a repeated request is sealed. */
function buy(call: Call, body: CreateLabel, signer: LinkSigner, secret_key: Uint8Array): Promise<Response> {
  const view = viewOf(signer, call);
  const buying = {
    actor: call.actor,
    // With a key of its own a request is never repeated by mistake.
    additional: body.additional === true || idempotencyKey(call.request) !== null,
  };
  const work = async (tx: Tx) => view(await buyTrackedLabel(tx, body, buying), tx);
  return answerWrite(call, 201, work, enveloped, secret_key);
}

function viewOf(signer: LinkSigner, call: Call) {
  const origin = originOf(call);
  return (label: Label, { mode, now, site }: Db) => labelView(label, { origin, site, signer, mode, now });
}
