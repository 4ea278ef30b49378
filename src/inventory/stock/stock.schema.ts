// The fields of dates: a last day, which is a date of the calendar, and the day on which units came.
import { type Static, type TProperties, Type } from "@sinclair/typebox";
import {
  choice,
  closed,
  codeField,
  idField,
  momentField,
  moneyField,
  notesField,
  nullable,
  pageFields,
  quantityField,
  textField,
} from "../../core/schema.ts";
import { temperatureZones } from "../../products/product.ts";
import { merchantName, OwnerView, ofMerchantOrSku } from "../../storage/tenant.schema.ts";
import { adjustmentReasons, binKinds, itemStatuses, lotStatuses } from "../inventory.transitions.ts";

const last_day =
  "The last day on which it can be sold, which counts: a date such as `2027-03-31`, in the warehouse's calendar." +
  " A timestamp at 00:00 or 23:59:59 UTC means its date; any other means the day that it is in the warehouse.";

/** An expiry in a request. Read it with `dayOf`, by the zone of the warehouse. */
export const expiryField = (description?: string) =>
  momentField(description === undefined ? last_day : `${description} ${last_day}`);

/** A filter on an expiry. Read it with `dayAsked`. */
export const expiringBeforeField = (description: string) => momentField(`${description} A date such as 2027-03-31.`);

/** When something came or is to come. Read it with `momentIn`, by the zone of the warehouse. */
export const arrivalField = (description: string) =>
  momentField(`${description} A date alone is the start of that day in the warehouse.`);

/** An expiry in an answer. */
export const ExpiryView = () =>
  Type.String({
    format: "date-time",
    description: "The last day, whose date counts: always `<date>T23:59:59.999Z`, whatever the zone.",
  });

export const TransferOwnership = closed({
  from_merchant_id: merchantName("Whose the units are, by id or code."),
  to_merchant_id: merchantName("Whose they are to be."),
  sku: textField(100),
  to_sku: Type.Optional(textField(100, { description: "The SKU of the new owner's product; the same by default." })),
  quantity: quantityField(),
  location: Type.Optional(idField("warehouse", "Required if the units are in several warehouses.")),
  bin: Type.Optional(textField(40, { description: "Their bin; required if the SKU is in several." })),
  lot_number: Type.Optional(textField(80, { description: "Required if the bin has several lots of the SKU." })),
  to_bin: Type.Optional(
    codeField(40, { description: "Where they lie then, in the same warehouse; by default where they are." }),
  ),
  reason: textField(200, { description: "Why they change hands; it stands in the notes of both movements." }),
});
export type TransferOwnership = Static<typeof TransferOwnership>;

export const OwnershipTransferView = closed({
  id: Type.String({ description: "The reference of both movements." }),
  from_merchant_id: Type.String(),
  to_merchant_id: Type.String(),
  sku: Type.String(),
  to_sku: Type.String(),
  quantity: Type.Integer({ minimum: 1 }),
  location: Type.String(),
  bin: Type.String(),
  to_bin: Type.String(),
  lot_number: nullable(Type.String()),
  reason: Type.String(),
  from_movement_id: Type.String(),
  to_movement_id: Type.String(),
  transferred_at: Type.String({ format: "date-time" }),
  transferred_by: Type.String(),
});

const moment = () => Type.String({ format: "date-time" });

/** The orders in which levels are listed. */
export const stockSummarySorts = ["sku", "-sku", "name", "-name", "available", "-available"] as const;

export const ListStockSummary = closed({
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
  sort: Type.Optional(choice(stockSummarySorts, { description: "`sku` unless given; `-` turns an order round." })),
});
export type ListStockSummary = Static<typeof ListStockSummary>;

/** What a delivery came in, which its billable fact tells. */
export const deliveryUnitFields = {
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
  ...deliveryUnitFields,
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

export const StockSummaryView = closed(level);

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
