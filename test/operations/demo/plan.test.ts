import { describe, expect, test } from "bun:test";
import { seededRandom } from "../../../src/core/random.ts";
import { day_ms, hour_ms } from "../../../src/core/time.ts";
import type { DemoAct, DemoActKind } from "../../../src/operations/demo/acts.ts";
import { cities } from "../../../src/operations/demo/buyers.ts";
import { addWorkdays, hourOfDay, isWorkday, onDayOf } from "../../../src/operations/demo/calendar.ts";
import { catalogue, coldZones } from "../../../src/operations/demo/catalogue.ts";
import { planBusiness } from "../../../src/operations/demo/plan.ts";
import { detectCarriers } from "../../../src/tracking/number_formats.ts";

const until = Date.parse("2026-03-04T15:00:00Z");
const plan = planBusiness({ seed: 7, until });
const articles = new Map(catalogue.map((article) => [article.sku, article]));

/** When the carrier collects an order placed at this time: on its working day, or the next one after the cut-off. */
function promisedPickup(at: number): number {
  const hour = hourOfDay(at);
  const day = isWorkday(at) && hour < 14 ? at : addWorkdays(at, 1);
  return onDayOf(day, 17, 0);
}

const acts = <Kind extends DemoActKind>(kind: Kind): Extract<DemoAct, { kind: Kind }>[] =>
  plan.acts.filter((act): act is Extract<DemoAct, { kind: Kind }> => act.kind === kind);

describe("the random generator", () => {
  test("gives known numbers for the same seed", () => {
    const random = seededRandom(1);
    expect([random.next(), random.next()]).toEqual([0.6270739405881613, 0.002735721180215478]);
  });

  test("respects its ranges and weights", () => {
    const random = seededRandom(5);
    const drawn = Array.from({ length: 4_000 }, () => random.integer(1, 4));
    expect([Math.min(...drawn), Math.max(...drawn)]).toEqual([1, 4]);
    for (const value of [1, 2, 3, 4]) expect(drawn.filter((one) => one === value).length).toBeWithin(900, 1_100);
    const weighted = Array.from({ length: 4_000 }, () => random.weighted([0, 3, 1]));
    expect(weighted).not.toContain(0);
    expect(weighted.filter((one) => one === 1).length).toBeWithin(2_850, 3_150);
  });
});

describe("the catalog", () => {
  test("has about 60 products with unique keys in three zones", () => {
    expect(catalogue.length).toBe(62);
    for (const key of ["sku", "name", "barcode", "bin"] as const) {
      expect(new Set(catalogue.map((article) => article[key])).size).toBe(catalogue.length);
    }
    expect(coldZones.map(({ temperature_zone }) => temperature_zone)).toEqual(["ambient", "refrigerated", "frozen"]);
    for (const { temperature_zone, bins } of coldZones) {
      const kept = catalogue.filter((article) => article.temperature_zone === temperature_zone);
      expect(kept.length).toBeGreaterThan(10);
      expect(kept.map(({ bin }) => bin)).toEqual([...bins]);
    }
  });

  test("has valid GTINs from the range for internal use", () => {
    for (const { barcode } of catalogue) {
      expect(barcode).toMatch(/^2(\d{11}|\d{12})$/);
      const digits = [...barcode].map(Number).reverse();
      expect(digits.reduce((sum, digit, index) => sum + digit * (index % 2 === 0 ? 1 : 3), 0) % 10).toBe(0);
    }
  });

  test("tracks products that expire, and cold products expire", () => {
    for (const article of catalogue) {
      expect(article.expiration_tracking).toBe(article.shelf_life_days !== null);
      if (article.temperature_zone !== "ambient") expect(article.expiration_tracking).toBe(true);
      expect(article.min_shelf_life_days).toBeLessThan(article.shelf_life_days ?? 1);
      expect(Number.isInteger(article.price_cents) && article.price_cents > 0).toBe(true);
    }
  });
});

