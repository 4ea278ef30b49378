// The wire format of stock, and the fields of dates that inventory schemas share: a last day, and a day of arrival.
import { type Static, type TProperties, Type } from "@sinclair/typebox";
import {
  Count,
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
  several,
  Timestamp,
  textField,
  timeFields,
} from "../../core/schema.ts";
import { temperatureZones } from "../../products/product.ts";
import { merchantName, OwnerView, ofMerchantOrSku } from "../../storage/tenant.schema.ts";
import { adjustmentReasons, binKinds, itemStatuses, lotStatuses } from "../inventory.transitions.ts";

const last_day =
  "The last day on which it can be sold: a date such as `2027-03-31`, in the warehouse's time zone." +
  " A timestamp at 00:00 or 23:59:59 UTC means its date; any other means the warehouse's day at that time.";

/** An expiry in a request. Read it with `dayOf`, in the warehouse's time zone. */
export const expiryField = (description?: string) =>
  momentField(description === undefined ? last_day : `${description} ${last_day}`);

/** A filter on an expiry. Read it with `dayInRequest`. */
export const expiringBeforeField = (description: string) => momentField(`${description} A date such as 2027-03-31.`);

/** The time at which something arrived or is expected. Read it with `momentIn`, in the warehouse's time zone. */
export const arrivalField = (description: string) =>
  momentField(`${description} A date alone is the start of that day in the warehouse.`);

/** An expiry in a response. */
export const ExpiryView = () =>
  Type.String({
    format: "date-time",
    description: "The last day: always `<date>T23:59:59.999Z`, in any time zone. Only the date counts.",
  });

export const TransferOwnership = closed({
  from_merchant_id: merchantName("The current owner, by ID or code."),
  to_merchant_id: merchantName("The new owner, by ID or code."),
  sku: textField(100),
  to_sku: Type.Optional(textField(100, { description: "The SKU of the new owner's product. Default: the same." })),
  quantity: quantityField(),
  location: Type.Optional(idField("warehouse", "Required if the units are in several warehouses.")),
  bin: Type.Optional(textField(40, { description: "Current bin. Required if the SKU is in several bins." })),
  lot_number: Type.Optional(textField(80, { description: "Required if the bin has several lots of the SKU." })),
  to_bin: Type.Optional(
    codeField(40, { description: "Destination bin in the same warehouse. Default: the current bin." }),
  ),
  reason: textField(200, { description: "Why ownership changes. Shown in the notes of both movements." }),
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
  transferred_at: Timestamp,
  transferred_by: Type.String(),
});

/** Sort orders of the list of stock. */
export const stockSummarySorts = ["sku", "-sku", "name", "-name", "available", "-available"] as const;

export const ListStockSummary = closed({
  ...pageFields,
  sku: Type.Optional(textField(100, { description: "A SKU, or a pattern in which * stands for any text." })),
  location: Type.Optional(
    several(
      idField("warehouse", "Only SKUs with units in this warehouse, and bundles of which a set can be made there."),
    ),
  ),
  low_stock: Type.Optional(Type.Boolean({ description: "Only SKUs with less available than their reorder point." })),
  q: Type.Optional(textField(100, { description: "Part of the SKU or the name." })),
  status: Type.Optional(several(choice(itemStatuses))),
  zone: Type.Optional(textField(40, { description: "Only SKUs with units in a zone with this `zone_id`." })),
  bin: Type.Optional(textField(40, { description: "Only SKUs with units in a bin with this code." })),
  lot_number: Type.Optional(textField(80, { description: "Only SKUs with units of a lot with this number." })),
  expiring_before: Type.Optional(
    expiringBeforeField("Only SKUs with units of available lots that expire today or later, and before this day."),
  ),
  ...timeFields("updated"),
  sort: Type.Optional(choice(stockSummarySorts, { description: "Default: `sku`. A leading `-` reverses the order." })),
});

