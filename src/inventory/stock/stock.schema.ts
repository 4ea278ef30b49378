// The wire format of stock, and the fields of dates that inventory schemas share: a last day, and a day of arrival.
import { type Static, type TProperties, Type } from "@sinclair/typebox";
import {
  choice,
  closed,
  codeField,
  countField,
  idField,
  momentField,
  moneyField,
  notesField,
  nullable,
  pageFields,
  quantityField,
  several,
  textField,
  timeFields,
  timestamp,
} from "../../core/schema.ts";
import { handledPack } from "../../products/product.schema.ts";
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
export const ExpiryView = (which = "The lot's last day.") =>
  timestamp(`${which} Always \`<date>T23:59:59.999Z\`: only the date counts. Null if it does not expire.`);

/** The warehouse of a record, in a response. */
export const LocationView = Type.String({ description: "The warehouse, such as `whs_1001`." });

export const TransferOwnership = closed({
  from_merchant_id: merchantName("The current owner, by id or code."),
  to_merchant_id: merchantName("The new owner, by id or code."),
  sku: textField(100, { description: "The SKU of the current owner's product." }),
  to_sku: Type.Optional(textField(100, { description: "The SKU of the new owner's product. Default: the same." })),
  quantity: quantityField("Units to transfer, of one bin and lot. Reserved units cannot be transferred."),
  location: Type.Optional(idField("warehouse", "The warehouse. Required if the units are in several.")),
  bin: Type.Optional(textField(40, { description: "The current bin. Required if the SKU is in several." })),
  lot_number: Type.Optional(textField(80, { description: "The lot. Required if the bin has several of the SKU." })),
  to_bin: Type.Optional(codeField(40, { description: "The new bin in the same warehouse. Default: the current bin." })),
  reason: textField(200, { description: "Why ownership changes. Shown in the notes of both movements." }),
});
export type TransferOwnership = Static<typeof TransferOwnership>;

export const OwnershipTransferView = closed({
  id: Type.String({ description: "The reference of both movements." }),
  from_merchant_id: Type.String({ description: "The previous owner, such as `mer_1`." }),
  to_merchant_id: Type.String({ description: "The new owner, such as `mer_2`." }),
  sku: Type.String({ description: "The SKU of the previous owner's product." }),
  to_sku: Type.String({ description: "The SKU of the new owner's product." }),
  quantity: Type.Integer({ minimum: 1, description: "Units that changed owners." }),
  location: LocationView,
  bin: Type.String({ description: "The bin that they left." }),
  to_bin: Type.String({ description: "The bin that they are in now." }),
  lot_number: nullable(Type.String({ description: "Their lot, which both owners number alike; null if none." })),
  reason: Type.String({ description: "Why ownership changed." }),
  from_movement_id: Type.String({ description: "The movement out of the previous owner's stock." }),
  to_movement_id: Type.String({ description: "The movement into the new owner's stock." }),
  transferred_at: timestamp("When ownership changed."),
  transferred_by: Type.String({ description: "The user or API key that transferred it." }),
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
  status: Type.Optional(
    several(choice(itemStatuses, { description: "Only SKUs whose stock is in one of these states." })),
  ),
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
  cartons: Type.Optional(
    nullable(Type.Integer({ minimum: 0, maximum: 100_000, description: "Number of cartons delivered." })),
  ),
  pallets: Type.Optional(
    nullable(Type.Integer({ minimum: 0, maximum: 100_000, description: "Number of pallets delivered." })),
  ),
};

export const AddStock = closed({
  sku: textField(100, { description: "The SKU that came in. A bundle has no stock: add its components." }),
  quantity: quantityField("Units that came in."),
  pack: handledPack,
  location: Type.Optional(idField("warehouse", "The warehouse. Required if there are several.")),
  bin: Type.Optional(incomingBinField("`received.location`")),
  lot_number: Type.Optional(
    codeField(80, { description: "The lot, created if it is new. Required if the product tracks lots." }),
  ),
  expiration_date: Type.Optional(expiryField("The lot's expiry. Required for a new lot if the product tracks expiry.")),
  received_date: Type.Optional(arrivalField("When they arrived. Default: now.")),
  reason: Type.Optional(choice(adjustmentReasons, { description: "Why they came in. Default: `received`." })),
  reference: Type.Optional(textField(100, { description: "Your reference, such as a purchase order." })),
  unit_cost: Type.Optional(
    moneyField("What one unit cost, in the product's currency. Cycle counts value the product by it."),
  ),
  notes: Type.Optional({ ...notesField(), description: "Notes for the movement in the ledger." }),
  ...ofMerchantOrSku,
  ...deliveryUnitFields,
});
export type AddStock = Static<typeof AddStock>;

export const AdjustStock = closed({
  adjustment: Type.Intersect(
    [Type.Integer({ minimum: -1_000_000, maximum: 1_000_000 }), Type.Not(Type.Literal(0), { hint: "must not be 0" })],
    { description: "Units to add, or to remove if below zero." },
  ),
  reason: choice(adjustmentReasons, { description: "Why the stock differs. `other` requires `notes`." }),
  location: Type.Optional(idField("warehouse", "The warehouse. Required if the SKU is in several.")),
  bin: Type.Optional(
    codeField(40, {
      description: "The bin. Required if the SKU is in several. A new one is created when units are added.",
    }),
  ),
  lot_number: Type.Optional(
    codeField(80, { description: "An existing lot. Required if the bin has several lots of the SKU." }),
  ),
  notes: Type.Optional(
    nullable({ ...notesField(), description: "Details for the ledger. Required for the reason `other`." }),
  ),
  expected_quantity: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000_000,
      description: "Refuses the adjustment unless the SKU has this many units on hand in the warehouse, in all bins.",
    }),
  ),
  allow_shortfall: Type.Optional(
    Type.Boolean({
      description:
        "If true, orders that lose reserved units are backordered if there is no other stock. If false, they refuse" +
        " the adjustment. Default: false.",
    }),
  ),
});
export type AdjustStock = Static<typeof AdjustStock>;

