// The records that every operation needs, at each of their stages, created for the fuzzer.
import { hmacBase64, hmacHex } from "../../../../src/core/crypto.ts";
import { overrideCarriers } from "../../../../src/shipping/carriers/connectors.ts";
import type { Answered, TestApp } from "../../../build/service.ts";
import { orderActs } from "../../../orders/order_acts.ts";
import { fakeCarrier } from "../../../shipping/carriers/fake_carrier.ts";
import { devicesToChange, wavesToPick } from "./floor_supplies.ts";
import { goodsToSell, merchantsToChange } from "./merchants.ts";
import { ordersToActOn } from "./orders_to_act_on.ts";
import { filesToUse, importsToRun, loggedRequest, printing } from "./other_supplies.ts";
import { parcelsToPack } from "./parcels_to_pack.ts";
import { api_url, client_secret, connectionOf, shopWithImports } from "./shop_supplies.ts";

/** A request of an operation that can succeed now, in the form of an example. */
export interface Ready {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The headers with which a platform proves that it sent this body, instead of a key. */
  readonly proof?: (raw: string) => Record<string, string>;
}

/** Requests by operation. */
export type Supplies = Readonly<Record<string, Ready>>;

type Fields = Readonly<Record<string, unknown>>;
type Ask = (method: string, path: string, body?: Fields | string | Uint8Array) => Promise<Answered["body"]>;

/** Sends requests to the app for a merchant, and expects success. */
function asking(app: TestApp, key: string, merchant: string): Ask {
  return async (method, path, body) => {
    const type = body instanceof Uint8Array ? "image/png" : typeof body === "string" ? "text/csv" : null;
    const headers = { "packhouse-merchant": merchant, ...(type !== null && { "content-type": type }) };
    const answered = await app.call(method, path, body, { key, headers });
    if (answered.status < 300) return answered.body.data ?? answered.body;
    throw new Error(`no supplies: ${method} ${path}: ${answered.status} ${JSON.stringify(answered.body)}`);
  };
}

/** The fuzzer's requests are about the first merchant, however many it creates. */
export const of_main = { "packhouse-merchant": "MAIN" } as const;
const in_header = "packhouse-merchant";

const address = { address_line1: "12 Elm St", city: "Portland", state: "OR", postal_code: "97201", country: "US" };

/** What exists as long as the fuzzer runs. */
export interface House {
  /** Records that it must not delete, since the records based on them cannot be created again. */
  readonly kept: ReadonlySet<string>;
  /** The address of a local receiver. */
  readonly receiver: string;
  /** Creates records for every operation, different ones each time. */
  supply(): Promise<Supplies>;
}

/**
 * Sets up everything that only jobs can create, before there is anything else that they could send. Several merchants
 * have records with the same names; records of the operator get a different name for each of them.
 */
export async function openHouse(app: TestApp, receiver: string, merchant: string = of_main[in_header]): Promise<House> {
  const live = asking(app, app.keys.live.full, merchant);
  const test = asking(app, app.keys.test.full, merchant);
  const mark = merchant === of_main[in_header] ? "" : `${merchant.toLowerCase()}_`;
  overrideCarriers(app.service, { fake: fakeCarrier().connector });
  // The fuzzer's own keys belong to the operator, and are not listed if a merchant is named.
  const listed = ({ full: key }: TestApp["keys"]["live"]) => app.call("GET", "/keys?limit=100", undefined, { key });
  const own = await Promise.all([app.keys.live, app.keys.test].map(async (keys) => (await listed(keys)).body.data));
  const store = await shopWithImports(app, live);
  const imports = await importsToRun(app, live);
  const hook = await webhookWithDeliveries(app, test, receiver);
  const keys = own.flat().map(({ id }) => id as string);
  // Rate cards that labels are bought with must stay active.
  const samples = await Promise.all([live, test].map((ask) => ask("GET", "/shipping/rate_cards")));
  const cards = samples.flat().map(({ id }) => id as string);
  const acts = orderActs(app.app.routes);
  let turn = 0;
  return {
    kept: new Set([...keys, ...cards, store.id, hook.id, "mer_1"]),
    receiver,
    async supply() {
      turn += 1;
      const shelf = await stocked(live, `SUPPLY-${turn}`, mark);
      return {
        ...store.ready(turn),
        ...(await imports(turn)),
        ...(await hook.ready(turn)),
        ...shelf.ready,
        ...(await orders(live, shelf)),
        ...(await ordersToActOn(live, shelf, acts, turn)),
        ...(await manifests(live, shelf)),
        ...(await parcelsToPack(live, shelf)),
        ...(await returns(live, shelf)),
        ...(await floorWork(live, shelf)),
        ...(await wavesToPick(live, shelf)),
        ...(await callbacks(live, shelf)),
        ...(await accounts(live, shelf, mark)),
        ...(await rateCards(live, turn, mark)),
        ...(await keysToChange(live, keys)),
        ...(await invitationsToChange(live, turn, mark)),
        ...(await devicesToChange(live, shelf)),
        ...(await merchantsToChange(live, turn, mark)),
        ...(await goodsToSell(app, live, shelf, turn, mark)),
        ...(await loggedRequest(app, live)),
        ...(await printing(live, shelf, mark)),
        ...(await filesToUse(live, turn, merchant)),
      };
    },
  };
}

