import { type Static, type TSchema, Type } from "@sinclair/typebox";
import {
  choice,
  closed,
  currencyField,
  momentField,
  moneyField,
  nameField,
  nullable,
  Timestamp,
  timestamp,
} from "../../core/schema.ts";
import { weekdays } from "../../core/time_zone.ts";
import { sideRoundings } from "../parcel.ts";
import { CountryField } from "../shipping.schema.ts";
import { continents } from "../zones/zone.ts";
import { SystemField, ZoneField } from "../zones/zones.schema.ts";
import { CarrierField } from "./holidays.schema.ts";

// The longest amount that the text pattern allows.
/** The maximum of the amounts on a rate card. */
export const amount_max = 999_999.99;
const rows_max = 10_000;
const optional = Type.Optional;

// What the fields of a card mean, in requests and responses.
const about = {
  service: "The code of the service.",
  name: "The display name of the service.",
  active: "Whether the card prices parcels.",
  currency: "The currency of all amounts. A change keeps the figures.",
  effective_from: "When the card starts to apply; null for no start.",
  effective_to: "When the card stops applying (exclusive); null for no end.",
  zones: "How the zone of a parcel is found.",
  first: "The lowest zone by distance. With 2, the nearest places are in zone 2.",
  default: "The zone if no other rule decides; null to offer no rate then.",
  domestic: "The zone within one country other than the US; null for none.",
  countries: "Zones of single countries, which precede regions.",
  regions: "Zones of groups of countries, which precede continents.",
  region: "Your name for the group.",
  region_countries: "The countries by code.",
  continents: "Zones of continents, which precede `rest`.",
  continent: "`NA` is North America, `OC` Oceania, `AN` Antarctica.",
  rest: "The zone of all other countries; null for none.",
  prices: "The base prices by zone and billed weight.",
  row_zone: "A zone of the card, or `*` for every zone without rows of its own.",
  up_to_pounds: "The highest billed weight of this row; null for the price of each pound beyond the last row.",
  minimum: "The lowest base price; null for none.",
  limits: "The largest parcel that the service accepts.",
  billed_limit: "The highest billed weight in pounds; null for no limit.",
  longest: "The maximum length of the longest side, in inches; null for no limit.",
  length_and_girth: "The maximum length plus girth, in inches; null for no limit.",
  dimensional: "How volume counts as weight; null if it does not.",
  divisor: "The number of cubic inches billed as one pound.",
  over: "Up to this volume in cubic inches, only the weight counts.",
  side_rounding: "How sides are rounded to whole inches: up, or half up.",
  surcharges: "Fixed charges on top of the base price.",
  residential: "For a residential address; null for none.",
  additional_handling: "For a parcel above one of these limits; null for none.",
  large_package: "For a parcel above one of these limits, which bills a minimum weight; null for none.",
  remote_area: "For postal codes that are hard to reach; null for none.",
  places: "The postal codes by country.",
  prefixes: "The first characters of the postal codes, without spaces.",
  fuelable: "Whether the fuel surcharge applies to it.",
  billed_pounds: "The minimum billed weight in pounds.",
  fuel_basis_points: "The fuel surcharge in hundredths of a percent of the base and the fuelable charges.",
  declared_value: "The price of insurance; null if the service offers none.",
  included: "The value insured free of charge.",
  per_hundred: "For each started 100 above the included value.",
  insurance_minimum: "The lowest charge for insurance; null for none.",
  cutoff_time: "Parcels handed over before this time, in the warehouse's time zone, leave the same day.",
  ship_days: "The days on which parcels leave the warehouse.",
  saturday_delivery: "Whether the service delivers on Saturdays.",
  sunday_delivery: "Whether the service delivers on Sundays.",
  transit_days: "Delivery days after the ship day, by zone.",
  days: "Delivery days after the ship day.",
  holidays: "The carrier whose holidays apply, by code; null for none.",
};

