import { type Static, Type } from "@sinclair/typebox";
import { contactView, recipientFields } from "../../addresses/address.schema.ts";
import { choice, closed, idField, nullable } from "../../core/schema.ts";
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

const many = (description: string) => Type.Integer({ minimum: 0, description });
const textOf = (description: string) => nullable(Type.String({ description }));
const moneyOf = (description: string) => Type.Optional(Type.Number({ description }));
const order = { order_id: Type.String(), order_number: Type.String() };

export const WalkView = closed({
  orders: Type.Array(closed({ ...order, merchant_id: OwnerView }), {
    description: "The orders, as the request lists them.",
  }),
  warehouses: Type.Array(
    closed({
      warehouse_id: Type.String(),
      name: Type.String({ description: "The name of the warehouse." }),
      stops: Type.Array(
        closed({
          bin: Type.String(),
          pick_order: Type.Integer({ description: "The place of the bin on the pick path." }),
          sku: Type.String(),
          name: Type.String({ description: "The name of the product." }),
          lot_number: textOf("The lot to pick; null for goods without lots."),
          expiration_date: nullable(
            Type.String({ format: "date-time", description: "The end of the lot's last day; null if it has none." }),
          ),
          quantity: many("Units to pick here for all orders together."),
          orders: Type.Array(closed({ ...order, quantity: many("Units to pick here for this order.") }), {
            description: "How the units are shared out.",
          }),
        }),
        { description: "The bins, in the order of the pick path." },
      ),
    }),
    { description: "The warehouses to walk through, those with the highest priority first." },
  ),
  backordered: Type.Array(closed({ ...order, sku: Type.String(), quantity: many("Units without stock.") }), {
    description: "What cannot be picked yet.",
  }),
  picked_units: many("Units of these orders that are picked already and not listed."),
});

export const PackingSlipView = closed({
  ...order,
  status: choice(publicOrderStatuses, { description: "The status of the order." }),
  shipment_id: textOf("The parcel; null for a slip of the whole order."),
  tracking_number: textOf("The tracking number of the parcel; null without one."),
  shipped_at: nullable(Type.String({ format: "date-time", description: "When the parcel left; null if it has not." })),
  ship_to: { ...closed(recipientFields), description: "The recipient." },
  ship_from: { ...closed(contactView), description: "The sender: the warehouse's address in the merchant's name." },
  order_notes: Type.Optional(textOf("The internal notes; only with `notes=true`.")),
  items: Type.Array(
    closed({
      line_id: Type.String({ description: "The order line." }),
      sku: Type.String(),
      name: Type.String({ description: "The product's name when it was ordered." }),
      quantity_ordered: many("Units ordered, without cancelled ones."),
      quantity_packed: many("Units in the parcel, or packed so far on a slip of the whole order."),
      quantity_backordered: many("Units that wait for stock and follow later."),
      unit_price: moneyOf("The price of one unit; only with `prices=true`, as the amounts below."),
      discount_amount: moneyOf("The discount on all units together."),
      line_total: moneyOf("The cost of all ordered units, including cancelled ones."),
      amount: moneyOf("The cost of the units in the parcel, or of all units of the order."),
    }),
    { description: "The contents." },
  ),
});
