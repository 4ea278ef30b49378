import { seededRandom } from "../../core/random.ts";
import { day_ms, minute_ms } from "../../core/time.ts";
import type { DemoAct } from "./acts.ts";
import { addUp, type DemoPlan } from "./acts.ts";
import { inventBuyers } from "./buyers.ts";

import { catalogue, coldZones } from "./catalogue.ts";
import { inventDemand, type WantedOrder } from "./demand.ts";
import { drawFate, journey, type OrderFate } from "./journey.ts";
import { type SampleMerchant, sampleMerchants } from "./merchants.ts";
import { planSmallMerchant } from "./neighbours.ts";
import { planSupply, scarceSkus } from "./supply.ts";

/** The settings of a plan. The same settings always give the same plan. */
interface PlanSettings {
  readonly seed: number;
  /** The end of the story, in milliseconds since 1970. All acts are before it. */
  readonly until: number;
}

const warehouseAddress = {
  name: "Cold Harbor Grocers",
  address_line1: "400 Dock Street",
  city: "Columbus",
  state: "OH",
  postal_code: "43215",
  country: "US",
};
const order_days = 60;
const order_count = 1_000;
const buyer_count = 200;
const first_buyer_count = 150;
const held_count = 3;
const held_within_ms = 2 * day_ms;
const articles = new Map(catalogue.map((article) => [article.sku, article]));

/** The plan of each merchant in the sample warehouse, the grocer's first. */
export function planOperator(
  settings: PlanSettings,
): readonly { readonly merchant: SampleMerchant; readonly plan: DemoPlan }[] {
  const { grocer, neighbours } = sampleMerchants;
  const plan = planBusiness(settings);
  // Some of the grocer's customers also buy from the small merchants.
  const regulars = plan.acts.flatMap((act) => (act.kind === "customer" ? [act.buyer] : [])).slice(0, 2);
  return [
    { merchant: grocer, plan },
    ...neighbours.map((one) => ({ merchant: one.merchant, plan: planSmallMerchant(settings, one, regulars) })),
  ];
}

/**
 * Plans a cold-chain grocer that opened 61 days before `until` and has had 1,000 orders of 200 customers since. All
 * orders are filled when they are placed, except some of the last days.
 */
export function planBusiness({ seed, until }: PlanSettings): DemoPlan {
  const random = seededRandom(seed);
  const opening = until - (order_days + 1) * day_ms;
  const buyers = inventBuyers(random, buyer_count);
  const wishes = inventDemand(random, buyers, { until, days: order_days, count: order_count });
  const { receipts, short_orders } = planSupply(random, wishes, opening, until);
  const fates = decideFates(seed, wishes, short_orders, until);
  const firstOrders = new Map(wishes.toReversed().map(({ buyer, at }) => [buyer.email, at]));
  const acts: DemoAct[] = [
    { at: opening, kind: "warehouse", address: warehouseAddress },
    ...coldZones.map((zone) => ({ at: opening, kind: "zone", zone, kept_for: null }) as const),
    { at: opening, kind: "tariff" },
    ...catalogue.map((article) => ({ at: opening, kind: "product", article }) as const),
    ...buyers.map((buyer, index) => {
      const joined_at = (firstOrders.get(buyer.email) ?? opening) - 5 * minute_ms;
      return {
        at: index < first_buyer_count ? opening : Math.max(opening, joined_at),
        kind: "customer",
        buyer,
      } as const;
    }),
    ...receipts,
    ...wishes.flatMap((wish) => journey(seed, wish, fates.get(wish.order_number) ?? "plain", articles)),
  ];
  // The sort is stable, so that at the same time zones precede products, and products precede receipts.
  const past = acts.filter(({ at }) => at < until).sort((a, b) => a.at - b.at);
  return { acts: past, totals: addUp(past, short_orders.size) };
}

/** Short orders wait, the newest of the others are on hold, and the rest are drawn at random. */
function decideFates(
  seed: number,
  wishes: readonly WantedOrder[],
  short_orders: ReadonlySet<string>,
  until: number,
): ReadonlyMap<string, OrderFate> {
  const fates = new Map<string, OrderFate>();
  for (const wish of wishes) {
    const drawn = drawFate(seed, wish);
    // Cancelling an order would release scarce units, and fill orders that should stay short.
    const keepsScarce = drawn === "cancelled" && wish.lines.some(({ sku }) => scarceSkus.has(sku));
    fates.set(wish.order_number, short_orders.has(wish.order_number) ? "waits" : keepsScarce ? "plain" : drawn);
  }
  wishes
    .filter(({ at, order_number }) => at > until - held_within_ms && fates.get(order_number) === "plain")
    .filter((_, index) => index % 5 === 2)
    .slice(0, held_count)
    .forEach(({ order_number }) => {
      fates.set(order_number, "held");
    });
  return fates;
}
