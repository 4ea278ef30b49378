import { type Static, type TProperties, Type } from "@sinclair/typebox";
import { choice, closed, countField, notesField, nullable, textField, timestamp } from "../../core/schema.ts";
import { OwnerView } from "../../storage/tenant.schema.ts";
import { binKinds, lotStatuses, settableLotStatuses } from "../inventory.transitions.ts";
import { ActorView } from "../ledger/movement.schema.ts";
import { arrivalField, BackorderedOrders, ExpiryView, expiryField } from "./stock.schema.ts";

export const SetLotStatus = closed({
  status: choice(settableLotStatuses, {
    description: "The new status. Only `available` lots are sold; `recalled` also holds orders with units of the lot.",
  }),
  reason: textField(200, { description: "Why it changes, for the lot's history." }),
  notes: Type.Optional(nullable({ ...notesField(), description: "Details for the lot's history." })),
});
export type SetLotStatus = Static<typeof SetLotStatus>;

export const CorrectLot = closed({
  expiration_date: Type.Optional(nullable(expiryField("Null for a lot that does not expire."))),
  received_date: Type.Optional(arrivalField("When the units arrived.")),
  notes: Type.Optional(nullable({ ...notesField(), description: "Why it is corrected. Requires a corrected date." })),
});
export type CorrectLot = Static<typeof CorrectLot>;

const lot = {
  id: Type.String(),
  merchant_id: OwnerView,
  lot_number: Type.String(),
  product_id: Type.String(),
  sku: Type.String(),
  status: choice(lotStatuses, {
    description: "Only `available` lots are sold. `expired` is set by time; the others by `POST …/status`.",
  }),
  quantity: countField("Units on hand, in all warehouses."),
  reserved: countField("Of these, units that are reserved, including picked ones."),
  picked: countField("Of the reserved units, those that are picked."),
  locations: Type.Array(
    closed({
      warehouse_id: Type.String(),
      location: Type.String({ description: "The bin. Merchants see the warehouse instead." }),
      kind: choice(binKinds, { description: "What the bin is for." }),
      quantity: countField("Units of the lot that are there."),
      reserved: countField("Of these, units that are reserved or picked."),
    }),
    { description: "Where the units are, staging included." },
  ),
  received_date: timestamp("When the first units of the lot arrived, or its corrected date."),
  expiration_date: nullable(ExpiryView()),
  created_at: timestamp("When the lot was first recorded."),
} satisfies TProperties;

export const LotView = closed(lot);

const detail = {
  ...lot,
  allowed_statuses: Type.Array(choice(settableLotStatuses), {
    description: "The statuses that `POST /inventory/lots/:id/status` accepts now.",
  }),
  changes: Type.Array(
    closed({
      from_status: choice(lotStatuses, { description: "The status before." }),
      to_status: choice(lotStatuses, { description: "The status afterwards; the same if only a date was corrected." }),
      reason: Type.String({ description: "Why it changed; of a correction, the old and the new date." }),
      notes: nullable(Type.String({ description: "Details from the request; null if there are none." })),
      actor: ActorView,
      changed_at: timestamp("When it changed."),
    }),
    { description: "Changes of the status and corrections of dates." },
  ),
} satisfies TProperties;

export const LotDetailView = closed(detail);

export const ChangedLotView = closed({
  ...detail,
  backordered_orders: BackorderedOrders,
});
