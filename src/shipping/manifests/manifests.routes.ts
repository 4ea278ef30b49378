import { Elysia } from "elysia";
import { momentOf } from "../../core/clock.ts";
import { readId, wireId } from "../../core/ids.ts";
import { bodyOf, queryOf } from "../../core/schema.ts";
import { documentMediaTypes, preferredFormat } from "../../documents/document.ts";
import { sendDocument } from "../../documents/document_response.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView, ListView } from "../../http/envelope.ts";
import { answerList } from "../../http/pagination.ts";
import { tagged } from "../../http/preconditions.ts";
import { answerRead, answerWrite } from "../../http/response.ts";
import { documented } from "../../http/route.ts";
import type { Service } from "../../http/service.ts";
import { codesIn } from "../../merchants/directory.sql.ts";
import { createManifest } from "./create_manifest.ts";
import { type CarrierManifest, manifestView, plainManifestView } from "./manifest.ts";
import { manifestDocument } from "./manifest_document.ts";
import { CreateManifest, ListManifests, ManifestView, PlainManifestView, PrintManifest } from "./manifests.schema.ts";
import { countManifests, getManifest, listManifests } from "./manifests.sql.ts";

/** Routes of manifests: the lists of parcels handed to carriers at the end of a day. */
export const manifestRoutes = ({ log }: Service) =>
  new Elysia({ prefix: "/shipping/manifests" })
    .use(conventions)
    .post(
      "",
      ({ call, body }) => answerWrite(call, 201, async (tx) => shown(await createManifest(tx, body, call.actor))),
      {
        body: bodyOf(CreateManifest),
        detail: documented({
          id: "createManifest",
          needs: "shipping.buy",
          chapter: "Shipping",
          tagged: true,
          summary: "Create a manifest of parcels for a carrier",
          description:
            "Includes every unmanifested label of the carrier that was bought on `date` or in the seven days" +
            " before, if its parcel ships from the warehouse, did not leave before `date` and has not arrived. A" +
            " manifest has up to 1,000 labels; a second request includes the rest. With `label_ids`, it includes" +
            " only these. A label is on one manifest" +
            " only. A label that is voided later stays listed and is marked.",
          refuses: ["nothing_to_manifest", "resource_missing"],
          answers: { 201: EnvelopedView(ManifestView) },
        }),
      },
    )
    .get("", ({ call, query }) => answerManifests(call, query), {
      query: queryOf(ListManifests),
      detail: documented({
        id: "listManifests",
        needs: "shipping.read",
        chapter: "Shipping",
        summary: "List manifests",
        answers: { 200: ListView(PlainManifestView) },
      }),
    })
    .get("/:id", ({ call, params }) => answerRead(call, async (db) => shown(await getManifest(db, params.id))), {
      detail: documented({
        id: "getManifest",
        needs: "shipping.read",
        chapter: "Shipping",
        tagged: true,
        summary: "Get a manifest with its parcels",
        answers: { 200: EnvelopedView(ManifestView) },
      }),
    })
    .get(
      "/:id/document",
      async ({ call, params, query }) => {
        const { manifest, codes, now } = await call.store.read(async (db) => {
          const manifest = await getManifest(db, params.id);
          return { manifest, codes: await codesIn(db, manifest.parcels), now: db.now };
        });
        const requested = query.format ?? preferredFormat(call.request.headers.get("accept"));
        const paper = manifestDocument(manifest, codes, now, query.paper);
        const format = requested === "html" ? "html" : "pdf";
        return sendDocument(call, log, paper, { name: wireId("manifest", manifest.id), format, now });
      },
      {
        query: queryOf(PrintManifest),
        detail: documented({
          id: "getManifestDocument",
          needs: "shipping.read",
          chapter: "Shipping",
          summary: "Get a printable manifest as PDF, or as HTML with `Accept`",
          description: "It has the barcode of every parcel and space for a signature.",
          documents: documentMediaTypes,
          answers: { 200: null },
        }),
      },
    );

// Null: the view includes the labels' statuses, which do not change the manifest's version.
const shown = (manifest: CarrierManifest) => tagged(manifestView(manifest), null);

function answerManifests(call: Call, query: ListManifests): Promise<Response> {
  const { carrier, warehouse_id, date } = query;
  const filter = {
    carrier,
    warehouse_id: warehouse_id === undefined ? undefined : (readId("warehouse", warehouse_id) ?? 0),
    day: date,
    created_after: momentOf(query.created_after),
    created_before: momentOf(query.created_before),
  };
  return answerList(
    call,
    query,
    {
      rows: (db, window) => listManifests(db, filter, window),
      count: (db) => countManifests(db, filter),
      position: ({ created_at, id }) => [created_at, id],
    },
    (rows) => rows.map(plainManifestView),
  );
}
