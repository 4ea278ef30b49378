import { type Static, Type } from "@sinclair/typebox";
import { actorTypes } from "../../core/actor.ts";
import { csvExportFields } from "../../core/csv_columns.ts";
import { choice, closed, idField, momentField, nullable, pageFields, Timestamp, textField } from "../../core/schema.ts";
import { OwnerView } from "../../storage/tenant.schema.ts";
import { movementTypes } from "../inventory.transitions.ts";

const filters = {
  sku: Type.Optional(textField(100)),
  type: Type.Optional(choice(movementTypes)),
  location: Type.Optional(idField("warehouse", "Only units that left this warehouse or came to it.")),
  bin: Type.Optional(textField(40, { description: "Only units that left this bin or came to it." })),
  lot_number: Type.Optional(textField(80)),
  reason: Type.Optional(textField(100)),
  reference: Type.Optional(textField(100, { description: "ID of the record that caused it, such as ord_1042." })),
  actor: Type.Optional(
    textField(100, { description: "ID of the user or API key that did it, such as usr_7 or key_1002." }),
  ),
  created_after: Type.Optional(momentField()),
  created_before: Type.Optional(momentField()),
};

export const ListMovements = closed({ ...pageFields, ...filters });

export const ExportMovements = closed({ ...filters, ...csvExportFields });
export type ExportMovements = Static<typeof ExportMovements>;

export const MovementView = closed({
  id: Type.String(),
  merchant_id: OwnerView,
  sku: Type.String(),
  type: choice(movementTypes),
  quantity: Type.Integer({ minimum: 1 }),
  warehouse_id: Type.String(),
  from_location: nullable(Type.String()),
  to_location: Type.String({
    description: "A bin, or where units that left went. Merchants see the warehouse instead of the bin.",
  }),
  bin: nullable(Type.String()),
  balance_after: Type.Integer({ minimum: 0 }),
  lot_number: nullable(Type.String()),
  reason: Type.String(),
  notes: nullable(Type.String()),
  reference: nullable(closed({ type: Type.String(), id: Type.String() })),
  unit_cost: nullable(Type.Number()),
  currency: { ...nullable(Type.String()), description: "Currency of `unit_cost`; null without a cost." },
  confirmed: Type.Boolean(),
  actor: closed({ type: choice(actorTypes), id: Type.String() }),
  created_at: Timestamp,
});
