import { type Static, Type } from "@sinclair/typebox";
import {
  Count,
  choice,
  closed,
  idField,
  notesField,
  nullable,
  quantityField,
  Timestamp,
  textField,
} from "../../core/schema.ts";
import { OwnerView, ofMerchantOrSku } from "../../storage/tenant.schema.ts";
import { missingReasons, transferStatuses, transferTransitions } from "../inventory.transitions.ts";
import { incomingBinField } from "../stock/stock.schema.ts";

const items_max = 500;

const MovedItem = closed({
  sku: textField(100),
  quantity: quantityField(),
  lot_number: Type.Optional(nullable(textField(80, { description: "Only units of this lot." }))),
  bin: Type.Optional(nullable(textField(40, { description: "Only units in this bin." }))),
});

export const CreateTransfer = closed({
  from_location: idField("warehouse"),
  to_location: idField("warehouse"),
  reference: Type.Optional(nullable(textField(100))),
  items: Type.Array(MovedItem, { minItems: 1, maxItems: items_max }),
  ...ofMerchantOrSku,
});
export type CreateTransfer = Static<typeof CreateTransfer>;

const ArrivedItem = closed({
  sku: textField(100),
  quantity: quantityField(),
  lot_number: Type.Optional(textField(80)),
  bin: Type.Optional(incomingBinField("`received` in the response")),
});

export const ReceiveTransfer = closed({
  items: Type.Optional(
    Type.Array(ArrivedItem, { minItems: 1, maxItems: items_max, description: "Default: everything in transit." }),
  ),
});
export type ReceiveTransfer = Static<typeof ReceiveTransfer>;

export const CloseTransfer = closed({
  reason: Type.Optional(choice(missingReasons, { description: "Why units are missing. Default: `lost`." })),
  notes: Type.Optional(nullable(notesField())),
});
export type CloseTransfer = Static<typeof CloseTransfer>;

const text = nullable(Type.String());
const counts = { quantity_in_transit: Count, quantity_received: Count, quantity_written_off: Count };

const transfer = {
  id: Type.String(),
  merchant_id: OwnerView,
  status: choice(transferStatuses),
  reference: text,
  from_location: Type.String(),
  to_location: Type.String(),
  items: Type.Array(
    closed({
      sku: Type.String(),
      lot_number: text,
      bin: text,
      quantity: Count,
      ...counts,
      lots: Type.Array(closed({ lot_number: text, quantity: Count, ...counts })),
    }),
  ),
  allowed_actions: Type.Array(choice(Object.keys(transferTransitions) as (keyof typeof transferTransitions)[])),
  revision: Type.Integer({ minimum: 1 }),
  created_at: Timestamp,
  updated_at: Timestamp,
  shipped_at: nullable(Timestamp),
  received_at: nullable(Timestamp),
  cancelled_at: nullable(Timestamp),
};
export const TransferView = closed(transfer);

/** A transfer after units of it were received. */
export const ArrivedView = closed({
  ...transfer,
  received: Type.Array(closed({ sku: Type.String(), lot_number: text, quantity: Count, bin: Type.String() }), {
    description: "Where the units of this request are.",
  }),
});
