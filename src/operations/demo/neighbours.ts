// The business of a small merchant, with orders in each status. All but the awaited SKU are in stock.

import { iso } from "../../core/clock.ts";
import { type Random, seededRandom } from "../../core/random.ts";
import { day_ms, hour_ms, minute_ms } from "../../core/time.ts";
import type { DemoAct, DemoActKind, DemoActOf, DemoBuyer } from "./acts.ts";
import { addUp, type DemoPlan } from "./acts.ts";
import { inventBuyers } from "./buyers.ts";
import { lastCutoff, onDayOf } from "./calendar.ts";
import type { SampleArticle } from "./catalogue.ts";
import type { WantedOrder } from "./demand.ts";
import { journey, type OrderFate } from "./journey.ts";
import type { SmallMerchant } from "./merchants.ts";

/** The course of an order: its age, its fate, and its last act so far (null if it is complete). */
interface OrderCourse {
  readonly age_ms: number;
  readonly fate: OrderFate;
  readonly last: DemoActKind | null;
}

const days = 60;
const past_orders = 30;
const own_buyers = 16;
const packaging_grams = 300;

// The fates of some past orders, by index. The others went as usual.
const troubles: Readonly<Record<number, OrderFate>> = {
  3: "returned",
  6: "cancelled",
  9: "questioned",
  12: "returned",
  17: "delayed",
};

/**
 * Orders of the last days. Those in progress were placed after the last cut-off, so that they are on time.
 */
function recentCourses(until: number): readonly OrderCourse[] {
  const cutoff = lastCutoff(until);
  const afterCutoff = (minutes: number) => until - (cutoff + minutes * minute_ms);
  return [
    { age_ms: 7 * day_ms, fate: "plain", last: "ship" },
    { age_ms: 7 * day_ms - hour_ms, fate: "plain", last: "ship" },
    { age_ms: afterCutoff(5), fate: "plain", last: "pack" },
    { age_ms: afterCutoff(15), fate: "plain", last: "pick" },
    { age_ms: afterCutoff(25), fate: "plain", last: "process" },
    { age_ms: 2 * day_ms, fate: "held", last: null },
    { age_ms: day_ms, fate: "waits", last: null },
    { age_ms: 3 * hour_ms, fate: "plain", last: "order" },
    { age_ms: hour_ms, fate: "plain", last: "order" },
  ];
}

/** Plans a small merchant's business. `regulars` are customers of another merchant who also buy here. */
export function planSmallMerchant(
  { seed, until }: { readonly seed: number; readonly until: number },
  neighbour: SmallMerchant,
  regulars: readonly DemoBuyer[],
): DemoPlan {
  const random = seededRandom(Math.imul(seed, 40_503) ^ neighbour.first_number);
  const opening = until - (days + 1) * day_ms;
  const buyers = buyersOf(random, regulars);
  const courses = [...inventPast(random, until), ...recentCourses(until)];
  const orders = courses.map((course, index) => ({
    course,
    wish: wishOf(random, neighbour, buyers, index, course, until),
  }));
  const wishes = orders.filter(({ course }) => course.fate !== "waits").map(({ wish }) => wish);
  const articles = new Map(neighbour.articles.map((article) => [article.sku, article]));
  const acts: DemoAct[] = [
    { at: opening, kind: "zone", zone: neighbour.zone, kept_for: neighbour.merchant.code },
    ...neighbour.articles.map((article) => ({ at: opening, kind: "product", article }) as const),
    ...buyers.map((buyer) => ({ at: opening, kind: "customer", buyer }) as const),
    ...neighbour.articles.flatMap((article) => supply(article, neighbour, wishes, opening, until)),
    ...orders.flatMap(({ course, wish }) => upTo(journey(seed, wish, course.fate, articles), course.last)),
  ];
  const past = acts.filter(({ at }) => at < until).sort((a, b) => a.at - b.at);
  return { acts: past, totals: addUp(past, orders.length - wishes.length) };
}

