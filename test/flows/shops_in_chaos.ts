// Three shops, one of each platform, and the servers that push stock to them, for a day of chaos.
import { expect } from "bun:test";
import { type Random, seededRandom, zipf } from "../../src/core/random.ts";
import { arrivals, mishap, type NotificationChaos, type RequestChaos } from "../platforms/mocks/chaos.ts";
import { openStore, type PlatformName, platformNames, type Store } from "../platforms/shipment_updates/connected.ts";
import { seed } from "../volume.ts";
import { openServers } from "./killable_servers.ts";
import { type Answer, client, stockUp } from "./service.ts";

const skus_per_shop = 67;
const units_at_first = 40;
/** More than what is sold elsewhere, or lost, before a shop shows it. */
const buffer = 5;
/** How many of Shopify's SKUs have no buffer: they are sold there only, and Shopify compares and sets in one step. */
const exact_skus = 10;
const settled_within_ms = 240_000;
/** How many of a shop's orders may be unpaid before the oldest of them is paid. */
const unpaid_at_once = 3;

const calm: RequestChaos = { delay_ms_max: 40, throttled: 0, failed: 0, cut: 0, lost: 0 };
const troubles: RequestChaos = { delay_ms_max: 40, throttled: 0.02, failed: 0.02, cut: 0.02, lost: 0.03 };
const good_mail: NotificationChaos = { lost: 0, repeated: 0, late: 0 };
const bad_mail: NotificationChaos = { lost: 0.1, repeated: 0.1, late: 0.1 };

export interface Shop {
  readonly platform: PlatformName;
  readonly store: Store;
  readonly id: string;
  readonly callback: string;
  readonly skus: readonly string[];
  /** Those that may never show more than there is, not even for a moment. */
  readonly exact: ReadonlySet<string>;
  /** Notifications that are not sent yet. */
  readonly outbox: ReturnType<Store["sell"]>[];
  /** Orders that are not paid yet: their units are gone at the shop, and no order here reserves them. */
  readonly unpaid: number[];
  /** SKUs whose number someone changed at the shop. */
  readonly meddled: Set<string>;
  /** Requests about stock and changed orders. */
  requests: number;
  troubles: RequestChaos;
}

/** A client that repeats a request with one key until a server answers. */
function patient(url: string, key: string) {
  const api = client(url, key);
  return async (method: string, path: string, body?: unknown): Promise<Answer["body"]> => {
    const idempotency_key = crypto.randomUUID();
    for (let tries = 0; ; tries += 1) {
      const headers = method === "GET" ? {} : { "idempotency-key": idempotency_key };
      const answer = await api.send(method, path, body, headers as Record<string, string>).catch(() => null);
      if (answer !== null && answer.status < 300) return answer.body;
      if (answer !== null && answer.status < 500 && answer.status !== 409) {
        throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      }
      if (tries > 300) throw new Error(`${method} ${path}: no answer`);
      await Bun.sleep(100);
    }
  };
}
type Patient = ReturnType<typeof patient>;

/** Connects a store that sells these SKUs, and pushes stock to it. */
async function openShop(send: Patient, platform: PlatformName, skus: readonly string[], random: Random): Promise<Shop> {
  const store = await openStore(platform);
  for (const sku of skus) store.shelf.stock({ sku });
  const { id, callback_url } = (await send("POST", "/platforms", store.byApp?.connection ?? store.connection)).data;
  const callback = callback_url.replace(/^.*\/v1/, "");
  const shop: Shop = {
    platform,
    store,
    id,
    callback,
    skus,
    exact: new Set(platform === "shopify" ? skus.slice(0, exact_skus) : []),
    outbox: [],
    unpaid: [],
    meddled: new Set(),
    requests: 0,
    troubles: calm,
  };
  store.misbehave(({ path, body }) => {
    const is_one_order = /\/orders\/\d+/.test(path) || body.includes("order(id:") || path.includes("access_token");
    if (!is_one_order) shop.requests += 1;
    return mishap(random, shop.troubles);
  });
  await send("PATCH", `/platforms/${id}/stock`, { enabled: true, buffer });
  return shop;
}

