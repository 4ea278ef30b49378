import { type Static, type TProperties, Type } from "@sinclair/typebox";
import { pageFields } from "../../kit/page.ts";
import {
  choice,
  closed,
  codeField,
  idField,
  moneyField,
  notesField,
  nullable,
  quantityField,
  textField,
} from "../../kit/schema.ts";
import { OwnerView, ofMerchantOrSku } from "../../owners/schemas.ts";
import { temperatureZones } from "../../products/status.ts";
import { arrivalField, ExpiryView, expiringBeforeField, expiryField } from "../dates.ts";
import { adjustmentReasons, binKinds, itemStatuses, lotStatuses } from "../status.ts";

const moment = () => Type.String({ format: "date-time" });

/** The orders in which levels are listed. */
export const levelSorts = ["sku", "-sku", "name", "-name", "available", "-available"] as const;

export const ListLevels = closed({
  ...pageFields,
  sku: Type.Optional(textField(100, { description: "A SKU, or a pattern in which * stands for any text." })),
  location: Type.Optional(
    idField("warehouse", "Only what has units in this warehouse; bundles, where they make a set."),
  ),
  low_stock: Type.Optional(Type.Boolean({ description: "Only SKUs with less available than their reorder point." })),
  q: Type.Optional(textField(100, { description: "A piece of the SKU or the name." })),
  status: Type.Optional(choice(itemStatuses)),
  zone: Type.Optional(textField(40, { description: "Only what has units in a zone of this `zone_id`." })),
  bin: Type.Optional(textField(40, { description: "Only what has units in a bin of this code." })),
  lot_number: Type.Optional(textField(80, { description: "Only what has units of a lot of this number." })),
  expiring_before: Type.Optional(
    expiringBeforeField("Only what has units of available lots that expire, today or later, before this day."),
  ),
  sort: Type.Optional(choice(levelSorts, { description: "`sku` unless given; `-` turns an order round." })),
});
export type ListLevels = Static<typeof ListLevels>;

/** What a delivery came in, which its billable fact tells. */
export const loadFields = {
  cartons: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000, description: "How many cartons they came in." })),
  pallets: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000, description: "How many pallets they came on." })),
};

export const AddStock = closed({
  sku: textField(100),
  quantity: quantityField(),
  location: Type.Optional(idField("warehouse", "Needed where there are several warehouses.")),
  bin: Type.Optional(codeField(40)),
  lot_number: Type.Optional(codeField(80)),
  expiration_date: Type.Optional(expiryField()),
  received_date: Type.Optional(arrivalField("When they came; now by default.")),
  reason: Type.Optional(choice(adjustmentReasons)),
  reference: Type.Optional(textField(100)),
  unit_cost: Type.Optional(moneyField()),
  notes: Type.Optional(notesField()),
  ...ofMerchantOrSku,
  ...loadFields,
});
export type AddStock = Static<typeof AddStock>;

export const AdjustStock = closed({
  adjustment: Type.Intersect([
    Type.Integer({ minimum: -1_000_000, maximum: 1_000_000 }),
    Type.Not(Type.Literal(0), { hint: "must not be 0" }),
  ]),
  reason: choice(adjustmentReasons),
  location: Type.Optional(idField("warehouse", "Needed where the SKU lies in several warehouses.")),
  bin: Type.Optional(codeField(40)),
  lot_number: Type.Optional(codeField(80)),
  notes: Type.Optional(nullable(notesField())),
  expected_quantity: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000 })),
  allow_shortfall: Type.Optional(Type.Boolean()),
});
export type AdjustStock = Static<typeof AdjustStock>;

const count = Type.Integer({ minimum: 0 });

const level = {
  merchant_id: OwnerView,
  sku: Type.String(),
  name: Type.String(),
  available: Type.Integer({ minimum: 0, description: "What can be reserved now." }),
  reserved: count,
  total: count,
  picked: count,
  unavailable: closed({
    quarantined: count,
    damaged: count,
    expired: count,
    short_dated: Type.Integer({
      minimum: 0,
      description: "Good units with fewer days left than the product's `min_shelf_life_days`.",
    }),
    putback: count,
    returns: count,
  }),
  on_hand: count,
  incoming: count,
  backordered: count,
  locations: Type.Array(
    closed({
      warehouse_id: Type.String(),
      location: Type.String({ description: "The bin; for merchants, who are not told of bins, the warehouse." }),
      kind: choice(binKinds),
      quantity: count,
      temperature_zone: nullable(choice(temperatureZones)),
      temperature_range: Type.Optional(Type.String()),
    }),
  ),
  reorder_point: count,
  status: choice(itemStatuses),
  last_updated: moment(),
} satisfies TProperties;

export const LevelView = closed(level);

const item = {
  ...level,
  lot_tracking: Type.Boolean(),
  expiration_tracking: Type.Boolean(),
  lots: Type.Array(
    closed({
      id: Type.String(),
      lot_number: Type.String(),
      quantity: count,
      received_date: moment(),
      expiration_date: nullable(ExpiryView()),
      status: choice(lotStatuses),
    }),
  ),
} satisfies TProperties;

export const ItemView = closed(item);

export const ReceivedView = closed({
  ...item,
  received: closed({
    movement_id: Type.String(),
    quantity: count,
    warehouse_id: Type.String(),
    location: Type.String({ description: "The bin; for merchants the warehouse." }),
    lot_number: nullable(Type.String()),
    expiration_date: nullable(ExpiryView()),
    received_date: moment(),
    reason: choice(adjustmentReasons),
    reference: nullable(Type.String()),
  }),
});

export const AdjustmentView = closed({
  sku: Type.String(),
  previous_quantity: count,
  adjustment: Type.Integer(),
  new_quantity: count,
  reason: choice(adjustmentReasons),
  notes: nullable(Type.String()),
  location: Type.String(),
  bin: Type.String(),
  lot_number: nullable(Type.String()),
  movement_id: Type.String(),
  backordered_orders: Type.Array(
    closed({ order_id: nullable(Type.String()), order_number: Type.String(), quantity: count }),
  ),
  adjusted_at: moment(),
  adjusted_by: Type.String(),
});
