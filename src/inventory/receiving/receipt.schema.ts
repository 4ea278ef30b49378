import { type Static, Type } from "@sinclair/typebox";
import {
  Count,
  choice,
  closed,
  codeField,
  idField,
  nullable,
  quantityField,
  Timestamp,
  textField,
} from "../../core/schema.ts";
import { OwnerView, ofMerchantOrSku } from "../../storage/tenant.schema.ts";
import { receiptStatuses, receiptTransitions, receivedConditions } from "../inventory.transitions.ts";
import {
  arrivalField,
  deliveryUnitFields,
  ExpiryView,
  expiryField,
  incomingBinField,
  receivedFields,
} from "../stock/stock.schema.ts";

const items_max = 500;

const ExpectedLine = closed({
  sku: textField(100),
  quantity: quantityField("Units expected."),
  lot_number: Type.Optional(nullable(codeField(80, { description: "Default: any lot." }))),
  expiration_date: Type.Optional(nullable(expiryField())),
});

export const CreateReceipt = closed({
  reference: Type.Optional(nullable(textField(100, { description: "Your reference, such as a purchase order." }))),
  supplier: Type.Optional(nullable(textField(200))),
  location: Type.Optional(idField("warehouse", "Required if there are several warehouses.")),
  expected_at: Type.Optional(nullable(arrivalField("Expected arrival."))),
  items: Type.Array(ExpectedLine, { minItems: 1, maxItems: items_max }),
  ...ofMerchantOrSku,
});
export type CreateReceipt = Static<typeof CreateReceipt>;

const ScannedItem = closed({
  sku: textField(100),
  quantity: quantityField(),
  lot_number: Type.Optional(codeField(80, { description: "Default: the receipt's lot, if it expects only one." })),
  expiration_date: Type.Optional(expiryField("Default: the receipt's expiry.")),
  bin: Type.Optional(incomingBinField("`received` in the response")),
  condition: Type.Optional(
    choice(receivedConditions, { description: "Default: `good`. Other units are set aside and cannot be sold." }),
  ),
});

export const ScanReceipt = closed({ items: Type.Array(ScannedItem, { minItems: 1, maxItems: items_max }) });
export type ScanReceipt = Static<typeof ScanReceipt>;

export const CloseReceipt = closed(deliveryUnitFields);
export type CloseReceipt = Static<typeof CloseReceipt>;

const text = nullable(Type.String());

const receipt = {
  id: Type.String(),
  merchant_id: OwnerView,
  status: choice(receiptStatuses),
  reference: text,
  supplier: text,
  location: Type.String(),
  expected_at: nullable(Timestamp),
  items: Type.Array(
    closed({
      sku: Type.String(),
      lot_number: text,
      expiration_date: nullable(ExpiryView()),
      quantity: Count,
      quantity_received: Count,
      quantity_set_aside: Count,
      quantity_outstanding: Count,
      quantity_over: Count,
      quantity_missing: Count,
    }),
  ),
  allowed_actions: Type.Array(choice(Object.keys(receiptTransitions) as (keyof typeof receiptTransitions)[]), {
    description: "`scan` is `POST /inventory/receipts/:id/items`; the others are named as their routes.",
  }),
  revision: Type.Integer({ minimum: 1 }),
  created_at: Timestamp,
  updated_at: Timestamp,
  closed_at: nullable(Timestamp),
  cancelled_at: nullable(Timestamp),
};
export const ReceiptView = closed(receipt);

/** A receipt after units of it were received. */
export const ScannedView = closed({
  ...receipt,
  received: Type.Array(closed({ sku: Type.String(), ...receivedFields }), {
    description: "Where the units of this request are, in its order.",
  }),
});