/** What is left of each SKU: what came in, less what was sold or lost anywhere. */
type Left = Map<string, number>;
const leftOf = (left: Left, sku: string) => left.get(sku) ?? 0;
const add = (left: Left, sku: string, units: number) => left.set(sku, leftOf(left, sku) + units);

/** The day: what happens at the shops and here, and what it came to. */
export interface Day {
  readonly servers: Awaited<ReturnType<typeof openServers>>;
  readonly send: Patient;
  readonly key: string;
  readonly random: Random;
  readonly shops: readonly Shop[];
  readonly left: Left;
  /** What a new order here needs. */
  readonly to: { readonly customer_id: string; readonly shipping_address_id: string };
  readonly location: string;
  /** Units sold at the shops, buyers who found nothing, and changes here and of SKUs altogether. */
  readonly counts: { sold: number; sold_out: number; ours: number; changes: number; next_id: number };
  /** What was sold although it was not there. */
  readonly oversold: string[];
  readonly under_way: Set<Promise<unknown>>;
}

/** Starts servers and connects three shops, which show our numbers. */
export async function openDay(): Promise<Day> {
  const random = seededRandom(seed);
  const servers = await openServers();
  const key = await servers.makeKey();
  const send = patient(servers.url, key);
  const all = Array.from({ length: platformNames.length * skus_per_shop }, (_, n) => `SKU-${n}`);
  const { location, ...to } = await stockUp(client(servers.url, key), all, units_at_first);
  const left: Left = new Map(all.map((sku) => [sku, units_at_first]));
  const shops: Shop[] = [];
  for (const [n, platform] of platformNames.entries()) {
    const skus = all.slice(n * skus_per_shop, (n + 1) * skus_per_shop);
    shops.push(await openShop(send, platform, skus, random));
  }
  const counts = { sold: 0, sold_out: 0, ours: 0, changes: 0, next_id: 1000 };
  const at_first = { counts, oversold: [], under_way: new Set<never>() };
  const day = { servers, send, key, random, shops, left, to, location, ...at_first };
  for (const { id, exact } of shops) {
    for (const sku of exact) {
      const [listing] = await until(async () => {
        const { data } = await send("GET", `/platforms/${id}/listings?q=${sku}`);
        return data.filter((one: { sku: string }) => one.sku === sku);
      });
      await send("PATCH", `/platforms/${id}/listings/${listing.id}`, { buffer: 0 });
    }
  }
  await settled(day);
  return day;
}

/** Reads again until a list has entries. */
async function until(read: () => Promise<Answer["body"][]>): Promise<Answer["body"][]> {
  for (;;) {
    const found = await read();
    if (found.length > 0) return found;
    await Bun.sleep(200);
  }
}

/** Reads all entries of a list. */
export async function listAll({ send }: Pick<Day, "send">, path: string): Promise<Answer["body"][]> {
  const all: Answer["body"][] = [];
  for (let cursor = ""; ; ) {
    const { data, meta } = await send("GET", `${path}?limit=100${cursor}`);
    all.push(...data);
    if (!meta.pagination.has_more) return all;
    cursor = `&cursor=${meta.pagination.next_cursor}`;
  }
}

/** Waits until the shops show our numbers. */
export async function settled({ shops, left }: Pick<Day, "shops" | "left">): Promise<void> {
  const bufferOf = ({ exact }: Shop, sku: string) => (exact.has(sku) ? 0 : buffer);
  const wanted = (shop: Shop) => shop.skus.map((sku) => [sku, Math.max(0, leftOf(left, sku) - bufferOf(shop, sku))]);
  const shown = ({ skus, store }: Shop) => skus.map((sku) => [sku, store.shelf.units(sku)]);
  const end = Date.now() + settled_within_ms;
  while (Date.now() < end && !shops.every((shop) => Bun.deepEquals(shown(shop), wanted(shop)))) await Bun.sleep(200);
  for (const shop of shops) expect([shop.platform, shown(shop)]).toEqual([shop.platform, wanted(shop)]);
}

