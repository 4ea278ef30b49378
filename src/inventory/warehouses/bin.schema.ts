import { Type } from "@sinclair/typebox";
import { Count, choice, closed, nullable, Timestamp } from "../../core/schema.ts";
import { temperatureZones } from "../../products/product.ts";
import { OwnerView } from "../../storage/tenant.schema.ts";
import { binKinds, lotStatuses, unavailableCauses } from "../inventory.transitions.ts";
import { ExpiryView } from "../stock/stock.schema.ts";

/** How full a bin is, as a filter. */
export const binFills = ["empty", "used", "full"] as const;

export const BinView = closed({
  warehouse_id: Type.String(),
  code: Type.String(),
  kind: choice(binKinds),
  zone_id: nullable(Type.String()),
  temperature_zone: nullable(choice(temperatureZones)),
  temperature_range: nullable(Type.String()),
  pick_order: Type.Integer(),
  dedicated_merchant_id: nullable(Type.String({ description: "The only merchant whose goods may be stored there." })),
  mix_merchants: Type.Boolean({ description: "Whether it can hold goods of several merchants at once." }),
  capacity: nullable(Type.Integer()),
  used: Type.Integer({ minimum: 0, description: "Units in the bin." }),
  free: nullable(Type.Integer({ minimum: 0, description: "Units that still fit in the bin." })),
  skus: Type.Integer({ minimum: 0, description: "Number of SKUs in the bin." }),
});

export const StoredItemView = closed({
  merchant_id: OwnerView,
  sku: Type.String(),
  name: Type.String(),
  warehouse_id: Type.String(),
  bin: Type.String(),
  kind: choice(binKinds),
  zone_id: nullable(Type.String()),
  temperature_zone: nullable(choice(temperatureZones)),
  lot_id: nullable(Type.String()),
  lot_number: nullable(Type.String()),
  lot_status: nullable(choice(lotStatuses)),
  expiration_date: nullable(ExpiryView()),
  quantity: Type.Integer({ minimum: 0, description: "Units on hand." }),
  reserved: Count,
  available: Type.Integer({ minimum: 0, description: "Units that can be reserved." }),
  cause: nullable(choice(unavailableCauses)),
  received_date: Timestamp,
  last_updated: Timestamp,
});
