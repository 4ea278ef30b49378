import { type Static, Type } from "@sinclair/typebox";
import {
  choice,
  closed,
  currencyField,
  momentField,
  moneyField,
  nameField,
  nullable,
  Timestamp,
} from "../../core/schema.ts";
import { weekdays } from "../../core/time_zone.ts";
import { sideRoundings } from "../parcel.ts";
import { CountryField } from "../shipping.schema.ts";
import { continents } from "../zones/zone.ts";
import { SystemField, ZoneField } from "../zones/zones.schema.ts";
import { CarrierField } from "./holidays.schema.ts";
import { eachLimit } from "./rate_card.ts";

// The longest amount that the text pattern allows.
const amount_max = 999_999.99;
const rows_max = 10_000;
const optional = Type.Optional;

/** The name of a service. */
export const ServiceField = Type.String({
  pattern: "^[a-z0-9][a-z0-9_]{0,39}$",
  hint: "must be lower-case letters, digits and underscores, such as next_day",
});
const RowZone = Type.String({
  pattern: "^(\\*|[A-Za-z0-9][A-Za-z0-9_-]{0,19})$",
  hint: "must be a zone name, such as 5 or europe, or * for every zone without rows of its own",
});
const Price = moneyField("The price to charge.", amount_max);
const Cost = moneyField("The cost at the carrier; by default, the price.", amount_max);
const AmountField = closed({ price: Price, cost: optional(Cost) });

export const PriceRowField = closed({
  zone: RowZone,
  up_to_pounds: optional(
    nullable(
      Type.Integer({
        minimum: 1,
        maximum: 100_000,
        description: "The highest billed weight of this row; null for the price of each pound beyond the last row.",
      }),
    ),
  ),
  price: Price,
  cost: optional(Cost),
});
export type PriceRowField = Static<typeof PriceRowField>;

const inches = (description: string) =>
  optional(nullable(Type.Number({ exclusiveMinimum: 0, maximum: 100_000, description })));
const over = {
  longest_over: inches("Applies when the longest side is longer than this, in inches."),
  second_over: inches("Applies when the second-longest side is longer than this, in inches."),
  length_and_girth_over: inches(
    "Applies when length plus girth (the longest side plus twice the other two) is more than this, in inches.",
  ),
  volume_over: inches("Applies when the volume is more than this, in cubic inches."),
  weight_over: inches("Applies when the weight is more than this, in pounds."),
};
const fuelable = optional(Type.Boolean({ description: "Whether the fuel surcharge applies to it; true by default." }));
const surcharge = { price: Price, cost: optional(Cost), fuelable };

const Prefix = Type.String({
  pattern: "^[A-Z0-9]{1,10}$",
  hint: "must be the first characters of postal codes, without spaces",
});

const Surcharges = closed({
  residential: optional(nullable(closed(surcharge))),
  additional_handling: optional(nullable(closed({ ...surcharge, ...over }))),
  large_package: optional(
    nullable(
      closed({
        ...surcharge,
        ...over,
        billed_pounds: optional(
          Type.Integer({
            minimum: 1,
            maximum: 1000,
            description: "The minimum billed weight in pounds; 90 by default.",
          }),
        ),
      }),
    ),
  ),
  remote_area: optional(
    nullable(
      closed({
        ...surcharge,
        places: Type.Array(
          closed({ country: CountryField, prefixes: Type.Array(Prefix, { minItems: 1, maxItems: 5000 }) }),
          { minItems: 1, maxItems: 250 },
        ),
      }),
    ),
  ),
});

const Zones = closed({
  system: optional(SystemField),
  first: optional(
    Type.Union([Type.Literal(1), Type.Literal(2)], { description: "The lowest zone number; 1 by default." }),
  ),
  default: optional(nullable(ZoneField)),
  domestic: optional(nullable(ZoneField)),
  countries: optional(Type.Array(closed({ country: CountryField, zone: ZoneField }), { maxItems: 250 })),
  regions: optional(
    Type.Array(
      closed({
        name: nameField(60),
        countries: Type.Array(CountryField, { minItems: 1, maxItems: 250 }),
        zone: ZoneField,
      }),
      { maxItems: 50 },
    ),
  ),
  continents: optional(Type.Array(closed({ continent: choice(continents), zone: ZoneField }), { maxItems: 7 })),
  rest: optional(nullable(ZoneField)),
});