async function compare({ shops, send }: Day): Promise<void> {
  for (const { id } of shops) await send("POST", `/platforms/${id}/stock/read`, {});
}

/** Compares the shops' numbers with ours, as each night, and waits until that is done. */
export async function compared(day: Day): Promise<void> {
  await compare(day);
  for (const { id } of day.shops) {
    const isReading = async () => (await day.send("GET", `/platforms/${id}/stock`)).data.reading !== null;
    while (await isReading()) await Bun.sleep(200);
  }
}

function inBackground({ under_way }: Day, work: Promise<unknown>): void {
  under_way.add(work);
  void work.finally(() => under_way.delete(work));
}

const weights = zipf(skus_per_shop, 0.8);

/** Someone buys up to three things that the shop shows. The notification waits in the outbox. */
function buy({ random, left, counts, oversold }: Day, { platform, store, skus, outbox, unpaid }: Shop): void {
  const wanted = new Set(Array.from({ length: random.integer(1, 3) }, () => skus[random.weighted(weights)] ?? ""));
  const units = [...wanted].flatMap((sku) => {
    const quantity = Math.min(random.integer(1, 3), store.shelf.units(sku));
    return quantity > 0 ? [{ sku, quantity }] : [];
  });
  if (units.length === 0) {
    counts.sold_out += 1;
    return;
  }
  counts.next_id += 1;
  const placed = store.sell(counts.next_id, units);
  if (platform === "shopify" && random.chance(0.2)) {
    store.edit(counts.next_id, { financial_status: "pending" });
    unpaid.push(counts.next_id);
    outbox.push(store.notification(counts.next_id));
  } else outbox.push(placed);
  for (const { sku, quantity } of units) {
    add(left, sku, -quantity);
    counts.sold += quantity;
    counts.changes += 1;
    if (leftOf(left, sku) < 0) oversold.push(`${platform} sold ${sku}: ${leftOf(left, sku)} left`);
  }
}

/** Buyers pay for the orders that were placed first. */
function pay({ store, outbox, unpaid }: Shop, orders: number): void {
  for (const id of unpaid.splice(0, orders)) {
    store.edit(id, { financial_status: "paid" });
    outbox.push(store.notification(id));
  }
}

/** Sends the notifications in the outbox. What no server receives is lost. */
function deliver(day: Day, { outbox, platform, callback }: Shop, mail: NotificationChaos): void {
  const sent = arrivals(outbox.splice(0), day.random, mail);
  const authorization = platform === "bigcommerce" ? { authorization: `Bearer ${day.key}` } : {};
  const post = async () => {
    for (const { body, headers: own } of sent) {
      const headers = { ...own, ...authorization };
      const answer = await fetch(`${day.servers.url}/v1${callback}`, { method: "POST", body, headers }).catch(
        () => null,
      );
      // A server that is stopped or busy loses a notification; none is refused.
      if (answer !== null && answer.status < 500) expect([platform, answer.status]).toEqual([platform, 200]);
    }
  };
  inBackground(day, post());
}

/** Goods arrive, are lost, or are sold elsewhere; of those, no more than the shop holds back. */
function changeOurs(day: Day, { skus, exact, store }: Shop): void {
  const { random, left, send, counts, to, location } = day;
  const sku = random.pick(skus);
  counts.ours += 1;
  counts.changes += 1;
  if (exact.has(sku) || random.chance(0.5)) {
    const quantity = random.integer(5, 30);
    add(left, sku, quantity);
    inBackground(day, send("POST", "/inventory", { sku, quantity, location }));
    return;
  }
  const quantity = random.integer(1, 2);
  if (leftOf(left, sku) - quantity < store.shelf.units(sku)) return;
  add(left, sku, -quantity);
  const line_items = [{ sku, quantity, unit_price: "5.00" }];
  const lost = () => send("PATCH", `/inventory/${sku}`, { adjustment: -quantity, reason: "lost" });
  const soldElsewhere = () => send("POST", "/orders", { ...to, order_number: `OURS-${counts.ours}`, line_items });
  inBackground(day, random.chance(0.3) ? lost() : soldElsewhere());
}

