// A service with one resource of each kind, and everything that can change them: conditional requests and other causes.

import { iso } from "../../src/core/clock.ts";
import type { Random } from "../../src/core/random.ts";
import { day_ms, hour_ms } from "../../src/core/time.ts";
import { touchKey } from "../../src/identity/api_keys/api_keys.sql.ts";
import type { OutsideCarrier } from "../../src/shipping/carriers/connector.ts";
import { overrideCarriers } from "../../src/shipping/carriers/connectors.ts";
import { healthAfter } from "../../src/webhooks/subscriptions/subscription.ts";
import { lockSubscription, saveHealth } from "../../src/webhooks/subscriptions/subscriptions.sql.ts";
import { openShop, type Shop } from "../build/shop.ts";
import { signedInAs } from "../identity/people.ts";
import { type OrderAct, orderActs } from "../orders/order_acts.ts";
import { fake_listing, fakeCarrier } from "../shipping/carriers/fake_carrier.ts";

/** A request that changes one resource and may be conditional. */
export interface Change {
  /** The operation's id in the reference. */
  readonly id: string;
  /** The resource's name in this service. */
  readonly of: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** Headers other than the condition. */
  readonly headers?: Record<string, string>;
}

/** A resource that can be read on its own: its route, and its path. */
export interface Resource {
  readonly route: string;
  readonly path: string;
  /** Headers that authenticate a user, instead of a key. */
  readonly headers?: Record<string, string>;
}

const parcel = { weight: 1, weight_unit: "lb" };

/** Opens a service with one resource of each kind. */
export async function openHouse() {
  const shop = await openShop();
  const made = async (path: string, body: object) => {
    const answer = await shop.app.post(path, body);
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.data ?? answer.body;
  };
  const tea = await shop.product();
  await made("/inventory", { sku: tea.sku, quantity: 16, bin: "K-1" });
  const milk = await made("/products", { sku: "MILK", name: "Milk", lot_tracking: true, expiration_tracking: true });
  const expiration_date = iso(shop.app.clocks.live.now() + 20 * day_ms);
  await made("/inventory", { sku: "MILK", quantity: 10, lot_number: "L-1", expiration_date });
  const [lot] = (await shop.app.get("/inventory/lots")).body.data;
  const [{ warehouse_id: from_location, ...same }] = (await shop.app.get("/inventory/locations")).body.data;
  const { warehouse_id: to_location } = await made("/inventory/locations", { ...same, name: "Other" });
  const lines = [{ sku: tea.sku, quantity: 2 }];
  const doubtful = await made(`/customers/${shop.customer.id}/addresses`, elsewhere);
  const waiting = await shop.order(
    [
      [tea, 2],
      [milk, 3],
    ],
    { shipping_address_id: doubtful.id },
  );
  const travelling = await shop.order([[tea, 2]]);
  const [{ code: carrier }] = (await shop.app.get("/shipping/carriers")).body.data.carriers;
  const label = await made("/shipping/labels", {
    order_id: travelling.id,
    carrier,
    service: "standard",
    package: parcel,
  });
  const sent = await shop.order([[tea, 2]]);
  await shop.act(sent.id, "ship");
  const expires_at = iso(shop.app.clocks.live.now() + 5 * day_ms);
  const hook = { url: "https://shop.example.com/hook", events: ["shipment.exception"] };
  const webhook = await made("/webhooks", hook);
  const [event] = await shop.app.takeEvents();
  const since = iso(shop.app.clocks.live.now() - day_ms);
  const [person, other] = [await signedInAs(shop.app.service, "owner"), await signedInAs(shop.app.service, "office")];
  const ids = {
    cookie: person.headers.cookie,
    ...{ user: other.id, device: (await made("/floor_devices", { name: "Scanner", warehouse_id: to_location })).id },
    tea: tea.id,
    sku: tea.sku,
    lot: lot.id,
    waiting: waiting.id,
    travelling: travelling.id,
    to_location,
    customer: shop.customer.id,
    address: shop.customer.shipping_addresses[1].id,
    location: from_location,
    booking: (await made("/inventory/reserve", { order_id: "LATER", items: lines, expires_at })).reservation_id,
    count: (await made("/inventory/counts", { location: from_location, skus: [tea.sku] })).id,
    receipt: (await made("/inventory/receipts", { location: from_location, items: lines })).id,
    transfer: (await made("/inventory/transfers", { from_location, to_location, items: lines })).id,
    tracking: label.tracking_number,
    return: (await made("/returns", { order_id: sent.id, reason: "defective" })).id,
    platform: (await made("/platforms", { ...store, client_secret: "a-secret-of-the-shop" })).id,
    webhook: webhook.id,
    recovery: (await made(`/webhooks/${webhook.id}/recoveries`, { created_after: since })).id,
    key: (await made("/keys", { name: "till", permission: "read" })).id,
    event: (event as unknown as { id: string }).id,
    doubtful: doubtful.id,
    carrier,
    ...(await laterOf(shop, made, tea, carrier, from_location)),
  };
  const acts = orderActs(shop.app.app.routes);
  return { shop, ids, acts, resources: resourcesOf(ids), happenings: happeningsIn(shop, ids) };
}