describe("the addresses", () => {
  test("are in at least 120 cities with five-digit ZIP codes, in all states", () => {
    expect(cities.length).toBeGreaterThanOrEqual(120);
    expect(new Set(cities.map(({ state }) => state)).size).toBe(51);
    expect(new Set(cities.map(({ postal_code }) => postal_code)).size).toBe(cities.length);
    for (const { city, state, postal_code } of cities) {
      expect(city).toMatch(/^[A-Z][A-Za-z' ]+[a-z]$/);
      expect(state).toMatch(/^[A-Z]{2}$/);
      expect(postal_code).toMatch(/^\d{5}$/);
    }
  });
});

describe("the plan", () => {
  test("is the same for the same settings, and different for another seed", () => {
    expect(planBusiness({ seed: 7, until })).toEqual(plan);
    expect(planBusiness({ seed: 8, until }).acts).not.toEqual(plan.acts);
  });

  test("lists its acts in chronological order, all before its end", () => {
    const times = plan.acts.map(({ at }) => at);
    expect(times.toSorted((a, b) => a - b)).toEqual(times);
    expect(times[0]).toBe(until - 61 * day_ms);
    expect(times.at(-1)).toBeLessThan(until);
  });

  test("has the stated size and some orders of every fate, at any end time", () => {
    for (let shift = 0; shift < 7; shift++) {
      const { totals } = planBusiness({ seed: 40 + shift, until: until + shift * day_ms * 1.3 });
      expect(totals).toMatchObject({ products: 62, customers: 200, orders: 1_000 });
      const { delivered, cancelled, on_hold, pending, shipped } = totals.orders_by_status;
      expect(Object.values(totals.orders_by_status).reduce((sum, count) => sum + count)).toBe(1_000);
      expect(delivered).toBeWithin(860, 960);
      expect(totals.backordered_orders).toBeWithin(3, 20);
      expect(pending).toBeGreaterThanOrEqual(totals.backordered_orders);
      expect(Math.min(cancelled, on_hold, shipped)).toBeGreaterThan(0);
      expect(totals.returns).toBeWithin(20, 90);
    }
  });

  test("ships most orders on the promised day, and leaves a few late ones", () => {
    for (const shift of [0, 1, 2, 3, 4, 5, 6]) {
      const ending = until + shift * 1.1 * day_ms;
      const { acts: all } = planBusiness({ seed: 3, until: ending });
      const shipped = new Map(all.flatMap((act) => (act.kind === "ship" ? [[act.order_number, act.at]] : [])));
      const gone = new Set(all.flatMap((act) => (act.kind === "cancel" ? [act.order_number] : [])));
      const orders = all.flatMap((act) => (act.kind === "order" && !gone.has(act.order_number) ? [act] : []));
      // The carrier comes at five, and until then the day is not over.
      const due = orders.filter(({ at }) => promisedPickup(at) + hour_ms < ending);
      const late = due.filter((one) => (shipped.get(one.order_number) ?? ending) > promisedPickup(one.at) + hour_ms);
      expect(late.length / due.length).toBeWithin(0.005, 0.1);
      const waiting = late.filter(({ order_number }) => !shipped.has(order_number));
      expect(waiting.length).toBeWithin(1, 20);
    }
  });

  test("refers only to what it created before, and creates each order, customer and lot once", () => {
    const seen = new Set<string>();
    const bring = (name: string) => {
      expect(seen).not.toContain(name);
      seen.add(name);
    };
    for (const act of plan.acts) {
      if (act.kind === "zone") for (const bin of act.zone.bins) bring(bin);
      else if (act.kind === "product") bring(act.article.sku);
      else if (act.kind === "customer") bring(act.buyer.email);
      else if (act.kind === "receipt") {
        expect(seen).toContain(act.sku);
        expect(seen).toContain(act.bin);
        expect(act.lot_number !== null).toBe(articles.get(act.sku)?.lot_tracking as boolean);
        if (act.lot_number !== null) bring(act.lot_number);
      } else if (act.kind === "order") {
        bring(act.order_number);
        expect(seen).toContain(act.customer_email);
        for (const { sku } of act.lines) expect(seen).toContain(sku);
      } else if (act.kind !== "tariff" && act.kind !== "warehouse") expect(seen).toContain(act.order_number);
    }
  });

  test("has businesses and homes, near, remote, military and abroad", () => {
    const buyers = acts("customer").map(({ buyer }) => buyer);
    const homes = buyers.filter(({ company }) => company === null);
    expect(homes.length).toBe(40);
    expect(homes.every(({ first_name, last_name }) => first_name !== null && last_name !== null)).toBe(true);
    const places = buyers.flatMap(({ addresses }) => addresses);
    for (const state of ["AE", "AP", "PR", "HI", "AK"]) expect(places.map((place) => place.state)).toContain(state);
    expect(new Set(places.map(({ country }) => country))).toEqual(new Set(["US", "CA", "GB"]));
  });

  test("ships some parcels with other carriers, with valid check digits", () => {
    const parcels = acts("ship").flatMap(({ parcel }) => parcel ?? []);
    expect(new Set(parcels.map(({ carrier }) => carrier))).toEqual(new Set(["ups", "fedex", "usps"]));
    expect(new Set(parcels.map(({ tracking_number }) => tracking_number)).size).toBe(parcels.length);
    for (const { carrier, tracking_number } of parcels) {
      expect(detectCarriers(tracking_number).map((found) => found.carrier)).toContain(carrier);
    }
    const labelled = acts("label").length;
    expect(parcels.length).toBeWithin(labelled / 20, labelled / 2);
  });

  test("orders one to six different products in a parcel that the carrier accepts", () => {
    for (const order of acts("order")) {
      expect(order.lines.length).toBeWithin(1, 7);
      expect(new Set(order.lines.map(({ sku }) => sku)).size).toBe(order.lines.length);
      const zones = order.lines.map(({ sku }) => articles.get(sku)?.temperature_zone);
      expect(order.requires_cold_storage).toBe(!zones.includes("ambient"));
    }
    for (const { weight_grams } of acts("label")) expect(weight_grams).toBeWithin(500, 31_752);
  });

  test("has most orders on weekdays before noon, and favorite products", () => {
    const orders = acts("order");
    const local = orders.map(({ at }) => new Date(at - 5 * 3_600_000));
    expect(local.filter((date) => date.getUTCDay() === 0).length).toBeLessThan(70);
    expect(local.filter((date) => date.getUTCHours() >= 7 && date.getUTCHours() < 12).length).toBeGreaterThan(350);
    const sold = new Map<string, number>();
    for (const { sku } of orders.flatMap(({ lines }) => lines)) sold.set(sku, (sold.get(sku) ?? 0) + 1);
    const counts = [...sold.values()].sort((a, b) => b - a);
    expect(counts[0] ?? 0).toBeGreaterThan(4 * (counts[40] ?? 0));
  });

  test("has stock with sufficient shelf life for every order, except those that wait", () => {
    const stock = new Map<string, { usable_until: number; left: number }[]>();
    let waiting = 0;
    for (const act of plan.acts) {
      if (act.kind === "receipt") {
        const shelf_ms = (articles.get(act.sku)?.min_shelf_life_days ?? 0) * day_ms;
        const lots = stock.get(act.sku) ?? [];
        lots.push({ usable_until: (act.expiration_at ?? Number.POSITIVE_INFINITY) - shelf_ms, left: act.quantity });
        stock.set(act.sku, lots);
      }
      if (act.kind !== "order") continue;
      let short = false;
      for (const { sku, quantity } of act.lines) {
        let missing = quantity;
        for (const lot of stock.get(sku) ?? []) {
          if (lot.usable_until < act.at) continue;
          const taken = Math.min(lot.left, missing);
          lot.left -= taken;
          missing -= taken;
        }
        if (missing > 0) short = true;
      }
      if (short) waiting++;
      const follows = plan.acts.some(
        (other) => "order_number" in other && other !== act && other.order_number === act.order_number,
      );
      if (short) expect(follows).toBe(false);
    }
    expect(waiting).toBe(plan.totals.backordered_orders);
  });

  test("lists each order's acts in a valid sequence of statuses", () => {
    const stories = new Map<string, string[]>();
    for (const act of plan.acts) {
      if (!("order_number" in act)) continue;
      const word = act.kind === "scan" ? act.status : act.kind;
      stories.set(act.order_number, [...(stories.get(act.order_number) ?? []), word]);
    }
    const way = [
      "order( hold( release)?)?( process( pick(( label)?( pack( ship( picked_up( in_transit",
      "(( out_for_delivery)( exception)?)?( out_for_delivery)?( delivered",
      "( return( receive_return( inspect_return( refund_return)?)?)?)?)?",
      ")?)?)?)?)?)?)?",
    ].join("");
    const pattern = new RegExp(`^(order cancel|${way})$`);
    for (const story of stories.values()) expect(story.join(" ")).toMatch(pattern);
    expect([...stories.values()].filter((story) => story.includes("exception")).length).toBeGreaterThan(5);
  });
});
