import { type Static, Type } from "@sinclair/typebox";
import { contactView, recipientFields } from "../../addresses/address.schema.ts";
import { choice, closed, idField, nullable, Timestamp } from "../../core/schema.ts";
import { documentFormats, paperSizes } from "../../documents/document.ts";
import { OwnerView } from "../../storage/tenant.schema.ts";
import { publicOrderStatuses } from "../order.transitions.ts";

const printed = {
  format: Type.Optional(choice(documentFormats, { description: "Overrides the `Accept` header." })),
  paper: Type.Optional(
    choice(paperSizes, { description: "The paper of a PDF. Default: what the warehouse's country uses." }),
  ),
};

export const PrintPickList = closed(printed);
export type PrintPickList = Static<typeof PrintPickList>;

export const PrintWave = closed({
  order_ids: Type.String({
    minLength: 1,
    maxLength: 20_200,
    description: "Up to 200 orders by id or order number, separated by commas: `ord_1042,ord_1043`.",
  }),
  ...printed,
});
export type PrintWave = Static<typeof PrintWave>;

export const PrintPackingSlip = closed({
  shipment_id: Type.Optional(idField("shipment", "Only the contents of this parcel.")),
  prices: Type.Optional(Type.Boolean({ description: "If true, prices are printed." })),
  notes: Type.Optional(Type.Boolean({ description: "If true, the internal notes of the order are printed." })),
  ...printed,
});
export type PrintPackingSlip = Static<typeof PrintPackingSlip>;

const count = Type.Integer({ minimum: 0 });
const order = { order_id: Type.String(), order_number: Type.String() };

export const WalkView = closed({
  orders: Type.Array(closed({ ...order, merchant_id: OwnerView })),
  warehouses: Type.Array(
    closed({
      warehouse_id: Type.String(),
      name: Type.String(),
      stops: Type.Array(
        closed({
          bin: Type.String(),
          pick_order: Type.Integer(),
          sku: Type.String(),
          name: Type.String(),
          lot_number: nullable(Type.String()),
          expiration_date: nullable(Timestamp),
          quantity: count,
          orders: Type.Array(closed({ ...order, quantity: count })),
        }),
        { description: "In the order of the pick path." },
      ),
    }),
  ),
  backordered: Type.Array(closed({ ...order, sku: Type.String(), quantity: count })),
  picked_units: count,
});

export const PackingSlipView = closed({
  ...order,
  status: choice(publicOrderStatuses),
  shipment_id: nullable(Type.String()),
  tracking_number: nullable(Type.String()),
  shipped_at: nullable(Timestamp),
  ship_to: closed(recipientFields),
  ship_from: closed(contactView),
  order_notes: Type.Optional(nullable(Type.String())),
  items: Type.Array(
    closed({
      line_id: Type.String(),
      sku: Type.String(),
      name: Type.String(),
      quantity_ordered: count,
      quantity_packed: count,
      quantity_backordered: count,
      unit_price: Type.Optional(Type.Number()),
      discount_amount: Type.Optional(Type.Number()),
      line_total: Type.Optional(Type.Number()),
      amount: Type.Optional(
        Type.Number({ description: "The price of the units in the parcel, or of all ordered units." }),
      ),
    }),
  ),
});
