import { Fault } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import { render } from "../../documents/render.ts";
import { type RenderCache, renderCache } from "../../documents/render_cache.ts";
import { rateCounter } from "../../http/auth/rate_limits.ts";
import type { Call } from "../../http/call.ts";
import { respond, routes } from "../../http/routes.ts";
import type { Service } from "../../http/service.ts";
import { getOrder } from "../../orders/orders.sql.ts";
import type { Db } from "../../storage/database.ts";
import type { CarrierDocument } from "../offer.ts";
import { currentDrawing } from "./draw_label.ts";
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

/** Routes of label documents: with an API key, and by signed links. */
export function documentRoutes(service: Service, signer: LinkSigner) {
  const answer = documentAnswers(service);
  const limit = rateCounter(linkRate);
  return routes("Shipping", [
    respond("GET", "/shipping/labels/:id/document", "shipping.read", {
      id: "getLabelDocument",
      summary: "Get a label to print",
      description:
        "Returns a file to print. A built-in label comes in any format, with its present position such as parcel 2" +
        " of 3; a carrier's documents come as the carrier made them. Voided labels can be read here, too.",
      documents: Object.values(contentTypes),
      query: ChooseDocument,
      answers: { 200: null },
      answer: async ({ call, params, query }) => {
        const readable = await call.store.read(async (db) => readableOf(db, await getLabel(db, params.id), query));
        return answer(call, readable);
      },
    }),
    // Browsers and printers follow these links without a key. The signature proves that the API issued the link.
    respond("GET", "/labels/:id", "none", {
      id: "followLabelLink",
      summary: "Get a label by its signed link",
      description:
        "The target of `label_url` and of the links in `documents`, for browsers and printers that have no key. It" +
        " works for 7 days and ends early when the label is voided. Get the label again for a new link.",
      refuses: ["invalid_signature", "rate_limited", "resource_missing"],
      documents: Object.values(contentTypes),
      query: FollowLink,
      answers: { 200: null },
      answer: async ({ call, params, query }) => {
        const { mode, expires, signature, ...choice } = query;
        const store = service.stores[mode];
        const now = store.clock.now();
        const label_id = readId("label", params.id) ?? 0;
        if (!signer.isSigned({ label_id, mode, expires }, signature)) {
          throw new Fault("invalid_signature", "This link is not valid. Get the label again for a new link.");
        }
        if (expires * 1000 <= now) {
          throw new Fault("invalid_signature", "This link has expired. Get the label again for a new link.");
        }
        const retry_after_seconds = limit(signature, now);
        if (retry_after_seconds > 0) {
          throw new Fault("rate_limited", "This link was requested too often. Try again later.", {
            retry_after_seconds,
          });
        }
        const readable = await store.read(async (db) => {
          const label = await getLabel(db, label_id);
          if (!isVoided(label.status)) return readableOf(db, label, choice);
          throw new Fault("resource_missing", "This label was voided. Buy another label.");
        });
        return answer(call, readable);
      },
    }),
  ]);
}

/** A document that can be sent or drawn without the database. */
interface Readable {
  /** The file's name without its extension. */
  readonly name: string;
  readonly document: Exclude<ChosenDocument, { readonly stored: unknown }> | Omit<CarrierDocument, "kind">;
}

/** Reads the requested document of a label. */
async function readableOf(db: Db, label: ShippingLabel, choice: DocumentChoice): Promise<Readable> {
  const name = wireId("label", label.id);
  const chosen = chooseDocument(label, choice);
  if ("drawing" in chosen) {
    const order = await getOrder(db, label.order_id);
    return { name, document: { ...chosen, drawing: currentDrawing(db, order, label, chosen.drawing) } };
  }
  const { position, kind, content_type } = chosen.stored;
  const suffix = kind === "label" ? "" : `-${kind}-${position}`;
  return { name: name + suffix, document: { content_type, bytes: await readDocument(db, chosen.stored) } };
}

type AnswerDocument = (call: Call, readable: Readable) => Promise<Response>;

/** Creates the responder for label documents. Drawings are rendered outside transactions and cached for a while. */
function documentAnswers({ log }: Service): AnswerDocument {
  const cached = renderCache();
  return async (call, { name, document }) => {
    const { content_type, bytes } = "bytes" in document ? document : await drawn(document, cached, log);
    return new Response(new Uint8Array(bytes), {
      headers: {
        ...call.headers,
        "content-type": content_type,
        "content-disposition": `inline; filename="${name}.${formatOf(content_type)}"`,
        // A carrier's document is served with its stored type. Browsers must not guess another.
        "x-content-type-options": "nosniff",
        // Merchants' pages show labels by their signed links.
        "cross-origin-resource-policy": "cross-origin",
        "cache-control": "private, no-store",
        "x-request-id": call.request_id,
      },
    });
  };
}

/** Renders a drawing in its format, or returns the cached one. */
async function drawn(
  job: Extract<Readable["document"], { drawing: unknown }>,
  cached: RenderCache,
  log: Service["log"],
) {
  const bytes = await cached(job, () => render({ kind: "drawing", ...job }, log));
  return { content_type: contentTypes[job.format], bytes };
}
