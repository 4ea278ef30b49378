import { type Static, Type } from "@sinclair/typebox";
import { PlaceView, placeInput } from "../../addresses/address.schema.ts";
import { choice, closed, codeField, nullable, Timestamp, textField } from "../../core/schema.ts";
import { weekdays } from "../../core/time_zone.ts";
import { temperatureZones } from "../../products/product.ts";
import { merchantName } from "../../storage/tenant.schema.ts";
import { binKinds } from "../inventory.transitions.ts";
import { permanentBinKinds } from "./warehouse.ts";

const capacity = (description: string) =>
  Type.Union([Type.Integer({ minimum: 0, maximum: 1_000_000_000 }), Type.Null()], { description });
const rank = (description: string) => Type.Integer({ minimum: 0, maximum: 1_000_000, description });

const AddressInput = placeInput("Default: the warehouse's name.");

// What a GET shows of a place in addition to what a request can set.
const reported_fields = ["used", "free"];

const BinInput = closed(
  {
    code: codeField(40),
    kind: Type.Optional(choice(permanentBinKinds)),
    pick_order: Type.Optional(rank("Position on the pick path. The lowest comes first.")),
    capacity: Type.Optional(capacity("Units that it has room for. More are refused with bin_full.")),
    dedicated_merchant_id: Type.Optional(nullable(merchantName("The only merchant whose goods may be stored there."))),
    mix_merchants: Type.Optional(
      Type.Boolean({ description: "Whether a storage bin may hold goods of several merchants at once." }),
    ),
  },
  reported_fields,
);
export type BinInput = Static<typeof BinInput>;

const ZoneInput = closed(
  {
    zone_id: codeField(40),
    temperature_zone: choice(temperatureZones),
    temperature_range: Type.Optional(nullable(textField(40))),
    capacity: Type.Optional(capacity("Units that it is meant for. Only the capacity of its bins is enforced.")),
    bins: Type.Optional(Type.Array(BinInput, { maxItems: 1000 })),
  },
  reported_fields,
);
export type ZoneInput = Static<typeof ZoneInput>;

const day = Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\d$", hint: "must be a date such as 2026-12-25" });
const time = Type.String({ pattern: "^([01]\\d|2[0-3]):[0-5]\\d$", hint: "must be a time such as 14:00" });
const calendar = {
  working_days: Type.Array(choice(weekdays), { minItems: 1, maxItems: 7, description: "Days on which orders leave." }),
  holidays: Type.Array(day, {
    maxItems: 400,
    description: "Days on which no orders leave, even if they are working days.",
  }),
  cutoff_time: {
    ...time,
    description: "Orders placed before this time on a working day leave on that day, in `timezone`.",
  },
};

const optionalFields = {
  timezone: Type.Optional(textField(60, { description: "An IANA time zone. Default: America/New_York." })),
  working_days: Type.Optional(calendar.working_days),
  holidays: Type.Optional(calendar.holidays),
  cutoff_time: Type.Optional(calendar.cutoff_time),
  priority: Type.Optional(rank("The lowest is chosen first. Default: 100.")),
};
const readOnly = ["warehouse_id", "example_address", "revision", "created_at", "updated_at"];

export const CreateWarehouse = closed(
  {
    name: textField(120),
    address: AddressInput,
    location_zones: Type.Array(ZoneInput, { minItems: 1, maxItems: 100 }),
    ...optionalFields,
  },
  readOnly,
);
export type CreateWarehouse = Static<typeof CreateWarehouse>;

export const UpdateWarehouse = closed(
  {
    name: Type.Optional(textField(120)),
    address: Type.Optional(AddressInput),
    location_zones: Type.Optional(
      Type.Array(ZoneInput, {
        maxItems: 100,
        description: "Zones and bins named here are added or updated. Others stay as they are.",
      }),
    ),
    ...optionalFields,
  },
  readOnly,
);
export type UpdateWarehouse = Static<typeof UpdateWarehouse>;

const fill = {
  capacity: nullable(Type.Integer()),
  used: Type.Integer({ minimum: 0, description: "Units that are there." }),
  free: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
    description: "Units that still fit; null if no capacity is set.",
  }),
};

export const WarehouseView = closed({
  warehouse_id: Type.String(),
  name: Type.String(),
  address: PlaceView,
  example_address: Type.Boolean({
    description: "Whether the address is still the example of a new installation. Live labels need the real one.",
  }),
  timezone: Type.String(),
  ...calendar,
  priority: Type.Integer(),
  location_zones: Type.Array(
    closed({
      zone_id: Type.String(),
      temperature_zone: choice(temperatureZones),
      temperature_range: Type.Optional(Type.String()),
      ...fill,
      bins: Type.Array(
        closed({
          code: Type.String(),
          kind: choice(binKinds),
          pick_order: Type.Integer(),
          dedicated_merchant_id: nullable(Type.String()),
          mix_merchants: Type.Boolean(),
          ...fill,
        }),
      ),
    }),
  ),
  revision: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