/** A subscription that was paused when an event happened. */
async function webhookWithDeliveries(app: TestApp, ask: Ask, receiver: string) {
  const subscription = { url: `${receiver}/kept`, events: ["inventory.received"] };
  const { id } = await ask("POST", "/webhooks", subscription);
  const path = `/webhooks/${id}`;
  await ask("PATCH", path, { active: false });
  await ask("POST", "/products", { sku: "TEA", name: "Tea" });
  await ask("POST", "/inventory", { sku: "TEA", quantity: 5 });
  await app.runJobs();
  const [delivery] = await ask("GET", `${path}/deliveries`);
  await ask("PATCH", path, { active: true });
  await ask("POST", `${path}/test`, { event: "order.created" });
  const [line] = await ask("GET", `${path}/logs`);
  const body = { created_after: "2026-01-01T00:00:00Z" };
  const ready = async (turn: number): Promise<Supplies> => {
    // It may have been paused, and only a few tests per minute are allowed.
    await ask("PATCH", path, { ...subscription, active: true });
    const job = await ask("POST", `${path}/recoveries`, body);
    for (const { id: old } of (await ask("GET", "/webhooks?limit=100")).slice(30)) {
      if (old !== id) await ask("DELETE", `/webhooks/${old}`);
    }
    const fresh = { ...subscription, url: `${receiver}/supply-${turn}` };
    const other = { id: (await ask("POST", "/webhooks", fresh)).id };
    return {
      createWebhook: { body: { ...fresh, url: `${receiver}/made-${turn}` } },
      redeliverWebhookDelivery: { path: { id, delivery_id: delivery.id } },
      recoverWebhook: { path: { id }, body },
      getWebhookLog: { path: { id, log_id: line.id } },
      getWebhookRecovery: { path: { id, recovery_id: job.id } },
      ...Object.fromEntries(
        ["testWebhook", "updateWebhook", "rotateWebhookSecret", "deleteWebhook"].map((name) => [name, { path: other }]),
      ),
    };
  };
  return { id: id as string, ready };
}

/** A product with stock in a warehouse, and its buyer. */
interface Shelf {
  readonly sku: string;
  readonly location: string;
  readonly elsewhere: string;
  readonly buyer: { readonly customer_id: string; readonly shipping_address_id: string };
  /** The buyer's address, for which a check has a suggestion. */
  readonly misspelt: string;
  readonly ready: Supplies;
}

