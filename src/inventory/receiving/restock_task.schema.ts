import { type Static, Type } from "@sinclair/typebox";
import {
  Count,
  closed,
  codeField,
  idField,
  nullable,
  pageFields,
  quantityField,
  several,
  Timestamp,
  textField,
} from "../../core/schema.ts";
import { OwnerView } from "../../storage/tenant.schema.ts";

export const RestockInput = closed({
  order_id: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), textField(100)], {
      description: "The order that released the units. Specify this or `return_id`.",
      hint: "must be an order's ID or number",
    }),
  ),
  return_id: Type.Optional(idField("return", "The return that the units came with.")),
  sku: textField(100),
  quantity: quantityField(),
  lot_number: Type.Optional(textField(80)),
  location: Type.Optional(idField("warehouse", "Required if such units wait in several warehouses.")),
  bin: codeField(40),
});
export type RestockInput = Static<typeof RestockInput>;

export const ListRestockTasks = closed({
  ...pageFields,
  location: Type.Optional(several(idField("warehouse"))),
  sku: Type.Optional(textField(100)),
  order_id: Type.Optional(
    several(textField(100, { description: "The order's ID or number; its returns are included." })),
  ),
  return_id: Type.Optional(several(idField("return"))),
});

export const RestockTaskView = closed({
  order_id: Type.String(),
  return_id: nullable(Type.String({ description: "The return that they came with; null for picked units." })),
  merchant_id: OwnerView,
  sku: Type.String(),
  quantity: Count,
  lot_number: nullable(Type.String()),
  location: Type.String(),
  bin: Type.String({ description: "The bin in which they wait." }),
  suggested_bin: nullable(Type.String({ description: "A suitable bin with room for them." })),
  waiting_since: Timestamp,
});

export const RestockedView = closed({
  order_id: Type.String(),
  return_id: nullable(Type.String()),
  sku: Type.String(),
  quantity: Count,
  lot_number: nullable(Type.String()),
  location: Type.String(),
  from_bin: Type.String(),
  bin: Type.String(),
  was_picked: Type.Boolean({
    description: "Whether the order still held them. It then gets other units or is backordered.",
  }),
  movement_id: Type.String(),
  remaining: Count,
  put_back_at: Timestamp,
  put_back_by: Type.String(),
});
