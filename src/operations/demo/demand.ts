import { type Random, zipf } from "../../core/random.ts";
import { day_ms, hour_ms } from "../../core/time.ts";
import type { DemoBuyer, OrderedLine, ServiceCode } from "./acts.ts";
import { hourOfDay, weekday } from "./calendar.ts";
import { catalogue, type SampleArticle } from "./catalogue.ts";

/** An order to be placed. */
export interface WantedOrder {
  readonly order_number: string;
  readonly at: number;
  readonly buyer: DemoBuyer;
  readonly address_index: number;
  readonly lines: readonly OrderedLine[];
  readonly weight_grams: number;
  readonly service: ServiceCode;
  readonly requires_cold_storage: boolean;
}

// The relative number of orders by hour of the day, and by weekday starting with Sunday.
const hourWeights = [1, 1, 0, 0, 1, 3, 9, 18, 26, 30, 28, 22, 16, 20, 26, 24, 18, 12, 9, 8, 7, 6, 4, 2];
const weekdayWeights = [4, 20, 17, 16, 18, 14, 6];
const lineCountWeights = [20, 27, 23, 15, 9, 6];
const quantities = [1, 1, 2, 2, 2, 3, 4, 4, 6, 6, 8, 12];
const popularity = zipf(catalogue.length, 0.75);
// The built-in carrier takes up to 70 pounds; half a kilogram is for the packaging.
const heaviest_goods_grams = 31_000;
const packaging_grams = 500;

/** The demand for `count` orders in the `days` before `until`, oldest first. */
export function inventDemand(
  random: Random,
  buyers: readonly DemoBuyer[],
  { until, days, count }: { readonly until: number; readonly days: number; readonly count: number },
): readonly WantedOrder[] {
  const loyalty = zipf(buyers.length, 0.6);
  return inventMoments(random, until, days, count).map((at, index) => {
    const buyer = buyers[random.weighted(loyalty)] as DemoBuyer;
    const articles = inventBasket(random);
    const lines = articles.map(([article, quantity]) => ({
      sku: article.sku,
      quantity,
      // A dozen of one product is five percent cheaper.
      unit_price_cents: quantity < 12 ? article.price_cents : Math.round(article.price_cents * 0.95),
    }));
    return {
      order_number: `SO-${10_001 + index}`,
      at,
      buyer,
      address_index: random.integer(0, buyer.addresses.length - 1),
      lines,
      weight_grams: articles.reduce(
        (sum, [article, quantity]) => sum + article.weight_grams * quantity,
        packaging_grams,
      ),
      service: serviceFor(random, articles),
      requires_cold_storage: articles.every(([article]) => article.temperature_zone !== "ambient"),
    };
  });
}

function inventMoments(random: Random, until: number, days: number, count: number): number[] {
  const start = until - days * day_ms;
  const hours = Array.from({ length: days * 24 }, (_, index) => start + index * hour_ms);
  const weights = hours.map((at) => (hourWeights[hourOfDay(at)] ?? 0) * (weekdayWeights[weekday(at)] ?? 0));
  const moment = () => (hours[random.weighted(weights)] ?? start) + random.integer(0, hour_ms - 1);
  return Array.from({ length: count }, moment).sort((a, b) => a - b);
}

/** One to six different products. Every third order has only chilled and frozen products. */
function inventBasket(random: Random): [SampleArticle, number][] {
  const coldOnly = random.chance(0.33);
  const weights = popularity.map((weight, rank) =>
    coldOnly && catalogue[rank]?.temperature_zone === "ambient" ? 0 : weight,
  );
  const basket: [SampleArticle, number][] = [];
  let room_grams = heaviest_goods_grams;
  for (let left = random.weighted(lineCountWeights) + 1; left > 0; left--) {
    const rank = random.weighted(weights);
    weights[rank] = 0;
    const article = catalogue[rank] as SampleArticle;
    const quantity = Math.min(random.pick(quantities), Math.floor(room_grams / article.weight_grams));
    if (quantity === 0) continue;
    room_grams -= quantity * article.weight_grams;
    basket.push([article, quantity]);
  }
  return basket;
}

function serviceFor(random: Random, articles: readonly [SampleArticle, number][]): ServiceCode {
  const zones = new Set(articles.map(([article]) => article.temperature_zone));
  if (zones.has("frozen")) return random.chance(0.6) ? "overnight" : "express";
  if (zones.has("refrigerated")) return random.chance(0.85) ? "express" : "overnight";
  return random.chance(0.1) ? "express" : random.chance(0.3) ? "standard" : "ground";
}