async function stocked(ask: Ask, sku: string, mark: string): Promise<Shelf> {
  const zone = { zone_id: "A", temperature_zone: "ambient", bins: [{ code: "A-01", pick_order: 1 }] };
  const house = async (name: string) =>
    (await ask("POST", "/inventory/locations", { name, address, location_zones: [zone] })).warehouse_id;
  const [location, elsewhere] = [await house(mark + sku), await house(`${mark}${sku} elsewhere`)];
  const product = await ask("POST", "/products", { sku, name: sku, weight: 1, weight_unit: "lb", price: "5.00" });
  const stock = { sku, quantity: 1000, location, bin: "A-01" };
  await ask("POST", "/inventory", stock);
  const customer = await ask("POST", "/customers", {
    email: `${sku}@example.com`,
    last_name: sku,
    shipping_addresses: [{ ...address, is_default: true }, address, { ...address, city: "Elsewhere" }],
  });
  const [first, second, third] = customer.shipping_addresses;
  const places = { id: customer.id, address_id: second.id };
  const reserved = async () =>
    (await ask("POST", "/inventory/reserve", { order_id: `${sku} later`, items: [{ sku, quantity: 1 }] }))
      .reservation_id;
  return {
    sku,
    location,
    elsewhere,
    buyer: { customer_id: customer.id, shipping_address_id: first.id },
    misspelt: third.id,
    ready: {
      createLocation: { body: { name: `${mark}${sku} new`, address } },
      updateLocation: { path: { id: elsewhere } },
      createProduct: { body: { sku: `${sku} new`, name: sku } },
      updateProduct: { path: { id: product.id } },
      addInventory: { body: stock },
      adjustInventory: { path: { sku }, body: { adjustment: -1, reason: "damaged", location, bin: "A-01" } },
      moveInventory: { body: { sku, quantity: 1, location, bin: "A-01", to_bin: "A-02" } },
      getInventory: { path: { sku } },
      explainInventory: { path: { sku } },
      updateAddress: { path: places },
      deleteAddress: { path: places },
      acceptAddressSuggestion: { path: { id: customer.id, address_id: third.id } },
      verifyAddresses: { body: { address } },
      createAddress: { path: places, body: address },
      reserveInventory: { body: { order_id: `${sku} later`, items: [{ sku, quantity: 1 }] } },
      extendReservation: { path: { id: await reserved() } },
      releaseInventory: { body: { reservation_id: await reserved() } },
    },
  };
}

/** Orders at every stage. */
async function orders(ask: Ask, { sku, buyer, location }: Shelf): Promise<Supplies> {
  const line_items = [{ sku, quantity: 2, unit_price: "5.00" }];
  const stages = ["new", "paper", "packed", "sent", "labelled", "void", "back", "open"];
  const given = stages.map((name) => ({
    order_number: `${sku} ${name}`,
    ...buyer,
    warehouse_id: location,
    line_items,
  }));
  const { results } = await ask("POST", "/orders/bulk", { orders: given });
  const ids = new Map<string, string>(stages.map((name, at) => [name, results[at].data.id]));
  const id = (name: string) => ids.get(name) ?? "";
  const act = (name: string, action: string, body: Fields = {}) => ask("POST", `/orders/${id(name)}/${action}`, body);
  const parcel = { carrier: "local", service: "standard", package: { weight: 5, weight_unit: "lb" } };
  const labelled = (name: string) => ask("POST", "/shipping/labels", { order_id: id(name), ...parcel });
  await act("paper", "process");
  const one = { items: [{ sku, quantity: 1 }] };
  const packed = await act("packed", "pack", { packages: [one] });
  await act("back", "pick");
  await act("sent", "ship");
  await ask("DELETE", `/orders/${id("back")}`);
  const [label, unused] = [await labelled("labelled"), await labelled("void")];
  const linked = (url: string) => Object.fromEntries(new URL(url, "http://packhouse.test").searchParams);
  const at = (name: string, more: Omit<Ready, "path"> = {}): Ready => ({ path: { id: id(name) }, ...more });
  const note = await ask("POST", `/orders/${id("paper")}/notes`, { text: "Fragile." });
  const printed = await ask("POST", "/documents", { label_ids: [label.label_id], include: ["label"] });
  return {
    reopenOrderShipment: { path: { id: packed.id, shipment_id: packed.shipments[0].id }, body: { reason: "mistake" } },
    getDocument: { path: { id: printed.id } },
    followDocumentLink: { path: { id: printed.id }, query: linked(printed.url) },
    createOrder: { body: { ...given[0], order_number: `${sku} next` } },
    createReturn: { body: { order_id: id("sent"), reason: "defective", ...one } },
    createLabel: { body: { order_id: id("open"), ...parcel, additional: true } },
    createExternalLabel: {
      body: { order_id: id("open"), carrier: "ups", service: "Ground", tracking_number: `EXT-${sku}`, cost: 8 },
    },
    deleteOrderNote: { path: { id: id("paper"), note_id: note.id } },
    getOrderPlan: at("new"),
    getPickList: at("paper"),
    getWavePickList: { query: { order_ids: id("paper"), format: "json" } },
    getPackingSlip: at("packed"),
    putBack: { body: { order_id: id("back"), sku, quantity: 1, bin: "A-01" } },
    getLabel: { path: { id: label.label_id } },
    getLabelDocument: { path: { id: label.label_id } },
    followLabelLink: { path: { id: label.label_id }, query: { ...linked(label.label_url), format: "zpl" } },
    voidLabel: { path: { id: unused.label_id } },
    track: { path: { tracking_number: label.tracking_number } },
    recordScan: { path: { tracking_number: label.tracking_number } },
    followNumber: { body: { tracking_number: `FOLLOW-${sku}`, carrier: "swift" } },
  };
}

