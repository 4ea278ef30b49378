// The lines, holds and parcels of orders, as responses show them.
import { type TInteger, Type } from "@sinclair/typebox";
import { choice, closed, nullable, Timestamp } from "../core/schema.ts";
import { holdReasons, shipmentStatuses } from "./order.transitions.ts";

const before_shipping_note = ["reserved", "backordered", "picked", "packed"] as const;
/** The counters of a line. */
export const counted = [...before_shipping_note, "shipped", "delivered", "returned", "cancelled"] as const;
type Counters = { [Word in (typeof counted)[number] as `quantity_${Word}`]: TInteger };

const counter_texts: Readonly<Record<(typeof counted)[number], string>> = {
  reserved: "Units with reserved stock that have not shipped, including picked and packed ones.",
  backordered: "Units that wait for stock.",
  picked: "Units picked so far, including shipped ones.",
  packed: "Units packed so far, including shipped ones.",
  shipped: "Units that have left the warehouse, including returned ones.",
  delivered: "Units in parcels that have arrived.",
  returned: "Shipped units that have come back.",
  cancelled: "Units cancelled before they shipped.",
};

/** A time; null until it has come. */
export const timeOf = (description: string) => nullable(Type.String({ format: "date-time", description }));
/** A text, or null. */
export const textOf = (description: string) => nullable(Type.String({ description }));

export const LineView = closed({
  id: Type.String(),
  product_id: Type.String(),
  sku: Type.String(),
  name: Type.String({ description: "The product's name when it was ordered." }),
  components: Type.Optional(
    Type.Array(closed({ sku: Type.String(), quantity: Type.Integer({ description: "Units in one set." }) }), {
      description: "For a bundle: the components of one set when it was ordered.",
    }),
  ),
  quantity: Type.Integer({
    description: "Units ordered, including cancelled ones. For a bundle, all counts are sets.",
  }),
  unit_price: Type.Number({ description: "The price of one unit before the discount." }),
  discount_amount: Type.Number({ description: "The discount on all units together." }),
  line_total: Type.Number({ description: "The cost of all ordered units, including cancelled ones." }),
  ...(Object.fromEntries(
    counted.map((word) => [`quantity_${word}`, Type.Integer({ description: counter_texts[word] })]),
  ) as unknown as Counters),
});

export const HoldView = closed({
  id: Type.String(),
  reason: choice(holdReasons, {
    description:
      "The last eight are set by the system. `unknown_sku` ends when every product of the order is active, " +
      "`bad_address` when its address or the customer's is corrected, or another one is chosen. " +
      "`address_hidden` is a `bad_address` that the shop's platform withholds. " +
      "`platform_change`: its shop changed it when it was too late to follow.",
  }),
  note: textOf("Details; null if none."),
  hold_until: timeOf("When it ends automatically; null if it has no end."),
  reserve_inventory: Type.Boolean({ description: "False if the order gave up its stock for the hold." }),
  lifted_by: choice(["release", "cause"], {
    description: "`release`: a release lifts it. `cause`: a system hold, which ends only with its cause.",
  }),
  created_at: Timestamp,
});

export const ShipmentView = closed({
  id: Type.String(),
  status: choice(shipmentStatuses, {
    description: "`pending`: not shipped yet. `voided`: given up before it shipped. `returned`: back at the sender.",
  }),
  carrier: textOf("The carrier's code; null until there is a label or it ships."),
  service: textOf("The carrier's service; null if unknown."),
  tracking_number: textOf("The carrier's tracking number; null without a label."),
  tracking_url: textOf("The page on which the buyer can follow it; null without one."),
  items: Type.Array(
    closed({
      line_id: Type.String({ description: "The order line." }),
      sku: Type.String(),
      quantity: Type.Integer({ description: "Units of the line in this parcel." }),
    }),
    { description: "The contents. Empty for an extra carton of goods that another parcel counts." },
  ),
  created_at: Timestamp,
  shipped_at: timeOf("When it left the warehouse; null until then."),
  delivered_at: timeOf("When it arrived; null until then."),
});

export const PrintedView = {
  ...closed({
    label_at: timeOf("When the first label of its parcels was printed; null if none was."),
    slip_at: timeOf("When a packing slip was first printed; null if none was."),
    pick_list_at: timeOf("When a pick list was first printed; null if none was."),
  }),
  description: "When `POST /documents` printed its documents.",
};
