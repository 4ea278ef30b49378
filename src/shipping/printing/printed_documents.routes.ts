import { Fault } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import { rateCounter } from "../../http/auth/rate_limits.ts";
import type { Call } from "../../http/call.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { originOf } from "../../http/origin.ts";
import { list, read, respond, routes } from "../../http/routes.ts";
import type { Service } from "../../http/service.ts";
import { answerSlowWork } from "../../http/slow_work.ts";
import { trackPurchase } from "../../outbound/lanes.ts";
import type { Db, Store } from "../../storage/database.ts";
import { linkRate } from "../labels/label_documents.ts";
import { drawDocument } from "./draw_document.ts";
import { isDrawn } from "./printed_document.transitions.ts";
import {
  type DocumentContext,
  type DocumentSigner,
  documentSigner,
  documentView,
  type PrintedDocument,
  plainDocumentView,
} from "./printed_document.ts";
import { CreateDocument, DocumentView, FollowDocumentLink, PlainDocumentView } from "./printed_documents.schema.ts";
import { documentList, getPrintedDocument, readChunk } from "./printed_documents.sql.ts";
import { requestDocument } from "./request_document.ts";

/** How long a client waits for a small document. */
const small_timeout_ms = 20_000;

/** Routes of documents for many orders. */
export function documentRoutes(service: Service) {
  const signer = documentSigner(service.secret_key);
  const context = (call: Call, { mode, now }: Pick<Db, "mode" | "now">): DocumentContext => {
    return { origin: originOf(call), signer, mode, now };
  };
  const viewIn = (call: Call) => (document: PrintedDocument, db: Db) => documentView(document, context(call, db));
  return routes("Shipping", [
    respond("POST", "/documents", "orders.fulfill", {
      id: "createDocument",
      summary: "Print pick lists, packing slips and labels of up to 500 orders as one PDF or ZPL file",
      description:
        "A small document is returned with its link (201), a large one is drawn after the response (202): get it" +
        " until `status` is `completed`. Orders that cannot be printed are in `skipped` with the reason. When it is" +
        " completed, its labels, slips and pick lists count as printed, with an entry `print` in each order's" +
        " history, and later slips and pick lists say `REPRINT`; labels are never altered. Labels also require" +
        " `shipping.read`.",
      refuses: ["ambiguous_identifier", "resource_missing"],
      body: CreateDocument,
      answers: { 201: EnvelopedView(DocumentView), 202: EnvelopedView(DocumentView) },
      answer: ({ call, body }) => answerNew(call, service, body, viewIn(call)),
    }),
    list("/documents", "shipping.read", {
      id: "listDocuments",
      summary: "List documents of the last day",
      description: "Lists documents without what they printed, newest first.",
      of: documentList,
      view: PlainDocumentView,
      views: (documents, db, { call }) => documents.map((one) => plainDocumentView(one, context(call, db))),
    }),
    read("/documents/:id", "shipping.read", {
      id: "getDocument",
      summary: "Get a document, its progress and a link to its file",
      description: "Returns the document with what it printed and skipped. Poll it while `status` is `processing`.",
      view: DocumentView,
      data: async (db, { call, params }) => viewIn(call)(await getPrintedDocument(db, params.id), db),
    }),
    contentRoute(service, signer),
  ]);
}

/** The file of a document. Browsers and printers follow its link without a key. */
function contentRoute({ stores }: Service, signer: DocumentSigner) {
  const limit = rateCounter(linkRate);
  return respond("GET", "/documents/:id/content", "none", {
    id: "followDocumentLink",
    summary: "Get the file of a document by its signed link",
    description: "The target of a document's `url`, for browsers and printers that have no key.",
    refuses: ["invalid_signature", "rate_limited", "resource_missing"],
    documents: ["application/pdf", "application/zpl"],
    query: FollowDocumentLink,
    answers: { 200: null },
    answer: async ({ call, params, query }) => {
      const { mode, expires, signature } = query;
      const store = stores[mode];
      const now = store.clock.now();
      const id = readId("document", params.id) ?? 0;
      if (!signer.isSigned({ id, mode, expires }, signature)) {
        throw new Fault("invalid_signature", "This link is not valid. Get the document again for a new link.");
      }
      if (expires * 1000 <= now) {
        throw new Fault("invalid_signature", "This link has expired. Get the document again for a new link.");
      }
      const retry_after_seconds = limit(signature, now);
      if (retry_after_seconds > 0) {
        throw new Fault("rate_limited", "This link was requested too often. Try again later.", { retry_after_seconds });
      }
      const { document, first } = await store.read(async (db) => {
        const document = await getPrintedDocument(db, id);
        return { document, first: isDrawn(document.status) ? await readChunk(db, id, 0) : null };
      });
      if (first === null) {
        throw new Fault("resource_missing", "This file is gone, since data of an order in it was erased. Print again.");
      }
      return sendContent(call, store, document, first);
    },
  });
}

/** Sends the stored parts one after the other, each read when the client takes it. */
function sendContent(call: Call, store: Store, { id, format, size }: PrintedDocument, first: Uint8Array): Response {
  let position = 0;
  const content = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const at = position;
        const bytes = at === 0 ? first : await store.read((db) => readChunk(db, id, at));
        if (bytes === null) return controller.close();
        controller.enqueue(new Uint8Array(bytes));
        position += 1;
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(content, {
    headers: {
      ...call.headers,
      "content-type": `application/${format}`,
      ...(size !== null && { "content-length": String(size) }),
      "content-disposition": `inline; filename="${wireId("document", id)}.${format}"`,
      "x-content-type-options": "nosniff",
      "cache-control": "private, no-store",
      "x-request-id": call.request_id,
    },
  });
}

async function answerNew(
  call: Call,
  service: Service,
  body: CreateDocument,
  view: (document: PrintedDocument, db: Db) => ReturnType<typeof documentView>,
): Promise<Response> {
  const permission = "shipping.read";
  if (body.include.includes("label") && !call.granted.permissions.has(permission)) {
    throw new Fault("insufficient_permission", `Labels require the permission ${permission}.`, { permission });
  }
  const { store } = call;
  const { log, files, ending, secret_key } = service;
  return answerSlowWork(
    call,
    {
      timeout_ms: small_timeout_ms,
      begin: async (tx) => {
        const begun = await requestDocument(tx, body, call.actor);
        return { begun, data: view(begun.document, tx) };
      },
      // A large document is drawn by the job, in its turn.
      finish: async ({ document, is_small }, end) => {
        if (!is_small) return;
        const drawing = drawDocument({ store, log, files, ending }, document, (tx, drawn) =>
          end(tx, { status: 201, data: view(drawn, tx) }),
        );
        await trackPurchase(store.base, drawing);
      },
    },
    secret_key,
  );
}