/** Creates a printer, a station that uses another one, and a carton. */
async function printingOf({ app }: Shop, made: Made) {
  const [{ warehouse_id }] = (await app.get("/inventory/locations")).body.data;
  const place = { kind: "ipp", host: "192.168.1.40", media: "a4", warehouse_id };
  const { id: printer = "" } = await made("/printers", { name: "Laser", ...place });
  const { id: document_printer_id } = await made("/printers", { name: "Spare", ...place });
  const { id: station = "" } = await made("/stations", { name: "Table", document_printer_id, warehouse_id });
  const { id: carton = "" } = await made("/cartons", { code: "S", length: 8, width: 6, height: 4 });
  return { printer, station, carton };
}

/** Packs an order without a label, so that its parcel can be reopened. */
async function packedOf({ app, order }: Shop, tea: Tea) {
  const { id } = await order([[tea, 1]]);
  const packages = [{ items: [{ sku: tea.sku, quantity: 1 }] }];
  const { data } = (await app.post(`/orders/${id}/pack`, { packages })).body;
  return { packed: id as string, unshipped: data.shipments[0].id as string };
}

type Tea = Awaited<ReturnType<Shop["product"]>>;
type Made = (path: string, body: object) => Promise<Record<string, string>>;

/** Creates a tote, a wave and a parcel being packed, and what shipping needs. */
async function laterOf(shop: Shop, made: Made, tea: Tea, carrier: string, warehouse_id: string) {
  const tote = (await made("/totes", { code: "T-1", warehouse_id }))["id"] ?? "";
  const wave = (await made("/waves", { mode: "batch", warehouse_id }))["id"] ?? "";
  const { id: order_id } = await shop.order([[tea, 1]]);
  const session = (await made("/packing_sessions", { order_id, device: "Table 1" }))["id"] ?? "";
  return { tote, wave, session, ...(await shippingOf(shop, made, tea, carrier)) };
}

/** Creates what shipping needs: a carrier account that verifies addresses, a rate card, a parcel and its manifest. */
async function shippingOf(shop: Shop, made: Made, tea: Tea, carrier: string) {
  overrideCarriers(shop.app.service, { fake: knowing });
  const credentials = { api_key: "a-key-at-the-carrier", account: "A-1" };
  const account = (await made("/shipping/carrier_accounts", { connector: "fake", credentials }))["id"] ?? "";
  const listed = await shop.order([[tea, 1]]);
  const label = await made("/shipping/labels", { order_id: listed.id, carrier, service: "standard", package: parcel });
  const { label_id = "", shipment_id: shipment = "", tracking_number: scanned = "" } = label;
  const manifest = (await made("/shipping/manifests", { label_ids: [label_id] }))["manifest_id"] ?? "";
  const [{ id: card }] = (await shop.app.get("/shipping/rate_cards")).body.data;
  const rule = (await made("/shipping/rules", { name: "Rush", actions: { priority: 1 } }))["id"] ?? "";
  return {
    account,
    rule,
    card: card as string,
    listed: listed.id as string,
    label: label_id,
    shipment,
    scanned,
    manifest,
    ...(await printingOf(shop, made)),
    ...(await packedOf(shop, tea)),
  };
}

