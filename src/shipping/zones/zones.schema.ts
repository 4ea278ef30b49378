import { type Static, Type } from "@sinclair/typebox";
import { csvExportFields } from "../../core/csv_columns.ts";
import { choice, closed, nullable, Timestamp, textField } from "../../core/schema.ts";
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
  to: textField(20, { description: "The same for the destination." }),
  from_country: optional({
    ...CountryField,
    description: "By default, the country that the form of the postal code implies.",
  }),
  to_country: optional({
    ...CountryField,
    description: "By default, the country that the form of the postal code implies.",
  }),
  to_state: optional(textField(40)),
  to_city: optional(textField(100)),
  service: optional(textField(40, { description: "A service of the built-in carrier; by default, all." })),
});
export type ExplainZone = Static<typeof ExplainZone>;

const zone = {
  zone: nullable(Type.String()),
  zone_estimated: Type.Boolean({ description: "Whether the zone is estimated, as for military addresses." }),
  by: nullable(choice(zoneReasons)),
  miles: nullable(
    Type.Integer({ description: "The approximate straight-line distance in miles, which decides the zone." }),
  ),
  unknown: Type.Array(Type.String(), { description: "ZIP prefixes without a known distance." }),
  explanation: Type.Array(Type.String(), {
    description: "The rules that were tried, in order, up to the one that decided.",
  }),
};

export const ZonesView = closed({
  from: closed({ country: Type.String(), postal_code: nullable(Type.String()) }),
  to: closed({
    country: Type.String(),
    postal_code: nullable(Type.String()),
    state: nullable(Type.String()),
    city: nullable(Type.String()),
  }),
  ...zone,
  services: Type.Array(
    closed({
      service: Type.String(),
      name: Type.String(),
      rate_card_id: Type.String(),
      served: Type.Boolean(),
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

export const ZoneMapView = closed({
  from: closed({ postal_code: Type.String(), latitude: Type.Number(), longitude: Type.Number() }),
  service: Type.String(),
  rate_card_id: Type.String(),
  places: Type.Array(
    closed({
      prefix: Type.String({ description: "The first three digits of the ZIP codes." }),
      latitude: Type.Number(),
      longitude: Type.Number(),
      zone: nullable(Type.String()),
      by: nullable(choice(zoneReasons)),
      served: Type.Boolean(),
    }),
    { description: "The points are precise enough for zones, but not for street maps." },
  ),
});

export const OfSystem = closed(system);
export type OfSystem = Static<typeof OfSystem>;
export const ExportCharts = closed({ ...system, ...csvExportFields });
export type ExportCharts = Static<typeof ExportCharts>;

const Code = textField(20);
export const OverrideField = closed({
  zone: ZoneField,
  country: optional(nullable(CountryField)),
  postal_code: optional(nullable(Code)),
  postal_prefix: optional(nullable(Code)),
  postal_from: optional(nullable(Code)),
  postal_to: optional(nullable(Code)),
  city: optional(nullable(textField(100))),
  state: optional(nullable(textField(40))),
  continent: optional(nullable(choice(continents))),
});
export type OverrideField = Static<typeof OverrideField>;

export const SetOverrides = closed({ overrides: Type.Array(OverrideField, { maxItems: 5000 }) }, [
  "system",
  "revision",
  "updated_at",
]);
export type SetOverrides = Static<typeof SetOverrides>;

const text = nullable(Type.String());

export const OverridesView = closed({
  system: Type.String(),
  overrides: Type.Array(
    closed({
      zone: Type.String(),
      country: text,
      postal_code: text,
      postal_prefix: text,
      postal_from: text,
      postal_to: text,
      city: text,
      state: text,
      continent: nullable(choice(continents)),
    }),
  ),
  revision: Type.Integer(),
  updated_at: nullable(Timestamp),
});

export const ChartRow = closed({
  origin: Code,
  destination: textField(41),
  zone: ZoneField,
  origin_country: optional(CountryField),
  destination_country: optional(CountryField),
});
export type ChartRow = Static<typeof ChartRow>;

export const ChartsView = closed({
  system: Type.String(),
  charts: Type.Array(
    closed({
      id: Type.String(),
      country: Type.String(),
      origin: Type.String(),
      ranges: Type.Integer({ description: "The number of rows." }),
      updated_at: Timestamp,
    }),
  ),
  revision: Type.Integer({ description: "Increases with each change of charts or overrides." }),
});
