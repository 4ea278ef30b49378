// The tariffs of two simulated carriers of test data: a postal service and an express carrier. The third, a parcel
// carrier, sells by editable rate cards.
import { onFirstUse } from "../../core/memoize.ts";
import { readySystem } from "../zones/zone_system.ts";
import { type BuiltInCarrier, simulatedExpress, simulatedPost } from "./built_in_carrier.ts";
import { federalHolidays, isHolidayOf } from "./holidays.ts";
import { readyTerms } from "./price_parcel.ts";
import type { CardTerms } from "./rate_card.ts";
import type { ReadyCard } from "./rate_offers.ts";
import { charge, daysOf, far_states, rowsOf } from "./sample_rate_cards.ts";

/** A carrier and its rate cards. */
export interface Tariff {
  readonly carrier: BuiltInCarrier;
  readonly cards: readonly ReadyCard[];
}

const near = [
  { country: "CA", zone: "near" },
  { country: "MX", zone: "near" },
] as const;
const zones = { system: "default", default: "8", domestic: "5", regions: [], continents: [], rest: "abroad" } as const;
const no_size_limits = {
  longest_over: null,
  second_over: null,
  length_and_girth_over: null,
  volume_over: null,
} as const;

const post: Omit<CardTerms, "prices" | "transit_days"> = {
  currency: "USD",
  zones: { ...zones, first: 1, countries: near },
  minimum: null,
  limits: { billed_pounds: null, scale_pounds: 70, longest: null, length_and_girth: "130" },
  dimensional: { divisor: 166, over: 1728 },
  side_rounding: "ceil",
  surcharges: {
    // The post delivers to homes on all routes, so it has no residential surcharge.
    residential: null,
    additional_handling: { ...charge(400), fuelable: false, ...no_size_limits, longest_over: "22", weight_over: null },
    large_package: {
      ...charge(3000),
      fuelable: false,
      ...no_size_limits,
      volume_over: "3456",
      weight_over: null,
      billed_pounds: 1,
    },
    remote_area: null,
  },
  fuel_basis_points: 250,
  declared_value: { included_cents: 10_000, per_hundred: charge(105), minimum: charge(290) },
  cut_off_minute: 17 * 60,
  ship_days: ["mon", "tue", "wed", "thu", "fri", "sat"],
  saturday_delivery: true,
  sunday_delivery: false,
  holidays: simulatedPost.code,
};

const express: Omit<CardTerms, "prices" | "transit_days" | "saturday_delivery"> = {
  currency: "USD",
  zones: { ...zones, first: 2, countries: near },
  minimum: null,
  limits: { billed_pounds: 150, longest: "119", length_and_girth: "165" },
  dimensional: { divisor: 139, over: 0 },
  side_rounding: "ceil",
  surcharges: {
    residential: { ...charge(620), fuelable: true },
    additional_handling: {
      ...charge(2400),
      fuelable: true,
      longest_over: "48",
      second_over: "30",
      length_and_girth_over: "105",
      volume_over: "10368",
      weight_over: "50",
    },
    large_package: {
      ...charge(10_500),
      fuelable: true,
      ...no_size_limits,
      longest_over: "96",
      length_and_girth_over: "130",
      weight_over: "110",
      billed_pounds: 90,
    },
    remote_area: { ...charge(1550), fuelable: true, places: [far_states] },
  },
  fuel_basis_points: 1925,
  declared_value: { included_cents: 10_000, per_hundred: charge(145), minimum: charge(435) },
  cut_off_minute: 18 * 60 + 30,
  ship_days: ["mon", "tue", "wed", "thu", "fri"],
  sunday_delivery: false,
  holidays: simulatedExpress.code,
};

const ground: CardTerms = {
  ...post,
  prices: rowsOf([
    ["1", 610, 52],
    ["2", 630, 56],
    ["3", 655, 64],
    ["4", 695, 76],
    ["5", 745, 92],
    ["6", 800, 109],
    ["7", 865, 126],
    ["8", 940, 143],
    ["9", 1260, 210],
    ["near", 1590, 240],
    ["abroad", 2450, 410],
  ]),
  transit_days: daysOf({ "1": 2, "2": 2, "3": 3, "4": 3, "5": 4, "6": 4, "9": 7, near: 7, abroad: 12 }, 5),
};

const priority: CardTerms = {
  ...post,
  prices: rowsOf([
    ["1", 820, 78],
    ["2", 845, 88],
    ["3", 875, 104],
    ["4", 925, 131],
    ["5", 1010, 168],
    ["6", 1105, 199],
    ["7", 1220, 228],
    ["8", 1340, 255],
    ["9", 1690, 325],
    ["near", 2780, 310],
    ["abroad", 4120, 540],
  ]),
  transit_days: daysOf({ "1": 1, "2": 1, "7": 3, "8": 3, "9": 4, near: 6, abroad: 8 }, 2),
};

const twoDay: CardTerms = {
  ...express,
  prices: rowsOf([
    ["2", 1740, 155],
    ["3", 1910, 188],
    ["4", 2140, 232],
    ["5", 2370, 276],
    ["6", 2620, 318],
    ["7", 2870, 355],
    ["8", 3100, 390],
    ["9", 3950, 540],
    ["near", 3400, 440],
    ["abroad", 4600, 680],
  ]),
  saturday_delivery: false,
  transit_days: daysOf({ "9": 3, near: 3, abroad: 5 }, 2),
};

const nextDay: CardTerms = {
  ...express,
  prices: rowsOf([
    ["2", 3100, 210],
    ["3", 3420, 266],
    ["4", 3830, 342],
    ["5", 4230, 412],
    ["6", 4590, 478],
    ["7", 4900, 536],
    ["8", 5200, 590],
    ["9", 6400, 760],
    ["near", 4800, 520],
    ["abroad", 6400, 900],
  ]),
  saturday_delivery: true,
  transit_days: daysOf({ "9": 2, near: 2, abroad: 3 }, 1),
};

/** The simulated carriers with their own tariffs, prepared on first use. */
export const simulatedTariffs = onFirstUse((): readonly Tariff[] => {
  const plain = readySystem({ charts: [], overrides: [] });
  const isHoliday = isHolidayOf(federalHolidays);
  const card = (service: string, name: string, terms: CardTerms): ReadyCard => ({
    card: { ...unused_fields, service, name, terms },
    terms: readyTerms(terms),
    zones: plain,
    isHoliday,
  });
  return [
    { carrier: simulatedPost, cards: [card("ground", "Ground", ground), card("priority", "Priority", priority)] },
    { carrier: simulatedExpress, cards: [card("two_day", "Two Day", twoDay), card("next_day", "Next Day", nextDay)] },
  ];
});

/** Fields that a card in the code does not use. */
const unused_fields = {
  id: 0,
  active: true,
  sample: false,
  effective_from: null,
  effective_to: null,
  revision: 1,
  created_at: 0,
  updated_at: 0,
} as const;
