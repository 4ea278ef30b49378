import { momentOf } from "../../core/clock.ts";
import { type FieldProblem, invalidFields } from "../../core/faults.ts";
import { centsOf } from "../../core/money.ts";
import { isCountry } from "../../core/postal_address.ts";
import { weekdays } from "../../core/time_zone.ts";
import { plainRules } from "../zones/choose_zone.ts";
import type { ZoneRules } from "../zones/zone.ts";
import {
  type Amount,
  any_zone,
  type CardContent,
  type CardTerms,
  eachLimit,
  inCurrency,
  type PriceRow,
  refuseUnread,
} from "./rate_card.ts";
import type { CreateRateCard, PriceRowField, UpdateRateCard } from "./rate_cards.schema.ts";

/** Returns the defaults of a new card: domestic only, with the carrier's holidays. */
export function defaultTerms(carrier: string): CardTerms {
  return {
    currency: "USD",
    zones: plainRules,
    prices: [],
    minimum: null,
    limits: { billed_pounds: null, longest: null, length_and_girth: null },
    dimensional: null,
    side_rounding: "ceil",
    surcharges: { residential: null, additional_handling: null, large_package: null, remote_area: null },
    fuel_basis_points: 0,
    declared_value: null,
    cut_off_minute: 16 * 60,
    ship_days: ["mon", "tue", "wed", "thu", "fri"],
    saturday_delivery: false,
    sunday_delivery: false,
    transit_days: [],
    holidays: carrier,
  };
}

type AmountInput = Pick<PriceRowField, "price" | "cost">;

function amountOf({ price, cost }: AmountInput, currency: string, prefix: string): Amount {
  const price_cents = centsOf(price, currency, `${prefix}price`);
  return { price_cents, cost_cents: cost === undefined ? price_cents : centsOf(cost, currency, `${prefix}cost`) };
}

const amountOrNull = (input: AmountInput | null, currency: string, prefix: string) =>
  input === null ? null : amountOf(input, currency, prefix);
const textOf = (number: number | null | undefined) => (number == null ? null : String(number));

/** Reads a price row in a currency. `prefix` precedes its fields in messages. Refuses: validation_failed. */
export function readPriceRow(row: PriceRowField, currency: string, prefix = ""): PriceRow {
  return { zone: row.zone, up_to_pounds: row.up_to_pounds ?? null, ...amountOf(row, currency, prefix) };
}

type CardInput<Field extends keyof CreateRateCard> = Exclude<CreateRateCard[Field], undefined>;

function readZones(input: CardInput<"zones">): ZoneRules {
  const { system = "default", first = 1, countries = [], regions = [], continents = [] } = input;
  const { default: default_zone = null, domestic = null, rest = null } = input;
  return { system, first, default: default_zone, domestic, countries, regions, continents, rest };
}

type Charge = AmountInput & { readonly fuelable?: boolean };
const surchargeOf = (input: Charge, currency: string, field: string) => ({
  ...amountOf(input, currency, `surcharges.${field}.`),
  fuelable: input.fuelable ?? true,
});

function readSurcharges(input: CardInput<"surcharges">, currency: string): CardTerms["surcharges"] {
  const { residential = null, additional_handling = null, large_package = null, remote_area = null } = input;
  return {
    residential: residential && surchargeOf(residential, currency, "residential"),
    additional_handling: additional_handling && {
      ...surchargeOf(additional_handling, currency, "additional_handling"),
      ...eachLimit(additional_handling, textOf),
    },
    large_package: large_package && {
      ...surchargeOf(large_package, currency, "large_package"),
      ...eachLimit(large_package, textOf),
      billed_pounds: large_package.billed_pounds ?? 90,
    },
    remote_area: remote_area && {
      ...surchargeOf(remote_area, currency, "remote_area"),
      places: remote_area.places,
    },
  };
}

function readDeclaredValue(
  input: Exclude<CardInput<"declared_value">, null>,
  currency: string,
): CardTerms["declared_value"] {
  const { included = 100, per_hundred, minimum = null } = input;
  return {
    included_cents: centsOf(included, currency, "declared_value.included"),
    per_hundred: amountOf(per_hundred, currency, "declared_value.per_hundred."),
    minimum: amountOrNull(minimum, currency, "declared_value.minimum."),
  };
}

function minuteOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}

/** Applies the changes of a request to the terms. */
function readTerms(input: UpdateRateCard, earlier: CardTerms): CardTerms {
  const currency = input.currency ?? earlier.currency;
  const before = inCurrency(earlier, currency);
  const { zones, prices, minimum, limits, dimensional, surcharges, declared_value, cutoff_time, ship_days } = input;
  return {
    currency,
    zones: zones === undefined ? before.zones : readZones(zones),
    prices:
      prices === undefined ? before.prices : prices.map((row, at) => readPriceRow(row, currency, `prices[${at}].`)),
    minimum: minimum === undefined ? before.minimum : amountOrNull(minimum, currency, "minimum."),
    limits:
      limits === undefined
        ? before.limits
        : {
            billed_pounds: limits.billed_pounds ?? null,
            longest: textOf(limits.longest),
            length_and_girth: textOf(limits.length_and_girth),
          },
    dimensional:
      dimensional === undefined
        ? before.dimensional
        : dimensional && { divisor: dimensional.divisor, over: dimensional.over ?? 0 },
    side_rounding: input.side_rounding ?? before.side_rounding,
    surcharges: surcharges === undefined ? before.surcharges : readSurcharges(surcharges, currency),
    fuel_basis_points: input.fuel_basis_points ?? before.fuel_basis_points,
    declared_value:
      declared_value === undefined
        ? before.declared_value
        : declared_value && readDeclaredValue(declared_value, currency),
    cut_off_minute: cutoff_time === undefined ? before.cut_off_minute : minuteOf(cutoff_time),
    ship_days: ship_days === undefined ? before.ship_days : weekdays.filter((day) => ship_days.includes(day)),
    saturday_delivery: input.saturday_delivery ?? before.saturday_delivery,
    sunday_delivery: input.sunday_delivery ?? before.sunday_delivery,
    transit_days: input.transit_days ?? before.transit_days,
    holidays: input.holidays === undefined ? before.holidays : input.holidays,
  };
}

/** Applies the changes of a request to a card. Refuses: validation_failed. */
export function readCard(input: UpdateRateCard, before: CardContent): CardContent {
  const { name, active, effective_from, effective_to } = input;
  const card: CardContent = {
    service: before.service,
    name: name ?? before.name,
    active: active ?? before.active,
    sample: before.sample,
    effective_from: effective_from === undefined ? before.effective_from : momentOf(effective_from),
    effective_to: effective_to === undefined ? before.effective_to : momentOf(effective_to),
    terms: readTerms(input, before.terms),
  };
  refuseUnread(card.terms);
  checkCard(card);
  return card;
}

const problem = (field: string, code: string, message: string): FieldProblem => ({ field, code, message });

/** Refuses a card that contradicts itself, naming every contradiction. Refuses: validation_failed. */
export function checkCard({ effective_from, effective_to, terms }: CardContent): void {
  const problems: FieldProblem[] = [
    ...(effective_from !== null && effective_to !== null && effective_to <= effective_from
      ? [problem("effective_to", "too_small", "must be after effective_from")]
      : []),
    ...priceProblems(terms.prices),
    ...zoneProblems(terms),
    ...transitProblems(terms),
    ...surchargeProblems(terms),
  ];
  if (problems.length > 0) throw invalidFields(problems);
}

interface NumberedRow extends PriceRow {
  readonly at: number;
}