const level = {
  merchant_id: OwnerView,
  sku: Type.String(),
  name: Type.String({ description: "The name of the product." }),
  available: Type.Integer({
    minimum: 0,
    description: "Units that can be reserved now; of a bundle, the sets that its components make.",
  }),
  reserved: countField("Units on hand that orders and reservations hold, including picked ones."),
  total: countField("`available` plus `reserved`."),
  picked: countField("Of the reserved units, those that are picked."),
  unavailable: Type.Object(
    {
      quarantined: countField("Units in quarantine, or of lots that are on hold, quarantined or recalled."),
      damaged: countField("Units in damage bins, or of damaged lots."),
      expired: countField("Units of lots whose last day is over."),
      count_pending: Type.Integer({
        minimum: 0,
        description: "A picker did not find units of the SKU in their bin: a count of it is open.",
      }),
      short_dated: Type.Integer({
        minimum: 0,
        description: "Good units with fewer days left than the product's `min_shelf_life_days`.",
      }),
      putback: countField("Picked units that their order released, waiting to be put back."),
      returns: Type.Integer({
        minimum: 0,
        description: "Units of returns in a returns bin: not inspected yet, or waiting to be put back on a shelf.",
      }),
    },
    { additionalProperties: false, description: "Unreserved units on hand that cannot be sold, by cause." },
  ),
  on_hand: countField("All units in the warehouses: available, reserved and unavailable ones."),
  incoming: countField("Units on their way, of open receipts and of transfers in transit."),
  backordered: countField("Units that orders want and do not have."),
  locations: Type.Array(
    closed({
      warehouse_id: Type.String(),
      location: Type.String({ description: "The bin. Merchants see the warehouse instead." }),
      kind: choice(binKinds, { description: "What the bin is for. Only units in `storage` bins are sold." }),
      quantity: countField("Units that are there, including reserved ones."),
      temperature_zone: nullable(choice(temperatureZones, { description: "The temperature of its zone." })),
      temperature_range: Type.Optional(
        Type.String({ description: "The range of its zone as text, such as `2-8°C`; absent if none." }),
      ),
    }),
    { description: "Where the units are, without the picked ones in staging." },
  ),
  reorder_point: countField("The product's setting: fewer available units count as low stock."),
  status: choice(itemStatuses, {
    description:
      "`low_stock`: fewer available than `reorder_point`. `backordered`: none available, and orders wait." +
      " `inactive`: the product is.",
  }),
  last_updated: timestamp("When its stock last changed."),
} satisfies TProperties;

export const StockSummaryView = closed(level);

const item = {
  ...level,
  lot_tracking: Type.Boolean({ description: "Whether units of the product need a lot." }),
  expiration_tracking: Type.Boolean({ description: "Whether lots of the product need an expiry." }),
  lots: Type.Array(
    closed({
      id: Type.String(),
      lot_number: Type.String(),
      quantity: countField("Units of the lot on hand, including reserved and picked ones."),
      received_date: timestamp("When the first units of the lot arrived."),
      expiration_date: nullable(ExpiryView()),
      status: choice(lotStatuses, { description: "Only units of `available` lots are sold." }),
    }),
    { description: "The lots with units on hand; empty for a product without lots." },
  ),
} satisfies TProperties;

export const ItemView = closed(item);

/** Units that came into stock, as the API shows them. */
export const receivedFields = {
  movement_id: Type.String(),
  quantity: countField("Units that came in."),
  warehouse_id: Type.String(),
  location: Type.String({ description: "The bin. Merchants see the warehouse instead." }),
  lot_number: nullable(Type.String({ description: "Their lot; null if they have none." })),
  expiration_date: nullable(ExpiryView()),
  received_date: timestamp("When they arrived. Older units are picked first."),
  reason: choice(adjustmentReasons, { description: "Why they came in, such as `received`." }),
  reference: nullable(
    Type.String({ description: "Your reference, or the id of the receipt that they came with; null if none." }),
  ),
};

export const ReceivedView = closed({
  ...item,
  received: Type.Object(receivedFields, {
    additionalProperties: false,
    description: "The units that came in, and where they are. The other fields show the stock afterwards.",
  }),
});

/** The orders that lack units after a change, and how many. */
export const BackorderedOrders = Type.Array(
  closed({
    order_id: nullable(
      Type.String({ description: "The order; null for a reservation whose order does not exist yet." }),
    ),
    order_number: Type.String(),
    quantity: countField("Units that it lacks now."),
  }),
  { description: "Orders that lost reserved units to this change and are backordered." },
);

export const AdjustmentView = closed({
  sku: Type.String(),
  previous_quantity: countField("Units of the SKU on hand in the warehouse before, in all bins."),
  adjustment: Type.Integer({ description: "Units added; below zero if removed." }),
  new_quantity: countField("Units on hand in the warehouse afterwards, in all bins."),
  reason: choice(adjustmentReasons, { description: "Why the stock was adjusted." }),
  notes: nullable(Type.String({ description: "The notes of the request; null if it had none." })),
  location: LocationView,
  bin: Type.String({ description: "The bin that was adjusted." }),
  lot_number: nullable(Type.String({ description: "The lot that was adjusted; null for units without one." })),
  movement_id: Type.String(),
  backordered_orders: BackorderedOrders,
  adjusted_at: timestamp("When it was adjusted."),
  adjusted_by: Type.String({ description: "The user or API key that adjusted it." }),
});
