import { type Static, Type } from "@sinclair/typebox";
import { actorTypes } from "../../core/actor.ts";
import { choice, closed, idField, nullable, Timestamp, textField } from "../../core/schema.ts";
import { weightUnits } from "../../core/weight_units.ts";
import { paperSizes } from "../../documents/document.ts";
import { shipmentStatuses } from "../../orders/order.transitions.ts";
import { labelStatuses } from "../labels/label.transitions.ts";
import { CarrierView, RefusalView, ServiceView } from "../shipping.schema.ts";

/** The maximum number of labels on one manifest. */
export const manifest_labels_max = 1000;

/** A day as a date. */
export const DayField = (description: string) =>
  Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$", hint: "must be a date, such as 2026-01-31", description });

export const CreateManifest = closed({
  carrier: Type.Optional(
    textField(100, { description: "The carrier of the parcels, by code. Required without `label_ids`." }),
  ),
  warehouse_id: Type.Optional(idField("warehouse", "The warehouse that the parcels leave; by default, the first.")),
  date: Type.Optional(DayField("The day of the hand-over in the warehouse's time zone; by default, today.")),
  label_ids: Type.Optional(
    Type.Array(idField("label"), {
      minItems: 1,
      maxItems: manifest_labels_max,
      description: "Only these labels, whenever they were bought. All must have one carrier and one warehouse.",
    }),
  ),
});
export type CreateManifest = Static<typeof CreateManifest>;

export const PrintManifest = closed({
  format: Type.Optional(choice(["pdf", "html"], { description: "Overrides the `Accept` header." })),
  paper: Type.Optional(
    choice(paperSizes, { description: "The paper size of a PDF; by default, that of the warehouse's country." }),
  ),
});
export type PrintManifest = Static<typeof PrintManifest>;

const text = nullable(Type.String());

const plain = {
  manifest_id: Type.String({ description: "The manifest, such as `man_1001`." }),
  warehouse_id: Type.String({ description: "The warehouse that the parcels leave, such as `whs_1001`." }),
  warehouse_name: Type.String({ description: "The name of that warehouse." }),
  carrier: CarrierView,
  date: Type.String({ description: "The day of the hand-over in the warehouse's time zone." }),
  label_count: Type.Integer({ minimum: 1, description: "The number of labels, including those voided later." }),
  created_by: {
    ...closed({
      type: choice(actorTypes, { description: "What created it: an API key, a user or the service." }),
      id: Type.String({ description: "The key or user, such as `key_1` or `usr_1`." }),
    }),
    description: "The key or user that created it.",
  },
  created_at: Timestamp,
};

export const PlainManifestView = closed(plain);

export const ManifestView = closed({
  ...plain,
  total_weight_grams: Type.Integer({ minimum: 0, description: "The total weight without voided labels." }),
  parcels: Type.Array(
    closed({
      label_id: Type.String(),
      shipment_id: Type.String(),
      order_id: Type.String(),
      order_number: Type.String(),
      tracking_number: Type.String({ description: "The number on the label." }),
      service: ServiceView,
      label_status: choice(labelStatuses, {
        description: "The label's status. A label that was voided later stays listed.",
      }),
      shipment_status: choice(shipmentStatuses, { description: "Whether the parcel has left." }),
      weight: Type.Number({ description: "The weight in `weight_unit`." }),
      weight_unit: choice(weightUnits),
      to_address: {
        ...closed({
          name: Type.String({ description: "The recipient on the label." }),
          city: Type.String(),
          state: text,
          zip: text,
          country: Type.String(),
        }),
        description: "The destination, without the street.",
      },
    }),
    { description: "The parcels, in the order in which their labels were requested." },
  ),
});

/** What became of the parcels of a manifest that was collected. */
export const ShippedManifestView = closed({
  manifest_id: plain.manifest_id,
  dry_run: Type.Boolean({ description: "Whether it was a dry run." }),
  shipped: Type.Integer({ description: "The number of parcels that this request shipped, or would ship." }),
  already_shipped: Type.Integer({ description: "The number of parcels that had left before." }),
  refused: Type.Integer({ description: "The number of parcels that could not be shipped." }),
  results: Type.Array(
    closed({
      label_id: Type.String(),
      shipment_id: Type.String(),
      order_id: Type.String(),
      order_number: Type.String(),
      tracking_number: Type.String({ description: "The number on the label." }),
      outcome: choice(["shipped", "already_shipped", "refused"], { description: "What became of the parcel." }),
      error: Type.Optional({ ...RefusalView, description: "Why the parcel could not be shipped." }),
    }),
    { description: "One result for each parcel, in the order of the manifest." },
  ),
});
