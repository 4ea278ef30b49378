import { Type } from "@sinclair/typebox";
import { choice, closed, countField, nullable, timestamp } from "../../core/schema.ts";
import { temperatureZones } from "../../products/product.ts";
import { OwnerView } from "../../storage/tenant.schema.ts";
import { binKinds, lotStatuses, unavailableCauses } from "../inventory.transitions.ts";
import { ExpiryView } from "../stock/stock.schema.ts";

/** How full a bin is, as a filter. */
export const binFills = ["empty", "used", "full"] as const;

const zone = {
  zone_id: nullable(Type.String({ description: "The zone of the bin; null for staging bins." })),
  temperature_zone: nullable(
    choice(temperatureZones, { description: "The temperature of the zone; null without a zone." }),
  ),
};

/** What a bin is for, as responses show it. */
export const binKindView = choice(binKinds, {
  description:
    "What the bin is for. Only units in `storage` bins are sold; `staging` holds the picked units of an order.",
});

export const BinView = closed({
  warehouse_id: Type.String(),
  code: Type.String({ description: "The code of the bin, unique in its warehouse." }),
  kind: binKindView,
  ...zone,
  temperature_range: nullable(Type.String({ description: "The zone's range as text, such as `2-8°C`; null if none." })),
  pick_order: Type.Integer({ description: "Position on the pick path. The lowest comes first." }),
  dedicated_merchant_id: nullable(
    Type.String({ description: "The only merchant whose goods may be stored there; null for any." }),
  ),
  mix_merchants: Type.Boolean({ description: "Whether it can hold goods of several merchants at once." }),
  capacity: nullable(Type.Integer({ description: "Units that it has room for; null if unlimited." })),
  used: Type.Integer({ minimum: 0, description: "Units in the bin." }),
  free: nullable(Type.Integer({ minimum: 0, description: "Units that still fit; null if unlimited." })),
  skus: Type.Integer({ minimum: 0, description: "Number of products in the bin." }),
});

export const StoredItemView = closed({
  merchant_id: OwnerView,
  sku: Type.String(),
  name: Type.String({ description: "The name of the product." }),
  warehouse_id: Type.String(),
  bin: Type.String(),
  kind: binKindView,
  ...zone,
  lot_id: nullable(Type.String({ description: "The lot, such as `lot_1001`; null for units without one." })),
  lot_number: nullable(Type.String({ description: "The number of the lot; null for units without one." })),
  lot_status: nullable(
    choice(lotStatuses, { description: "Only units of `available` lots are sold. Null for units without a lot." }),
  ),
  expiration_date: nullable(ExpiryView()),
  quantity: Type.Integer({ minimum: 0, description: "Units on hand." }),
  reserved: countField("Of these, units that are reserved, including picked ones."),
  available: Type.Integer({ minimum: 0, description: "Units that can be reserved." }),
  cause: nullable(
    choice(unavailableCauses, {
      description: "Why unreserved units cannot be sold; null if they can, or if all are reserved.",
    }),
  ),
  received_date: timestamp("When the first of the units arrived. Older units are picked first."),
  last_updated: timestamp("When the quantity or the reserved units last changed."),
});
