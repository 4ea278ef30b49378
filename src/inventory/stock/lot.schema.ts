import { type Static, type TProperties, Type } from "@sinclair/typebox";
import { actorTypes } from "../../core/actor.ts";
import { Count, choice, closed, notesField, nullable, Timestamp, textField } from "../../core/schema.ts";
import { OwnerView } from "../../storage/tenant.schema.ts";
import { binKinds, lotStatuses, settableLotStatuses } from "../inventory.transitions.ts";
import { arrivalField, BackorderedOrders, ExpiryView, expiryField } from "./stock.schema.ts";

export const SetLotStatus = closed({
  status: choice(settableLotStatuses),
  reason: textField(200),
  notes: Type.Optional(nullable(notesField())),
});
export type SetLotStatus = Static<typeof SetLotStatus>;

export const CorrectLot = closed({
  expiration_date: Type.Optional(nullable(expiryField("Null for a lot that does not expire."))),
  received_date: Type.Optional(arrivalField("When the units arrived.")),
  notes: Type.Optional(nullable(notesField())),
});
export type CorrectLot = Static<typeof CorrectLot>;

const lot = {
  id: Type.String(),
  merchant_id: OwnerView,
  lot_number: Type.String(),
  product_id: Type.String(),
  sku: Type.String(),
  status: choice(lotStatuses),
  quantity: Count,
  reserved: Count,
  picked: Count,
  locations: Type.Array(
    closed({
      warehouse_id: Type.String(),
      location: Type.String({ description: "The bin. Merchants see the warehouse instead." }),
      kind: choice(binKinds),
      quantity: Count,
      reserved: Count,
    }),
  ),
  received_date: Timestamp,
  expiration_date: nullable(ExpiryView()),
  created_at: Timestamp,
} satisfies TProperties;

export const LotView = closed(lot);

const detail = {
  ...lot,
  allowed_statuses: Type.Array(choice(settableLotStatuses)),
  changes: Type.Array(
    closed({
      from_status: choice(lotStatuses),
      to_status: choice(lotStatuses),
      reason: Type.String(),
      notes: nullable(Type.String()),
      actor: closed({ type: choice(actorTypes), id: Type.String() }),
      changed_at: Timestamp,
    }),
  ),
} satisfies TProperties;

export const LotDetailView = closed(detail);

export const ChangedLotView = closed({
  ...detail,
  backordered_orders: BackorderedOrders,
});