function priceProblems(prices: readonly PriceRow[]): FieldProblem[] {
  const numbered = prices.map((row, at): NumberedRow => ({ ...row, at }));
  const zones = Map.groupBy(numbered, ({ zone }) => zone);
  return [...zones.values()].flatMap((rows) => {
    const extra = rows.filter(({ up_to_pounds }) => up_to_pounds === null);
    const breaks = rows.filter(({ up_to_pounds }) => up_to_pounds !== null);
    breaks.sort((a, b) => (a.up_to_pounds ?? 0) - (b.up_to_pounds ?? 0));
    const repeated = [
      ...extra.slice(1),
      ...breaks.filter((row, at) => row.up_to_pounds === breaks[at - 1]?.up_to_pounds),
    ];
    const duplicates = repeated.map(({ at }) =>
      problem(`prices[${at}]`, "duplicate", "repeats the zone and weight of another row"),
    );
    const alone = breaks.length > 0 ? [] : extra.slice(0, 1);
    const incomplete = alone.map(({ at, zone }) => {
      return problem(`prices[${at}]`, "required", `needs a row for zone ${zone} with up_to_pounds`);
    });
    const falling = breaks.filter((row, at) => row.price_cents < (breaks[at - 1]?.price_cents ?? 0));
    const cheaper = falling.map(({ at }) => {
      return problem(`prices[${at}].price`, "too_small", "must not be less than for a lighter parcel to the same zone");
    });
    return [...duplicates, ...incomplete, ...cheaper];
  });
}

function zoneProblems({ prices, zones }: CardTerms): FieldProblem[] {
  const priced = new Set(prices.map(({ zone }) => zone));
  const { countries, regions, continents } = zones;
  const named: [field: string, zone: string | null][] = [
    ["zones.default", zones.default],
    ["zones.domestic", zones.domestic],
    ...countries.map(({ zone }, at): [string, string] => [`zones.countries[${at}].zone`, zone]),
    ...regions.map(({ zone }, at): [string, string] => [`zones.regions[${at}].zone`, zone]),
    ...continents.map(({ zone }, at): [string, string] => [`zones.continents[${at}].zone`, zone]),
    ["zones.rest", zones.rest],
  ];
  const unpriced = named.filter(([, zone]) => zone !== null && !priced.has(zone) && !priced.has(any_zone));
  const places = [
    ...countries.map(({ country }, at): [string, string] => [`zones.countries[${at}].country`, country]),
    ...regions.flatMap((region, at) =>
      region.countries.map((country, index): [string, string] => [`zones.regions[${at}].countries[${index}]`, country]),
    ),
  ];
  return [
    ...unpriced.map(([field]) => problem(field, "resource_missing", "must be a zone with rows in prices")),
    ...places.filter(([, country]) => !isCountry(country)).map(([field]) => notCountry(field)),
  ];
}

const notCountry = (field: string) => problem(field, "invalid_format", "must be a two-letter country code, such as US");

function transitProblems({ prices, transit_days }: CardTerms): FieldProblem[] {
  const named = transit_days.map(({ zone }) => zone);
  const duplicates = named.flatMap((zone, at) => {
    return named.indexOf(zone) < at ? [problem(`transit_days[${at}].zone`, "duplicate", "is a duplicate")] : [];
  });
  if (named.includes(any_zone)) return duplicates;
  const missing = [...new Set(prices.map(({ zone }) => zone))].filter((zone) => !named.includes(zone));
  if (missing.length === 0) return duplicates;
  const some = missing.slice(0, 10).join(", ");
  const message = `must name every priced zone, or * for all others (missing: ${some})`;
  return [...duplicates, problem("transit_days", "required", message)];
}

function surchargeProblems({ surcharges }: CardTerms): FieldProblem[] {
  const sized = (["additional_handling", "large_package"] as const).flatMap((code) => {
    const limits = surcharges[code];
    if (limits === null) return [];
    const some = Object.values(eachLimit(limits, (limit) => limit));
    const message = "needs at least one limit, such as longest_over";
    return some.every((limit) => limit === null) ? [problem(`surcharges.${code}`, "required", message)] : [];
  });
  const places = surcharges.remote_area?.places ?? [];
  const unknown_countries = places.flatMap(({ country }, at) => {
    return isCountry(country) ? [] : [notCountry(`surcharges.remote_area.places[${at}].country`)];
  });
  return [...sized, ...unknown_countries];
}

/** Whether two cards price the same service at the same time. */
export function overlaps(a: CardContent, b: CardContent): boolean {
  const before = (from: number | null, to: number | null) => from === null || to === null || from < to;
  return (
    a.service === b.service &&
    a.active &&
    b.active &&
    before(a.effective_from, b.effective_to) &&
    before(b.effective_from, a.effective_to)
  );
}
