import { Elysia } from "elysia";
import { Fault } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import { queryOf } from "../../core/schema.ts";
import { render } from "../../documents/render.ts";
import { type RenderCache, renderCache } from "../../documents/render_cache.ts";
import { rateCounter } from "../../http/auth/rate_limits.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { documented } from "../../http/route.ts";
import type { Service } from "../../http/service.ts";
import { parcelPlace, placeInWords } from "../../orders/fulfillment/order_units.ts";
import { trackingUrl } from "../../orders/fulfillment/tracking_url.ts";
import { getOrder } from "../../orders/orders.sql.ts";
import type { Db } from "../../storage/database.ts";
import type { CarrierDocument } from "../offer.ts";
import { withParcel, withQrCode } from "./draw_label.ts";
import { isVoided } from "./label.transitions.ts";
import type { ShippingLabel } from "./label.ts";
import {
  type ChosenDocument,
  chooseDocument,
  contentTypes,
  type DocumentChoice,
  formatOf,
  type LinkSigner,
  linkRate,
} from "./label_documents.ts";
import { ChooseDocument, FollowLink } from "./labels.schema.ts";
import { getLabel, readDocument } from "./labels.sql.ts";

/** Routes of label documents: with an API key, and by links that need none. */
export function documentRoutes(service: Service, signer: LinkSigner) {
  const answer = documentAnswers(service);
  return new Elysia().use(byKey(answer)).use(byLink(service, signer, answer));
}

const byKey = (answer: AnswerDocument) =>
  new Elysia({ prefix: "/shipping/labels" }).use(conventions).get(
    "/:id/document",
    async ({ call, params, query }) => {
      const readable = await call.store.read(async (db) => readableOf(db, await getLabel(db, params.id), query));
      return answer(call, readable);
    },
    {
      query: queryOf(ChooseDocument),
      detail: documented({
        id: "getLabelDocument",
        needs: "shipping.read",
        chapter: "Shipping",
        summary: "Get a label to print",
        documents: Object.values(contentTypes),
        answers: { 200: null },
      }),
    },
  );

// Browsers and printers follow these links without a key. The signature proves that the link was given to a key's
// owner.
const byLink = (service: Service, signer: LinkSigner, answer: AnswerDocument) => {
  const followed = rateCounter(linkRate);
  return new Elysia({ prefix: "/labels" }).use(conventions).get(
    "/:id",
    async ({ call, params, query }) => {
      const { mode, expires, signature, ...wish } = query;
      const store = service.stores[mode];
      const now = store.clock.now();
      const label_id = readId("label", params.id) ?? 0;
      if (!signer.isSigned({ label_id, mode, expires }, signature)) {
        throw new Fault("invalid_signature", "This link is not one of this service, or was changed.");
      }
      if (expires * 1000 <= now) {
        throw new Fault("invalid_signature", "This link has expired. Get the label again for a new link.");
      }
      const retry_after_seconds = followed(signature, now);
      if (retry_after_seconds > 0) {
        throw new Fault("rate_limited", "This link was followed too often.", { retry_after_seconds });
      }
      const readable = await store.read(async (db) => {
        const found = await getLabel(db, label_id);
        if (!isVoided(found.status)) return readableOf(db, found, wish);
        throw new Fault("resource_missing", "This label was voided. Buy another one.");
      });
      return answer(call, readable);
    },
    {
      query: queryOf(FollowLink),
      detail: documented({
        id: "followLabelLink",
        needs: "none",
        chapter: "Shipping",
        summary: "Get a label by its link",
        refuses: ["invalid_signature", "rate_limited", "resource_missing"],
        documents: Object.values(contentTypes),
        answers: { 200: null },
      }),
    },
  );
};

/** A document that is ready to answer: its bytes are there, or can be drawn without the database. */
interface Readable {
  /** The file's name without its extension. */
  readonly name: string;
  readonly document: Exclude<ChosenDocument, { readonly stored: unknown }> | Omit<CarrierDocument, "kind">;
}

/** Reads the requested document. */
async function readableOf(db: Db, label: ShippingLabel, wish: DocumentChoice): Promise<Readable> {
  const name = wireId("label", label.id);
  const chosen = chooseDocument(label, wish);
  if ("drawing" in chosen) {
    return { name, document: { ...chosen, drawing: await drawingOfToday(db, label, chosen.drawing) } };
  }
  const { position, kind, content_type } = chosen.stored;
  const of = kind === "label" ? "" : `-${kind}-${position}`;
  return { name: name + of, document: { content_type, bytes: await readDocument(db, chosen.stored) } };
}

/**
 * A label as it prints now: the number of parcels of its order, and the address of its parcel's page, may have changed.
 */
async function drawingOfToday(db: Db, label: ShippingLabel, drawing: NonNullable<ShippingLabel["drawing"]>) {
  const { shipment_id } = label;
  if (shipment_id === null) return drawing;
  const page = trackingUrl(db, { ...label, id: shipment_id, told_url: label.tracking_url });
  const pointed = withQrCode(drawing, page);
  const place = parcelPlace(await getOrder(db, label.order_id), shipment_id);
  return place === null ? pointed : withParcel(pointed, placeInWords(place));
}

type AnswerDocument = (call: Call, readable: Readable) => Promise<Response>;

/** Answers with documents of labels. Each is drawn outside of transactions, and cached for a while. */
function documentAnswers({ log }: Service): AnswerDocument {
  const keep = renderCache();
  return async (call, { name, document }) => {
    const { content_type, bytes } = "bytes" in document ? document : await drawn(document, keep, log);
    return new Response(new Uint8Array(bytes), {
      headers: {
        ...call.headers,
        "content-type": content_type,
        "content-disposition": `inline; filename="${name}.${formatOf(content_type)}"`,
        // A carrier's document is served as the type that it was stored with; browsers must not guess another.
        "x-content-type-options": "nosniff",
        // Pages of merchants show labels by their signed links.
        "cross-origin-resource-policy": "cross-origin",
        "cache-control": "private, no-store",
        "x-request-id": call.request_id,
      },
    });
  };
}

/** Renders a drawing in its format, or answers the cached one. */
async function drawn(
  plan: Extract<Readable["document"], { drawing: unknown }>,
  keep: RenderCache,
  log: Service["log"],
) {
  const bytes = await keep(plan, () => render({ kind: "drawing", ...plan }, log));
  return { content_type: contentTypes[plan.format], bytes };
}
