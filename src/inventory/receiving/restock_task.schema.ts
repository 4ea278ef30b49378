import { type Static, Type } from "@sinclair/typebox";
import {
  closed,
  codeField,
  countField,
  idField,
  nullable,
  pageFields,
  quantityField,
  several,
  textField,
  timeFields,
  timestamp,
} from "../../core/schema.ts";
import { OwnerView } from "../../storage/tenant.schema.ts";
import { LocationView } from "../stock/stock.schema.ts";

export const RestockInput = closed({
  order_id: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), textField(100)], {
      description: "The order that released the units, by id or number. Specify this or `return_id`.",
      hint: "must be an order's ID or number",
    }),
  ),
  return_id: Type.Optional(idField("return", "The inspected return that the units came with.")),
  sku: textField(100, { description: "The SKU of the units; of a bundle, a component." }),
  quantity: quantityField("Units to put back, at most as many as wait there."),
  lot_number: Type.Optional(textField(80, { description: "The lot. Required if units of several lots wait." })),
  location: Type.Optional(idField("warehouse", "Required if such units wait in several warehouses.")),
  bin: codeField(40, { description: "The bin to put them into, created as a storage bin if it does not exist." }),
});
export type RestockInput = Static<typeof RestockInput>;

export const ListRestockTasks = closed({
  ...pageFields,
  location: Type.Optional(several(idField("warehouse", "Only units in these warehouses."))),
  sku: Type.Optional(textField(100, { description: "Only units of this SKU." })),
  order_id: Type.Optional(
    several(textField(100, { description: "The order's id or number; its returns are included." })),
  ),
  return_id: Type.Optional(several(idField("return", "Only units of these returns."))),
  ...timeFields("created", "Came to the bin"),
});

export const RestockTaskView = closed({
  order_id: Type.String({ description: "The order that released the units, or that the return belongs to." }),
  return_id: nullable(Type.String({ description: "The return that they came with; null for picked units." })),
  merchant_id: OwnerView,
  sku: Type.String(),
  name: Type.String({ description: "The name of the product." }),
  quantity: countField("Units that wait."),
  lot_number: nullable(Type.String({ description: "Their lot; null if they have none." })),
  location: LocationView,
  bin: Type.String({ description: "The bin in which they wait." }),
  suggested_bin: nullable(
    Type.String({ description: "A bin with room that holds or held the SKU, the same lot first; null if none." }),
  ),
  waiting_since: timestamp("When the first of them came to that bin."),
});

export const RestockedView = closed({
  order_id: Type.String({ description: "The order that the units came from, or that the return belongs to." }),
  return_id: nullable(Type.String({ description: "The return that they came with; null if `order_id` was sent." })),
  sku: Type.String(),
  quantity: countField("Units that were put back."),
  lot_number: nullable(Type.String({ description: "Their lot; null if they have none." })),
  location: LocationView,
  from_bin: Type.String({ description: "The bin in which they waited." }),
  bin: Type.String({ description: "The bin that they are in now." }),
  was_picked: Type.Boolean({
    description: "Whether the order still held them. It then gets other units or is backordered.",
  }),
  movement_id: Type.String(),
  remaining: countField("Units of the same SKU, lot and origin that still wait."),
  put_back_at: timestamp("When they were put back."),
  put_back_by: Type.String({ description: "The user or API key that put them back." }),
});
