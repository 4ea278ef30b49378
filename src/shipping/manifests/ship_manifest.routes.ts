import { Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { DryRunQuery } from "../../core/schema.ts";
import { answerResults, eachTogether, type PartResult, resultOfPart } from "../../http/bulk_results.ts";
import type { Call } from "../../http/call.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { bulkPartOf } from "../../http/idempotency.ts";
import { answerLongWork } from "../../http/response.ts";
import { respond, routes } from "../../http/routes.ts";
import type { Service } from "../../http/service.ts";
import { hasLeft } from "../../orders/order.transitions.ts";
import { fulfillmentActs } from "../../orders/order_actions.routes.ts";
import { isVoided } from "../labels/label.transitions.ts";
import type { ManifestParcel } from "./manifest.ts";
import { ShippedManifestView } from "./manifests.schema.ts";
import { getManifest } from "./manifests.sql.ts";

/** The route that ships the parcels of a manifest. */
export const shipManifestRoutes = ({ secret_key }: Service) =>
  routes("Shipping", [
    respond("POST", "/shipping/manifests/:id/ship", "orders.fulfill", {
      id: "shipManifest",
      summary: "Ship the parcels of a manifest",
      description:
        "Ships every parcel on the manifest once the carrier has collected it, each with its own history and events." +
        " A refusal, such as a voided label, does not stop the others. Sending the request again ships" +
        " what was refused; a parcel that has left stays as it is.",
      refuses: ["resource_missing"],
      query: DryRunQuery,
      answers: { 200: EnvelopedView(ShippedManifestView) },
      answer: ({ call, params, query: { dry_run = false } }) =>
        answerLongWork(call, () => shipAll(call, params.id, dry_run, secret_key), secret_key),
    }),
  ]);

async function shipAll(call: Call, id: string, dry_run: boolean, secret_key: Uint8Array): Promise<Response> {
  const manifest = await call.store.read((db) => getManifest(db, id));
  const waiting = manifest.parcels.filter((parcel) => !parcelHasLeft(parcel));
  const done = await eachTogether(call, waiting, (parcel) => shipOne(call, parcel, dry_run));
  const results = new Map(waiting.map(({ label_id }, at) => [label_id, done[at]]));
  // The first scan by the carrier ships a parcel too, perhaps at this moment.
  const after = await call.store.read((db) => getManifest(db, id));
  const left = new Set(after.parcels.filter(parcelHasLeft).map(({ label_id }) => label_id));
  const shown = manifest.parcels.map((parcel) => resultView(parcel, results.get(parcel.label_id), left));
  const count = (outcome: string) => shown.filter((one) => one.outcome === outcome).length;
  const data = {
    manifest_id: wireId("manifest", manifest.id),
    dry_run,
    shipped: count("shipped"),
    already_shipped: count("already_shipped"),
    refused: count("refused"),
    results: shown,
  };
  return answerResults(call, data, secret_key);
}

const parcelHasLeft = ({ shipment_status }: ManifestParcel) => hasLeft(shipment_status);

function shipOne(call: Call, parcel: ManifestParcel, dry_run: boolean): Promise<PartResult> {
  const [id, shipment_id] = [wireId("order", parcel.order_id), wireId("shipment", parcel.shipment_id)];
  return resultOfPart(call, async () => {
    if (isVoided(parcel.status)) {
      throw new Fault("invalid_state_transition", "The label was voided, so its parcel cannot be handed over.");
    }
    const input = { shipment_id };
    // Parcels of one order have the same path, so the parcel is part of the idempotency key.
    const query = { shipment_id, ...(dry_run ? { dry_run: "true" } : {}) };
    const path = `/orders/${id}/ship`;
    const part = bulkPartOf(call, { method: "POST", route: "/orders/:id/ship", path, query, body: input });
    return fulfillmentActs.ship(part, { id, input, dry_run });
  });
}

function resultView(parcel: ManifestParcel, result: PartResult | undefined, left: ReadonlySet<number>) {
  const { label_id, shipment_id, order_id, order_number, tracking_number } = parcel;
  const isRefused = result?.ok === false && !left.has(label_id);
  return {
    label_id: wireId("label", label_id),
    shipment_id: wireId("shipment", shipment_id),
    order_id: wireId("order", order_id),
    order_number,
    tracking_number,
    outcome: isRefused ? "refused" : result?.ok ? "shipped" : "already_shipped",
    ...(isRefused ? { error: result.error } : {}),
  };
}
