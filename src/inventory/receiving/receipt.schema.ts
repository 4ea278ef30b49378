import { type Static, Type } from "@sinclair/typebox";
import {
  choice,
  closed,
  codeField,
  countField,
  currencyField,
  idField,
  moneyField,
  nullable,
  quantityField,
  Timestamp,
  textField,
  timestamp,
} from "../../core/schema.ts";
import { handledPack } from "../../products/product.schema.ts";
import { OwnerView, ofMerchantOrSku } from "../../storage/tenant.schema.ts";
import { receiptStatuses, receiptTransitions, receivedConditions } from "../inventory.transitions.ts";
import {
  arrivalField,
  deliveryUnitFields,
  ExpiryView,
  expiryField,
  incomingBinField,
  LocationView,
  receivedFields,
} from "../stock/stock.schema.ts";

const items_max = 500;

const ExpectedLine = closed({
  sku: textField(100, { description: "The SKU that is expected. Bundles cannot be received." }),
  quantity: quantityField("Units expected."),
  lot_number: Type.Optional(nullable(codeField(80, { description: "The announced lot. Default: any lot." }))),
  expiration_date: Type.Optional(nullable(expiryField("The lot's expiry; requires `lot_number`."))),
  unit_cost: Type.Optional(
    nullable(moneyField("What one unit costs, in the product's currency. Cycle counts value received units by it.")),
  ),
});

const delivery = {
  reference: Type.Optional(nullable(textField(100, { description: "Your own reference." }))),
  supplier: Type.Optional(nullable(textField(200, { description: "Who sends the goods, as free text." }))),
  purchase_order_number: Type.Optional(
    nullable(textField(100, { description: "The purchase order that the goods were ordered with." })),
  ),
  carrier: Type.Optional(nullable(textField(100, { description: "Who brings the goods, as free text." }))),
  tracking_number: Type.Optional(
    nullable(textField(100, { description: "The carrier's number, such as a waybill or container number." })),
  ),
  freight_cost: Type.Optional(nullable(moneyField("What the transport costs."))),
  currency: Type.Optional(
    nullable(currencyField("The currency of `freight_cost`, as an ISO 4217 code. Default: `USD`.")),
  ),
  expected_at: Type.Optional(nullable(arrivalField("Expected arrival."))),
};

export const CreateReceipt = closed({
  ...delivery,
  location: Type.Optional(idField("warehouse", "The receiving warehouse. Required if there are several.")),
  items: Type.Array(ExpectedLine, {
    minItems: 1,
    maxItems: items_max,
    description: "What is expected. Several lines may have the same SKU.",
  }),
  ...ofMerchantOrSku,
});
export type CreateReceipt = Static<typeof CreateReceipt>;

export const UpdateReceipt = closed(delivery);
export type UpdateReceipt = Static<typeof UpdateReceipt>;

const ScannedItem = closed({
  sku: textField(100, { description: "The SKU that arrived. The receipt must expect it." }),
  quantity: quantityField("Units that arrived, even more than expected."),
  pack: handledPack,
  lot_number: Type.Optional(codeField(80, { description: "Default: the receipt's lot, if it expects only one." })),
  expiration_date: Type.Optional(expiryField("Default: the receipt's expiry.")),
  bin: Type.Optional(incomingBinField("`received` in the response")),
  condition: Type.Optional(
    choice(receivedConditions, { description: "Default: `good`. Other units are set aside and cannot be sold." }),
  ),
});

export const ScanReceipt = closed({
  items: Type.Array(ScannedItem, {
    minItems: 1,
    maxItems: items_max,
    description: "The units that arrived now, in addition to those of earlier requests.",
  }),
});
export type ScanReceipt = Static<typeof ScanReceipt>;

export const CloseReceipt = closed({
  ...deliveryUnitFields,
  minutes: Type.Optional(
    nullable(
      Type.Integer({
        minimum: 0,
        maximum: 100_000,
        description: "Working minutes that the delivery took, for billing.",
      }),
    ),
  ),
});
export type CloseReceipt = Static<typeof CloseReceipt>;

const receipt = {
  id: Type.String(),
  merchant_id: OwnerView,
  status: choice(receiptStatuses, {
    description: "`receiving`: some units have arrived. `closed`: no more are expected.",
  }),
  reference: nullable(Type.String({ description: "Your own reference; null for none." })),
  supplier: nullable(Type.String({ description: "Who sends the goods; null if unknown." })),
  purchase_order_number: nullable(Type.String({ description: "The purchase order; null if unknown." })),
  carrier: nullable(Type.String({ description: "Who brings the goods; null if unknown." })),
  tracking_number: nullable(Type.String({ description: "The carrier's number; null if unknown." })),
  freight_cost: nullable(Type.Number({ description: "What the transport costs; null if unknown." })),
  currency: nullable(Type.String({ description: "The currency of `freight_cost`; null without one." })),
  location: LocationView,
  expected_at: nullable(timestamp("When it should arrive; null if unknown.")),
  items: Type.Array(
    closed({
      sku: Type.String(),
      lot_number: nullable(Type.String({ description: "The announced lot; null for any." })),
      expiration_date: nullable(ExpiryView("The announced expiry.")),
      quantity: countField("Units expected."),
      unit_cost: nullable(Type.Number({ description: "What one unit costs; null if unknown." })),
      currency: nullable(Type.String({ description: "The currency of `unit_cost`; null without one." })),
      quantity_received: countField("Units that arrived, including surplus and set-aside ones."),
      quantity_set_aside: countField("Of the received units, those that are damaged or quarantined."),
      quantity_outstanding: countField("Units that may still arrive; 0 once the receipt is closed or cancelled."),
      quantity_over: countField("Units received in addition to those expected."),
      quantity_missing: countField("Expected units that never arrived; 0 until the receipt is closed."),
    }),
    { description: "What is expected, and what has arrived of it." },
  ),
  allowed_actions: Type.Array(choice(Object.keys(receiptTransitions) as (keyof typeof receiptTransitions)[]), {
    description: "`scan` is `POST /inventory/receipts/:id/items`; the others are named as their routes.",
  }),
  revision: Type.Integer({ minimum: 1 }),
  created_at: Timestamp,
  updated_at: Timestamp,
  closed_at: nullable(timestamp("When it was closed; null if it was not.")),
  cancelled_at: nullable(timestamp("When it was cancelled; null if it was not.")),
};
export const ReceiptView = closed(receipt);

/** A receipt after units of it were received. */
export const ScannedView = closed({
  ...receipt,
  received: Type.Array(closed({ sku: Type.String(), ...receivedFields }), {
    description: "Where the units of this request are, in its order.",
  }),
});
