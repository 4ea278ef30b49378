// Performs every billed act over HTTP and compares its billable events. A new operation must be added here.
import { describe, expect, test } from "bun:test";
import { type BilledAct, billedActs, billedAs } from "../../src/billing/billable_kinds.ts";
import { operationsOf } from "../../src/server/openapi/description.ts";
import { openShop } from "../build/shop.ts";
import { openWest } from "../build/west.ts";

const tells: Readonly<Record<string, readonly BilledAct[]>> = {
  addInventory: ["stock.add"],
  closeReceipt: ["receipt.close"],
  moveInventory: ["stock.move"],
  putBack: ["stock.put_away", "order.put_back"],
  shipTransfer: ["transfer.ship"],
  receiveTransfer: ["transfer.receive"],
  postCount: ["count.post"],
  pickOrder: ["order.pick"],
  // They perform the steps before them.
  packOrder: ["order.pick", "order.pack"],
  shipOrder: ["order.pick", "order.pack"],
  shipManifest: ["order.pick", "order.pack"],
  packFromItem: ["order.pick", "order.pack", "label.buy"],
  scanIntoParcel: ["order.pick", "order.pack", "label.buy"],
  updatePackingSession: ["order.pick", "order.pack", "label.buy"],
  closePackingSession: ["order.pick", "order.pack", "label.buy"],
  buyParcelLabel: ["label.buy"],
  actOnOrders: ["order.pick", "order.pack", "label.buy", "label.void", "order.give_up"],
  deliverOrder: ["order.pick", "order.pack"],
  recordScan: ["order.pick", "order.pack"],
  unpickOrder: ["order.pick"],
  pickInWave: ["order.pick"],
  unpickInWave: ["order.pick"],
  unpackOrder: ["order.pack"],
  reopenOrderShipment: ["order.pack"],
  cancelOrder: ["order.give_up", "label.void"],
  cancelOrderItems: ["order.give_up", "label.void"],
  createLabel: ["label.buy"],
  createExternalLabel: ["label.buy"],
  createReturnLabel: ["label.buy"],
  voidLabel: ["label.void"],
  cancelReturn: ["label.void"],
  receiveReturn: ["return.receive"],
  inspectReturn: ["return.inspect"],
  createBillableEvent: ["project.add"],
};

// Acts that jobs do, or that do not happen in the warehouse.
const tells_nothing = `
  testMail createKey updateKey deleteKey rotateKey revokeKey createMerchant updateMerchant suspendMerchant
  reactivateMerchant closeMerchant updateMe changePassword updateUser endMyOtherSessions endMySession endSessions
  endSession endViewAs joinMembership beginSecondFactor confirmSecondFactor renewRecoveryCodes turnOffSecondFactor
  createFloorDevice updateFloorDevice linkFloorDevice revokeFloorDevice makeBadge removeBadge setPin setMyPin
  createInvitation resendInvitation revokeInvitation createProduct updateProduct importProducts verifyAddresses
  importCustomers createImport checkImport runImport cancelImport createCustomer updateCustomer putCustomer
  createAddress updateAddress acceptAddressSuggestion deleteAddress
  createLocation updateLocation reserveInventory releaseInventory extendReservation correctLot setLotStatus
  openCount recordCount reviewCount cancelCount createReceipt updateReceipt scanReceipt cancelReceipt createTransfer
  closeTransfer cancelTransfer importInventory adjustInventory transferOwnership createOrder updateOrder
  createOrders importOrders acceptOrderSuggestion holdOrder releaseOrder processOrder allocateOrder splitOrder
  getRates createRateCard updateRateCard importRateCardPrices setZoneOverrides importZoneOverrides importZoneCharts
  deleteZoneChart setHolidays createCarrierAccount updateCarrierAccount deleteCarrierAccount testCarrierAccount
  createManifest followNumber trackMany carrierCallback beginViewAs endViewAs createReturn updateReturn closeReturn
  refundReturn reportRefund createPlatform updatePlatform deletePlatform testPlatform
  retryPlatformImport retryPlatformReport
  updatePlatformStock updatePlatformListing readPlatformListings
  bigcommerceOrder shopifyOrder woocommerceOrder createWebhook updateWebhook deleteWebhook rotateWebhookSecret
  tagOrder untagOrder addOrderNote deleteOrderNote createDocument uploadFile deleteFile updateBranding getBulkRates
  createShippingRule updateShippingRule deleteShippingRule reorderShippingRules tryShippingRules
  startBackup eraseCustomer eraseEmail cancelErasure discloseCustomer discloseEmail updateRetention decideRestored
  testWebhook redeliverWebhookDelivery recoverWebhook acknowledgeNotice chooseMembership
  openPackingSession takeOutOfParcel cancelPackingSession
  createPrinter updatePrinter deletePrinter testPrinter createStation updateStation deleteStation
  createCarton updateCarton deleteCarton createPrintJob reprintJob cancelPrintJob
  createTote createTotes updateTote deleteTote releaseTote planWave releaseWave closeWave cancelWave removeWaveOrder
  assignTote takeNextTask claimTask takeOverTask releaseTask
`
  .trim()
  .split(/\s+/);

