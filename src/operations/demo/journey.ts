import { type Random, seededRandom } from "../../core/random.ts";
import { day_ms, hour_ms, minute_ms } from "../../core/time.ts";
import type { Disposition, ReturnCondition, ReturnReason } from "../../returns/return.transitions.ts";
import type { TrackingEventStatus } from "../../shipping/carriers/tracking.transitions.ts";
import type { DemoAct, DemoActOf, DemoAddress, ReturnedItem, ServiceCode } from "./acts.ts";
import { addWorkdays, inWorkingTime, isWorkday, onDayOf } from "./calendar.ts";
import type { SampleArticle } from "./catalogue.ts";
import type { WantedOrder } from "./demand.ts";
import { otherCarrier } from "./tariff.ts";

// How an order deviates from the usual course. `waits` stays pending for stock, `held` stays on hold.
const fates = ["plain", "cancelled", "questioned", "delayed", "returned", "waits", "held"] as const;
export type OrderFate = (typeof fates)[number];

const fateWeights: Readonly<Record<OrderFate, number>> = {
  plain: 850,
  cancelled: 45,
  questioned: 35,
  delayed: 35,
  returned: 55,
  // The plan assigns these two itself.
  waits: 0,
  held: 0,
};

const transitWorkdays: Readonly<Record<ServiceCode, number>> = { standard: 4, ground: 4, express: 2, overnight: 1 };

const questions = [
  ["address", "The street number is missing; the customer is asked for it."],
  ["payment", "Waiting for payment to clear."],
  ["customer_request", "The customer wants to change the order."],
] as const;

const delays = [
  "Nobody was there to accept the parcel. Next attempt on the next business day.",
  "Delayed by weather. Next attempt on the next business day.",
] as const;

const complaints: readonly (readonly [ReturnReason, ReturnCondition, string | null])[] = [
  ["defective", "damaged", "The package arrived crushed."],
  ["wrong_item", "unopened", null],
  ["customer_remorse", "unopened", null],
  ["not_as_described", "opened", null],
  ["expired", "expired", "Too close to its expiry date."],
];

/** Draws the fate of an order. The same seed and order number always give the same one. */
export function drawFate(seed: number, wish: WantedOrder): OrderFate {
  return fates[journeyRandom(seed, wish).weighted(fates.map((fate) => fateWeights[fate]))] as OrderFate;
}

type Articles = ReadonlyMap<string, SampleArticle>;

/** All acts of one order, starting with its creation, even those after the end of the plan. */
export function journey(seed: number, wish: WantedOrder, fate: OrderFate, articles: Articles): readonly DemoAct[] {
  const random = journeyRandom(seed, wish);
  const { at, order_number } = wish;
  const acts: DemoAct[] = [created(random, wish)];
  if (fate === "waits") return acts;
  if (fate === "cancelled") {
    acts.push({
      at: at + random.integer(4, 15) * minute_ms,
      kind: "cancel",
      order_number,
      reason: "customer",
      note: "Ordered twice by mistake.",
    });
    return acts;
  }
  let ready = at;
  if (fate === "questioned" || fate === "held") {
    const [reason, note] = random.pick(questions);
    acts.push({ at: at + random.integer(4, 15) * minute_ms, kind: "hold", order_number, reason, note });
    if (fate === "held") return acts;
    ready = inWorkingTime(at + random.integer(60, 24 * 60) * minute_ms);
    acts.push({ at: ready, kind: "release", order_number });
  }
  const shipped_at = floorWork(random, wish, ready, acts);
  const delivered_at = transit(random, wish, shipped_at, fate === "delayed", acts);
  if (fate === "returned") acts.push(...comeBack(random, wish, delivered_at, articles));
  return acts;
}

function journeyRandom(seed: number, wish: WantedOrder): Random {
  return seededRandom(Math.imul(seed, 2_654_435_761) ^ Number(wish.order_number.slice(3)));
}

function created(random: Random, wish: WantedOrder): DemoActOf<"order"> {
  const { at, order_number, buyer, address_index, lines, service, requires_cold_storage } = wish;
  const subtotal_cents = lines.reduce((sum, line) => sum + line.quantity * line.unit_price_cents, 0);
  return {
    at,
    kind: "order",
    order_number,
    customer_email: buyer.email,
    address_index,
    lines,
    shipping_method: service,
    shipping_amount_cents: subtotal_cents >= 20_000 ? 0 : service === "standard" || service === "ground" ? 990 : 1_490,
    requires_cold_storage,
    priority: service === "overnight" ? 10 : 0,
    order_notes: random.chance(0.06) ? "Deliver to the kitchen door at the back." : null,
  };
}

