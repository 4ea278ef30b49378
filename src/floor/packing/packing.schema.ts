import { type Static, Type } from "@sinclair/typebox";
import { actorTypes } from "../../core/actor.ts";
import {
  choice,
  closed,
  countField,
  idField,
  nullable,
  quantityField,
  Timestamp,
  textField,
  timestamp,
  weightUnitField,
} from "../../core/schema.ts";
import { weightUnits } from "../../core/weight_units.ts";
import { LabelView } from "../../shipping/labels/labels.schema.ts";
import { WeightField } from "../../shipping/shipping.schema.ts";
import { OwnerView } from "../../storage/tenant.schema.ts";
import { packingStatuses } from "../floor.transitions.ts";
import { scanField } from "../scanning/lookup.schema.ts";
import { cartonGaps, cartonSources } from "./suggest_carton.ts";

const device = textField(64, { description: "The device that the person works with, as it names itself." });
const code = scanField("What the scanner read, or what was typed.");
const station_id = Type.Optional(
  nullable(idField("station", "The station, whose printers print label and packing slip.")),
);

export const OpenPackingSession = closed({
  station_id,
  device,
  code: Type.Optional({
    ...code,
    description: "What the scanner read: the code of a tote, or an order's number or id.",
  }),
  tote: Type.Optional(textField(40, { description: "The code of a tote." })),
  order_id: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), textField(100)], {
      hint: "must be an order id or an order number",
      description: "The order, by id or order number. Send exactly one of `code`, `tote` and `order_id`.",
    }),
  ),
  partial: Type.Optional(
    Type.Boolean({ description: "True: packs what there is, and leaves backordered units for later." }),
  ),
});
export type OpenPackingSession = Static<typeof OpenPackingSession>;

const scan = {
  code: Type.Optional(code),
  sku: Type.Optional(textField(100, { description: "The SKU instead of a code." })),
  lot_number: Type.Optional(
    textField(100, { description: "The lot. Required for products with lots, unless the code has it." }),
  ),
  quantity: Type.Optional(
    quantityField("Units, for one scan of many. Default: those of the code, such as 6 of a case of 6; 1 for a SKU."),
  ),
};

export const ScanUnit = closed(scan);
export type ScanUnit = Static<typeof ScanUnit>;

export const PackFromItem = closed({
  station_id,
  device,
  code: Type.Optional(code),
  sku: scan.sku,
  lot_number: scan.lot_number,
  wave_id: Type.Optional(idField("wave", "Only orders of this wave, also those of several units.")),
});
export type PackFromItem = Static<typeof PackFromItem>;

export const UpdatePackingSession = closed({
  carton_id: Type.Optional(nullable(idField("carton", "The carton; null for the suggested one."))),
  weight: Type.Optional(
    nullable({ ...WeightField, description: "The weight on the scale, with the carton; null to calculate it." }),
  ),
  weight_unit: Type.Optional(weightUnitField("Default: lb.")),
  weight_reason: Type.Optional(
    nullable(
      textField(200, {
        description:
          "Why the weight differs. Required if it differs from the calculated one by more than 50 g and 3 %.",
      }),
    ),
  ),
});
export type UpdatePackingSession = Static<typeof UpdatePackingSession>;

export const BuyParcelLabel = closed({
  carrier: Type.Optional(
    textField(100, { description: "The carrier by code, with `service`. Default: as the order chooses." }),
  ),
  service: Type.Optional(textField(100, { description: "The service of that carrier." })),
});
export type BuyParcelLabel = Static<typeof BuyParcelLabel>;

const text = (description: string) => nullable(Type.String({ description }));

