// What parcels cost: a card of the house's own.
import type { Teller } from "./teller.ts";

/** A rate card, its prices as a file, and what it said before. */
export async function rateCards({ tell }: Teller): Promise<void> {
  const card = {
    service: "ground",
    name: "Ground",
    zones: { first: 2, default: "8", rest: "world" },
    prices: [
      { zone: "2", up_to_pounds: 1, price: "7.20", cost: "5.90" },
      { zone: "2", up_to_pounds: 10, price: "9.80", cost: "8.10" },
      { zone: "2", up_to_pounds: null, price: "0.45", cost: "0.40" },
      { zone: "*", up_to_pounds: 10, price: "14.60", cost: "12.20" },
      { zone: "world", up_to_pounds: 10, price: "48.00", cost: "41.00" },
    ],
    dimensional: { divisor: 139, over: 1728 },
    surcharges: { residential: { price: "4.50", cost: "3.90" } },
    fuel_basis_points: 1250,
    declared_value: { per_hundred: { price: "1.15" }, minimum: { price: "3.45" } },
    cut_off: "16:00",
    saturday_delivery: true,
    transit_days: [
      { zone: "2", days: 1 },
      { zone: "*", days: 4 },
    ],
  };
  const made = await tell("createRateCard", { body: card });
  const path = { id: made.data.id };
  await tell("listRateCards", { query: { service: "ground" } });
  await tell("getRateCard", { path });
  await tell("updateRateCard", { path, body: { fuel_basis_points: 1300 } });
  await tell("exportRateCardPrices", { path });
  const rows = [
    "zone,up_to_pounds,price,cost",
    "2,1,7.40,6.00",
    "2,10,9.95,8.20",
    "*,10,14.90,12.40",
    "world,10,49.00,42.00",
  ];
  await tell("importRateCardPrices", { path, body: `${rows.join("\r\n")}\r\n` });
  await tell("listRateCardHistory", { path, query: { limit: "2" } });
}
