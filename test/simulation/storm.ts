// A warehouse in which everyone acts at once. The acts are drawn from a seed; the order in which they meet is up to
// chance.
import { expect } from "bun:test";
import { silentLog } from "../../src/core/log.ts";
import { type Random, seededRandom } from "../../src/core/random.ts";
import type { Answered } from "../build/service.ts";
import { openShop, type Shop } from "../build/shop.ts";

export interface Good {
  readonly id: string;
  readonly sku: string;
  readonly lots: boolean;
}

/** The shop of a storm, and the names of the records that the acts have created so far. */
export interface Storm {
  readonly shop: Shop;
  readonly goods: readonly Good[];
  readonly orders: string[];
  /** Order numbers for which stock was reserved before the order was created. */
  readonly promised_numbers: string[];
  readonly bookings: string[];
  readonly labels: string[];
  readonly tracking_numbers: string[];
  readonly returns: string[];
  readonly lots: string[];
  /** The errors that the service logged. */
  readonly complaints: string[];
}

type Sent = Promise<Answered> | null;
type Act = (storm: Storm, random: Random) => Sent | Promise<Answered | null>;

const house = "whs_1001";
const lots_each = 3;

/** Opens a shop with three plain goods, and two with lots that expire during the storm. */
export async function gatherStorm(): Promise<Storm> {
  const shop = await openShop();
  const complaints: string[] = [];
  const error = (message: string, fields: object = {}) => complaints.push(`${message} ${JSON.stringify(fields)}`);
  Object.assign(shop.app.service, { log: { ...silentLog, error } });
  // It is the last half hour of the day there, so that midnight comes during the storm.
  await shop.app.patch(`/inventory/locations/${house}`, { timezone: "America/St_Johns" });
  const goods: Good[] = [];
  for (let at = 0; at < 3; at++) goods.push({ ...(await shop.product({ units: 60 })), lots: false });
  const tracked = { lot_tracking: true, expiration_tracking: true, reorder_point: 10 };
  for (const sku of ["LOT-1", "LOT-2"]) {
    const { body } = await shop.app.post("/products", { sku, name: sku, ...tracked });
    goods.push({ id: body.data.id, sku, lots: true });
    for (let lot = 1; lot <= lots_each; lot++) {
      const batch = { lot_number: `L${lot}`, expiration_date: ahead(shop, lot * 1500) };
      await shop.app.post("/inventory", { sku, quantity: 15, location: house, ...batch });
    }
  }
  const lots = (await shop.app.get("/inventory/lots")).body.data.map(({ id }: { id: string }) => id);
  expect(lots).toHaveLength(2 * lots_each);
  const made = { orders: [], promised_numbers: [], bookings: [], labels: [], tracking_numbers: [], returns: [] };
  return { shop, goods, ...made, lots, complaints };
}

function ahead(shop: Shop, seconds: number): string {
  return new Date(shop.app.clocks.live.now() + seconds * 1000).toISOString();
}

const yes = (random: Random) => random.chance(0.5);

/** Adds the names in a successful response to those that later acts can choose from. */
async function noted(list: string[], field: string, sent: Promise<Answered>): Promise<Answered> {
  const answer = await sent;
  if (answer.status === 201) list.push(answer.body.data[field]);
  return answer;
}

/** An act on one of these, or none while there are none. */
function onOne(names: readonly string[], random: Random, send: (name: string) => Promise<Answered>): Sent {
  return names.length === 0 ? null : send(random.pick(names));
}

const onOrder =
  (action: string, body: (random: Random) => object = () => ({})): Act =>
  ({ shop, orders }, random) =>
    onOne(orders, random, (id) => shop.app.post(`/orders/${id}/${action}`, body(random)));

/** One line of an order in its current state, drawn before it is read. */
function onLine(
  { shop, orders }: Storm,
  random: Random,
  send: (id: string, line: { id: string; sku: string }) => Promise<Answered>,
): Sent {
  const place = random.next();
  return onOne(orders, random, async (id) => {
    const { line_items } = await shop.get(id);
    return send(id, line_items[Math.floor(place * line_items.length)]);
  });
}

function someGoods({ goods }: Storm, random: Random): Good[] {
  const chosen = goods.filter(() => yes(random));
  const some = chosen.length === 0 ? [random.pick(goods)] : chosen;
  return yes(random) ? some.reverse() : some;
}

