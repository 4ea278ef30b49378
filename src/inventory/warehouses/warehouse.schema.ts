import { type Static, Type } from "@sinclair/typebox";
import { PlaceView, placeInput } from "../../addresses/address.schema.ts";
import { choice, closed, codeField, nullable, Timestamp, textField } from "../../core/schema.ts";
import { weekdays } from "../../core/time_zone.ts";
import { temperatureZones } from "../../products/product.ts";
import { merchantName } from "../../storage/tenant.schema.ts";
import { binKindView } from "./bin.schema.ts";
import { permanentBinKinds } from "./warehouse.ts";

const capacity = (description: string) =>
  Type.Union([Type.Integer({ minimum: 0, maximum: 1_000_000_000 }), Type.Null()], { description });
const rank = (description: string) => Type.Integer({ minimum: 0, maximum: 1_000_000, description });

const AddressInput = {
  ...placeInput("Default: the warehouse's name."),
  description: "Where it is: the sender's address on labels and the basis of shipping rates.",
};
const warehouseName = textField(120, { description: "The name, which no other warehouse may have." });

// What a GET shows of a place in addition to what a request can set.
const reported_fields = ["used", "free"];

const BinInput = closed(
  {
    code: codeField(40, { description: "The code, unique in the warehouse. It may not begin with `STAGING-`." }),
    kind: Type.Optional(
      choice(permanentBinKinds, {
        description: "What the bin is for. Only units in `storage` bins are sold. Default for a new bin: `storage`.",
      }),
    ),
    pick_order: Type.Optional(rank("Position on the pick path. The lowest comes first. Default for a new bin: 0.")),
    capacity: Type.Optional(capacity("Units that it has room for. More are refused with `bin_full`. Null: unlimited.")),
    dedicated_merchant_id: Type.Optional(
      nullable(merchantName("The only merchant whose goods may be stored there. Null: any.")),
    ),
    mix_merchants: Type.Optional(
      Type.Boolean({
        description: "Whether a storage bin may hold goods of several merchants at once. Default for a new bin: false.",
      }),
    ),
  },
  reported_fields,
);
export type BinInput = Static<typeof BinInput>;

const ZoneInput = closed(
  {
    zone_id: codeField(40, { description: "Your code for the zone, unique in the warehouse." }),
    temperature_zone: choice(temperatureZones, {
      description: "The temperature of the zone. It cannot change while the zone holds units.",
    }),
    temperature_range: Type.Optional(
      nullable(
        textField(40, { description: "The range as text, for people. Default for a new refrigerated zone: `2-8°C`." }),
      ),
    ),
    capacity: Type.Optional(capacity("Units that it is meant for. Only the capacity of its bins is enforced.")),
    bins: Type.Optional(
      Type.Array(BinInput, { maxItems: 1000, description: "Bins to add or update. Others stay as they are." }),
    ),
  },
  reported_fields,
);
export type ZoneInput = Static<typeof ZoneInput>;

const day = Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\d$", hint: "must be a date such as 2026-12-25" });
const time = Type.String({ pattern: "^([01]\\d|2[0-3]):[0-5]\\d$", hint: "must be a time such as 14:00" });
const calendar = {
  working_days: Type.Array(choice(weekdays), {
    minItems: 1,
    maxItems: 7,
    description: "Weekdays on which orders leave; at first, Monday to Friday.",
  }),
  holidays: Type.Array(day, {
    maxItems: 400,
    description: "Dates on which no orders leave, even if they are working days.",
  }),
  cutoff_time: {
    ...time,
    description:
      "Orders placed before this time, in `timezone`, on a working day leave on that day. At first, `14:00`.",
  },
};

const optionalFields = {
  timezone: Type.Optional(
    textField(60, {
      description: "The IANA time zone of its days and of `cutoff_time`; at first, `America/New_York`.",
    }),
  ),
  working_days: Type.Optional(calendar.working_days),
  holidays: Type.Optional(calendar.holidays),
  cutoff_time: Type.Optional(calendar.cutoff_time),
  priority: Type.Optional(rank("The warehouse with the lowest number is chosen first. At first, 100.")),
};
const readOnly = ["warehouse_id", "example_address", "revision", "created_at", "updated_at"];

export const CreateWarehouse = closed(
  {
    name: warehouseName,
    address: AddressInput,
    location_zones: Type.Array(ZoneInput, {
      minItems: 1,
      maxItems: 100,
      description: "The zones by temperature, with their bins. Goods need a zone that is cold enough.",
    }),
    ...optionalFields,
  },
  readOnly,
);
export type CreateWarehouse = Static<typeof CreateWarehouse>;

export const UpdateWarehouse = closed(
  {
    name: Type.Optional(warehouseName),
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
  capacity: nullable(Type.Integer({ description: "Units that it has room for; null if not set, and for merchants." })),
  used: Type.Integer({ minimum: 0, description: "Units that are there; for merchants, their own." }),
  free: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
    description: "Units that still fit; null if no capacity is set.",
  }),
};

export const WarehouseView = closed({
  warehouse_id: Type.String(),
  name: Type.String({ description: "The name, unique among the warehouses." }),
  address: { ...PlaceView, description: "Where it is, and the sender's address on labels." },
  example_address: Type.Boolean({
    description: "Whether the address is still the example of a new installation. Live labels need the real one.",
  }),
  timezone: Type.String({ description: "The IANA time zone of its days and of `cutoff_time`." }),
  ...calendar,
  priority: Type.Integer({ description: "The warehouse with the lowest number is chosen first." }),
  location_zones: Type.Array(
    closed({
      zone_id: Type.String({ description: "The code of the zone." }),
      temperature_zone: choice(temperatureZones, { description: "The temperature of the zone." }),
      temperature_range: Type.Optional(
        Type.String({ description: "The range as text, such as `2-8°C`; absent if none." }),
      ),
      ...fill,
      bins: Type.Array(
        closed({
          code: Type.String({ description: "The code of the bin, unique in the warehouse." }),
          kind: binKindView,
          pick_order: Type.Integer({ description: "Position on the pick path. The lowest comes first." }),
          dedicated_merchant_id: nullable(
            Type.String({ description: "The only merchant whose goods may be stored there; null for any." }),
          ),
          mix_merchants: Type.Boolean({ description: "Whether it may hold goods of several merchants at once." }),
          ...fill,
        }),
        { description: "The bins of the zone, without staging bins. Empty for merchants, who do not see bins." },
      ),
    }),
    { description: "The zones by temperature, with their bins." },
  ),
  revision: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
