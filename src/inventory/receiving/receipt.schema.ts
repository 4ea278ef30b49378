import { type Static, Type } from "@sinclair/typebox";
import {
  choice,
  closed,
  codeField,
  countField,
  idField,
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
});

export const CreateReceipt = closed({
  reference: Type.Optional(nullable(textField(100, { description: "Your reference, such as a purchase order." }))),
  supplier: Type.Optional(nullable(textField(200, { description: "Who sends the goods, as free text." }))),
  location: Type.Optional(idField("warehouse", "The receiving warehouse. Required if there are several.")),
  expected_at: Type.Optional(nullable(arrivalField("Expected arrival."))),
  items: Type.Array(ExpectedLine, {
    minItems: 1,
    maxItems: items_max,
    description: "What is expected. Several lines may have the same SKU.",
  }),
  ...ofMerchantOrSku,
});
export type CreateReceipt = Static<typeof CreateReceipt>;

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

export const CloseReceipt = closed(deliveryUnitFields);
export type CloseReceipt = Static<typeof CloseReceipt>;

const receipt = {
  id: Type.String(),
  merchant_id: OwnerView,
  status: choice(receiptStatuses, {
    description: "`receiving`: some units have arrived. `closed`: no more are expected.",
  }),
  reference: nullable(Type.String({ description: "Your reference, such as a purchase order; null if none was sent." })),
  supplier: nullable(Type.String({ description: "Who sends the goods; null if unknown." })),
  location: LocationView,
  expected_at: nullable(timestamp("When it should arrive; null if unknown.")),
  items: Type.Array(
    closed({
      sku: Type.String(),
      lot_number: nullable(Type.String({ description: "The announced lot; null for any." })),
      expiration_date: nullable(ExpiryView("The announced expiry.")),
      quantity: countField("Units expected."),
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