const main = "whs_1001";
const done = new Set<BilledAct>();

/** An event as the API shows it. */
interface Told {
  readonly id: string;
  readonly act: BilledAct;
  readonly kind: string;
  readonly unit: string;
  readonly quantity: number;
  readonly source: { readonly type: string };
  readonly attributes: Readonly<Record<string, unknown>>;
}

const number = ({ id }: Told) => Number(id.slice(4));
let last = 0;

/** The events since the last call, in the order in which they were recorded. */
async function taken(): Promise<Told[]> {
  const { body } = await shop.app.get("/billing/events?limit=100");
  const facts = (body.data as Told[]).filter((fact) => number(fact) > last).sort((a, b) => number(a) - number(b));
  last = Math.max(last, ...facts.map(number));
  for (const { act, kind, unit, source } of facts) {
    expect({ kind, unit, source: source.type }).toEqual(billedAs[act]);
    done.add(act);
  }
  return facts;
}

/** Calls an operation and returns its data and the events that it recorded. */
async function ask(operation: string, path: string, body: unknown = {}, method = "POST") {
  const answer = await shop.app.call(method, path, body);
  expect([path, answer.status < 300, answer.body.error]).toEqual([path, true, undefined]);
  const facts = await taken();
  const allowed = tells[operation] ?? [];
  expect(facts.filter(({ act }) => !allowed.includes(act))).toEqual([]);
  return { data: answer.body.data, facts, told: facts.map(({ act, quantity }) => `${act} ${quantity}`) };
}

const shop = await openShop();
const [tea, salt] = [await shop.product({ sku: "TEA" }), await shop.product({ sku: "SALT" })];
await shop.app.patch(`/products/${tea.id}`, { weight: 0.5, weight_unit: "kg" });
const west = await openWest(shop.app);

const add = (sku: string, quantity: number, more: object = {}) =>
  ask("addInventory", "/inventory", { sku, quantity, location: main, ...more });
const line = (product: { sku: string }, quantity: number) => ({ sku: product.sku, quantity });
const label = { carrier: "local", service: "standard", package: { weight: 2, weight_unit: "lbs" } };

test("every operation that may change something is listed with its events", () => {
  const operations = operationsOf(shop.app.app.routes).filter(
    ({ method, path }) => method.toUpperCase() !== "GET" && !path.startsWith("/dashboard"),
  );
  const said = new Set([...Object.keys(tells), ...tells_nothing]);
  const ids = new Set(operations.map(({ id }) => id));
  expect({ unsaid: [...ids.difference(said)], gone: [...said.difference(ids)] }).toEqual({ unsaid: [], gone: [] });
});