/** A zone chart that may be deleted. */
async function zoneChart(ask: Ask, turn: number): Promise<string> {
  const rows = `origin,destination,zone\r\n${100 + turn},900-961,8\r\n`;
  const { charts } = await ask("POST", "/shipping/zones/charts/import?system=spare", rows);
  return charts.at(-1).id;
}

/** A rate card that may be changed, and one that does not exist yet. */
async function rateCards(ask: Ask, turn: number, mark: string): Promise<Supplies> {
  const prices = [{ zone: "*", up_to_pounds: 5, price: "7.00" }];
  const card = { name: "Spare", prices, transit_days: [{ zone: "*", days: 2 }] };
  const path = {
    id: (await ask("POST", "/shipping/rate_cards", { ...card, service: `${mark}spare_${turn}` })).id as string,
  };
  return {
    createRateCard: { body: { ...card, service: `${mark}next_${turn}` } },
    getRateCard: { path },
    updateRateCard: { path, body: { fuel_basis_points: turn } },
    listRateCardHistory: { path },
    importRateCardPrices: { path },
    exportRateCardPrices: { path },
    deleteZoneChart: { path: { id: await zoneChart(ask, turn) } },
    ...(await shippingRule(ask, mark)),
  };
}

/** A shipping rule that applies to no order, and may be changed. */
async function shippingRule(ask: Ask, mark: string): Promise<Supplies> {
  const body = { name: "Spare", conditions: { skus: [`${mark}nothing`] }, actions: { priority: 1 } };
  const path = { id: (await ask("POST", "/shipping/rules", body)).id as string };
  const ordered = { body: { rule_ids: [path.id] } };
  const reading = { getShippingRule: { path }, listShippingRuleHistory: { path } };
  const writing = { updateShippingRule: { path, body: { name: "Spare 2" } }, deleteShippingRule: { path } };
  return { createShippingRule: { body }, reorderShippingRules: ordered, ...reading, ...writing };
}

/** A manifest, a label that is on none, and a parcel. */
async function manifests(ask: Ask, { sku, buyer, location }: Shelf): Promise<Supplies> {
  const parcel = { carrier: "local", service: "standard", package: { weight: 5, weight_unit: "lb" } };
  const labelled = async (name: string) => {
    const order = { ...buyer, warehouse_id: location, line_items: [{ sku, quantity: 1, unit_price: "5.00" }] };
    const { id } = await ask("POST", "/orders", { ...order, order_number: `${sku} ${name}` });
    return ask("POST", "/shipping/labels", { ...parcel, order_id: id });
  };
  const handed = await labelled("handed over");
  const { manifest_id } = await ask("POST", "/shipping/manifests", { label_ids: [handed.label_id] });
  return {
    createManifest: { body: { label_ids: [(await labelled("to hand over")).label_id] } },
    getShipment: { path: { id: handed.shipment_id } },
    getManifest: { path: { id: manifest_id } },
    getManifestDocument: { path: { id: manifest_id } },
    shipManifest: { path: { id: manifest_id } },
  };
}