/** An address whose state does not match its postal code. */
const elsewhere = { address_line1: "3 Elm St", city: "Portland", state: "ME", postal_code: "97201", country: "US" };

const fake = fakeCarrier();
const knowing: OutsideCarrier = {
  ...fake.connector,
  capabilities: new Set(["rating", "address", "webhook"]),
  verifyAddress: async (address) => {
    const deliverable = address.state === "OR";
    const better = { errors: ["No such street."], suggestion: { ...address, state: "OR" } };
    return { deliverable, residential: true, ...(deliverable ? { errors: [], suggestion: null } : better) };
  },
};

export type House = Awaited<ReturnType<typeof openHouse>>;

// A public address that needs no DNS; nothing is ever sent there.
const store = { platform: "shopify", store_id: "tea.myshopify.com", api_url: "https://93.184.216.34" };

type Ids = Readonly<Record<"tea" | "sku" | "lot" | "waiting" | "travelling" | "customer" | "address", string>> &
  Readonly<Record<"packed" | "unshipped" | "printer" | "station" | "carton" | "tote" | "wave" | "session", string>> &
  Readonly<Record<"booking" | "count" | "receipt" | "transfer" | "tracking" | "return" | "platform", string>> &
  Readonly<Record<"webhook" | "recovery" | "key" | "event" | "location" | "to_location" | "doubtful", string>> &
  Readonly<
    Record<"account" | "card" | "rule" | "carrier" | "listed" | "label" | "shipment" | "scanned" | "manifest", string>
  > &
  Readonly<Record<"cookie" | "user" | "device", string>>;

function resourcesOf(ids: Ids): Readonly<Record<string, Resource>> {
  return {
    product: { route: "/products/:id", path: `/products/${ids.tea}` },
    stock: { route: "/inventory/:sku", path: `/inventory/${ids.sku}` },
    lot: { route: "/inventory/lots/:id", path: `/inventory/lots/${ids.lot}` },
    booking: { route: "/inventory/reservations/:id", path: `/inventory/reservations/${ids.booking}` },
    count: { route: "/inventory/counts/:id", path: `/inventory/counts/${ids.count}` },
    receipt: { route: "/inventory/receipts/:id", path: `/inventory/receipts/${ids.receipt}` },
    transfer: { route: "/inventory/transfers/:id", path: `/inventory/transfers/${ids.transfer}` },
    tote: { route: "/totes/:id", path: `/totes/${ids.tote}` },
    wave: { route: "/waves/:id", path: `/waves/${ids.wave}` },
    session: { route: "/packing_sessions/:id", path: `/packing_sessions/${ids.session}` },
    customer: { route: "/customers/:id", path: `/customers/${ids.customer}` },
    waiting: { route: "/orders/:id", path: `/orders/${ids.waiting}` },
    travelling: { route: "/orders/:id", path: `/orders/${ids.travelling}` },
    packed: { route: "/orders/:id", path: `/orders/${ids.packed}` },
    parcel: { route: "/tracking/:tracking_number", path: `/tracking/${ids.tracking}` },
    "parcel in short": { route: "/tracking/:tracking_number", path: `/tracking/${ids.tracking}?shape=a` },
    return: { route: "/returns/:id", path: `/returns/${ids.return}` },
    platform: { route: "/platforms/:id", path: `/platforms/${ids.platform}` },
    webhook: { route: "/webhooks/:id", path: `/webhooks/${ids.webhook}` },
    recovery: {
      route: "/webhooks/:id/recoveries/:recovery_id",
      path: `/webhooks/${ids.webhook}/recoveries/${ids.recovery}`,
    },
    key: { route: "/keys/:id", path: `/keys/${ids.key}` },
    event: { route: "/events/:id", path: `/events/${ids.event}` },
    account: { route: "/shipping/carrier_accounts/:id", path: `/shipping/carrier_accounts/${ids.account}` },
    card: { route: "/shipping/rate_cards/:id", path: `/shipping/rate_cards/${ids.card}` },
    printer: { route: "/printers/:id", path: `/printers/${ids.printer}` },
    station: { route: "/stations/:id", path: `/stations/${ids.station}` },
    carton: { route: "/cartons/:id", path: `/cartons/${ids.carton}` },
    rule: { route: "/shipping/rules/:id", path: `/shipping/rules/${ids.rule}` },
    holidays: { route: "/shipping/holidays/:carrier", path: `/shipping/holidays/${ids.carrier}` },
    "holidays of a year": { route: "/shipping/holidays/:carrier", path: `/shipping/holidays/${ids.carrier}?year=2027` },
    overrides: { route: "/shipping/zones/overrides", path: "/shipping/zones/overrides" },
    charts: { route: "/shipping/zones/charts", path: "/shipping/zones/charts" },
    shipment: { route: "/shipments/:id", path: `/shipments/${ids.shipment}` },
    user: { route: "/users/:id", path: `/users/${ids.user}` },
    device: { route: "/floor_devices/:id", path: `/floor_devices/${ids.device}` },
    me: { route: "/users/me", path: "/users/me", headers: { cookie: ids.cookie } },
    manifest: { route: "/shipping/manifests/:id", path: `/shipping/manifests/${ids.manifest}` },
    merchant: { route: "/merchants/:id", path: "/merchants/MAIN" },
    branding: { route: "/merchants/:id/branding", path: "/merchants/MAIN/branding" },
  };
}

