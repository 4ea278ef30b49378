import { type Static, Type } from "@sinclair/typebox";
import { csvExportFields } from "../../core/csv_columns.ts";
import { choice, closed, nullable, textField, timestamp } from "../../core/schema.ts";
import { CountryField } from "../shipping.schema.ts";
import { continents, zoneReasons } from "./zone.ts";

export const ZoneField = Type.String({
  pattern: "^[A-Za-z0-9][A-Za-z0-9_-]{0,19}$",
  hint: "must be a zone name of at most 20 letters, digits, - and _, such as 5 or europe",
});
/** The name of a zone system, which is a set of charts and overrides. */
export const SystemField = Type.String({
  pattern: "^[a-z0-9][a-z0-9_-]{0,39}$",
  hint: "must be lower-case letters, digits, - and _, such as default",
});

const optional = Type.Optional;
const system = {
  system: optional({ ...SystemField, description: "The zone system; `default` by default." }),
};

export const ExplainZone = closed({
  from: textField(20, { description: "A postal code or its first characters, such as 43215, 432, K1A 0B1 or K1A." }),
  to: textField(20, { description: "The destination's postal code or its first characters." }),
  from_country: optional({
    ...CountryField,
    description: "The country of `from`; required unless the form of the code implies the US or Canada.",
  }),
  to_country: optional({
    ...CountryField,
    description: "The country of `to`; required unless the form of the code implies the US or Canada.",
  }),
  to_state: optional(
    textField(40, { description: "The destination's state. Overrides of states and cities compare it." }),
  ),
  to_city: optional(textField(100, { description: "The destination's city. Overrides of cities compare it." })),
  service: optional(textField(40, { description: "A service of the built-in carrier; by default, all." })),
});
export type ExplainZone = Static<typeof ExplainZone>;

const code = Type.String({ description: "The code of the service." });
const card_id = Type.String({ description: "The rate card in effect, such as `rtc_1001`." });
const is_served = Type.Boolean({ description: "Whether the card has prices for the zone." });
const by = nullable(choice(zoneReasons, { description: "The rule that decided; null if none did." }));

const zone = {
  zone: nullable(Type.String({ description: "The zone; null if no rule decides." })),
  zone_estimated: Type.Boolean({ description: "Whether the zone is estimated, as for military addresses." }),
  by,
  miles: nullable(
    Type.Integer({ description: "The approximate straight-line distance in miles; null if it did not decide." }),
  ),
  unknown: Type.Array(Type.String(), { description: "ZIP prefixes without a known distance." }),
  explanation: Type.Array(Type.String(), {
    description: "The rules that were tried, in order, up to the one that decided.",
  }),
};

export const ZonesView = closed({
  from: { ...closed({ country: Type.String(), postal_code: nullable(Type.String()) }), description: "The origin." },
  to: {
    ...closed({
      country: Type.String(),
      postal_code: nullable(Type.String()),
      state: nullable(Type.String()),
      city: nullable(Type.String()),
    }),
    description: "The destination.",
  },
  ...zone,
  services: Type.Array(
    closed({
      service: code,
      name: Type.String({ description: "The display name of the service." }),
      rate_card_id: card_id,
      served: is_served,
      ...zone,
    }),
    { description: "The zone by each rate card in effect, and whether the card has prices for it." },
  ),
});

export const MapZones = closed({
  from: textField(20, { description: "A ZIP code or its first three digits, such as 43215 or 432." }),
  service: textField(40, { description: "A service of the built-in carrier whose rate card decides the zones." }),
});
export type MapZones = Static<typeof MapZones>;

const latitude = Type.Number({ description: "Degrees north." });
const longitude = Type.Number({ description: "Degrees east; west is negative." });

export const ZoneMapView = closed({
  from: {
    ...closed({ postal_code: Type.String({ description: "The code in the request." }), latitude, longitude }),
    description: "The origin.",
  },
  service: code,
  rate_card_id: card_id,
  places: Type.Array(
    closed({
      prefix: Type.String({ description: "The first three digits of the ZIP codes." }),
      latitude,
      longitude,
      zone: nullable(Type.String({ description: "The zone of parcels to it; null if no rule decides." })),
      by,
      served: is_served,
    }),
    { description: "One point for each ZIP prefix, precise enough for zones but not for street maps." },
  ),
});

export const OfSystem = closed(system);
export type OfSystem = Static<typeof OfSystem>;
export const ExportCharts = closed({ ...system, ...csvExportFields });
export type ExportCharts = Static<typeof ExportCharts>;

const Code = (description: string) => textField(20, { description });
const about = {
  zone: "The zone of parcels to the place.",
  country: "The country. Required, except for a continent. Without another field, all of it.",
  postal_code: "One postal code.",
  postal_prefix: "The first characters of a group of postal codes.",
  postal_from: "The start of a range of postal codes, or of their first characters.",
  postal_to: "The end of the range (inclusive), as long as the start.",
  city: "A city. `state` distinguishes cities of the same name.",
  state: "A state by code, or that of the city.",
  continent: "A continent instead of a country: `NA` is North America, `OC` Oceania.",
  overrides: "Each is for one place; the most specific one that matches the destination decides.",
};

export const OverrideField = closed({
  zone: { ...ZoneField, description: about.zone },
  country: optional(nullable({ ...CountryField, description: about.country })),
  postal_code: optional(nullable(Code(about.postal_code))),
  postal_prefix: optional(nullable(Code(about.postal_prefix))),
  postal_from: optional(nullable(Code(about.postal_from))),
  postal_to: optional(nullable(Code(about.postal_to))),
  city: optional(nullable(textField(100, { description: about.city }))),
  state: optional(nullable(textField(40, { description: about.state }))),
  continent: optional(nullable(choice(continents, { description: about.continent }))),
});
export type OverrideField = Static<typeof OverrideField>;

export const SetOverrides = closed(
  { overrides: Type.Array(OverrideField, { maxItems: 5000, description: about.overrides }) },
  ["system", "revision", "updated_at"],
);
export type SetOverrides = Static<typeof SetOverrides>;

const text = (description: string) => nullable(Type.String({ description }));
const systemName = Type.String({ description: "The name of the zone system." });

export const OverridesView = closed({
  system: systemName,
  overrides: Type.Array(
    closed({
      zone: Type.String({ description: about.zone }),
      country: text("The country; null for a continent."),
      postal_code: text(about.postal_code),
      postal_prefix: text(about.postal_prefix),
      postal_from: text(about.postal_from),
      postal_to: text(about.postal_to),
      city: text(about.city),
      state: text(about.state),
      continent: nullable(choice(continents, { description: about.continent })),
    }),
    { description: about.overrides },
  ),
  revision: Type.Integer({ description: "Increases with each change of overrides or charts; 0 before the first." }),
  updated_at: nullable(timestamp("When charts or overrides last changed; null if never.")),
});

export const ChartRow = closed({
  origin: textField(20),
  destination: textField(41),
  zone: ZoneField,
  origin_country: optional(CountryField),
  destination_country: optional(CountryField),
});
export type ChartRow = Static<typeof ChartRow>;

export const ChartsView = closed({
  system: systemName,
  charts: Type.Array(
    closed({
      id: Type.String(),
      country: Type.String({ description: "The country of the origin." }),
      origin: Type.String({ description: "The first characters of the origin's postal codes." }),
      ranges: Type.Integer({ description: "The number of rows." }),
      updated_at: timestamp("When it was last imported with a change."),
    }),
    { description: "One chart for each origin." },
  ),
  revision: Type.Integer({ description: "Increases with each change of charts or overrides." }),
});