const limits = {
  longest_over: "Applies when the longest side is longer than this, in inches.",
  second_over: "Applies when the second-longest side is longer than this, in inches.",
  length_and_girth_over:
    "Applies when length plus girth (the longest side plus twice the other two) is more than this, in inches.",
  volume_over: "Applies when the volume is more than this, in cubic inches.",
  weight_over: "Applies when the weight is more than this, in pounds.",
};

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
  zone: { ...RowZone, description: about.row_zone },
  up_to_pounds: optional(nullable(Type.Integer({ minimum: 1, maximum: 100_000, description: about.up_to_pounds }))),
  price: Price,
  cost: optional(Cost),
});
export type PriceRowField = Static<typeof PriceRowField>;

const inches = (description: string) =>
  optional(nullable(Type.Number({ exclusiveMinimum: 0, maximum: 100_000, description })));
const over = {
  longest_over: inches(limits.longest_over),
  second_over: inches(limits.second_over),
  length_and_girth_over: inches(limits.length_and_girth_over),
  volume_over: inches(limits.volume_over),
  weight_over: inches(limits.weight_over),
};
const fuelable = optional(Type.Boolean({ description: `${about.fuelable} Default: true.` }));
const surcharge = { price: Price, cost: optional(Cost), fuelable };

const Prefix = Type.String({
  pattern: "^[A-Z0-9]{1,10}$",
  hint: "must be the first characters of postal codes, without spaces",
});

/** A group of fields with a description, or null. */
const described = <Schema extends TSchema>(schema: Schema, description: string) => ({ ...schema, description });

const Surcharges = closed({
  residential: optional(nullable(described(closed(surcharge), about.residential))),
  additional_handling: optional(nullable(described(closed({ ...surcharge, ...over }), about.additional_handling))),
  large_package: optional(
    nullable(
      described(
        closed({
          ...surcharge,
          ...over,
          billed_pounds: optional(
            Type.Integer({ minimum: 1, maximum: 1000, description: `${about.billed_pounds} Default: 90.` }),
          ),
        }),
        about.large_package,
      ),
    ),
  ),
  remote_area: optional(
    nullable(
      described(
        closed({
          ...surcharge,
          places: Type.Array(
            closed({
              country: CountryField,
              prefixes: Type.Array(Prefix, { minItems: 1, maxItems: 5000, description: about.prefixes }),
            }),
            { minItems: 1, maxItems: 250, description: about.places },
          ),
        }),
        about.remote_area,
      ),
    ),
  ),
});

const zoneOf = (what: string) => ({ ...ZoneField, description: `The zone of the ${what}.` });

const Zones = closed({
  system: optional(described(SystemField, "The zone system that provides charts and overrides. Default: `default`.")),
  first: optional(Type.Union([Type.Literal(1), Type.Literal(2)], { description: `${about.first} Default: 1.` })),
  default: optional(nullable(described(ZoneField, about.default))),
  domestic: optional(nullable(described(ZoneField, about.domestic))),
  countries: optional(
    Type.Array(closed({ country: CountryField, zone: zoneOf("country") }), {
      maxItems: 250,
      description: about.countries,
    }),
  ),
  regions: optional(
    Type.Array(
      closed({
        name: nameField(60, { description: about.region }),
        countries: Type.Array(CountryField, { minItems: 1, maxItems: 250, description: about.region_countries }),
        zone: zoneOf("region"),
      }),
      { maxItems: 50, description: about.regions },
    ),
  ),
  continents: optional(
    Type.Array(closed({ continent: choice(continents, { description: about.continent }), zone: zoneOf("continent") }), {
      maxItems: 7,
      description: about.continents,
    }),
  ),
  rest: optional(nullable(described(ZoneField, about.rest))),
});

