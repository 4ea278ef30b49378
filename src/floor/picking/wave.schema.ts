import { type Static, type TProperties, Type } from "@sinclair/typebox";
import { actorTypes } from "../../core/actor.ts";
import {
  choice,
  closed,
  countField,
  idField,
  momentField,
  nullable,
  quantityField,
  Timestamp,
  textField,
  timestamp,
} from "../../core/schema.ts";
import { publicOrderStatuses, undoReasons } from "../../orders/order.transitions.ts";
import { temperatureZones } from "../../products/product.ts";
import { merchantName, OwnerView } from "../../storage/tenant.schema.ts";
import { waveModes, waveStatuses } from "../floor.transitions.ts";
import { scanField } from "../scanning/lookup.schema.ts";

/** The most orders of a wave. */
const wave_orders_limit = 500;
/** The orders of a wave whose request sets no limit. */
export const default_wave_orders = 50;

const some = <Item extends ReturnType<typeof Type.String>>(item: Item, description: string, maxItems = 100) =>
  Type.Optional(Type.Array(item, { minItems: 1, maxItems, description }));

const WaveFilters = closed({
  carrier: Type.Optional(textField(60, { description: "Only orders to be shipped with this carrier." })),
  service: Type.Optional(textField(60, { description: "Only orders to be shipped with this service." })),
  ship_by_before: Type.Optional(momentField("Only orders whose cut-off is before this time.")),
  temperature_zone: Type.Optional(
    choice(temperatureZones, { description: "Only orders all of whose goods are stored in this zone." }),
  ),
  one_unit: Type.Optional(
    Type.Boolean({ description: "Only orders of one unit, or only larger ones. `single` requires true, its default." }),
  ),
  priority_min: Type.Optional(
    Type.Integer({ minimum: -1000, maximum: 1000, description: "Only orders of this priority or a higher one." }),
  ),
  merchant_ids: Type.Optional(
    Type.Array(merchantName("A merchant, by id or code."), {
      minItems: 1,
      maxItems: 100,
      description: "Only orders of these merchants. One that shares no waves must be named alone.",
    }),
  ),
  tags: some(textField(60), "Only orders with one of these tags."),
  order_ids: Type.Optional(
    Type.Array(idField("order"), {
      minItems: 1,
      maxItems: wave_orders_limit,
      description: "Only these orders. `order` requires exactly one.",
    }),
  ),
});

const WaveLimits = closed({
  orders: Type.Optional(
    Type.Integer({ minimum: 1, maximum: wave_orders_limit, description: `Default: ${default_wave_orders}.` }),
  ),
  units: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: "Units to pick in total." })),
  weight_grams: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100_000_000, description: "Their weight. Unknown weights count as none." }),
  ),
  volume_cm3: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: "Their volume. Unknown sizes count as none." }),
  ),
});

export const PlanWave = closed({
  warehouse_id: Type.Optional(idField("warehouse", "The warehouse. Required if there are several.")),
  mode: choice(waveModes, {
    description:
      "`cluster`: each order is picked into its tote. `batch`: orders are picked together and sorted at the table." +
      " `single`: orders of one unit, picked together. `order`: one order alone.",
  }),
  filters: Type.Optional({ ...WaveFilters, description: "Which orders to take. Default: all that can be picked." }),
  limits: Type.Optional({ ...WaveLimits, description: "How large the wave may become." }),
});
export type PlanWave = Static<typeof PlanWave>;

export const waitingReasons = [
  "on_hold",
  "backordered",
  "in_wave",
  "other_warehouse",
  "not_open",
  "picked",
  "merchant_opted_out",
  "limit",
] as const;

const WarehouseIdView = Type.String({ description: "The warehouse, such as `whs_1001`." });

const planned = {
  warehouse_id: WarehouseIdView,
  mode: choice(waveModes, { description: "How its orders are picked." }),
} satisfies TProperties;