/** Process, pick, label, pack, and hand over when the carrier comes at 17:00. Returns that time. */
function floorWork(random: Random, wish: WantedOrder, ready: number, acts: DemoAct[]): number {
  const { order_number, service, weight_grams } = wish;
  const after = (at: number, least: number, most: number) =>
    inWorkingTime(at + random.integer(least, most) * minute_ms);
  const to = wish.buyer.addresses[wish.address_index] as DemoAddress;
  const parcel = otherCarrier(random, wish, to);
  // Orders from before the cut-off at 14:00 are packed when the carrier comes.
  const processed_at = after(ready, 5, 30);
  const picked_at = after(processed_at, 10, 70);
  const label_at = after(picked_at, 3, 20);
  const packed_at = after(label_at, 2, 10);
  const minute = random.integer(0, 12);
  const pickup = onDayOf(packed_at, 17, minute);
  const shipped_at = packed_at < onDayOf(packed_at, 16, 45) ? pickup : addWorkdays(pickup, 1);
  acts.push(
    { at: processed_at, kind: "process", order_number },
    { at: picked_at, kind: "pick", order_number },
    ...(parcel === null ? [{ at: label_at, kind: "label", order_number, service, weight_grams } as const] : []),
    { at: packed_at, kind: "pack", order_number },
    { at: shipped_at, kind: "ship", order_number, parcel },
  );
  return shipped_at;
}

/** The carrier's scans from the hand-over to the delivery. Returns the time of delivery. */
function transit(random: Random, wish: WantedOrder, shipped_at: number, delayed: boolean, acts: DemoAct[]): number {
  const { order_number, service } = wish;
  const home = { city: "Columbus", state: "OH", country: "US" };
  const { city, state, country } = wish.buyer.addresses[wish.address_index] as DemoAddress;
  type Place = Pick<DemoAddress, "city" | "state" | "country">;
  const scan = (at: number, status: TrackingEventStatus, message: string, place: Place) =>
    acts.push({ at, kind: "scan", order_number, status, message, ...place });
  const there = { city, state, country };
  scan(shipped_at + random.integer(15, 45) * minute_ms, "picked_up", "Picked up at the warehouse.", home);
  scan(shipped_at + random.integer(180, 400) * minute_ms, "in_transit", "Left the sorting center.", home);
  let day = addWorkdays(shipped_at, transitWorkdays[service]);
  if (delayed) {
    scan(onDayOf(day, 7, random.integer(0, 59)), "out_for_delivery", "On the vehicle for delivery.", there);
    scan(onDayOf(day, random.integer(10, 16), random.integer(0, 59)), "exception", random.pick(delays), there);
    day = addWorkdays(day, 1);
  }
  scan(onDayOf(day, 7, random.integer(0, 59)), "out_for_delivery", "On the vehicle for delivery.", there);
  const delivered_at = onDayOf(day, random.integer(9, 16), random.integer(0, 59));
  scan(delivered_at, "delivered", "Handed over at the door.", there);
  return delivered_at;
}

/** The acts that return, inspect and refund some units of one line. */
function comeBack(random: Random, wish: WantedOrder, delivered_at: number, articles: Articles): DemoAct[] {
  const { order_number } = wish;
  const line = random.pick(wish.lines);
  const article = articles.get(line.sku) as SampleArticle;
  const usual = complaints.filter(([reason]) => reason !== "expired" || article.expiration_tracking);
  const [reason, condition, notes] = random.pick(usual);
  const item: ReturnedItem = { sku: line.sku, quantity: random.integer(1, Math.min(line.quantity, 3)), condition };
  const asked_at = inWorkingTime(delivered_at + random.integer(60, 3 * 24 * 60) * minute_ms);
  const arrival = asked_at + random.integer(2, 5) * day_ms;
  const received_at = inWorkingTime(isWorkday(arrival) ? arrival : addWorkdays(arrival, 1));
  const inspected_at = inWorkingTime(received_at + random.integer(60, 360) * minute_ms);
  const refunded_at = inWorkingTime(inspected_at + random.integer(1, 20) * hour_ms);
  return [
    { at: asked_at, kind: "return", order_number, reason, notes, items: [item] },
    { at: received_at, kind: "receive_return", order_number },
    {
      at: inspected_at,
      kind: "inspect_return",
      order_number,
      items: [{ ...item, disposition: dispositionOf(article, condition) }],
    },
    { at: refunded_at, kind: "refund_return", order_number },
  ];
}

function dispositionOf(article: SampleArticle, condition: ReturnCondition): Disposition {
  if (condition === "damaged" || condition === "expired") return "dispose";
  // Products that left the cold chain, or were opened, are never sold again.
  if (article.temperature_zone !== "ambient") return "dispose";
  // The returned lot is not known yet, so products with lots go to quarantine first.
  return condition === "unopened" && !article.lot_tracking ? "restock" : "quarantine";
}
