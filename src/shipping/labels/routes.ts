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
import { rateCounter } from "../../keys/limits.ts";
import { Fault } from "../../kit/fault.ts";
import { readId, wireId } from "../../kit/ids.ts";
import { bodyOf, queryOf } from "../../kit/schema.ts";
import { parcelPlace, placeInWords } from "../../orders/fulfillment/rules.ts";
import { trackingUrl } from "../../orders/shipments/tracking_url.ts";
import { getOrder } from "../../orders/store.ts";
import { buyTrackedLabel } from "../../tracking/commands.ts";
import type { DrawingFormat } from "../../typesetting/drawings/drawing.ts";
import { keeper } from "../../typesetting/press/kept.ts";
import { drawAside } from "../../typesetting/press/press.ts";
import { voidLabel } from "./commands.ts";
import { withParcel, withQrCode } from "./face.ts";
import { type Label, labelView } from "./label.ts";
import { type LinkSigner, linkRate, linkSigner } from "./links.ts";
import { ChooseDocument, CreateLabel, FollowLink, LabelView } from "./schemas.ts";
import { getLabel } from "./store.ts";
import { warmUpLabels } from "./warm_up.ts";

/** Labels of parcels, and their documents. */
export function labelRoutes(service: Service) {
  warmUpLabels();
  const signer = linkSigner(service.secret_key);
  const answer = documentAnswers(service);
  return new Elysia().use(ownRoutes(service, signer, answer)).use(linkRoutes(service, signer, answer));
}

const ownRoutes = ({ secret_key }: Service, signer: LinkSigner, answer: AnswerDocument) =>
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
    .get(
      "/:id/document",
      async ({ call, params, query }) => {
        const label = await call.store.read(async (db) => labelToPrint(db, await getLabel(db, params.id)));
        return answer(call, label, query.format ?? "pdf");
      },
      {
        query: queryOf(ChooseDocument),
        detail: documented({
          id: "getLabelDocument",
          summary: "Get a label to print",
          documents: Object.values(contentTypes),
          answers: { 200: null },
        }),
      },
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

// A browser or a printer follows these links, and has no key: the signature proves that a key's owner was given them.
const linkRoutes = (service: Service, signer: LinkSigner, answer: AnswerDocument) => {
  const followed = rateCounter(linkRate);
  return new Elysia({ prefix: "/labels" }).use(conventions).get(
    "/:id",
    async ({ call, params, query }) => {
      const { mode, expires, signature, format = "pdf" } = query;
      const store = service.stores[mode];
      const now = store.clock.now();
      const label_id = readId("label", params.id) ?? 0;
      if (!signer.isSigned({ label_id, mode, expires }, signature)) {
        throw new Fault("invalid_signature", "This link was not given by this service, or was changed since.");
      }
      if (expires * 1000 <= now) {
        throw new Fault("invalid_signature", "This link has expired. Get the label again for a new one.");
      }
      const retry_after_seconds = followed(signature, now);
      if (retry_after_seconds > 0) {
        throw new Fault("rate_limited", "This link is followed too often.", { retry_after_seconds });
      }
      const label = await store.read(async (db) => {
        const found = await getLabel(db, label_id);
        if (found.status !== "voided") return labelToPrint(db, found);
        throw new Fault("resource_missing", "This label was voided and is not valid any more. Buy another one.");
      });
      return answer(call, label, format);
    },
    {
      query: queryOf(FollowLink),
      detail: documented({
        id: "followLabelLink",
        summary: "Get a label by its link",
        refuses: ["invalid_signature", "rate_limited", "resource_missing"],
        documents: Object.values(contentTypes),
        answers: { 200: null },
      }),
    },
  );
};

const contentTypes = { pdf: "application/pdf", png: "image/png", zpl: "application/zpl" } as const;

/** A label as it is printed now: its order may have got more parcels, and its parcel's page another address. */
async function labelToPrint(db: Db, label: Label): Promise<Label> {
  if (label.drawing === null) return label;
  const page = trackingUrl(db, { ...label, id: label.shipment_id });
  const drawing = withQrCode(label.drawing, page);
  const place = parcelPlace(await getOrder(db, label.order_id), label.shipment_id);
  return { ...label, drawing: place === null ? drawing : withParcel(drawing, placeInWords(place)) };
}

type AnswerDocument = (call: Call, label: Label, format: DrawingFormat) => Promise<Response>;

/** Answers with documents of labels, each drawn once for as long as it is kept, and never in a transaction. */
function documentAnswers({ log }: Service): AnswerDocument {
  const keep = keeper();
  return async (call, { id, drawing }, format) => {
    if (drawing === null) throw new Fault("resource_missing", "This label has no document.");
    const bytes = await keep({ drawing, format }, () => drawAside({ kind: "drawing", drawing, format }, log));
    return new Response(new Uint8Array(bytes), {
      headers: {
        "content-type": contentTypes[format],
        "content-disposition": `inline; filename="${wireId("label", id)}.${format}"`,
        "cache-control": "private, no-store",
        "x-request-id": call.request_id,
        ...call.headers,
      },
    });
  };
}
