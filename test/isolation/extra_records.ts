// What each merchant has in addition to the fuzz supplies: records whose names all merchants use, described in words
// that only one of them uses, and values for places that the supplies lack.
import type { Answered, TestApp } from "../build/service.ts";
import type { Ready, Supplies } from "../server/openapi/fuzz/supplies.ts";
import type { Names } from "./names.ts";

type Ask = (method: string, path: string, body?: unknown) => Promise<Answered["body"]>;

/** Values that fit a place and belong to the merchant, by operation and word, and requests that the supplies lack. */
export interface More {
  readonly ready: Supplies;
  readonly mine: Readonly<Record<string, string>>;
}

/** Creates the records. The receiver whose URL ends with `/gone` responds that it is gone. */
export async function makeMore(
  app: TestApp,
  code: string,
  receiver: string,
  ready: Supplies,
  names: Names,
): Promise<More> {
  const asking =
    (key: string): Ask =>
    async (method, path, body) => {
      const { status, body: answer } = await app.call(method, path, body, { key });
      if (status < 300) return answer.data ?? answer;
      throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
    };
  const [live, test] = [asking(app.keys.live.full), asking(app.keys.test.full)];
  const equal = await equalRecords(live, code);
  await noticeOf(app, test, receiver);
  const own = ready["splitOrder"]?.path?.["id"] ?? "";
  const [line] = (await live("GET", `/orders/${own}`)).line_items;
  const [event] = await live("GET", "/events?limit=1&sort=-created_at");
  const hook = ready["redeliverWebhookDelivery"]?.path?.["id"];
  const [delivery] = await test("GET", `/webhooks/${hook}/deliveries?limit=1`);
  const label = await live("GET", `/shipping/labels/${ready["getLabel"]?.path?.["id"]}`);
  const bought = bodyOf(ready, "createLabel")["order_id"];
  const [parcel_line] = (await live("GET", `/orders/${bought}`)).line_items;
  const [report] = await live("GET", `/platforms/${ready["retryPlatformReport"]?.path?.["id"]}/reports`);
  names.learn([event, delivery], "");
  const listing = ready["updatePlatformListing"]?.path?.["listing_id"] ?? "";
  const order_id = label.order_id as string;
  const filters = { ord: order_id, order_number: label.order_number, shp: label.shipment_id };
  const mine: Record<string, string> = {};
  for (const operation of [
    "listLabels",
    "exportLabels",
    "listTracked",
    "exportTracked",
    "listShipments",
    "exportShipments",
  ]) {
    for (const [word, value] of Object.entries(filters)) if (value) mine[`${operation} ${word}`] = value;
    mine[`${operation} ret`] = equal.back;
  }
  mine["createLabel lin"] = parcel_line.id;
  mine["createExternalLabel lin"] = parcel_line.id;
  mine["bigcommerceOrder producer"] = String(bodyOf(ready, "bigcommerceOrder")["producer"]);
  mine["getRates lin"] = line.id;
  for (const [operation, { path }] of Object.entries(ready)) {
    if (path?.["id"]?.startsWith("ord_"))
      mine[`${operation} lin`] = (await live("GET", `/orders/${path["id"]}`)).line_items[0].id;
  }
  for (const operation of ["listWebhookDeliveries", "listWebhookLogs"]) mine[`${operation} evt`] = delivery.event_id;
  mine["getEvent evt"] = event.id;
  for (const operation of ["listStockPushes", "listStockDifferences"]) mine[`${operation} lst`] = listing;
  mine["listPlatformReports ord"] = report.order_id;
  mine["listPlatformReports order_number"] = (await live("GET", `/orders/${report.order_id}`)).order_number;
  const all = { ...bodiesOf(ready, line.sku, own), ...equal.ready, ...(await importsOf(app)) };
  return { mine: { ...mine, ...equal.mine }, ready: all };
}

const ofImports = ["getImport", "listImportRows", "exportRejectedRows", "checkImport", "runImport", "cancelImport"];