const fields = {
  name: nameField(60, { description: about.name }),
  active: Type.Boolean({ description: `${about.active} Initially true.` }),
  currency: currencyField(`${about.currency} Initially \`USD\`.`),
  effective_from: nullable(momentField(`${about.effective_from} Initially null.`)),
  effective_to: nullable(momentField(`${about.effective_to} Initially null.`)),
  zones: described(Zones, `${about.zones} Initially charts, overrides and the distance of ZIP codes.`),
  prices: Type.Array(PriceRowField, { minItems: 1, maxItems: rows_max, description: about.prices }),
  minimum: nullable(described(AmountField, about.minimum)),
  limits: described(
    closed({
      billed_pounds: optional(
        nullable(Type.Integer({ minimum: 1, maximum: 100_000, description: about.billed_limit })),
      ),
      longest: inches(about.longest),
      length_and_girth: inches(about.length_and_girth),
    }),
    about.limits,
  ),
  dimensional: nullable(
    described(
      closed({
        divisor: Type.Integer({ minimum: 1, maximum: 100_000, description: about.divisor }),
        over: optional(Type.Integer({ minimum: 0, maximum: 1_000_000, description: `${about.over} Default: 0.` })),
      }),
      about.dimensional,
    ),
  ),
  side_rounding: choice(sideRoundings, { description: `${about.side_rounding} Initially \`ceil\`.` }),
  surcharges: described(Surcharges, `${about.surcharges} One that is omitted or null is not charged.`),
  fuel_basis_points: Type.Integer({
    minimum: 0,
    maximum: 100_000,
    description: `${about.fuel_basis_points} Initially 0.`,
  }),
  declared_value: nullable(
    described(
      closed({
        included: optional(moneyField(`${about.included} Default: 100.`, amount_max)),
        per_hundred: described(AmountField, about.per_hundred),
        minimum: optional(nullable(described(AmountField, about.insurance_minimum))),
      }),
      about.declared_value,
    ),
  ),
  cutoff_time: Type.String({
    pattern: "^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$",
    hint: "must be a time of day, such as 16:00",
    description: `${about.cutoff_time} Initially \`16:00\`.`,
  }),
  ship_days: Type.Array(choice(weekdays), {
    minItems: 1,
    maxItems: 7,
    description: `${about.ship_days} Initially Monday to Friday.`,
  }),
  saturday_delivery: Type.Boolean({ description: `${about.saturday_delivery} Initially false.` }),
  sunday_delivery: Type.Boolean({ description: `${about.sunday_delivery} Initially false.` }),
  transit_days: Type.Array(
    closed({
      zone: { ...RowZone, description: about.row_zone },
      days: Type.Integer({ minimum: 0, maximum: 60, description: about.days }),
    }),
    { minItems: 1, maxItems: 500, description: about.transit_days },
  ),
  holidays: nullable(described(CarrierField, `${about.holidays} Initially the built-in carrier.`)),
};

const readOnly = ["id", "sample", "price_rows", "revision", "created_at", "updated_at"];

const { name, prices, transit_days, ...others } = fields;
const { properties: all } = Type.Partial(Type.Object(fields));
const { properties: optionalFields } = Type.Partial(Type.Object(others));

export const CreateRateCard = closed(
  {
    service: described(ServiceField, `${about.service} It cannot change later.`),
    name,
    prices,
    transit_days,
    ...optionalFields,
  },
  readOnly,
);
export type CreateRateCard = Static<typeof CreateRateCard>;

export const UpdateRateCard = closed(
  { service: optional(described(ServiceField, "The code of the service, which cannot change.")), ...all },
  readOnly,
);
export type UpdateRateCard = Static<typeof UpdateRateCard>;

const price = Type.Number({ description: "The price to charge." });
const cost = Type.Number({ description: "The cost at the carrier." });
const AmountView = closed({ price, cost });
const number = (description: string) => nullable(Type.Number({ description }));
const overView = {
  longest_over: number(limits.longest_over),
  second_over: number(limits.second_over),
  length_and_girth_over: number(limits.length_and_girth_over),
  volume_over: number(limits.volume_over),
  weight_over: number(limits.weight_over),
};
const surchargeView = { price, cost, fuelable: Type.Boolean({ description: about.fuelable }) };
const zone = (description: string) => nullable(Type.String({ description }));
const placeZone = (what: string) => Type.String({ description: `The zone of the ${what}.` });
const rowZone = Type.String({ description: about.row_zone });