function buyersOf(random: Random, regulars: readonly DemoBuyer[]): readonly DemoBuyer[] {
  const known = new Set(regulars.map(({ email }) => email));
  return [...regulars, ...inventBuyers(random, own_buyers).filter(({ email }) => !known.has(email))];
}

/** Orders from weeks ago, oldest first, all of them complete. */
function inventPast(random: Random, until: number): OrderCourse[] {
  return Array.from({ length: past_orders }, (_, index) => {
    const day = until - (days - index * 1.5) * day_ms;
    const at = onDayOf(day, random.integer(8, 20), random.integer(0, 59));
    return { age_ms: until - at, fate: troubles[index] ?? "plain", last: null };
  });
}

function wishOf(
  random: Random,
  merchant: SmallMerchant,
  buyers: readonly DemoBuyer[],
  index: number,
  { age_ms, fate }: OrderCourse,
  until: number,
): WantedOrder {
  const buyer = random.pick(buyers);
  const basket = inventBasket(random, merchant, fate);
  return {
    order_number: `${merchant.prefix}${merchant.first_number + index}`,
    at: until - age_ms,
    buyer,
    address_index: random.integer(0, buyer.addresses.length - 1),
    lines: basket.map(([{ sku, price_cents }, quantity]) => ({ sku, quantity, unit_price_cents: price_cents })),
    weight_grams: basket.reduce((sum, [article, quantity]) => sum + article.weight_grams * quantity, packaging_grams),
    service: random.chance(0.2) ? "express" : random.chance(0.4) ? "standard" : "ground",
    requires_cold_storage: false,
  };
}

/** One to three products, a few units of each. An order that waits for stock contains the awaited SKU. */
function inventBasket(
  random: Random,
  { articles, awaited }: SmallMerchant,
  fate: OrderFate,
): [SampleArticle, number][] {
  const wanted = articles.filter(({ sku }) => (sku === awaited) === (fate === "waits"));
  const count = Math.min(random.integer(1, 3), wanted.length);
  return Array.from({ length: count }, () => {
    const [article] = wanted.splice(random.integer(0, wanted.length - 1), 1);
    return [article as SampleArticle, random.integer(1, 3)];
  });
}

/** Two deliveries in whole cases, each for the demand until the next plus a reserve; none of the awaited SKU. */
function supply(
  article: SampleArticle,
  { awaited }: SmallMerchant,
  wishes: readonly WantedOrder[],
  opening: number,
  until: number,
): DemoActOf<"receipt">[] {
  if (article.sku === awaited) return [];
  const middle = onDayOf(opening + (days / 2) * day_ms, 6, 30);
  const periods = [
    [opening, middle],
    [middle, until],
  ] as const;
  return periods.map(([at, next]) => {
    const wanted = wishes
      .filter((wish) => wish.at >= at && wish.at < next)
      .flatMap(({ lines }) => lines)
      .reduce((sum, { sku, quantity }) => sum + (sku === article.sku ? quantity : 0), article.reorder_point);
    const date = iso(at).slice(2, 10).replaceAll("-", "");
    const { shelf_life_days } = article;
    return {
      at,
      kind: "receipt",
      sku: article.sku,
      quantity: Math.ceil(wanted / article.case_units) * article.case_units,
      bin: article.bin,
      lot_number: article.lot_tracking ? `R${date}-${article.sku}` : null,
      expiration_at: shelf_life_days === null ? null : Math.floor(at / day_ms + shelf_life_days) * day_ms,
      unit_cost_cents: Math.round(article.price_cents * 0.55),
      reference: `PO-${date}`,
    };
  });
}

/** The acts of an order up to the one of a kind; all of them for null. */
function upTo(acts: readonly DemoAct[], last: DemoActKind | null): readonly DemoAct[] {
  const end = acts.findIndex(({ kind }) => kind === last);
  return end < 0 ? acts : acts.slice(0, end + 1);
}