/** Every request that can be conditional, with its input for this step. */
export function changesOf({ ids, acts }: Pick<House, "ids" | "acts">, random: Random, now: number): Change[] {
  const sent: Sent = {
    name: `Name ${random.integer(1, 9)}`,
    quantity: random.integer(1, 3),
    later: (days) => iso(now + random.integer(1, days) * day_ms),
    random,
  };
  const reopening = at(`/orders/${ids.packed}/shipments/${ids.unshipped}`, "packed");
  return [
    ...orderChanges(acts, at(`/orders/${ids.waiting}`, "waiting"), ids, sent),
    ...orderChanges(acts, at(`/orders/${ids.travelling}`, "travelling"), ids, sent),
    reopening("reopenOrderShipment", "POST", "/reopen", { reason: "mistake" }),
    ...stockChanges(ids, sent),
    ...floorChanges(ids, sent),
    ...returnChanges(ids, sent),
    ...deskChanges(ids, sent),
    ...peopleChanges(ids, sent),
    ...shippingChanges(ids, sent),
  ];
}

/** The input of requests in this step. */
interface Sent {
  readonly name: string;
  readonly quantity: number;
  readonly later: (days: number) => string;
  readonly random: Random;
}

/** Makes changes to one resource at a path. */
const at = (base: string, of: string) => (id: string, method: string, action: string, body?: unknown) => ({
  id,
  of,
  method,
  path: `${base}${action}`,
  ...(body === undefined ? {} : { body }),
});

function orderChanges(
  acts: readonly OrderAct[],
  act: ReturnType<typeof at>,
  { sku, doubtful }: Ids,
  { name, quantity, random }: Sent,
): Change[] {
  const bodies: Readonly<Record<string, unknown>> = {
    updateOrder: { order_notes: name, priority: quantity, shipping_address_id: doubtful },
    holdOrder: { reason: "fraud", reserve_inventory: random.chance(0.5) },
  };
  return acts.map(({ id, method, path, requiredFor }) => act(id, method, path, bodies[id] ?? requiredFor({ sku })));
}