const zonesView = closed({
  system: Type.String({ description: "The zone system that provides charts and overrides." }),
  first: Type.Integer({ description: about.first }),
  default: zone(about.default),
  domestic: zone(about.domestic),
  countries: Type.Array(closed({ country: Type.String(), zone: placeZone("country") }), {
    description: about.countries,
  }),
  regions: Type.Array(
    closed({
      name: Type.String({ description: about.region }),
      countries: Type.Array(Type.String(), { description: about.region_countries }),
      zone: placeZone("region"),
    }),
    { description: about.regions },
  ),
  continents: Type.Array(
    closed({ continent: choice(continents, { description: about.continent }), zone: placeZone("continent") }),
    { description: about.continents },
  ),
  rest: zone(about.rest),
});

const limitsView = closed({
  billed_pounds: nullable(Type.Integer({ description: about.billed_limit })),
  longest: number(about.longest),
  length_and_girth: number(about.length_and_girth),
});

const dimensionalView = closed({
  divisor: Type.Integer({ description: about.divisor }),
  over: Type.Integer({ description: about.over }),
});

const placesView = Type.Array(
  closed({ country: Type.String(), prefixes: Type.Array(Type.String(), { description: about.prefixes }) }),
  { description: about.places },
);

const surchargesView = closed({
  residential: nullable(described(closed(surchargeView), about.residential)),
  additional_handling: nullable(described(closed({ ...surchargeView, ...overView }), about.additional_handling)),
  large_package: nullable(
    described(
      closed({ ...surchargeView, ...overView, billed_pounds: Type.Integer({ description: about.billed_pounds }) }),
      about.large_package,
    ),
  ),
  remote_area: nullable(described(closed({ ...surchargeView, places: placesView }), about.remote_area)),
});

const insuranceView = closed({
  included: Type.Number({ description: about.included }),
  per_hundred: described(AmountView, about.per_hundred),
  minimum: nullable(described(AmountView, about.insurance_minimum)),
});

const termsView = {
  currency: Type.String(),
  zones: described(zonesView, about.zones),
  minimum: nullable(described(AmountView, about.minimum)),
  limits: described(limitsView, about.limits),
  dimensional: nullable(described(dimensionalView, about.dimensional)),
  side_rounding: choice(sideRoundings, { description: about.side_rounding }),
  surcharges: described(surchargesView, about.surcharges),
  fuel_basis_points: Type.Integer({ description: about.fuel_basis_points }),
  declared_value: nullable(described(insuranceView, about.declared_value)),
  cutoff_time: Type.String({ description: about.cutoff_time }),
  ship_days: Type.Array(choice(weekdays), { description: about.ship_days }),
  saturday_delivery: Type.Boolean({ description: about.saturday_delivery }),
  sunday_delivery: Type.Boolean({ description: about.sunday_delivery }),
  transit_days: Type.Array(closed({ zone: rowZone, days: Type.Integer({ description: about.days }) }), {
    description: about.transit_days,
  }),
  holidays: nullable(Type.String({ description: about.holidays })),
};

const contentView = {
  service: Type.String({ description: about.service }),
  name: Type.String({ description: about.name }),
  active: Type.Boolean({ description: about.active }),
  sample: Type.Boolean({ description: "Whether it is a sample card with invented prices." }),
  effective_from: nullable(timestamp(about.effective_from)),
  effective_to: nullable(timestamp(about.effective_to)),
  ...termsView,
};
const pricesView = Type.Array(
  closed({
    zone: rowZone,
    up_to_pounds: nullable(Type.Integer({ description: about.up_to_pounds })),
    price,
    cost,
  }),
  { description: about.prices },
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
  revision: Type.Integer({ description: "The card's revision after the change." }),
  card: described(closed({ ...contentView, prices: pricesView }), "The card after the change."),
  actor: closed({
    type: Type.String({ description: "What made the change: `api_key`, `user` or `system`." }),
    id: Type.String({ description: "The key or user, such as `key_1001` or `usr_1`." }),
    name: Type.String({ description: "The name of the key or user." }),
  }),
  request_id: nullable(Type.String({ description: "The request that made the change; null if the service did." })),
  created_at: timestamp("When the change was made."),
});
