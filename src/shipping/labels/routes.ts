import { Elysia } from "elysia";
import { answerRead } from "../../http/answer.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { documented } from "../../http/route.ts";
import type { Service } from "../../http/service.ts";
import { bodyOf } from "../../kit/schema.ts";
import { documentRoutes } from "./documents/routes.ts";
import { type LinkSigner, linkSigner } from "./links.ts";
import { labelListRoutes } from "./list/routes.ts";
import { purchases, viewer } from "./purchases/routes.ts";
import { CreateLabel, LabelView } from "./schemas.ts";
import { getLabel } from "./store.ts";
import { answerVoid } from "./voids/routes.ts";

/** Labels of parcels, and their documents. */
export function labelRoutes(service: Service) {
  const signer = linkSigner(service.secret_key);
  return new Elysia()
    .use(labelListRoutes(viewer(signer)))
    .use(ownRoutes(service, signer))
    .use(documentRoutes(service, signer));
}

const ownRoutes = (service: Service, signer: LinkSigner) => {
  const view = viewer(signer);
  const buy = purchases(service);
  return new Elysia({ prefix: "/shipping/labels" })
    .use(conventions)
    .post("", ({ call, body }) => buy(call, body), {
      body: bodyOf(CreateLabel),
      detail: documented({
        id: "createLabel",
        needs: "shipping.buy",
        chapter: "Shipping",
        summary: "Buy a label",
        description:
          "A label of our own is bought at once. For a carrier the answer waits a few seconds: 202 says that it has" +
          " not sold the label yet, whose `status` is `processing`. `GET /shipping/labels/:id` shows the result:" +
          " `completed`, or `error` with the reason.",
        refuses: [
          "ambiguous_identifier",
          "carrier_error",
          "carrier_refused",
          "carrier_timeout",
          "carrier_unauthorized",
          "duplicate_label",
          "invalid_state_transition",
          "quote_expired",
          "quote_mismatch",
          "quote_used",
          "resource_missing",
        ],
        answers: { 201: EnvelopedView(LabelView), 202: EnvelopedView(LabelView) },
      }),
    })
    .get("/:id", ({ call, params }) => answerRead(call, async (db) => view(call)(await getLabel(db, params.id), db)), {
      detail: documented({
        id: "getLabel",
        needs: "shipping.read",
        chapter: "Shipping",
        summary: "Get a label",
        answers: { 200: EnvelopedView(LabelView) },
      }),
    })
    .post("/:id/void", ({ call, params }) => answerVoid(call, service, params.id, view(call)), {
      detail: documented({
        id: "voidLabel",
        needs: "shipping.buy",
        chapter: "Shipping",
        summary: "Void a label whose parcel has not left",
        description:
          "A carrier is asked to void its label. 202 says that it has not answered yet: `void_status` is `asked`," +
          " and the service goes on asking.",
        refuses: [
          "carrier_error",
          "carrier_unauthorized",
          "invalid_state_transition",
          "label_in_progress",
          "label_not_voidable",
          "resource_missing",
        ],
        answers: { 200: EnvelopedView(LabelView), 202: EnvelopedView(LabelView) },
      }),
    });
};