/** Returns at every stage. */
async function returns(ask: Ask, { sku, buyer, location }: Shelf): Promise<Supplies> {
  const order = await ask("POST", "/orders", {
    order_number: `${sku} returned`,
    ...buyer,
    warehouse_id: location,
    line_items: [{ sku, quantity: 20, unit_price: "5.00" }],
  });
  await ask("POST", `/orders/${order.id}/ship`, {});
  const items = [{ sku, quantity: 1 }];
  const inspection = { items: [{ sku, quantity: 1, condition: "damaged" }] };
  const came = async (...steps: readonly (readonly [string, Fields])[]) => {
    const { id } = await ask("POST", "/returns", { order_id: order.id, reason: "defective", items });
    for (const [step, body] of steps) await ask("POST", `/returns/${id}/${step}`, body);
    return { id: id as string };
  };
  const [received, inspected] = [["receive", {}] as const, ["inspect", inspection] as const];
  const refunded = await came(received, inspected);
  const refund = await ask("POST", `/returns/${refunded.id}/refund`, { amount: "1.00" });
  const fresh = await came();
  return {
    getReturn: { path: fresh },
    updateReturn: { path: fresh },
    receiveReturn: { path: fresh, body: { items } },
    cancelReturn: { path: await came() },
    createReturnLabel: { path: await came(), body: { carrier: "local", service: "standard", package: { weight: 1 } } },
    inspectReturn: { path: await came(received), body: inspection },
    closeReturn: { path: await came(received, inspected) },
    refundReturn: { path: await came(received, inspected), body: { amount: "1.00" } },
    reportRefund: { path: { ...refunded, refund_id: refund.refund_id } },
  };
}

/** Deliveries, transfers and counts at every stage. */
async function floorWork(ask: Ask, { sku, location, elsewhere }: Shelf): Promise<Supplies> {
  const bin = "A-01";
  // Stock that is being counted must not move.
  const still = `${sku} still`;
  await ask("POST", "/products", { sku: still, name: still });
  await ask("POST", "/inventory", { sku: still, quantity: 10, location, bin });
  const made = async (noun: string, body: Fields, ...steps: readonly (readonly [string, Fields])[]) => {
    const { id } = await ask("POST", `/inventory/${noun}`, body);
    for (const [step, given] of steps) await ask("POST", `/inventory/${noun}/${id}/${step}`, given);
    return { id: id as string };
  };
  const count = { location, skus: [still] };
  const counted = { items: [{ sku: still, bin, quantity: 9 }] };
  const recorded = ["items", counted] as const;
  const transfer = { from_location: location, to_location: elsewhere, items: [{ sku, quantity: 10 }] };
  const arrival = { items: [{ sku, quantity: 8, bin }] };
  const shipped = ["ship", {}] as const;
  const receipt = { reference: sku, location, items: [{ sku, quantity: 50 }] };
  const scan = { items: [{ sku, quantity: 20, bin }] };
  return {
    openCount: { body: count },
    recordCount: { path: await made("counts", count), body: counted },
    reviewCount: { path: await made("counts", count, recorded) },
    postCount: { path: await made("counts", count, recorded, ["review", {}]) },
    cancelCount: { path: await made("counts", count) },
    createTransfer: { body: transfer },
    shipTransfer: { path: await made("transfers", transfer) },
    receiveTransfer: { path: await made("transfers", transfer, shipped), body: arrival },
    closeTransfer: { path: await made("transfers", transfer, shipped, ["receive", arrival]) },
    cancelTransfer: { path: await made("transfers", transfer) },
    createReceipt: { body: receipt },
    updateReceipt: { path: await made("receipts", receipt) },
    scanReceipt: { path: await made("receipts", receipt), body: scan },
    closeReceipt: { path: await made("receipts", receipt, ["items", scan]) },
    cancelReceipt: { path: await made("receipts", receipt) },
  };
}