describe("inbound and storage", () => {
  test("added stock, and a receipt when it is closed, once", async () => {
    const added = await add("TEA", 20, { cartons: 2, reference: "PO-1" });
    expect(added.facts).toMatchObject([
      {
        merchant_id: "mer_1",
        warehouse_id: main,
        kind: "receiving",
        act: "stock.add",
        occurred_at: "2026-01-02T03:04:05.000Z",
        // It is still the evening before in New York.
        business_date: "2026-01-01",
        quantity: 20,
        source: { type: "movement", id: added.data.received.movement_id, line: null, revision: null },
        reversal_of: null,
      },
    ]);
    expect(added.facts[0]?.attributes).toEqual({
      ...{ announced: false, cartons: 2, pallets: null, reference: "PO-1", skus: 1, lots: 0 },
      outside_working_hours: null,
    });
    const lines = [line(tea, 10), line(salt, 5)];
    const { id } = (await ask("createReceipt", "/inventory/receipts", { location: main, items: lines })).data;
    expect((await ask("scanReceipt", `/inventory/receipts/${id}/items`, { items: [line(tea, 9)] })).told).toEqual([]);
    await ask("scanReceipt", `/inventory/receipts/${id}/items`, { items: [line(salt, 7)] });
    const closed = await ask("closeReceipt", `/inventory/receipts/${id}/close`, { pallets: 1 });
    expect(closed.told).toEqual(["receipt.close 16"]);
    expect(closed.facts[0]?.attributes).toMatchObject({ announced: true, cartons: null, pallets: 1, skus: 2 });
    expect((await ask("closeReceipt", `/inventory/receipts/${id}/close`)).told).toEqual([]);
    const empty = (await ask("createReceipt", "/inventory/receipts", { location: main, items: lines })).data;
    expect((await ask("closeReceipt", `/inventory/receipts/${empty.id}/close`)).told).toEqual([]);
  });

  test("moves, counts and transfers, but no corrections", async () => {
    const { data } = await add("TEA", 10);
    const from = data.received.location;
    const moved = await ask("moveInventory", "/inventory/moves", {
      ...line(tea, 1),
      bin: from,
      condition: "quarantined",
      location: main,
    });
    expect(moved.told).toEqual(["stock.move 1"]);
    expect(moved.facts[0]).toMatchObject({ source: { id: moved.data.movement_id }, attributes: { from_bin: from } });
    const count = (await ask("openCount", "/inventory/counts", { location: main, skus: ["TEA"] })).data;
    const lines = count.items.map(({ sku, bin, lot_number }: Record<string, string>, at: number) => {
      return { sku, bin, lot_number, quantity: at };
    });
    expect((await ask("recordCount", `/inventory/counts/${count.id}/items`, { items: lines })).told).toEqual([]);
    await ask("reviewCount", `/inventory/counts/${count.id}/review`);
    const posted = await ask("postCount", `/inventory/counts/${count.id}/post`, { allow_shortfall: true });
    expect(posted.told).toEqual([`count.post ${lines.length}`]);
    const adjusted = { adjustment: 30, reason: "found", location: main, bin: from };
    expect((await ask("adjustInventory", "/inventory/TEA", adjusted, "PATCH")).told).toEqual([]);
    const items = [line(tea, 4), line(salt, 2)];
    const transfer = { from_location: main, to_location: west, items };
    const { id } = (await ask("createTransfer", "/inventory/transfers", transfer)).data;
    const shipped = await ask("shipTransfer", `/inventory/transfers/${id}/ship`);
    expect(shipped.facts).toMatchObject([{ act: "transfer.ship", quantity: 6, warehouse_id: main }]);
    const some = { items: [line(tea, 1)] };
    const received = [];
    for (const body of [some, {}])
      received.push(...(await ask("receiveTransfer", `/inventory/transfers/${id}/receive`, body)).facts);
    expect(received).toMatchObject([
      { act: "transfer.receive", quantity: 1, warehouse_id: west },
      { act: "transfer.receive", quantity: 5, warehouse_id: west },
    ]);
  });
});