const fields = {
  name: nameField(60, { description: "The name of the service." }),
  active: Type.Boolean({ description: "Whether the card prices parcels; true by default." }),
  currency: currencyField(),
  effective_from: nullable(momentField("When the card starts to apply; by default it has no start.")),
  effective_to: nullable(momentField("When the card ends.")),
  zones: Zones,
  prices: Type.Array(PriceRowField, { minItems: 1, maxItems: rows_max }),
  minimum: nullable(AmountField),
  limits: closed({
    billed_pounds: optional(nullable(Type.Integer({ minimum: 1, maximum: 100_000 }))),
    longest: inches("The maximum length of the longest side, in inches."),
    length_and_girth: inches("The maximum length plus girth, in inches."),
  }),
  dimensional: nullable(
    closed({
      divisor: Type.Integer({
        minimum: 1,
        maximum: 100_000,
        description: "The number of cubic inches billed as one pound.",
      }),
      over: optional(
        Type.Integer({
          minimum: 0,
          maximum: 1_000_000,
          description: "Up to this volume in cubic inches, only the weight counts.",
        }),
      ),
    }),
  ),
  side_rounding: choice(sideRoundings, { description: "How sides are rounded to whole inches; ceil by default." }),
  surcharges: Surcharges,
  fuel_basis_points: Type.Integer({
    minimum: 0,
    maximum: 100_000,
    description: "The fuel surcharge in hundredths of a percent.",
  }),
  declared_value: nullable(
    closed({
      included: optional(moneyField("The value insured free of charge; 100 by default.", amount_max)),
      per_hundred: AmountField,
      minimum: optional(nullable(AmountField)),
    }),
  ),
  cut_off: Type.String({
    pattern: "^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$",
    hint: "must be a time of day, such as 16:00",
    description: "Parcels handed over before this time, in the warehouse's time zone, leave the same day.",
  }),
  ship_days: Type.Array(choice(weekdays), { minItems: 1, maxItems: 7 }),
  saturday_delivery: Type.Boolean(),
  sunday_delivery: Type.Boolean(),
  transit_days: Type.Array(closed({ zone: RowZone, days: Type.Integer({ minimum: 0, maximum: 60 }) }), {
    minItems: 1,
    maxItems: 500,
    description: "Delivery days after the ship day, by zone; * for every zone that is not named.",
  }),
  holidays: nullable(CarrierField),
};

const readOnly = ["id", "sample", "price_rows", "revision", "created_at", "updated_at"];

const { name, prices, transit_days, ...others } = fields;
const { properties: all } = Type.Partial(Type.Object(fields));
const { properties: optionalFields } = Type.Partial(Type.Object(others));

export const CreateRateCard = closed(
  { service: ServiceField, name, prices, transit_days, ...optionalFields },
  readOnly,
);
export type CreateRateCard = Static<typeof CreateRateCard>;

export const UpdateRateCard = closed({ service: optional(ServiceField), ...all }, readOnly);
export type UpdateRateCard = Static<typeof UpdateRateCard>;

const AmountView = closed({ price: Type.Number(), cost: Type.Number() });
const number = nullable(Type.Number());
const overView = eachLimit({}, () => number);
const surchargeView = { price: Type.Number(), cost: Type.Number(), fuelable: Type.Boolean() };
const zone = nullable(Type.String());

const termsView = {
  currency: Type.String(),
  zones: closed({
    system: Type.String(),
    first: Type.Integer(),
    default: zone,
    domestic: zone,
    countries: Type.Array(closed({ country: Type.String(), zone: Type.String() })),
    regions: Type.Array(closed({ name: Type.String(), countries: Type.Array(Type.String()), zone: Type.String() })),
    continents: Type.Array(closed({ continent: choice(continents), zone: Type.String() })),
    rest: zone,
  }),
  minimum: nullable(AmountView),
  limits: closed({ billed_pounds: nullable(Type.Integer()), longest: number, length_and_girth: number }),
  dimensional: nullable(closed({ divisor: Type.Integer(), over: Type.Integer() })),
  side_rounding: choice(sideRoundings),
  surcharges: closed({
    residential: nullable(closed(surchargeView)),
    additional_handling: nullable(closed({ ...surchargeView, ...overView })),
    large_package: nullable(closed({ ...surchargeView, ...overView, billed_pounds: Type.Integer() })),
    remote_area: nullable(
      closed({
        ...surchargeView,
        places: Type.Array(closed({ country: Type.String(), prefixes: Type.Array(Type.String()) })),
      }),
    ),
  }),
  fuel_basis_points: Type.Integer(),
  declared_value: nullable(closed({ included: Type.Number(), per_hundred: AmountView, minimum: nullable(AmountView) })),
  cut_off: Type.String(),
  ship_days: Type.Array(choice(weekdays)),
  saturday_delivery: Type.Boolean(),
  sunday_delivery: Type.Boolean(),
  transit_days: Type.Array(closed({ zone: Type.String(), days: Type.Integer() })),
  holidays: nullable(Type.String()),
};

const contentView = {
  service: Type.String(),
  name: Type.String(),
  active: Type.Boolean(),
  sample: Type.Boolean({ description: "Whether it is a sample card with invented prices." }),
  effective_from: nullable(Timestamp),
  effective_to: nullable(Timestamp),
  ...termsView,
};
const pricesView = Type.Array(
  closed({ zone: Type.String(), up_to_pounds: nullable(Type.Integer()), price: Type.Number(), cost: Type.Number() }),
);
const stamps = { revision: Type.Integer(), created_at: Timestamp, updated_at: Timestamp };

export const RateCardView = closed({ id: Type.String(), ...contentView, prices: pricesView, ...stamps });

export const ListedRateCard = closed({
  id: Type.String(),
  ...contentView,
  price_rows: Type.Integer({ description: "The number of price rows." }),
  ...stamps,
});

export const CardHistoryView = closed({
  revision: Type.Integer(),
  card: closed({ ...contentView, prices: pricesView }),
  actor: closed({ type: Type.String(), id: Type.String(), name: Type.String() }),
  request_id: nullable(Type.String()),
  created_at: Timestamp,
});
