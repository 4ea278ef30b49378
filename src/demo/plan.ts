import { seededRandom } from "../kit/random.ts";
import type { PublicOrderStatus } from "../orders/status.ts";
import type { Act } from "./acts.ts";
import { inventBuyers } from "./buyers.ts";
import { day_ms, minute_ms } from "./calendar.ts";
import { catalogue, coldZones } from "./catalogue.ts";
import { inventDemand, type Wish } from "./demand.ts";
import { drawFate, type Fate, journey } from "./journey.ts";
import { planSupply, scarceSkus } from "./supply.ts";

/** The settings of a plan: the same settings always give the same plan. */
interface PlanSettings {
  readonly seed: number;
  /** The moment when the story ends, in milliseconds since 1970; all acts lie before it. */
  readonly until: number;
}

/** The figures of the business once every act is done. */
interface PlanTotals {
  readonly acts: number;
  readonly products: number;
  readonly customers: number;
  readonly receipts: number;
  readonly units_received: number;
  readonly orders: number;
  readonly units_ordered: number;
  readonly returns: number;
  /** Orders that wait for goods; they are among the pending ones. */
  readonly backordered_orders: number;
  /** Orders by status, as the API shows it. */
  readonly orders_by_status: Readonly<Record<PublicOrderStatus, number>>;
}

/** The sample business as a list of acts in order of time, and its figures afterwards. */
interface Plan {
  readonly acts: readonly Act[];
  readonly totals: PlanTotals;
}

const order_days = 60;
const order_count = 1_000;
const buyer_count = 200;
const first_buyer_count = 150;
const held_count = 6;
const held_within_ms = 3 * day_ms;

/**
 * Plans a cold-chain grocer that opened 61 days before `until` and has had 1,000 orders of 200 customers since. Stock
 * suffices when every act is done at its own time: all orders are filled when they come, except some in the last days.
 */
export function planBusiness({ seed, until }: PlanSettings): Plan {
  const random = seededRandom(seed);
  const opening = until - (order_days + 1) * day_ms;
  const buyers = inventBuyers(random, buyer_count);
  const wishes = inventDemand(random, buyers, { until, days: order_days, count: order_count });
  const { receipts, short_orders } = planSupply(random, wishes, opening, until);
  const fates = decideFates(seed, wishes, short_orders, until);
  const firstOrders = new Map(wishes.toReversed().map(({ buyer, at }) => [buyer.email, at]));
  const acts: Act[] = [
    ...coldZones.map((zone) => ({ at: opening, kind: "zone", zone }) as const),
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
    ...wishes.flatMap((wish) => journey(seed, wish, fates.get(wish.order_number) ?? "plain")),
  ];
  // Sorting keeps the order of acts of one time: zones before products before receipts.
  const past = acts.filter(({ at }) => at < until).sort((a, b) => a.at - b.at);
  return { acts: past, totals: addUp(past, short_orders.size) };
}

/** Short orders wait, the newest few of the others are held, and the rest is drawn. */
function decideFates(
  seed: number,
  wishes: readonly Wish[],
  short_orders: ReadonlySet<string>,
  until: number,
): ReadonlyMap<string, Fate> {
  const fates = new Map<string, Fate>();
  for (const wish of wishes) {
    const drawn = drawFate(seed, wish);
    // A cancelled order releases its units, which would fill orders that the plan wants to wait for scarce goods.
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

/** An order's status after the last act of these kinds; other acts leave it as it is. */
const statusAfter: Partial<Record<Act["kind"], PublicOrderStatus>> = {
  order: "pending",
  hold: "on_hold",
  release: "pending",
  cancel: "cancelled",
  process: "processing",
  pack: "fulfilled",
  ship: "shipped",
};

function addUp(acts: readonly Act[], backordered_orders: number): PlanTotals {
  const status = new Map<string, PublicOrderStatus>();
  let units_received = 0;
  let units_ordered = 0;
  for (const act of acts) {
    if (act.kind === "receipt") units_received += act.quantity;
    if (act.kind === "order") units_ordered += act.lines.reduce((sum, { quantity }) => sum + quantity, 0);
    const after = act.kind === "scan" && act.status === "delivered" ? "delivered" : statusAfter[act.kind];
    if (after !== undefined && "order_number" in act) status.set(act.order_number, after);
  }
  const orders_by_status = {
    pending: 0,
    processing: 0,
    fulfilled: 0,
    shipped: 0,
    delivered: 0,
    cancelled: 0,
    on_hold: 0,
  };
  for (const value of status.values()) orders_by_status[value]++;
  const count = (kind: Act["kind"]) => acts.filter((act) => act.kind === kind).length;
  return {
    acts: acts.length,
    products: count("product"),
    customers: count("customer"),
    receipts: count("receipt"),
    units_received,
    orders: count("order"),
    units_ordered,
    returns: count("return"),
    backordered_orders,
    orders_by_status,
  };
}
