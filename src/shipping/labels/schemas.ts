import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, idField, nullable, quantityField, textField, weightUnitField } from "../../kit/schema.ts";
import { weightUnits } from "../../kit/weight_unit.ts";
import { drawingFormats } from "../../typesetting/drawings/drawing.ts";
import { AddressView, DimensionsField, PackageDimensions, ShippingAddress, WeightField } from "../schemas.ts";
import { documentKinds, labelStatuses } from "./status.ts";

const readOnly = [
  "label_id",
  "shipment_id",
  "status",
  "tracking_number",
  "tracking_url",
  "cost",
  "currency",
  "label_url",
  "documents",
  "warnings",
  "created_at",
  "voided_at",
];

const Item = closed({
  line_id: Type.Optional(idField("order_line")),
  sku: Type.Optional(textField(100)),
  quantity: quantityField(),
});

export const CreateLabel = closed(
  {
    order_id: Type.Union([Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), textField(100)], {
      hint: "must be an order's id or its order number",
    }),
    carrier: textField(40),
    service: textField(40),
    from_address: Type.Optional(ShippingAddress),
    to_address: Type.Optional(ShippingAddress),
    package: closed({
      weight: WeightField,
      weight_unit: Type.Optional(weightUnitField("lb unless given.")),
      dimensions: Type.Optional(nullable(DimensionsField)),
    }),
    items: Type.Optional(
      Type.Array(Item, {
        minItems: 1,
        maxItems: 500,
        description: "The units in this parcel; all that are in no other parcel unless given.",
      }),
    ),
    additional: Type.Optional(Type.Boolean({ description: "Buys an equal label on purpose, for another carton." })),
  },
  readOnly,
);
export type CreateLabel = Static<typeof CreateLabel>;

const wish = {
  format: Type.Optional(
    choice(drawingFormats, { description: "Without it a PDF, or what the carrier drew where it drew no PDF." }),
  ),
  document: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1000, description: "Which of a carrier's documents, as its link says." }),
  ),
  dpi: Type.Optional(choice(["203", "300"], { description: "The resolution of a PNG of our own; 203 unless given." })),
};

export const ChooseDocument = closed(wish);

export const FollowLink = closed({
  ...wish,
  mode: choice(["live", "test"]),
  expires: Type.Integer({ minimum: 0, maximum: 100_000_000_000 }),
  signature: textField(100),
});
export type FollowLink = Static<typeof FollowLink>;

const moment = Type.String({ format: "date-time" });

const text = nullable(Type.String());

export const LabelView = closed({
  label_id: Type.String(),
  shipment_id: Type.String(),
  order_id: Type.String(),
  status: choice(labelStatuses),
  carrier: Type.String(),
  service: Type.String(),
  tracking_number: text,
  tracking_url: text,
  cost: Type.Number(),
  currency: Type.String(),
  label_url: text,
  documents: Type.Array(closed({ kind: choice(documentKinds), format: choice(drawingFormats), url: Type.String() })),
  package: closed({
    weight: Type.Number(),
    weight_unit: choice(weightUnits),
    dimensions: nullable(PackageDimensions),
  }),
  from_address: AddressView,
  to_address: AddressView,
  warnings: Type.Array(closed({ field: Type.String(), code: Type.String(), message: Type.String() })),
  created_at: moment,
  voided_at: nullable(moment),
});