/** A file of products whose columns are not mapped yet. */
async function importsOf(app: TestApp): Promise<Supplies> {
  const headers = { "content-type": "text/csv" };
  const { body } = await app.call("POST", "/imports?kind=products", "code,title\nEQUAL,Equal\n", { headers });
  return Object.fromEntries(ofImports.map((id) => [id, { path: { id: body.data.id } }]));
}

/** A merchant's callers: a key, and a signed-in user. */
interface Acting {
  readonly key: string;
  readonly headers: Record<string, string>;
}

/** Units that the merchant has put back, by a key and by a user. Returns the actors, as list filters name them. */
export async function takeBack(app: TestApp, { key, headers }: Acting, ready: Supplies): Promise<More["mine"]> {
  for (const [at, by] of [{ key }, { key: null, headers }].entries()) {
    const order = { ...bodyOf(ready, "createOrder"), order_number: `TAKEN-BACK-${at}` };
    const { id } = (await app.post("/orders", order)).body.data;
    for (const act of ["process", "pick"]) await app.post(`/orders/${id}/${act}`);
    const { status, body } = await app.call("DELETE", `/orders/${id}`, undefined, by);
    if (status !== 200) throw new Error(`an order is not taken back: ${JSON.stringify(body)}`);
  }
  const { data } = (await app.call("GET", "/inventory/movements?limit=10", undefined, { key })).body;
  const ids = new Set((data as { actor: { id: string } }[]).map(({ actor }) => actor.id));
  const mine = [...ids].flatMap((id) => {
    const word = id.slice(0, 3);
    return ["listMovements", "exportMovements"].map((operation) => [`${operation} ${word}`, id] as const);
  });
  return Object.fromEntries(mine);
}

const bodyOf = (ready: Supplies, operation: string) =>
  (ready[operation]?.body ?? {}) as Readonly<Record<string, unknown>>;

/** Bodies with the places that the default ones leave out. */
function bodiesOf(ready: Supplies, sku: string, order_id: string): Supplies {
  const order = bodyOf(ready, "createOrder");
  const label = bodyOf(ready, "createLabel");
  const items = [{ sku, quantity: 1 }];
  return {
    createOrders: { body: { orders: [order] } },
    updateOrder: { ...ready["updateOrder"], body: { line_items: [{ sku, quantity: 1, unit_price: "5.00" }] } },
    createLabel: { body: { ...label, items } },
    createExternalLabel: { body: { ...bodyOf(ready, "createExternalLabel"), items, file_id: null } },
    getRates: { body: { order_id, items } },
    createProduct: {
      body: {
        sku: "A-SET",
        name: "A set",
        type: "bundle",
        components: [{ sku, quantity: 1 }],
        barcodes: [{ value: "A-CODE", type: "other" }],
      },
    },
    listPlatformReports: { path: { id: ready["retryPlatformReport"]?.path?.["id"] ?? "" } },
  };
}

const address = { city: "Portland", state: "OR", postal_code: "97201", country: "US" };

const sku = "EQUAL-1";

/** Products with the same names at every merchant, and different descriptions. */
async function equalGoods(ask: Ask, code: string, word: string) {
  const barcodes = [{ value: "5012345678900", type: "ean" }];
  const product = await ask("POST", "/products", {
    sku,
    name: `Tea, ${word}`,
    barcodes,
    price: "1.00",
    reorder_point: 3,
  });
  const set = await ask("POST", "/products", {
    sku: "EQUAL-SET",
    name: `Set, ${word}`,
    type: "bundle",
    components: [{ sku, quantity: 1 }],
  });
  const { warehouse_id: location } = (await ask("GET", "/inventory/locations"))[0];
  await ask("POST", "/inventory", {
    sku,
    quantity: 50,
    location,
    bin: `${code}-1`,
    lot_number: "EQUAL-LOT",
    reference: "EQUAL-PO",
    notes: `Of ${word}`,
  });
  const [lot] = await ask("GET", `/inventory/lots?sku=${sku}`);
  await ask("POST", "/inventory/receipts", {
    reference: "EQUAL-PO",
    supplier: `Supplier ${word}`,
    location,
    items: [{ sku, quantity: 5 }],
  });
  return { product, set, lot };
}