export const WavePlanView = closed({
  ...planned,
  orders: countField("Orders that it would take."),
  units: countField("Units to pick."),
  stops: countField("Bins to stop at, once for each lot of each product."),
  weight_grams: countField("The weight of the units, as far as it is known."),
  volume_cm3: countField("The volume of the units, as far as it is known."),
  merchants: Type.Array(closed({ merchant_id: OwnerView, orders: countField("How many of the orders are theirs.") }), {
    description: "The merchants whose orders it would take.",
  }),
  order_ids: Type.Array(Type.String(), { description: "The orders, in the order of the wave." }),
  waiting: Type.Array(
    closed({
      reason: choice(waitingReasons, {
        description:
          "Why they wait. `not_open`: packed, shipped or cancelled. `picked`: nothing is left to pick." +
          " `limit`: the wave is full, and they were not examined further.",
      }),
      orders: countField("Orders that match the filters and wait for this reason."),
      examples: Type.Array(closed({ order_id: Type.String(), order_number: Type.String() }), {
        description: "The first 20 of them.",
      }),
    }),
    { description: "Orders that match the filters and are not taken, by reason." },
  ),
});

export const WaveProgressView = {
  ...closed({
    orders: countField("Orders of the wave, without removed ones."),
    orders_left: countField("Orders with units that can be picked now."),
    units: countField("Units of its orders, without cancelled orders."),
    units_left: countField("Units that can be picked now."),
    units_waiting: countField("Units that are not picked and cannot be picked now: on hold, or backordered."),
    stops_left: countField("Stops left: bins, once for each lot of each product."),
  }),
  description: "How much of the wave is left to pick.",
};

const WaveIdView = Type.String({ description: "The wave, such as `wav_1001`." });

const plain = {
  id: Type.String(),
  ...planned,
  status: choice(waveStatuses, {
    description:
      "`picked`: nothing was left to pick. If one of its orders gets units later, they are picked like the others." +
      " It closes by itself once all of its orders are packed.",
  }),
  filters: Type.Object({}, { additionalProperties: true, description: "The filters of the request that planned it." }),
  limits: Type.Object({}, { additionalProperties: true, description: "The limits of that request." }),
  progress: WaveProgressView,
  ship_by: nullable(timestamp("The first cut-off among the orders that are open; null if there is none.")),
  allowed_actions: Type.Array(choice(["release", "close", "cancel"]), { description: "What can be done now." }),
  created_by: {
    ...closed({
      type: choice(actorTypes, { description: "An API key or a user." }),
      id: Type.String({ description: "The id of the key or the user." }),
      name: Type.String({ description: "Their name at that time." }),
    }),
    description: "Who planned it.",
  },
  revision: countField("Counts the changes to the wave, from 1."),
  created_at: Timestamp,
  updated_at: Timestamp,
  released_at: nullable(timestamp("When picking was allowed; null while it is only planned.")),
  picked_at: nullable(timestamp("When nothing was left to pick; null while units are left.")),
  closed_at: nullable(timestamp("When its last order was packed or it was closed; null if it was not.")),
  cancelled_at: nullable(timestamp("When it was cancelled; null if it was not.")),
} satisfies TProperties;

export const PlainWaveView = closed(plain);

const orderFields = { order_id: Type.String(), order_number: Type.String(), merchant_id: OwnerView };

export const WaveView = closed({
  ...plain,
  orders: Type.Array(
    closed({
      ...orderFields,
      position: countField("Its place in the wave, from 1."),
      status: choice(publicOrderStatuses, { description: "The order's status." }),
      open: Type.Boolean({ description: "Whether it still belongs to the wave." }),
      units_left: countField("Units that can be picked now."),
      units_waiting: countField("Units that are not picked and cannot be picked now: on hold, or backordered."),
      totes: Type.Array(Type.String(), { description: "The codes of the totes that hold its units." }),
    }),
    { description: "In the order of the wave." },
  ),
  picked_by: Type.Array(
    closed({
      type: choice(actorTypes, { description: "An API key or a user." }),
      id: Type.String({ description: "The id of the key or the user." }),
      name: Type.String({ description: "Their name at that time." }),
      units: countField("Units that they picked for orders of the wave, even if some were put back later."),
    }),
    { description: "Who has picked since the wave was released, in the order in which they began." },
  ),
});

const StopView = closed({
  bin: Type.String({ description: "The bin to go to." }),
  pick_order: Type.Integer({ description: "The bin's place on the pick path." }),
  product_id: Type.String(),
  sku: Type.String(),
  name: Type.String({ description: "The name of the product." }),
  lot_number: nullable(Type.String({ description: "The lot; null if the product has none." })),
  expiration_date: nullable(Type.String({ description: "The lot's last day; null if it has none." })),
  quantity: countField("Units to take, for all orders."),
  orders: Type.Array(
    closed({
      ...orderFields,
      quantity: countField("Units for this order."),
      totes: Type.Array(Type.String(), { description: "Its totes; empty if it has none yet." }),
    }),
    { description: "The orders that the units are for, in the order of the wave." },
  ),
});