const PackingLineView = closed({
  line_id: Type.String({ description: "The order line, such as `orl_1001`." }),
  product_id: Type.String({ description: "The product to scan; of a bundle, a component." }),
  sku: Type.String({ description: "The SKU of that product." }),
  name: Type.String({ description: "The name of that product." }),
  bundle_sku: text("The bundle that it is a component of; null otherwise."),
  needed: countField("Units that the parcel needs; of a closed session, those in it."),
  scanned: countField("Units that were scanned."),
  lots: Type.Array(
    closed({
      lot_number: Type.String(),
      quantity: Type.Integer({ minimum: 1, description: "Units of this lot." }),
      scanned: countField("Of these, units that were scanned."),
    }),
    { description: "The lots that were picked, or are planned to be; empty for products without lots." },
  ),
});

const CartonView = closed({
  id: text("The carton; null if the order names only its size."),
  code: text("Its code; null if the order names only its size."),
  source: choice(cartonSources, {
    description:
      "`chosen` for this parcel, by the `order` (a rule or a person), the `last_choice` for the same goods, or the" +
      " `smallest_fit`. `chosen` once it is closed.",
  }),
});

const packingLabelStatuses = ["none", "pending", "processing", "completed", "error", "voided"] as const;

export const PackingSessionView = closed({
  id: Type.String({ description: "The session, such as `pks_1001`." }),
  merchant_id: OwnerView,
  order_id: Type.String({ description: "The order, such as `ord_1001`." }),
  order_number: Type.String({ description: "Its number." }),
  warehouse_id: Type.String({ description: "The warehouse, such as `whs_1001`." }),
  station_id: text("The station, such as `stn_1001`; null if none was named."),
  status: choice(packingStatuses, { description: "`closed`: the parcel is packed." }),
  packing_note: text("The order's note to the packer."),
  lines: Type.Array(PackingLineView, { description: "What the parcel needs, in the order of the order's lines." }),
  units_needed: countField("The sum of `needed`."),
  units_scanned: countField("The sum of `scanned`."),
  blocked_by: nullable({
    ...closed({
      code: Type.String({ description: "The code of the refusal, such as `validation_failed`." }),
      field: text("The field to send with `PATCH`, such as `weight`; null if none."),
      message: Type.String(),
    }),
    description: "Why the last scan did not close the parcel; null while units are missing, and once it is closed.",
  }),
  carton: nullable({ ...CartonView, description: "The carton; null if none fits or sizes are unknown." }),
  carton_gap: nullable(
    choice(cartonGaps, { description: "Why no carton is suggested; null if one is, or one was chosen." }),
  ),
  weight: nullable(Type.Number({ description: "The weight in `weight_unit`: typed, or calculated; null if unknown." })),
  weight_unit: nullable(choice(weightUnits)),
  weight_source: nullable(choice(["typed", "calculated"], { description: "Where the weight is from." })),
  calculated_grams: nullable(
    Type.Number({ description: "The calculated weight of goods and carton in grams; null if a weight is unknown." }),
  ),
  weight_reason: text("Why the typed weight differs; null if nobody gave a reason."),
  shipment_id: text("The parcel, such as `shp_1001`; null until the label is bought. For pickup, once it is closed."),
  label_status: choice(packingLabelStatuses, {
    description:
      "`none`: the session is not closed, or the buyer collects the order. `pending`: being bought. `error`: see" +
      " `label_error`, and send `POST /packing_sessions/:id/label`. Otherwise that of the label.",
  }),
  label: nullable({ ...LabelView, description: "The label; null until it is requested." }),
  label_error: text("Why no label was bought; null if there is none to buy or it was bought."),
  device,
  packed_by: {
    ...closed({
      type: choice(actorTypes, { description: "An API key or a user." }),
      id: Type.String({ description: "The key or user, such as `usr_1`." }),
      name: Type.String({ description: "The name of the key or user, at that time." }),
    }),
    description: "Who packs it.",
  },
  revision: Type.Integer({ minimum: 1, description: "Increases with each change." }),
  created_at: Timestamp,
  updated_at: Timestamp,
  closed_at: nullable(timestamp("When the parcel was packed; null if it was not.")),
});