const orderActs: Record<string, Act> = {
  create: (storm, random) => {
    const { shop, orders, promised_numbers } = storm;
    const lines = someGoods(storm, random).map((good) => [good, random.integer(1, 4)] as const);
    const order_number = yes(random) ? promised_numbers.pop() : undefined;
    const draft = shop.draft(lines, {
      ...(order_number === undefined ? {} : { order_number }),
      requires_cold_storage: random.chance(0.1),
      allow_backorder: random.chance(0.75),
      priority: random.integer(0, 2),
    });
    return noted(orders, "id", shop.app.post("/orders", draft));
  },
  revise: (storm, random) => {
    const line_items = someGoods(storm, random).map(({ id }) => ({
      product_id: id,
      quantity: random.integer(1, 3),
      unit_price: "1",
    }));
    return onOne(storm.orders, random, (id) => storm.shop.app.patch(`/orders/${id}`, { line_items }));
  },
  chill: ({ shop, orders }, random) =>
    onOne(orders, random, (id) => shop.app.patch(`/orders/${id}`, { requires_cold_storage: yes(random) })),
  cancel: ({ shop, orders }, random) => onOne(orders, random, (id) => shop.cancel(id)),
  hold: onOrder("hold", (random) => ({ reserve_inventory: yes(random), reason: random.pick(["manual", "payment"]) })),
  release: onOrder("release"),
  pick: onOrder("pick", () => ({ partial: true })),
  pack: onOrder("pack", () => ({ partial: true })),
  ship: onOrder("ship", (random) => ({ partial: yes(random) })),
  "choose anew": onOrder("allocate"),
  "cancel a unit": (storm, random) =>
    onLine(storm, random, (id, line) =>
      storm.shop.app.post(`/orders/${id}/cancel_items`, { items: [{ line_id: line.id, quantity: 1 }] }),
    ),
};

const floorActs: Record<string, Act> = {
  "pick as found": (storm, random) => {
    const place = { ...(yes(random) ? { bin: "A-01" } : {}), ...(yes(random) ? { lot_number: "L2" } : {}) };
    return onLine(storm, random, (id, line) => {
      const items = [{ line_id: line.id, quantity: 1, ...place }];
      return storm.shop.app.post(`/orders/${id}/pick`, { items });
    });
  },
  "miss a unit": (storm, random) => {
    const reason = random.pick(["lost", "damaged", "not_found"]);
    return onLine(storm, random, (id, line) => {
      const items = [{ line_id: line.id, quantity: 1, short: true, reason }];
      return storm.shop.app.post(`/orders/${id}/pick`, { items });
    });
  },
  "pack a box": (storm, random) =>
    onLine(storm, random, (id, line) => {
      const packages = [{ items: [{ line_id: line.id, quantity: 1 }] }];
      return storm.shop.app.post(`/orders/${id}/pack`, { packages });
    }),
  "put back": (storm, random) =>
    onLine(storm, random, (order_id, { sku }) =>
      storm.shop.app.post("/inventory/putbacks", { order_id, sku, quantity: 1, bin: "A-01" }),
    ),
};

const stockActs: Record<string, Act> = {
  add: ({ shop, goods }, random) => {
    const { sku, lots } = random.pick(goods);
    const expiration_date = ahead(shop, random.integer(1000, 4000));
    const batch = lots ? { lot_number: `N${random.integer(1, 1e9)}`, expiration_date } : {};
    return shop.app.post("/inventory", { sku, quantity: 6, location: house, ...batch });
  },
  adjust: ({ shop, goods }, random) => {
    const { sku, lots } = random.pick(goods);
    const place = { bin: "A-01", ...(lots ? { lot_number: `L${random.integer(1, lots_each)}` } : {}) };
    const change = { adjustment: random.pick([5, -4]), reason: "correction", allow_shortfall: yes(random) };
    return shop.app.patch(`/inventory/${sku}`, { ...change, ...place });
  },
  "judge a lot": ({ shop, lots }, random) => {
    const status = random.pick(["available", "available", "on_hold", "recalled"]);
    return shop.app.post(`/inventory/lots/${random.pick(lots)}/status`, { status, reason: "inspection" });
  },
  reserve: async ({ shop, goods, bookings, promised_numbers }, random) => {
    const order_id = `B-${random.integer(1, 1e9)}`;
    const items = [random.pick(goods), random.pick(goods)].map(({ sku }) => ({ sku, quantity: random.integer(1, 2) }));
    const booking = { order_id, expires_at: ahead(shop, random.integer(60, 2000)), items };
    const sent = shop.app.post("/inventory/reserve", booking);
    // Registered before the response, so that its order may come at the same time.
    promised_numbers.push(order_id);
    return noted(bookings, "reservation_id", sent);
  },
  unreserve: ({ shop, bookings }, random) =>
    onOne(bookings, random, (reservation_id) => shop.app.post("/inventory/release", { reservation_id })),
};