function stockChanges(ids: Ids, { name, quantity, later, random }: Sent): Change[] {
  const items = [{ sku: ids.sku, quantity }];
  const stock = at(`/inventory/${ids.sku}`, "stock");
  const booking = at(`/inventory/reservations/${ids.booking}`, "booking");
  const lot = at(`/inventory/lots/${ids.lot}`, "lot");
  const count = at(`/inventory/counts/${ids.count}`, "count");
  const receipt = at(`/inventory/receipts/${ids.receipt}`, "receipt");
  const transfer = at(`/inventory/transfers/${ids.transfer}`, "transfer");
  return [
    at(`/products/${ids.tea}`, "product")("updateProduct", "PATCH", "", { name }),
    at(`/inventory/locations/${ids.to_location}`, "warehouse")("updateLocation", "PATCH", "", { name }),
    stock("adjustInventory", "PATCH", "", { adjustment: quantity, reason: "correction" }),
    booking("extendReservation", "POST", "/extend", { expires_at: later(29) }),
    lot("correctLot", "PATCH", "", { expiration_date: later(40) }),
    lot("setLotStatus", "POST", "/status", { status: random.pick(["available", "on_hold"]), reason: "seen" }),
    count("recordCount", "POST", "/items", { items: [{ sku: ids.sku, bin: "K-1", quantity }] }),
    count("reviewCount", "POST", "/review", {}),
    count("postCount", "POST", "/post", {}),
    count("cancelCount", "POST", "/cancel", {}),
    receipt("updateReceipt", "PATCH", "", { reference: name }),
    receipt("scanReceipt", "POST", "/items", { items }),
    receipt("closeReceipt", "POST", "/close", {}),
    receipt("cancelReceipt", "POST", "/cancel", {}),
    transfer("shipTransfer", "POST", "/ship", {}),
    transfer("receiveTransfer", "POST", "/receive", { items }),
    transfer("closeTransfer", "POST", "/close", { reason: "damaged" }),
    transfer("cancelTransfer", "POST", "/cancel", {}),
  ];
}

/** Changes to totes and waves. */
function floorChanges(ids: Ids, { quantity }: Sent): Change[] {
  const tote = at(`/totes/${ids.tote}`, "tote");
  const wave = at(`/waves/${ids.wave}`, "wave");
  return [
    tote("updateTote", "PATCH", "", { code: `T-${quantity}` }),
    tote("releaseTote", "POST", "/release", {}),
    wave("releaseWave", "POST", "/release", {}),
    wave("removeWaveOrder", "DELETE", `/orders/${ids.waiting}`),
    wave("closeWave", "POST", "/close", {}),
    wave("cancelWave", "POST", "/cancel", {}),
    tote("deleteTote", "DELETE", ""),
  ];
}

function returnChanges(ids: Ids, { quantity }: Sent): Change[] {
  const inspected = [{ sku: ids.sku, quantity: 2, condition: "unopened" }];
  const act = at(`/returns/${ids.return}`, "return");
  return [
    act("updateReturn", "PATCH", "", { refund_amount: `${quantity}.00` }),
    act("receiveReturn", "POST", "/receive", {}),
    act("inspectReturn", "POST", "/inspect", { items: inspected }),
    act("refundReturn", "POST", "/refund", { amount: "1.00" }),
    act("reportRefund", "POST", "/refunds/ref_1001", { status: "refunded" }),
    act("closeReturn", "POST", "/close", {}),
    act("cancelReturn", "POST", "/cancel", {}),
  ];
}

/** Changes to users, to a floor device and to the merchant. */
function peopleChanges({ user, cookie, device: device_id }: Ids, { name, random }: Sent): Change[] {
  const role = random.pick(["office", "floor"]);
  const merchant = at("/merchants/MAIN", "merchant");
  const device = at(`/floor_devices/${device_id}`, "device");
  return [
    merchant("updateMerchant", "PATCH", "", { name }),
    at("/merchants/MAIN/branding", "branding")("updateBranding", "PATCH", "", { display_name: name }),
    merchant("suspendMerchant", "POST", "/suspend"),
    merchant("reactivateMerchant", "POST", "/reactivate"),
    merchant("closeMerchant", "POST", "/close"),
    { id: "updateUser", of: "user", method: "PATCH", path: `/users/${user}`, body: { name, role } },
    { id: "updateMe", of: "me", method: "PATCH", path: "/users/me", body: { name }, headers: { cookie } },
    device("updateFloorDevice", "PATCH", "", { name }),
    device("linkFloorDevice", "POST", "/link"),
    device("revokeFloorDevice", "POST", "/revoke"),
  ];
}

