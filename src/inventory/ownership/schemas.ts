import { type Static, Type } from "@sinclair/typebox";
import { closed, codeField, idField, nullable, quantityField, textField } from "../../kit/schema.ts";
import { merchantName } from "../../owners/schemas.ts";

export const TransferOwnership = closed({
  from_merchant_id: merchantName("Whose the units are, by id or code."),
  to_merchant_id: merchantName("Whose they are to be."),
  sku: textField(100),
  to_sku: Type.Optional(textField(100, { description: "The SKU of the new owner's product; the same by default." })),
  quantity: quantityField(),
  location: Type.Optional(idField("warehouse", "Required if the units are in several warehouses.")),
  bin: Type.Optional(textField(40, { description: "Their bin; required if the SKU is in several." })),
  lot_number: Type.Optional(textField(80, { description: "Required if the bin has several lots of the SKU." })),
  to_bin: Type.Optional(
    codeField(40, { description: "Where they lie then, in the same warehouse; by default where they are." }),
  ),
  reason: textField(200, { description: "Why they change hands; it stands in the notes of both movements." }),
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
  transferred_at: Type.String({ format: "date-time" }),
  transferred_by: Type.String(),
});