describe("outbound", () => {
  test("picks per line, packs per act, labels, and units given up after the pick", async () => {
    await add("SALT", 20);
    const { id } = await shop.order(
      [
        [tea, 3],
        [salt, 2],
      ],
      { warehouse_id: main },
    );
    await taken();
    const first = await ask("pickOrder", `/orders/${id}/pick`, { items: [line(tea, 2)], partial: true });
    expect(first.facts).toMatchObject([
      { quantity: 2, source: { type: "order", id, line: expect.any(String), revision: expect.any(Number) } },
    ]);
    expect(first.facts[0]?.attributes).toEqual({
      order_id: id,
      sku: "TEA",
      skus_of_order: 2,
      first_of_order: true,
      confirmed: true,
      unit_weight: "0.5",
      weight_unit: "kg",
    });
    const packed = await ask("packOrder", `/orders/${id}/pack`);
    expect(packed.told).toEqual(["order.pick 1", "order.pick 2", "order.pack 5"]);
    expect(packed.facts.map(({ attributes }) => attributes["first_of_order"] ?? attributes["parcels"])).toEqual([
      false,
      false,
      1,
    ]);
    const bought = await ask("createLabel", "/shipping/labels", { order_id: id, ...label });
    expect(bought.facts).toMatchObject([
      { act: "label.buy", unit: "label", attributes: { order_id: id, carrier: "local", account_id: null } },
    ]);
    const voiding = await ask("voidLabel", `/shipping/labels/${bought.data.label_id}/void`);
    expect(voiding.told).toEqual(["label.void 1"]);
    expect((await ask("voidLabel", `/shipping/labels/${bought.data.label_id}/void`)).told).toEqual([]);
    const elsewhere = { carrier: "ups", service: "Ground", tracking_number: "1Z999AA10123456784", cost: 8 };
    const added = await ask("createExternalLabel", "/shipping/labels/external", {
      order_id: id,
      ...label,
      ...elsewhere,
    });
    expect(added.facts).toMatchObject([{ act: "label.buy", attributes: { carrier: "ups", cost: 8, external: true } }]);
    await ask("voidLabel", `/shipping/labels/${added.data.label_id}/void`);
    await ask("createLabel", "/shipping/labels", { order_id: id, ...label, additional: true });
    const less = await ask("cancelOrderItems", `/orders/${id}/cancel_items`, {
      items: [line(tea, 1)],
      reason: "customer",
    });
    expect(less.told.sort()).toEqual(["label.void 1", "order.give_up 1"]);
    const gone = await ask("cancelOrder", `/orders/${id}`, undefined, "DELETE");
    expect(gone.told.sort()).toEqual(["order.give_up 2", "order.give_up 2"]);
    const bin = (await shop.app.get("/inventory/SALT")).body.data.locations[0].location;
    const back = await ask("putBack", "/inventory/putbacks", { order_id: id, ...line(salt, 2), bin, location: main });
    expect(back.told).toEqual(["stock.put_away 2"]);
  });

  test("steps that an act performs implicitly; a bundle by its components", async () => {
    const set = await shop.app.product("SET", {
      name: "Set",
      type: "bundle",
      price: "5.00",
      components: [
        { sku: "TEA", quantity: 2 },
        { sku: "SALT", quantity: 1 },
      ],
    });
    const { id } = await shop.order([[set, 2]], { warehouse_id: main });
    const shipped = await ask("shipOrder", `/orders/${id}/ship`);
    expect(shipped.told).toEqual(["order.pick 6", "order.pack 6"]);
    expect(shipped.facts[0]?.attributes).toMatchObject({
      sku: "SET",
      confirmed: false,
      sets: 2,
      components: [
        { sku: "TEA", in_set: 2, quantity: 4 },
        { sku: "SALT", in_set: 1, quantity: 2 },
      ],
    });
    const others = [
      await shop.order([[tea, 1]], { warehouse_id: main }),
      await shop.order([[tea, 1]], { warehouse_id: main }),
    ];
    const order_ids = others.map((order) => order.id);
    for (const order_id of order_ids) await ask("pickOrder", `/orders/${order_id}/pick`);
    const both = await ask("actOnOrders", "/orders/actions", { action: "cancel", order_ids });
    expect(both.told).toEqual(["order.give_up 1", "order.give_up 1"]);
  });

  test("units of a recalled lot restocked from staging", async () => {
    await shop.app.product("MILK", { price: "1.00", lot_tracking: true });
    await add("MILK", 5, { lot_number: "L1" });
    const milk = (await shop.app.get("/products?sku=MILK")).body.data[0];
    const { id } = await shop.order([[milk, 2]], { warehouse_id: main });
    await ask("pickOrder", `/orders/${id}/pick`);
    const [lot] = (await shop.app.get("/inventory/lots?lot_number=L1")).body.data;
    await ask("setLotStatus", `/inventory/lots/${lot.id}/status`, { status: "recalled", reason: "Salmonella." });
    const bin = (await shop.app.get("/inventory/MILK")).body.data.locations.find(
      ({ location }: { location: string }) => !location.startsWith("STAGING"),
    ).location;
    const back = await ask("putBack", "/inventory/putbacks", { order_id: id, sku: "MILK", quantity: 2, bin });
    expect(back.told).toEqual(["order.put_back 2"]);
  });
});