/** Changes to customers, platforms, subscriptions and keys. */
function deskChanges(ids: Ids, { name, quantity, later, random }: Sent): Change[] {
  const address = { address_line1: name, city: "Portland", state: "OR", postal_code: "97201", country: "US" };
  const customer = at(`/customers/${ids.customer}`, "customer");
  const platform = at(`/platforms/${ids.platform}`, "platform");
  const webhook = at(`/webhooks/${ids.webhook}`, "webhook");
  const key = at(`/keys/${ids.key}`, "key");
  return [
    customer("updateCustomer", "PATCH", "", { first_name: name }),
    customer("putCustomer", "PUT", "", { last_name: name }),
    customer("createAddress", "POST", "/addresses", address),
    customer("updateAddress", "PATCH", `/addresses/${ids.doubtful}`, { state: random.pick(["OR", "ME"]) }),
    customer("acceptAddressSuggestion", "POST", `/addresses/${ids.doubtful}/accept_suggestion`, {}),
    customer("deleteAddress", "DELETE", `/addresses/${ids.address}`),
    platform("updatePlatform", "PATCH", "", { name, client_secret: `the-secret-of-the-shop-${quantity}` }),
    platform("deletePlatform", "DELETE", ""),
    webhook("updateWebhook", "PATCH", "", { description: name, active: random.chance(0.8) }),
    webhook("rotateWebhookSecret", "POST", "/rotate_secret", { overlap_seconds: random.pick([0, 60]) }),
    webhook("deleteWebhook", "DELETE", ""),
    key("updateKey", "PATCH", "", { name, expires_at: later(30) }),
    key("rotateKey", "POST", "/rotate", {}),
    key("revokeKey", "POST", "/revoke", { at: later(30) }),
    key("deleteKey", "DELETE", ""),
  ];
}

/** Changes to carrier accounts, rate cards, zones and holidays. */
function shippingChanges(ids: Ids, { name, quantity, random }: Sent): Change[] {
  const account = at(`/shipping/carrier_accounts/${ids.account}`, "account");
  const card = at(`/shipping/rate_cards/${ids.card}`, "card");
  const rule = at(`/shipping/rules/${ids.rule}`, "rule");
  const printer = at(`/printers/${ids.printer}`, "printer");
  const station = at(`/stations/${ids.station}`, "station");
  const carton = at(`/cartons/${ids.carton}`, "carton");
  const overrides = random.chance(0.3) ? [] : [{ country: "US", postal_prefix: "972", zone: `${quantity + 1}` }];
  const credentials = { account: `A-${quantity}` };
  const status = random.pick(["active", "paused"]);
  const callback_secret = `callbacks-are-signed-with-${quantity}`;
  const rules = [{ name, month: 7, day: quantity }];
  const prices = `zone,up_to_pounds,price\r\n*,1,${quantity}.00\r\n*,,1.00\r\n`;
  return [
    account("updateCarrierAccount", "PATCH", "", { name, status, credentials, callback_secret }),
    account("deleteCarrierAccount", "DELETE", ""),
    rule("updateShippingRule", "PATCH", "", { name, actions: { priority: quantity } }),
    rule("deleteShippingRule", "DELETE", ""),
    printer("updatePrinter", "PATCH", "", { name, active: random.chance(0.5) }),
    printer("deletePrinter", "DELETE", ""),
    station("updateStation", "PATCH", "", { name }),
    station("deleteStation", "DELETE", ""),
    carton("updateCarton", "PATCH", "", { name, cost: quantity }),
    carton("deleteCarton", "DELETE", ""),
    card("updateRateCard", "PATCH", "", { name, cutoff_time: `1${quantity}:00` }),
    { ...card("importRateCardPrices", "POST", "/import", prices), headers: { "content-type": "text/csv" } },
    at("/shipping/zones/overrides", "overrides")("setZoneOverrides", "PUT", "", { overrides }),
    at(`/shipping/holidays/${ids.carrier}`, "holidays")("setHolidays", "PUT", "", { rules }),
  ];
}

