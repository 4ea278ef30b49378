// Shipping prices: the operator's rate card, a carrier's zones, and its days off.
import type { Teller } from "./record_example.ts";

/** A rate card, its prices as a file, and its earlier revision. */
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
    cutoff_time: "16:00",
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

/** Zones by chart and by hand, and why a place is in one. */
export async function zones({ tell }: Teller): Promise<void> {
  const charts = ["origin,destination,zone", "041,005-079,2", "041,900-961,8"];
  const imported = await tell("importZoneCharts", { body: `${charts.join("\r\n")}\r\n` });
  await tell("listZoneCharts");
  await tell("exportZoneCharts");
  const overrides = [
    { country: "US", postal_from: "995", postal_to: "999", zone: "8" },
    { country: "CA", postal_prefix: "V", zone: "7" },
  ];
  await tell("setZoneOverrides", { body: { overrides } });
  await tell("listZoneOverrides");
  await tell("importZoneOverrides", { body: "zone,country,state\r\n8,US,AK\r\n8,US,HI\r\n" });
  await tell("mapZones", { query: { from: "04101", service: "ground" } });
  await tell("explainZone", { query: { from: "04101", to: "97201", service: "ground" } });
  await tell("deleteZoneChart", { path: { id: imported.data.charts[0].id } });
}

/** A carrier's days off. */
export async function holidays({ tell, mode }: Teller): Promise<void> {
  const carrier = mode === "live" ? "local" : "sim";
  const [own] = (await tell("listHolidays", { query: { year: "2026" } })).data;
  const days = [{ date: "2026-12-24", name: "Christmas Eve" }];
  await tell("setHolidays", { path: { carrier }, body: { rules: own.rules, days } });
  await tell("getHolidays", { path: { carrier }, query: { year: "2026" } });
}

/** Rules that choose how orders are shipped. */
export async function shippingRules({ tell }: Teller): Promise<void> {
  const first = await tell("createShippingRule", {
    body: {
      name: "Express to Canada",
      conditions: { shipping_methods: ["*express*"], countries: ["CA"], weight_max: 5 },
      actions: { choose: "fastest_under", price_max: "30.00", insure_above: "200.00" },
    },
  });
  const second = await tell("createShippingRule", {
    body: {
      name: "High value",
      conditions: { value_min: "1000.00" },
      actions: { hold: { reason: "fraud", note: "Call the buyer" }, packing_note: "Two people pack this" },
    },
  });
  const path = { id: first.data.id };
  await tell("getShippingRule", { path });
  await tell("updateShippingRule", { path, body: { actions: { choose: "cheapest_in_time", days_max: 3 } } });
  await tell("reorderShippingRules", { body: { rule_ids: [second.data.id, first.data.id] } });
  await tell("listShippingRules");
  await tell("listShippingRuleHistory", { path });
  await tell("tryShippingRules", { body: { rules: [{ name: "All", actions: { priority: 3 } }] } });
  const [order] = (await tell("listOrders", { query: { limit: "1" } })).data as { id: string }[];
  await tell("evaluateShippingRules", { query: { order_id: order?.id ?? "" } });
  await tell("deleteShippingRule", { path: { id: second.data.id } });
  const orders = (await tell("listOrders", { query: { status: "pending", limit: "2" } })).data as { id: string }[];
  await tell("getBulkRates", { body: { order_ids: orders.map(({ id }) => id) } });
}
