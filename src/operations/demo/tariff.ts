// The rate card of the sample business's own service, and the other carriers that it uses. All prices are invented.
import type { Random } from "../../core/random.ts";
import type { CreateRateCard } from "../../shipping/rates/rate_cards.schema.ts";
import { alternating, fedexShort, gs1 } from "../../tracking/number_formats.ts";
import type { CarrierParcel, DemoAddress, ServiceCode } from "./acts.ts";

const zones = [1, 2, 3, 4, 5, 6, 7, 8];
const breaks = [1, 5, 10, 20, 40, 70];

/** The price of a weight bracket in a zone, in dollars: higher with every zone and every bracket. */
const dollars = (zone: number, pounds: number) => (5.4 + zone * 0.85 + pounds * (0.16 + zone * 0.035)).toFixed(2);

/** The warehouse's own service by zone, with fuel, dimensional weight, and surcharges for far and large parcels. */
export const ground: CreateRateCard = {
  service: "ground",
  name: "Ground",
  zones: { default: "8", domestic: "8", countries: [{ country: "CA", zone: "canada" }], rest: "abroad" },
  prices: [
    ...zones.flatMap((zone) =>
      breaks.map((pounds) => {
        return { zone: `${zone}`, up_to_pounds: pounds, price: dollars(zone, pounds), cost: dollars(zone - 1, pounds) };
      }),
    ),
    ...breaks.map((pounds) => ({ zone: "canada", up_to_pounds: pounds, price: dollars(12, pounds) })),
    ...breaks.map((pounds) => ({ zone: "abroad", up_to_pounds: pounds, price: dollars(24, pounds) })),
  ],
  minimum: { price: "7.25" },
  dimensional: { divisor: 139, over: 1728 },
  fuel_basis_points: 825,
  surcharges: {
    residential: { price: "3.95" },
    additional_handling: { price: "11.50", longest_over: 48, second_over: 30, weight_over: 50 },
    remote_area: {
      price: "8.00",
      places: [{ country: "US", prefixes: ["967", "968", "995", "996", "997", "998", "999"] }],
    },
  },
  transit_days: [
    { zone: "1", days: 1 },
    { zone: "2", days: 2 },
    { zone: "3", days: 2 },
    { zone: "4", days: 3 },
    { zone: "*", days: 5 },
  ],
};

interface OtherCarrier {
  readonly carrier: string;
  /** The carrier's service names, by our service codes. */
  readonly services: Readonly<Record<ServiceCode, string>>;
  /** A tracking number with check digit, from ten digits that are unique per parcel. */
  readonly numberOf: (serial: string) => string;
}

const ups: OtherCarrier = {
  carrier: "ups",
  services: { ground: "ground", standard: "ground", express: "2nd_day_air", overnight: "next_day_air" },
  numberOf: (serial) => withCheck("1Z", `99AA903${serial.slice(-8)}`, alternating),
};
const fedex: OtherCarrier = {
  carrier: "fedex",
  services: { ground: "ground", standard: "ground", express: "2_day", overnight: "priority_overnight" },
  numberOf: (serial) => withCheck("", `7${serial}`, fedexShort),
};
const usps: OtherCarrier = {
  carrier: "usps",
  services: { ground: "ground_advantage", standard: "ground_advantage", express: "priority", overnight: "express" },
  numberOf: (serial) => withCheck("", `94001${"0".repeat(6)}${serial}`, gs1),
};

const withCheck = (prefix: string, body: string, rule: (body: string) => string) => `${prefix}${body}${rule(body)}`;

/** The external carrier for the parcel of an order; null for the built-in one, which takes most parcels. */
export function otherCarrier(
  random: Random,
  order: { readonly order_number: string; readonly service: ServiceCode },
  to: DemoAddress,
): CarrierParcel | null {
  const drawn = random.chance(0.2) ? random.pick([ups, fedex, usps]) : null;
  // Only the postal service delivers to military addresses.
  const chosen = /^[AF]PO$/.test(to.city) ? usps : drawn;
  if (chosen === null || to.country !== "US") return null;
  const serial = order.order_number.replace(/\D/g, "").padStart(10, "0");
  return { carrier: chosen.carrier, service: chosen.services[order.service], tracking_number: chosen.numberOf(serial) };
}