/** Records with the same names at every merchant, and different descriptions. */
async function equalRecords(ask: Ask, code: string): Promise<More & { readonly back: string }> {
  const word = `${code.toLowerCase()}ish`;
  const { product, set, lot } = await equalGoods(ask, code, word);
  const gone = await ask("POST", "/customers", { email: `gone-${word}@example.com`, first_name: "Gone" });
  const erasure = await ask("POST", `/customers/${gone.id}/erasure`, { after_days: 0 });
  const customer = await ask("POST", "/customers", {
    email: "equal@example.com",
    first_name: `First-${word}`,
    last_name: `Last-${word}`,
    company: `Company ${word}`,
    shipping_addresses: [
      { ...address, address_line1: `1 ${word} Street` },
      { ...address, address_line1: `2 ${word} Street` },
    ],
  });
  const to = { customer_id: customer.id, shipping_address_id: customer.shipping_addresses[0].id };
  const line_items = [{ sku, quantity: 2, unit_price: "1.00" }];
  const made = (order_number: string) =>
    ask("POST", "/orders", { order_number, ...to, line_items, order_notes: `Notes ${word}` });
  const sent = await made("EQUAL-O1");
  await ask("POST", `/orders/${sent.id}/ship`, { carrier: "Bike Bob", tracking_number: "EQUAL-TRACK" });
  await made("EQUAL-O2");
  const held = await made("EQUAL-O3");
  await ask("POST", `/orders/${held.id}/tag`, { tags: ["Equal", `only ${code}`] });
  await ask("POST", `/orders/${held.id}/hold`, { reason: "address", note: `Hold ${word}` });
  const { holds } = await ask("GET", `/orders/${held.id}`);
  const note = await ask("POST", `/orders/${held.id}/notes`, { text: `Staff ${word}`, shared: true });
  const [parcel] = await ask("GET", `/shipments?order_id=${sent.id}`);
  const back = await ask("POST", "/returns", {
    order_id: sent.id,
    reason: "defective",
    items: [{ sku, quantity: 1, notes: `Return ${word}` }],
  });
  await ask("POST", `/returns/${back.id}/label`, { carrier: "local", service: "standard", package: { weight: 1 } });
  const slip: Ready = { path: { id: sent.id }, query: { format: "json" } };
  const hold_id = holds[0].id;
  const parts = { components: [{ sku, quantity: 1 }], barcodes: [{ value: "EQUAL-CODE", type: "other" }] };
  return {
    back: back.id,
    ready: {
      getErasure: { path: { id: erasure.id } },
      getLot: { path: { id: lot.id } },
      deleteOrderNote: { path: { id: held.id, note_id: note.id } },
      getPackingSlip: slip,
      actOnOrders: { body: { action: "release", order_ids: [held.id], input: { hold_id } } },
      releaseOrder: { path: { id: held.id }, body: { hold_id } },
      getReturn: { path: { id: back.id } },
      updateProduct: { path: { id: set.id }, body: parts },
      getProduct: { path: { id: product.id } },
    },
    mine: { "getPackingSlip shp": parcel.id, "actOnOrders hld": hold_id, "releaseOrder hld": hold_id },
  };
}

/** Causes a notice: a receiver responds that it is gone. */
async function noticeOf(app: TestApp, ask: Ask, receiver: string): Promise<void> {
  await ask("POST", "/webhooks", { url: `${receiver}/gone`, events: ["inventory.received"], description: "Gone" });
  await ask("POST", "/inventory", { sku: "TEA", quantity: 1 });
  await app.runJobs();
  await ask("GET", "/notices");
}