/** The bin for incoming units. */
export const incomingBinField = (shown_in: string) =>
  codeField(40, {
    description:
      "The bin, created if it does not exist. Default: a storage bin that is reserved for the merchant, else the" +
      " first that holds no other merchant's goods, else a new one next to the first, such as A-02 after A-01." +
      ` ${shown_in} names it.`,
  });

/** What a delivery came in, for its billable fact. */
export const deliveryUnitFields = {
  cartons: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000, description: "Number of cartons delivered." })),
  pallets: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000, description: "Number of pallets delivered." })),
};

export const AddStock = closed({
  sku: textField(100),
  quantity: quantityField(),
  location: Type.Optional(idField("warehouse", "Required if there are several warehouses.")),
  bin: Type.Optional(incomingBinField("`received.location`")),
  lot_number: Type.Optional(codeField(80)),
  expiration_date: Type.Optional(expiryField()),
  received_date: Type.Optional(arrivalField("When they arrived. Default: now.")),
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
  location: Type.Optional(idField("warehouse", "Required if the SKU is in several warehouses.")),
  bin: Type.Optional(codeField(40)),
  lot_number: Type.Optional(codeField(80)),
  notes: Type.Optional(nullable(notesField())),
  expected_quantity: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000 })),
  allow_shortfall: Type.Optional(Type.Boolean()),
});
export type AdjustStock = Static<typeof AdjustStock>;

const level = {
  merchant_id: OwnerView,
  sku: Type.String(),
  name: Type.String(),
  available: Type.Integer({ minimum: 0, description: "Units that can be reserved now." }),
  reserved: Count,
  total: Count,
  picked: Count,
  unavailable: closed({
    quarantined: Count,
    damaged: Count,
    expired: Count,
    short_dated: Type.Integer({
      minimum: 0,
      description: "Good units with fewer days left than the product's `min_shelf_life_days`.",
    }),
    putback: Count,
    returns: Type.Integer({
      minimum: 0,
      description: "Units of returns in a returns bin: not inspected yet, or waiting to be put back on a shelf.",
    }),
  }),
  on_hand: Count,
  incoming: Count,
  backordered: Count,
  locations: Type.Array(
    closed({
      warehouse_id: Type.String(),
      location: Type.String({ description: "The bin. Merchants see the warehouse instead." }),
      kind: choice(binKinds),
      quantity: Count,
      temperature_zone: nullable(choice(temperatureZones)),
      temperature_range: Type.Optional(Type.String()),
    }),
  ),
  reorder_point: Count,
  status: choice(itemStatuses),
  last_updated: Timestamp,
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
      quantity: Count,
      received_date: Timestamp,
      expiration_date: nullable(ExpiryView()),
      status: choice(lotStatuses),
    }),
  ),
} satisfies TProperties;

export const ItemView = closed(item);

/** Units that came into stock, as the API shows them. */
export const receivedFields = {
  movement_id: Type.String(),
  quantity: Count,
  warehouse_id: Type.String(),
  location: Type.String({ description: "The bin. Merchants see the warehouse instead." }),
  lot_number: nullable(Type.String()),
  expiration_date: nullable(ExpiryView()),
  received_date: Timestamp,
  reason: choice(adjustmentReasons),
  reference: nullable(Type.String()),
};

export const ReceivedView = closed({ ...item, received: closed(receivedFields) });

/** The orders that lack units after a change, and how many. */
export const BackorderedOrders = Type.Array(
  closed({ order_id: nullable(Type.String()), order_number: Type.String(), quantity: Count }),
);

export const AdjustmentView = closed({
  sku: Type.String(),
  previous_quantity: Count,
  adjustment: Type.Integer(),
  new_quantity: Count,
  reason: choice(adjustmentReasons),
  notes: nullable(Type.String()),
  location: Type.String(),
  bin: Type.String(),
  lot_number: nullable(Type.String()),
  movement_id: Type.String(),
  backordered_orders: BackorderedOrders,
  adjusted_at: Timestamp,
  adjusted_by: Type.String(),
});
