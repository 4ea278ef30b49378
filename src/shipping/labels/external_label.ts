// Records labels that were bought elsewhere, such as at a marketplace or in a carrier's portal. No carrier is called.
import { billFacts } from "../../billing/bill_facts.ts";
import type { Actor } from "../../core/actor.ts";
import { assert, Fault, invalid } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { centsOf, value_currency } from "../../core/money.ts";
import { transition } from "../../core/transitions.ts";
import { openLabelled } from "../../orders/fulfillment/label_shipment.ts";
import { allotShipmentIds } from "../../orders/fulfillment/shipments.sql.ts";
import { givenTrackingNumber } from "../../orders/fulfillment/tracking_url.ts";
import { ownerOfOrder, resolveOrder } from "../../orders/lifecycle/order_lookup.sql.ts";
import type { Tx } from "../../storage/database.ts";
import { takeTurn } from "../../storage/leases.ts";
import type { CarrierDocument } from "../offer.ts";
import { builtInCarriers, isBuiltIn } from "../rates/built_in_carrier.ts";
import { readRateQuestion } from "../rates/rate_request.ts";
import type { BoughtLabel } from "./built_in_labels.ts";
import { labelStarts, labelTransitions } from "./label.transitions.ts";
import { labelFact } from "./label.ts";
import type { CreateExternalLabel, CreateLabel } from "./labels.schema.ts";
import { findParcelOfNumber, getLabel, insertDocuments, insertOwnLabels } from "./labels.sql.ts";
import { readyParcels } from "./ready_parcels.ts";
import { isOwnNumber } from "./tracking_number.ts";

/** The file of a label that was bought elsewhere, and its merchant. */
export interface ExternalDocument extends Omit<CarrierDocument, "kind"> {
  readonly merchant_id: number;
}

/** Who records a label, and its file; null for a label without one. */
interface LabelRecorder {
  readonly actor: Actor;
  readonly document: ExternalDocument | null;
  /** The age (ms) at which a carrier may give a number to another parcel. */
  readonly reused_after_ms: number;
}

/**
 * Opens a parcel with a label that was bought elsewhere. Tracking and the event are left to tracking's
 * `recordExternalLabel`.
 * Refuses: validation_failed, resource_missing, ambiguous_identifier, duplicate_label, pickup_order,
 * invalid_state_transition.
 */
export async function addExternalLabel(
  tx: Tx,
  input: CreateExternalLabel,
  recorder: LabelRecorder,
): Promise<BoughtLabel> {
  const { actor, document } = recorder;
  const named = readNames(tx, input);
  const currency = input.currency ?? value_currency;
  const cost_cents = centsOf(input.cost, currency, "cost");
  const merchant_id = await ownerOfOrder(tx, await resolveOrder(tx, input.order_id));
  await refuseUsedNumber(tx, { ...named, merchant_id }, recorder);
  if (document !== null && document.merchant_id !== merchant_id) {
    throw invalid("file_id", "belongs to another merchant than the order");
  }
  const request = { ...(await withPackage(tx, input)), carrier: named.carrier, service: named.service };
  const buying = { actor, additional: input.additional === true, quote: null, elsewhere: true };
  const [ready] = await readyParcels(tx, [{ input: request, buying, seller: named }]);
  if (ready instanceof Fault) throw ready;
  assert(ready !== undefined && ready !== "run_individually", "a single label never waits for another");
  const { order, units, warehouse_id, origin_zone } = ready;
  const [id = 0] = await allotShipmentIds(tx, 1);
  const [parcel] = await openLabelled(tx, [{ order, actor, parcel: { id, ...named, lines: units } }]);
  assert(parcel !== undefined, "an opened parcel is returned");
  const [inserted] = await insertOwnLabels(tx, [
    {
      shipment_id: id,
      order_id: order.id,
      merchant_id: order.merchant_id,
      external: true,
      status: transition(labelTransitions, "complete", labelStarts),
      ...named,
      cost_cents,
      carrier_cost_cents: cost_cents,
      currency,
      breakdown: null,
      sample: false,
      zone: null,
      billable_pounds: null,
      delivery_date: null,
      package: ready.parcel.package,
      value_cents: ready.value_cents,
      insurance: ready.insurance,
      from_address: ready.from_address,
      to_address: ready.to_address,
      drawing: null,
      warnings: ready.warnings,
      fingerprint: ready.fingerprint,
      created_at: tx.now,
      voided_at: null,
    },
  ]);
  assert(inserted !== undefined, "an inserted label is returned");
  if (document !== null) {
    const { content_type, bytes } = document;
    await insertDocuments(tx, inserted.id, [{ kind: "label", content_type, bytes }]);
  }
  billFacts(tx, [labelFact(inserted, { id: warehouse_id, timezone: origin_zone })]);
  return { ...parcel, label: await getLabel(tx, inserted.id) };
}

/** The names on a label. */
interface LabelNames {
  readonly carrier: string;
  readonly service: string;
  readonly tracking_number: string;
}

/** Refuses: validation_failed. */
function readNames(tx: Tx, input: CreateExternalLabel): LabelNames {
  const { carrier, service } = input;
  if (isBuiltIn(tx.mode, carrier)) {
    const codes = builtInCarriers(tx.mode).map(({ code }) => code);
    throw invalid("carrier", `sells its labels here, as all of these do: ${codes.join(", ")}. Buy the label instead`);
  }
  const tracking_number = givenTrackingNumber("tracking_number", input.tracking_number);
  if (tracking_number === null) throw invalid("tracking_number", "is required", "required");
  if (isOwnNumber(tx, tracking_number)) {
    throw invalid("tracking_number", "has the form of the numbers that Packhouse gives to its own labels");
  }
  return { carrier, service, tracking_number };
}

/** Refuses a number that another parcel of the merchant has from the carrier. Refuses: duplicate_label. */
async function refuseUsedNumber(
  tx: Tx,
  { carrier, tracking_number, merchant_id }: LabelNames & { readonly merchant_id: number },
  { reused_after_ms }: LabelRecorder,
): Promise<void> {
  // Of two concurrent requests with one number, the second finds the parcel of the first.
  await takeTurn(tx, `labels.${merchant_id}`);
  const since = tx.now - reused_after_ms;
  const used = await findParcelOfNumber(tx, { merchant_id, carrier, tracking_number, since });
  if (used === null) return;
  const { label_id, shipment_id } = used;
  const where = label_id === null ? wireId("shipment", shipment_id) : wireId("label", label_id);
  const message = `${where} has the number ${tracking_number} of ${carrier} already. Void it first if that is wrong.`;
  throw new Fault("duplicate_label", message, { label_id: label_id === null ? null : wireId("label", label_id) });
}

/** The request as one for a parcel. Without a package, its products are weighed. Refuses: validation_failed. */
async function withPackage(tx: Tx, input: CreateExternalLabel): Promise<CreateLabel> {
  const { order_id, items, reason, additional } = input;
  const request = { order_id, ...(items && { items }), ...(reason && { reason }), ...(additional && { additional }) };
  if (input.package !== undefined) return { ...request, package: input.package };
  const { carriage } = await readRateQuestion(tx, { order_id, ...(items && { items }) }, "package.weight");
  return { ...request, package: carriage.package };
}