export const WaveWalkView = closed({
  wave_id: WaveIdView,
  warehouse_id: WarehouseIdView,
  mode: planned.mode,
  status: plain.status,
  progress: WaveProgressView,
  stops: Type.Array(StopView, { description: "What is left, in walking order. The first one is next." }),
  waiting: Type.Array(
    closed({
      ...orderFields,
      status: choice(publicOrderStatuses, { description: "The order's status." }),
      backordered: countField("Units that are backordered."),
      totes: Type.Array(Type.String(), { description: "The codes of the totes that hold its picked units." }),
    }),
    { description: "Open orders that are on hold, cancelled or backordered." },
  ),
});

export const ReadWalk = closed({
  last_bin: Type.Optional(textField(40, { description: "The bin where the picker is. The walk goes on from there." })),
});

const toteField = textField(40, {
  description: "The code of the tote that the units go into. `cluster` requires it, except with `short`.",
});
const orderField = idField("order", "The order that the units are for. Default: that of the tote, or the first ones.");
const itemFields = {
  code: Type.Optional(scanField("What was scanned on the item. Specify this or `sku`.")),
  sku: Type.Optional(textField(100, { description: "The SKU of the item; of a bundle, a component." })),
  tote: Type.Optional(toteField),
  order_id: Type.Optional(orderField),
};
const deviceField = Type.Optional(
  textField(64, { description: "The device that the person works with, as it names itself." }),
);

/** Why units were not found, as a picker sees it. */
export const shortPickReasons = ["not_found", "damaged", "wrong_item", "blocked"] as const;

export const PickInWave = closed({
  bin: textField(40, { description: "The code of the bin that was scanned." }),
  ...itemFields,
  lot_number: Type.Optional(
    textField(80, { description: "The lot. Required if the bin holds several lots of the item to pick." }),
  ),
  quantity: Type.Optional(
    quantityField(
      "Units taken or, with `short`, units that are missing. Default: those of the code, such as 6 of a case of 6; 1" +
        " for a SKU.",
    ),
  ),
  short: Type.Optional(Type.Boolean({ description: "If true, these units were not there to take." })),
  reason: Type.Optional(
    choice(shortPickReasons, { description: "Required with `short`. `damaged` units are written off." }),
  ),
  device: deviceField,
});
export type PickInWave = Static<typeof PickInWave>;

export const UnpickInWave = closed({
  ...itemFields,
  quantity: Type.Optional(quantityField("Units to return to their bins. Default: those of the code; 1 for a SKU.")),
  reason: choice(undoReasons, { description: "Why the pick is taken back." }),
  note: Type.Optional(textField(500, { description: "Details for the order's history. Required for `other`." })),
  device: deviceField,
});
export type UnpickInWave = Static<typeof UnpickInWave>;

export const AssignTote = closed({
  tote: textField(40, { description: "The code of a free tote." }),
  order_id: Type.Optional(idField("order", "The order. Default: the next one of the wave that has no tote.")),
  device: deviceField,
});
export type AssignTote = Static<typeof AssignTote>;

export const AssignedToteView = closed({
  ...orderFields,
  tote: Type.String({ description: "The code of the tote." }),
  orders_without_tote: countField("Orders of the wave that still have none."),
});

const units = {
  ...orderFields,
  sku: Type.String(),
  quantity: countField("Units."),
  totes: Type.Array(Type.String(), { description: "The totes of the order." }),
};

export const PickedView = closed({
  wave_id: WaveIdView,
  status: plain.status,
  picked: Type.Array(closed(units), { description: "What was taken, by order. Empty for a short pick." }),
  short: Type.Array(
    closed({
      ...units,
      held: Type.Boolean({
        description: "Whether no other units were found: the order is on hold, its tote set aside.",
      }),
    }),
    { description: "What was missing, by order." },
  ),
  returned: Type.Array(closed(units), { description: "What went back to its bin, by order." }),
  count_id: nullable(Type.String({ description: "The count that was opened for the bin; null if none was." })),
  next: nullable({ ...StopView, description: "The next stop; null if nothing is left." }),
  progress: WaveProgressView,
});