test("returns with their labels", async () => {
  const { id: order_id } = await shop.order([[tea, 3]], { warehouse_id: main });
  await ask("shipOrder", `/orders/${order_id}/ship`);
  const wanted = { order_id, reason: "customer_remorse", items: [line(tea, 3)] };
  const { id } = (await ask("createReturn", "/returns", wanted)).data;
  const bought = await ask("createReturnLabel", `/returns/${id}/label`, label);
  expect(bought.facts).toMatchObject([{ act: "label.buy", attributes: { return_id: id, shipment_id: null } }]);
  const some = await ask("receiveReturn", `/returns/${id}/receive`, { items: [line(tea, 1)], announced: false });
  const rest = await ask("receiveReturn", `/returns/${id}/receive`);
  expect([...some.told, ...rest.told]).toEqual(["return.receive 1", "return.receive 2"]);
  expect([some, rest].map(({ facts: [fact] }) => fact?.attributes)).toEqual([
    { order_id, skus: 1, announced: false },
    { order_id, skus: 1, announced: true },
  ]);
  const items = [
    { ...line(tea, 2), condition: "unopened" },
    { ...line(tea, 1), condition: "damaged" },
  ];
  const inspected = await ask("inspectReturn", `/returns/${id}/inspect`, { items });
  expect(inspected.told).toEqual(["return.inspect 3"]);
  expect(inspected.facts[0]?.attributes["findings"]).toEqual([
    { ...line(tea, 2), condition: "unopened", disposition: "restock" },
    { ...line(tea, 1), condition: "damaged", disposition: "dispose" },
  ]);
  const bin = (await shop.app.get("/inventory/TEA")).body.data.locations[0].location;
  const back = await ask("putBack", "/inventory/putbacks", { return_id: id, ...line(tea, 2), bin });
  expect(back.told).toEqual(["stock.put_away 2"]);
});

test("manually recorded time, and its reversal, once", async () => {
  const body = { minutes: 45, description: "Relabelled 200 jars", approved_by: "Ada", location: main };
  const { data } = await ask("createBillableEvent", "/billing/events", body);
  expect(data).toMatchObject({
    kind: "project",
    quantity: 45,
    unit: "minute",
    source: { type: "billable_event", id: data.id },
    attributes: { description: "Relabelled 200 jars", approved_by: "Ada" },
  });
  const back = { reversal_of: data.id, description: "Told twice", approved_by: "Bob" };
  const reversed = await ask("createBillableEvent", "/billing/events", back);
  expect(reversed.data).toMatchObject({
    quantity: -45,
    reversal_of: data.id,
    attributes: { description: "Told twice", approved_by: "Bob", told_by: data.attributes.told_by },
  });
  const [picked] = (await shop.app.get("/billing/events?kind=pick")).body.data;
  for (const reversal_of of [data.id, reversed.data.id, picked.id, "bev_999999"]) {
    const refused = await shop.app.post("/billing/events", { ...back, reversal_of });
    expect([refused.status, refused.body.error.details[0].field]).toEqual([422, "reversal_of"]);
  }
  const bare = await shop.app.post("/billing/events", { description: "No minutes", location: main });
  expect(bare.body.error.details[0].field).toBe("minutes");
  expect(await taken()).toEqual([]);
});

test("every billed act was performed here", () => {
  expect([...done].sort()).toEqual([...billedActs].sort());
});