/** Indirect changes from shipping: carrier responses, imported files, parcels that leave or are voided. */
function shippingHappenings({ app }: Shop, ids: Ids): readonly ((random: Random) => Promise<unknown>)[] {
  const charts = "/shipping/zones/charts";
  const file = (path: string, rows: string) =>
    app.call("POST", path, `${rows}\r\n`, { headers: { "content-type": "text/csv" } });
  return [
    async (random) => {
      fake.check = async () => fake_listing.slice(random.integer(0, 1));
      await app.post(`/shipping/carrier_accounts/${ids.account}/test`);
    },
    (random) => file(`${charts}/import`, `origin,destination,zone\r\n432,005-099,${random.integer(2, 4)}`),
    (random) => file("/shipping/zones/overrides/import", `zone,country,state\r\n${random.integer(2, 4)},US,OR`),
    async () => {
      const [chart] = (await app.get(charts)).body.data.charts;
      if (chart !== undefined) await app.call("DELETE", `${charts}/${chart.id}`);
    },
    async (random) => {
      if (random.chance(0.3)) await app.post(`/shipping/labels/${ids.label}/void`);
    },
    () => app.post(`/orders/${ids.listed}/ship`),
    () => app.post(`/tracking/${ids.scanned}/events`, { status: "in_transit", location: { city: "Salem" } }),
  ];
}

/** Other indirect changes: stock comes and goes, parcels travel, receivers fail, time passes. */
function happeningsIn(shop: Shop, ids: Ids): readonly ((random: Random) => Promise<unknown>)[] {
  const { app, draft, customer } = shop;
  const { live } = app.service.stores;
  const { location } = ids;
  const expiration_date = iso(app.clocks.live.now() + 200 * day_ms);
  const address_id = customer.shipping_addresses[0].id;
  const tell = async (status_code: number) => {
    if ((await app.get(`/webhooks/${ids.webhook}`)).status === 404) return;
    await live.write(async (tx) => {
      const before = await lockSubscription(tx, ids.webhook);
      const error = status_code === 204 ? null : ({ code: "http_error", message: "It answered." } as const);
      const result = { status_code, headers: {}, body: "", truncated: false, error, ip_address: null, duration_ms: 1 };
      const { health } = healthAfter(before, result, { now: tx.now, real_now: tx.now });
      await saveHealth(tx, before.id, health);
    });
  };
  const wait = async (ms: number) => {
    app.clocks.live.advance(ms);
    await app.runJobs();
  };
  return [
    (random) => app.post("/inventory", { sku: ids.sku, location, quantity: random.integer(1, 5) }),
    () => app.post("/inventory", { sku: "MILK", location, quantity: 1, lot_number: "L-2", expiration_date }),
    () => app.post(`/inventory/lots/${ids.lot}/status`, { status: "on_hold", reason: "smell" }),
    (random) => app.patch(`/inventory/${ids.sku}`, { adjustment: -random.integer(1, 6), reason: "damaged" }),
    () => app.patch("/inventory/MILK", { adjustment: -2, reason: "damaged", lot_number: "L-1" }),
    () => app.post("/orders", { ...draft([[{ id: ids.tea }, 3]]), shipping_address_id: address_id }),
    () => app.post(`/tracking/${ids.tracking}/events`, { status: "in_transit", location: { city: "Salem" } }),
    () => app.post(`/tracking/${ids.tracking}/events`, { status: "delivered" }),
    () => app.post("/inventory/release", { reservation_id: ids.booking }),
    () => app.patch(`/inventory/locations/${location}`, { working_days: ["monday"], cutoff_time: "09:00" }),
    () => app.patch(`/inventory/locations/${location}`, { working_days: ["friday"], cutoff_time: "17:00" }),
    () => tell(500),
    () => tell(429),
    () => tell(204),
    () => live.write((tx) => touchKey(tx, Number(ids.key.slice(4)))),
    () => wait(1000),
    () => wait(hour_ms),
    () => wait(day_ms),
    // Time alone, before any job has run.
    async () => app.clocks.live.advance(3 * day_ms),
    () => app.runJobs(),
    ...shippingHappenings(shop, ids),
  ];
}
