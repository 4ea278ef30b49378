import { type Static, Type } from "@sinclair/typebox";
import { closed, codeField, idField, nullable, quantityField, textField } from "../../kit/schema.ts";

export const PutBack = closed({
  order_id: Type.Union([Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), textField(100)], {
    hint: "must be an order's id or number",
  }),
  sku: textField(100),
  quantity: quantityField(),
  lot_number: Type.Optional(textField(80)),
  location: Type.Optional(idField("warehouse", "Needed where units of the order wait in several warehouses.")),
  bin: codeField(40),
});
export type PutBack = Static<typeof PutBack>;

const count = Type.Integer({ minimum: 0 });

export const PutBackView = closed({
  order_id: Type.String(),
  sku: Type.String(),
  quantity: count,
  lot_number: nullable(Type.String()),
  location: Type.String(),
  from_bin: Type.String(),
  bin: Type.String(),
  was_picked: Type.Boolean({ description: "Whether the order held them still, and gets others or waits." }),
  movement_id: Type.String(),
  remaining: count,
  put_back_at: Type.String({ format: "date-time" }),
  put_back_by: Type.String(),
});