/** Notes the SKUs without a buffer of which a shop shows more than there is. */
function noteTooMany({ shops, left, oversold }: Day): void {
  for (const { platform, store, exact } of shops) {
    for (const sku of exact) {
      const [shown, there] = [store.shelf.units(sku), leftOf(left, sku)];
      if (shown > there) oversold.push(`${platform} shows ${shown} of ${sku}, of which there are ${there}`);
    }
  }
}

/** Someone changes a number at the shop, to no more than there is. */
function meddle({ random, left }: Day, { skus, meddled, store }: Shop): void {
  const sku = random.pick(skus);
  meddled.add(sku);
  store.shelf.count(sku, random.integer(0, Math.max(0, leftOf(left, sku))));
}

/** How long a part of the day is, after which orders servers are killed, and whether the shops are in chaos. */
interface Part {
  readonly orders: number;
  readonly per_second: number;
  readonly kills: ReadonlySet<number>;
  readonly chaos: boolean;
}

/** Buyers place orders, and stock changes here. With chaos, all else happens too. Returns the seconds that it took. */
export async function live(day: Day, { orders, per_second, kills, chaos }: Part) {
  const { random, shops, counts } = day;
  const mail = chaos ? bad_mail : good_mail;
  for (const shop of shops) Object.assign(shop, { requests: 0, troubles: chaos ? troubles : calm });
  counts.changes = 0;
  const begun = performance.now();
  for (let n = 0; n < orders; n += 1) {
    const shop = random.pick(shops);
    buy(day, shop);
    if (shop.unpaid.length > unpaid_at_once) pay(shop, 1);
    if (!chaos || random.chance(0.1)) deliver(day, shop, mail);
    if (random.chance(0.5)) changeOurs(day, random.pick(shops));
    noteTooMany(day);
    if (kills.has(n)) inBackground(day, day.servers.kill());
    if (chaos) {
      if (random.chance(0.02)) meddle(day, random.pick(shops));
      if (random.chance(0.005)) for (const { store } of shops) store.byApp?.expireTokens();
      if (n % Math.ceil(orders / 5) === 1) inBackground(day, compare(day));
    }
    await Bun.sleep(Math.max(0, (n * 1000) / per_second - (performance.now() - begun)));
  }
  const seconds = (performance.now() - begun) / 1000;
  for (const shop of shops) {
    pay(shop, shop.unpaid.length);
    deliver(day, shop, mail);
    shop.troubles = calm;
  }
  await Promise.all(day.under_way);
  expect(day.oversold).toEqual([]);
  // Orders whose notifications were lost are found by the comparison.
  if (chaos || kills.size > 0) await compared(day);
  await settled(day);
  return { seconds, settling: (performance.now() - begun) / 1000 - seconds };
}

/** The numbers that were set since a time, in the part of the day that ended last, and how long the slowest 1% took. */
export async function figures(day: Day, since: number): Promise<{ text: string; p99_seconds: number }> {
  const requests = day.shops.reduce((sum, shop) => sum + shop.requests, 0);
  const pushes: Answer["body"][] = [];
  for (const { id } of day.shops) pushes.push(...(await listAll(day, `/platforms/${id}/stock_pushes`)));
  const set = pushes.filter(({ result, created_at }) => result === "set" && Date.parse(created_at) >= since);
  const waits: number[] = set.flatMap(({ seconds }) => seconds ?? []).sort((a, b) => a - b);
  const quantile = (part: number) => waits[Math.floor(waits.length * part)] ?? 0;
  const [p50, p99_seconds] = [quantile(0.5), quantile(0.99)];
  const each = `${((requests * 1000) / day.counts.changes).toFixed(0)} requests per 1,000 changes`;
  const waited = `p50 ${p50.toFixed(1)} s, p99 ${p99_seconds.toFixed(1)} s after the change`;
  return { text: `${set.length} numbers set, ${waited}; ${each}`, p99_seconds };
}