/** Stores that send notifications about their orders, with valid signatures. */
async function callbacks(ask: Ask, { sku }: Shelf): Promise<Supplies> {
  const connect = async (platform: string, store_id: string, fields: Fields = { client_secret }) => {
    const { id, callback_url } = await ask("POST", "/platforms", { platform, store_id, api_url, ...fields });
    return { id: id as string, query: { connection: connectionOf(callback_url) } };
  };
  const name = sku.toLowerCase();
  const [shop, site] = [`${name}.myshopify.com`, `${api_url}/${name}`];
  const shopify = await connect("shopify", shop);
  const woocommerce = await connect("woocommerce", site);
  await connect("bigcommerce", name.replace("-", ""), { api_token: "bc-token-0123456789" });
  return {
    createPlatform: { body: { platform: "woocommerce", store_id: `${site}-new`, api_url, client_secret } },
    updatePlatform: { path: { id: shopify.id } },
    deletePlatform: { path: { id: (await connect("shopify", `old-${shop}`)).id } },
    shopifyOrder: {
      query: shopify.query,
      proof: (raw) => ({
        "x-shopify-topic": "orders/create",
        "x-shopify-shop-domain": shop,
        "x-shopify-hmac-sha256": hmacBase64(client_secret, raw),
      }),
    },
    woocommerceOrder: {
      query: woocommerce.query,
      proof: (raw) => ({
        "x-wc-webhook-topic": "order.created",
        "x-wc-webhook-source": site,
        "x-wc-webhook-signature": hmacBase64(client_secret, raw),
      }),
    },
    bigcommerceOrder: {
      body: {
        scope: "store/order/created",
        store_id: "1025646",
        producer: `stores/${name.replace("-", "")}`,
        hash: "dd70c0976e06b67aaf671e73f49dcb79230ebf9d",
        created_at: 1_767_323_045,
        data: { type: "order", id: 250 },
      },
    },
  };
}

/** Accounts at a carrier that makes no calls. */
async function accounts(ask: Ask, { sku }: Shelf, mark: string): Promise<Supplies> {
  const body = (name: string) => ({ connector: "fake", credentials: { api_key: `${mark}${sku}-${name}` } });
  const add = async (name: string) => ({ id: (await ask("POST", "/shipping/carrier_accounts", body(name))).id });
  const kept = await add("kept");
  const { callback_url, callback_secret } = await ask("POST", "/shipping/carrier_accounts", body("told"));
  return {
    carrierCallback: {
      path: { connector: "fake" },
      body: {},
      query: { account: new URL(callback_url, "http://packhouse.test").searchParams.get("account") ?? "" },
      proof: (raw) => ({ "x-signature": hmacHex(callback_secret, raw) }),
    },
    createCarrierAccount: { body: body("new") },
    getCarrierAccount: { path: kept },
    updateCarrierAccount: { path: kept },
    testCarrierAccount: { path: kept },
    deleteCarrierAccount: { path: await add("old") },
  };
}

/** Pending invitations. */
async function invitationsToChange(ask: Ask, turn: number, mark: string): Promise<Supplies> {
  const invited = async (name: string) => {
    const { id } = await ask("POST", "/invitations", { email: `${mark}${name}-${turn}@example.com`, role: "office" });
    return { path: { id } };
  };
  return { resendInvitation: await invited("resent"), revokeInvitation: await invited("revoked") };
}

/** Keys that may be changed and revoked, up to a maximum in use. */
async function keysToChange(ask: Ask, own: readonly string[]): Promise<Supplies> {
  const keys = await ask("GET", "/keys?status=active&limit=100");
  const others = keys.map(({ id }: { id: string }) => id).filter((id: string) => !own.includes(id));
  for (const id of others.splice(8)) await ask("DELETE", `/keys/${id}?allow_lockout=true`);
  while (others.length < 4) others.push((await ask("POST", "/keys", { name: "supply", permission: "read" })).id);
  const operations = ["updateKey", "rotateKey", "revokeKey", "deleteKey"];
  return Object.fromEntries(operations.map((name, at) => [name, { path: { id: others[at] } }]));
}