async function bought({ shop, labels, tracking_numbers }: Storm, order_id: string, more: object): Promise<Answered> {
  const parcel = { order_id, carrier: "local", service: "standard", ...more };
  const answer = await noted(labels, "label_id", shop.app.post("/shipping/labels", parcel));
  if (answer.status === 201) tracking_numbers.push(answer.body.data.tracking_number);
  return answer;
}

const parcelActs: Record<string, Act> = {
  label: (storm, random) => {
    const additional = random.chance(0.3);
    return onOne(storm.orders, random, (id) => bought(storm, id, { package: { weight: 2 }, additional }));
  },
  "label a unit": (storm, random) => {
    const weight = random.integer(2, 9);
    return onLine(storm, random, (id, line) =>
      bought(storm, id, { package: { weight }, items: [{ line_id: line.id, quantity: 1 }] }),
    );
  },
  "void a label": ({ shop, labels }, random) =>
    onOne(labels, random, (id) => shop.app.post(`/shipping/labels/${id}/void`)),
  scan: ({ shop, tracking_numbers }, random) => {
    const status = random.pick(["picked_up", "in_transit", "delivered"]);
    const message = String(random.integer(1, 1e9));
    return onOne(tracking_numbers, random, (name) => shop.app.post(`/tracking/${name}/events`, { status, message }));
  },
};

interface Returned {
  readonly status: string;
  readonly items: readonly { readonly sku: string; readonly quantity_received: number }[];
}

const returnActs: Record<string, Act> = {
  return: ({ shop, orders, returns }, random) =>
    onOne(orders, random, (order_id) =>
      noted(returns, "id", shop.app.post("/returns", { order_id, reason: "defective" })),
    ),
  "next step of a return": ({ shop, returns }, random) => {
    const disposition = random.pick(["restock", "dispose", "quarantine"]);
    return onOne(returns, random, async (id) => {
      const { status, items }: Returned = (await shop.app.get(`/returns/${id}`)).body.data;
      if (status === "initiated") return shop.app.post(`/returns/${id}/receive`);
      if (status !== "received") return shop.app.post(`/returns/${id}/refund`);
      const seen = items.map(({ sku, quantity_received }) => {
        return { sku, quantity: quantity_received, condition: "unopened", disposition };
      });
      return shop.app.post(`/returns/${id}/inspect`, { items: seen });
    });
  },
};

const acts: Readonly<Record<string, Act>> = { ...orderActs, ...floorActs, ...stockActs, ...parcelActs, ...returnActs };
const names = Object.keys(acts);
const weights = names.map((name) => ({ create: 4, label: 2, scan: 2, ship: 2 })[name] ?? 1);

const together = 12;
const rounds_between_jobs = 7;
const round_seconds = 120;

/** Plays rounds of concurrent acts, with jobs now and then among them. Returns how often each act got each response. */
export async function letRage(storm: Storm, seed: number, rounds: number): Promise<ReadonlyMap<string, number>> {
  const random = seededRandom(seed);
  const answers = new Map<string, number>();
  const actOnce = async () => {
    const name = names[random.weighted(weights)] ?? "";
    // A separate random source, so that its draws do not depend on when the others get their responses.
    const answer = await acts[name]?.(storm, seededRandom(random.integer(0, 2 ** 32 - 1)));
    if (!answer) return;
    const told = `${name}: ${answer.status} ${answer.body.error?.code ?? ""}`.trimEnd();
    answers.set(told, (answers.get(told) ?? 0) + 1);
  };
  for (let round = 0; round < rounds; round++) {
    const work = Array.from({ length: together }, actOnce);
    if (round % rounds_between_jobs === 0) {
      storm.shop.app.clocks.live.advance(round_seconds * 1000);
      work.push(storm.shop.app.runJobs());
    }
    await Promise.all(work);
  }
  await storm.shop.app.runJobs();
  return answers;
}
