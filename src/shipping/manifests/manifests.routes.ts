import { wireId } from "../../core/ids.ts";
import { documentMediaTypes, preferredFormat } from "../../documents/document.ts";
import { sendDocument } from "../../documents/document_response.ts";
import { tagged } from "../../http/preconditions.ts";
import { list, read, respond, routes, write } from "../../http/routes.ts";
import type { Service } from "../../http/service.ts";
import { codesIn } from "../../merchants/directory.sql.ts";
import { createManifest } from "./create_manifest.ts";
import { type CarrierManifest, manifestView, plainManifestView } from "./manifest.ts";
import { manifestDocument } from "./manifest_document.ts";
import { CreateManifest, ManifestView, PlainManifestView, PrintManifest } from "./manifests.schema.ts";
import { getManifest, manifestList } from "./manifests.sql.ts";

/** Routes of manifests: the lists of parcels handed to carriers at the end of a day. */
export const manifestRoutes = ({ log }: Service) =>
  routes("Shipping", [
    write("POST", "/shipping/manifests", "shipping.buy", {
      id: "createManifest",
      summary: "Create a manifest of parcels for a carrier",
      description:
        "Lists parcels for the hand-over to a carrier; it ships nothing. Without `label_ids`, it takes up to 1,000" +
        " labels that are on no manifest, were bought on `date` or in the 7 days before, ship from the warehouse and" +
        " did not leave before `date`. Send it again for the rest. A label is on one manifest only.",
      refuses: ["nothing_to_manifest", "resource_missing"],
      tagged: true,
      body: CreateManifest,
      view: ManifestView,
      status: 201,
      act: async (tx, { call, body }) => shown(await createManifest(tx, body, call.actor)),
    }),
    list("/shipping/manifests", "shipping.read", {
      id: "listManifests",
      summary: "List manifests",
      description: "Lists manifests without their parcels, newest first. Get one by its id for its parcels.",
      of: manifestList,
      view: PlainManifestView,
      views: (manifests) => manifests.map(plainManifestView),
    }),
    read("/shipping/manifests/:id", "shipping.read", {
      id: "getManifest",
      summary: "Get a manifest with its parcels",
      description:
        "Returns the manifest with its parcels and the present status of each label. A label that was voided later" +
        " stays listed.",
      tagged: true,
      view: ManifestView,
      data: async (db, { params }) => shown(await getManifest(db, params.id)),
    }),
    respond("GET", "/shipping/manifests/:id/document", "shipping.read", {
      id: "getManifestDocument",
      summary: "Get a printable manifest as PDF, or as HTML with `Accept`",
      description:
        "Returns the list for the carrier's driver, with the barcode of every parcel and space for a signature." +
        " Labels that were voided since are marked.",
      documents: documentMediaTypes,
      query: PrintManifest,
      answers: { 200: null },
      answer: async ({ call, params, query }) => {
        const { manifest, codes, now } = await call.store.read(async (db) => {
          const manifest = await getManifest(db, params.id);
          return { manifest, codes: await codesIn(db, manifest.parcels), now: db.now };
        });
        const requested = query.format ?? preferredFormat(call.request.headers.get("accept"));
        const paper = manifestDocument(manifest, codes, now, query.paper);
        const format = requested === "html" ? "html" : "pdf";
        return sendDocument(call, log, paper, { name: wireId("manifest", manifest.id), format, now });
      },
    }),
  ]);

// Null: the view includes the labels' statuses, which do not change the manifest's revision.
const shown = (manifest: CarrierManifest) => tagged(manifestView(manifest), null);
