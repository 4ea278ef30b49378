import { type Static, Type } from "@sinclair/typebox";
import {
  choice,
  closed,
  countField,
  idField,
  notesField,
  nullable,
  quantityField,
  Timestamp,
  textField,
  timestamp,
} from "../../core/schema.ts";
import { actionsIn } from "../../core/transitions.ts";
import { OwnerView, ofMerchantOrSku } from "../../storage/tenant.schema.ts";
import { missingReasons, transferStatuses, transferTransitions } from "../inventory.transitions.ts";
import { incomingBinField } from "../stock/stock.schema.ts";

const items_max = 500;

const MovedItem = closed({
  sku: textField(100, { description: "The SKU to transfer. A bundle has no stock: transfer its components." }),
  quantity: quantityField("Units to ship."),
  lot_number: Type.Optional(
    nullable(textField(80, { description: "Only units of this lot. Default: those that expire first." })),
  ),
  bin: Type.Optional(nullable(textField(40, { description: "Only units in this bin. Default: any storage bin." }))),
});

export const CreateTransfer = closed({
  from_location: idField("warehouse", "The warehouse that ships, such as `whs_1001`."),
  to_location: idField("warehouse", "The warehouse that receives, such as `whs_1002`."),
  reference: Type.Optional(nullable(textField(100, { description: "Your own reference for the transfer." }))),
  items: Type.Array(MovedItem, { minItems: 1, maxItems: items_max, description: "What to move, all of one merchant." }),
  ...ofMerchantOrSku,
});
export type CreateTransfer = Static<typeof CreateTransfer>;

const ArrivedItem = closed({
  sku: textField(100, { description: "The SKU that arrived." }),
  quantity: quantityField("Units that arrived, at most as many as are in transit."),
  lot_number: Type.Optional(textField(80, { description: "The lot that arrived. Default: any lot in transit." })),
  bin: Type.Optional(incomingBinField("`received` in the response")),
});

export const ReceiveTransfer = closed({
  items: Type.Optional(
    Type.Array(ArrivedItem, {
      minItems: 1,
      maxItems: items_max,
      description: "What arrived now. Default: everything in transit.",
    }),
  ),
});
export type ReceiveTransfer = Static<typeof ReceiveTransfer>;

export const CloseTransfer = closed({
  reason: Type.Optional(choice(missingReasons, { description: "Why units are missing. Default: `lost`." })),
  notes: Type.Optional(nullable({ ...notesField(), description: "Notes for the write-offs in the ledger." })),
});
export type CloseTransfer = Static<typeof CloseTransfer>;

const counts = {
  quantity_in_transit: countField("Of the shipped units, those that have not arrived."),
  quantity_received: countField("Units that arrived."),
  quantity_written_off: countField("Units that were still in transit when the transfer was closed."),
};

const transfer = {
  id: Type.String(),
  merchant_id: OwnerView,
  status: choice(transferStatuses, {
    description: "`pending`: nothing has moved. `received`: nothing is in transit any more.",
  }),
  reference: nullable(Type.String({ description: "Your own reference; null if none was sent." })),
  from_location: Type.String({ description: "The warehouse that ships." }),
  to_location: Type.String({ description: "The warehouse that receives." }),
  items: Type.Array(
    closed({
      sku: Type.String(),
      lot_number: nullable(Type.String({ description: "The only lot to ship from; null for any." })),
      bin: nullable(
        Type.String({
          description: "The only bin to ship from. Null for any, and for merchants, who do not see bins.",
        }),
      ),
      quantity: countField("Units to ship."),
      ...counts,
      lots: Type.Array(
        closed({
          lot_number: nullable(Type.String({ description: "The lot; null for units without one." })),
          quantity: countField("Units of the lot that were shipped."),
          ...counts,
        }),
        { description: "The shipped units by lot; empty until the transfer is shipped." },
      ),
    }),
    { description: "What is moved, and how far it is." },
  ),
  allowed_actions: Type.Array(choice(actionsIn(transferTransitions))),
  revision: Type.Integer({ minimum: 1 }),
  created_at: Timestamp,
  updated_at: Timestamp,
  shipped_at: nullable(timestamp("When it left the first warehouse; null before.")),
  received_at: nullable(timestamp("When its last units arrived or were written off; null before.")),
  cancelled_at: nullable(timestamp("When it was cancelled; null if it was not.")),
};
export const TransferView = closed(transfer);

/** A transfer after units of it were received. */
export const ArrivedView = closed({
  ...transfer,
  received: Type.Array(
    closed({
      sku: Type.String(),
      lot_number: nullable(Type.String({ description: "The lot of the units; null if they have none." })),
      quantity: countField("Units that this request put into the bin."),
      bin: Type.String(),
    }),
    { description: "Where the units of this request are." },
  ),
});
