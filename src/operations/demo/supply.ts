import { iso } from "../../core/clock.ts";
import type { Random } from "../../core/random.ts";
import { day_ms } from "../../core/time.ts";
import type { DemoActOf } from "./acts.ts";
import { onDayOf, weekday } from "./calendar.ts";
import { catalogue, type SampleArticle } from "./catalogue.ts";
import type { WantedOrder } from "./demand.ts";

/** The deliveries for the demand, and the orders that stay short. */
interface PlannedSupply {
  readonly receipts: readonly DemoActOf<"receipt">[];
  readonly short_orders: ReadonlySet<string>;
}

interface SuppliedLot {
  readonly usable_until: number;
  left: number;
}

interface SkuDemand {
  readonly at: number;
  readonly quantity: number;
  readonly order_number: string;
}

const scarce_count = 2;
const unserved_orders = 40;
const sold_off_ms = 14 * day_ms;

/** The products that run out at the end: the most popular chilled ones with a shelf life of three months or more. */
export const scarceSkus: ReadonlySet<string> = new Set(
  catalogue
    .filter((article) => article.temperature_zone !== "ambient" && (article.shelf_life_days ?? 0) >= 90)
    .slice(0, scarce_count)
    .map((article) => article.sku),
);

/**
 * Plans deliveries so that every order can be filled when it is placed, first expired first out and with the required
 * shelf life. Only the newest orders of `scarceSkus` stay short. Chilled products come on Tuesdays and Fridays, others
 * on Tuesdays, in whole cases. The first delivery is at `opening`.
 */
export function planSupply(
  random: Random,
  wishes: readonly WantedOrder[],
  opening: number,
  until: number,
): PlannedSupply {
  const receipts: DemoActOf<"receipt">[] = [];
  const short_orders = new Set<string>();
  const dry_from = wishes.at(-unserved_orders)?.at ?? until;
  for (const article of catalogue) {
    const served_until = scarceSkus.has(article.sku) ? dry_from : until;
    const wants = wishes.flatMap(({ at, order_number, lines }) =>
      lines.filter(({ sku }) => sku === article.sku).map(({ quantity }) => ({ at, quantity, order_number })),
    );
    const lots: SuppliedLot[] = [];
    const deliveries = deliveryMoments(article, opening, served_until);
    deliveries.forEach((at, index) => {
      const next = deliveries[index + 1] ?? until;
      const quantity = orderQuantity(random, article, lots, wants, { at, next, served_until });
      if (quantity > 0) {
        const receipt = receive(article, at, quantity);
        receipts.push(receipt);
        const usable_until = (receipt.expiration_at ?? Number.POSITIVE_INFINITY) - article.min_shelf_life_days * day_ms;
        lots.push({ usable_until, left: quantity });
      }
      for (const want of between(wants, at, next)) if (!take(lots, want)) short_orders.add(want.order_number);
    });
  }
  return { receipts, short_orders };
}

/** The delivery times of a product: the opening, then its delivery days before opening hours. */
function deliveryMoments(article: SampleArticle, opening: number, served_until: number): number[] {
  const days = article.temperature_zone === "ambient" ? [2] : [2, 5];
  const moments = [opening];
  for (let day = opening + day_ms; day < served_until; day += day_ms) {
    const at = onDayOf(day, 5, catalogue.indexOf(article) % 60);
    if (days.includes(weekday(at)) && at < served_until) moments.push(at);
  }
  return moments;
}

/** Units to order now: the demand until the next delivery plus a reserve, less the remaining stock. */
function orderQuantity(
  random: Random,
  article: SampleArticle,
  lots: readonly SuppliedLot[],
  wants: readonly SkuDemand[],
  { at, next, served_until }: { readonly at: number; readonly next: number; readonly served_until: number },
): number {
  const kept = lots.filter((lot) => lot.usable_until >= next).reduce((sum, lot) => sum + lot.left, 0);
  const wanted = between(wants, at, Math.min(next, served_until)).reduce((sum, want) => sum + want.quantity, 0);
  // A product that is not delivered again gets no reserve.
  const sellsOff = scarceSkus.has(article.sku) && next > served_until - sold_off_ms;
  const reserve = sellsOff ? 0 : Math.round(article.reorder_point * (0.9 + random.next() * 0.9));
  return Math.ceil(Math.max(0, wanted + reserve - kept) / article.case_units) * article.case_units;
}

/** Takes units from the lots, first expired first. False if there are too few, after taking all of them. */
function take(lots: readonly SuppliedLot[], want: SkuDemand): boolean {
  let missing = want.quantity;
  for (const lot of lots) {
    if (lot.usable_until < want.at) continue;
    const taken = Math.min(lot.left, missing);
    lot.left -= taken;
    missing -= taken;
  }
  return missing === 0;
}

function receive(article: SampleArticle, at: number, quantity: number): DemoActOf<"receipt"> {
  const date = iso(at).slice(2, 10).replaceAll("-", "");
  const shelf_life_days = article.shelf_life_days;
  return {
    at,
    kind: "receipt",
    sku: article.sku,
    quantity,
    bin: article.bin,
    lot_number: article.lot_tracking ? `L${date}-${article.sku.replace("-", "")}` : null,
    // The last day, as printed on labels.
    expiration_at: shelf_life_days === null ? null : Math.floor(at / day_ms + shelf_life_days) * day_ms,
    unit_cost_cents: Math.round(article.price_cents * 0.62),
    reference: `PO-${date}`,
  };
}

const between = (wants: readonly SkuDemand[], from: number, to: number) =>
  wants.filter(({ at }) => at >= from && at < to);
