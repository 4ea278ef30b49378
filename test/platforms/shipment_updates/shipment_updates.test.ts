import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { accessTo } from "../../../src/platforms/connectors/call_platform.ts";
import { connectors } from "../../../src/platforms/connectors/connectors.ts";
import {
  claimShipmentUpdates,
  recordFailed,
  recordReported,
} from "../../../src/platforms/shipment_updates/shipment_updates.ts";
import { type Connected, openConnected, type PlatformName, platformNames } from "./connected.ts";

// The machine may be busy.
setDefaultTimeout(30_000);

let shop: Connected;
const open = (platform: PlatformName) => {
  beforeAll(async () => {
    shop = await openConnected(platform);
    await shop.stock("MUG", 500);
    await shop.stock("PEN", 500);
  });
  afterAll(() => shop.close());
};

/** The statuses of the orders' reports, oldest first. */
async function statuses(...orders: { id: string }[]): Promise<string[]> {
  const all = await Promise.all(orders.map((order) => shop.reports(order)));
  return all.flat().map(({ status }) => status);
}
const trackings = (id: number) => shop.store.parcels(id).map(({ tracking }) => tracking);

describe.each([...platformNames])("%s", (platform) => {
  open(platform);

  test("gets a report of a parcel, and that it was the last", async () => {
    const order = await shop.sell(501, { sku: "MUG", quantity: 2 }, { sku: "PEN", quantity: 3 });
    expect(order).toMatchObject({ status: "pending", source: { platform, external_id: "501" } });
    const { shipments } = await shop.act(order, "ship", { carrier: "ups", service: "ground", tracking_number: "1Z99" });
    const units =
      platform === "woocommerce"
        ? []
        : [
            [0, 2],
            [1, 3],
          ];
    expect(shop.store.parcels(501)).toEqual([{ tracking: "1Z99", units }] as never);
    expect(shop.store.isDone(501)).toBe(true);
    const [report, ...others] = await shop.reports(order);
    expect(others).toEqual([]);
    expect(report).toMatchObject({
      order_id: order.id,
      shipment_id: shipments[0].id,
      status: "reported",
      items: [
        { external_line_id: "50100", quantity: 2 },
        { external_line_id: "50101", quantity: 3 },
      ],
      reason: null,
      attempts: 1,
      next_attempt_at: null,
    });
    expect([report.external_id === null, report.reported_at === null]).toEqual([false, false]);
  });

  test("gets a report of each of several parcels, and that it was the last only with the last", async () => {
    const order = await shop.sell(502, { sku: "MUG", quantity: 3 }, { sku: "PEN", quantity: 1 });
    const packages = [
      { items: [{ sku: "MUG", quantity: 2 }] },
      {
        items: [
          { sku: "MUG", quantity: 1 },
          { sku: "PEN", quantity: 1 },
        ],
      },
    ];
    const { shipments } = await shop.act(order, "pack", { packages });
    expect(await shop.reports(order)).toEqual([]);
    await shop.act(order, "ship", { shipment_id: shipments[1].id, tracking_number: "T2" });
    expect([trackings(502), shop.store.isDone(502)]).toEqual([["T2"], false]);
    await shop.act(order, "ship", { shipment_id: shipments[0].id, tracking_number: "T1" });
    expect([trackings(502), shop.store.isDone(502)]).toEqual([["T2", "T1"], true]);
    if (platform !== "woocommerce") {
      expect(shop.store.parcels(502).map(({ units }) => units)).toEqual([
        [
          [0, 1],
          [1, 1],
        ],
        [[0, 2]],
      ] as never);
    }
    expect(await statuses(order)).toEqual(["reported", "reported"]);
  });

  test("gets reports in the order of shipping, even if all of them had to wait", async () => {
    const order = await shop.sell(503, { sku: "MUG", quantity: 3 });
    const packages = [1, 2].map((quantity) => ({ items: [{ sku: "MUG", quantity }] }));
    await shop.act(order, "pack", { packages });
    shop.trouble({ status: 503, body: "" });
    await shop.act(order, "ship", { tracking_number: "T1" });
    await shop.act(order, "ship", { tracking_number: "T2" });
    expect([trackings(503), await statuses(order)]).toEqual([[], ["queued", "queued"]]);
    await shop.later(5);
    expect([trackings(503), await statuses(order)]).toEqual([
      ["T1", "T2"],
      ["reported", "reported"],
    ]);
    expect(shop.store.isDone(503)).toBe(true);
  });

  test("has a parcel once, after downtime, a closed connection or a lost response", async () => {
    const order = await shop.sell(504, { sku: "MUG", quantity: 2 });
    shop.trouble({ status: 500, body: "" });
    shop.trouble("cut");
    shop.trouble("lose");
    await shop.act(order, "ship", { tracking_number: "T1" });
    const waits = [];
    for (const _ of Array(3)) {
      const [{ next_attempt_at, reason }] = await shop.reports(order);
      const seconds = (Date.parse(next_attempt_at) - shop.clock.now()) / 1000;
      waits.push([seconds, reason.code]);
      await shop.later(seconds - 1);
      await shop.later(1);
    }
    expect(waits).toEqual([5, 10, 20].map((seconds) => [seconds, "platform_error"]));
    expect([trackings(504), await statuses(order)]).toEqual([["T1"], ["reported"]]);
    expect(await shop.reports(order)).toMatchObject([{ attempts: 4, reason: null }]);
  });

  test("has a parcel once if the service died after reporting it", async () => {
    const order = await shop.sell(505, { sku: "MUG", quantity: 2 });
    await shop.done("POST", `/orders/${order.id}/ship`, { tracking_number: "T1" });
    const { service } = shop.app;
    const { claims } = await service.stores.test.write((tx) => claimShipmentUpdates(tx, new Set()));
    expect(claims).toHaveLength(1);
    for (const { connection, content } of claims) {
      await connectors[platform].report(accessTo(connection, service.stores.test, service), content);
    }
    await shop.app.runJobs();
    expect(await statuses(order)).toEqual(["queued"]);
    await shop.later(300);
    expect([trackings(505), await statuses(order)]).toEqual([["T1"], ["reported"]]);
  });

  test("that refuses permanently fails the report with the reason, and new credentials retry it", async () => {
    const order = await shop.sell(506, { sku: "MUG", quantity: 2 });
    const path = `/platforms/${shop.connection.id}`;
    await shop.done("PATCH", path, { api_token: "not-the-right-token" });
    await shop.act(order, "ship", { tracking_number: "T1" });
    const [failed] = await shop.reports(order);
    expect(failed).toMatchObject({ status: "failed", attempts: 1, next_attempt_at: null });
    expect(failed.reason.message).not.toContain("not-the-right-token");
    expect(await shop.done("POST", `${path}/reports/${failed.id}/retry`)).toMatchObject({ status: "queued" });
    await shop.app.runJobs();
    expect(await statuses(order)).toEqual(["failed"]);
    await shop.done("PATCH", path, { api_token: (shop.store.connection as { api_token: string }).api_token });
    await shop.app.runJobs();
    expect([trackings(506), await statuses(order)]).toEqual([["T1"], ["reported"]]);
  });
});

describe("the service", () => {
  open("bigcommerce");

  test("waits as long as a platform asks, with all its parcels", async () => {
    const orders = [
      await shop.sell(601, { sku: "MUG", quantity: 1 }),
      await shop.sell(602, { sku: "MUG", quantity: 1 }),
    ];
    shop.trouble({ status: 429, body: "", headers: { "X-Rate-Limit-Time-Reset-Ms": "120000" } });
    for (const order of orders) await shop.done("POST", `/orders/${order.id}/ship`, {});
    await shop.app.runJobs();
    const asked = shop.store.asked.length;
    await shop.later(119);
    expect([shop.store.asked.length, await statuses(...orders)]).toEqual([asked, ["queued", "queued"]]);
    await shop.later(1);
    expect(await statuses(...orders)).toEqual(["reported", "reported"]);
  });

  test("gives up after five days, until a retry is requested", async () => {
    const order = await shop.sell(603, { sku: "MUG", quantity: 1 });
    shop.trouble({ status: 503, body: "", headers: { "Retry-After": "86400" } }, 6);
    await shop.act(order, "ship", { tracking_number: "T1" });
    let days = 0;
    for (; (await statuses(order))[0] === "queued" && days < 9; days += 1) await shop.later(86_400);
    const [{ id, attempts, reason }] = await shop.reports(order);
    expect([days, attempts, reason.code]).toEqual([5, 6, "platform_error"]);
    expect(await statuses(order)).toEqual(["failed"]);
    expect(await shop.done("POST", `/platforms/${shop.connection.id}/reports/${id}/retry`)).toMatchObject({
      status: "queued",
      attempts: 0,
      reason: null,
    });
    await shop.app.runJobs();
    expect([trackings(603), await statuses(order)]).toEqual([["T1"], ["reported"]]);
  }, 60_000);

  test("reports nothing while the connection is paused, and everything afterwards", async () => {
    const order = await shop.sell(604, { sku: "MUG", quantity: 1 });
    await shop.done("PATCH", `/platforms/${shop.connection.id}`, { status: "paused" });
    await shop.act(order, "ship", { tracking_number: "T1" });
    await shop.later(6 * 86_400);
    expect([trackings(604), await statuses(order)]).toEqual([[], ["queued"]]);
    shop.trouble({ status: 503, body: "" });
    await shop.done("PATCH", `/platforms/${shop.connection.id}`, { status: "active" });
    await shop.app.runJobs();
    expect(await statuses(order)).toEqual(["queued"]);
    await shop.later(5);
    expect([trackings(604), await statuses(order)]).toEqual([["T1"], ["reported"]]);
  });

  test("reports no voided parcels, and none of API orders", async () => {
    const order = await shop.sell(605, { sku: "MUG", quantity: 2 });
    const label = { order_id: order.id, carrier: "sim", service: "standard", package: { weight: 1 } };
    const { label_id } = await shop.done("POST", "/shipping/labels", label);
    await shop.done("POST", `/shipping/labels/${label_id}/void`);
    await shop.app.runJobs();
    expect(await shop.reports(order)).toEqual([]);
    const again = await shop.done("POST", "/shipping/labels", label);
    await shop.done("POST", `/tracking/${again.tracking_number}/events`, { status: "in_transit" });
    const customer_id = order.customer_id;
    const { shipping_address_id } = order;
    const line_items = [{ sku: "MUG", quantity: 1, unit_price: 1 }];
    const own = await shop.done("POST", "/orders", {
      order_number: "OWN",
      customer_id,
      shipping_address_id,
      line_items,
    });
    await shop.act(own, "ship");
    expect(trackings(605)).toEqual([again.tracking_number]);
    expect(await shop.reports(order)).toMatchObject([{ shipment_id: again.shipment_id, status: "reported" }]);
  });

  test("skips units that the platform did not order, and extra cartons of the same goods", async () => {
    const order = await shop.sell(606, { sku: "MUG", quantity: 2 });
    const line_items = [{ sku: "PEN", quantity: 2, unit_price: 1 }];
    await shop.done("PATCH", `/orders/${order.id}`, { line_items });
    await shop.act(order, "ship");
    const [skipped] = await shop.reports(order);
    expect(skipped).toMatchObject({ status: "skipped", items: [], reason: { code: "not_ordered" }, attempts: 0 });
    const retried = await shop.done("POST", `/platforms/${shop.connection.id}/reports/${skipped.id}/retry`);
    expect(retried).toMatchObject({ status: "skipped", reason: { code: "not_ordered" } });
    expect(shop.store.parcels(606)).toEqual([]);
  });

  test("distributes the units of a SKU among the lines that ordered it", async () => {
    const order = await shop.sell(607, { sku: "MUG", quantity: 2 }, { sku: "MUG", quantity: 3 });
    const packages = [1, 2, 2].map((quantity) => ({ items: [{ sku: "MUG", quantity }] }));
    const { shipments } = await shop.act(order, "pack", { packages });
    for (const { id } of shipments) await shop.act(order, "ship", { shipment_id: id, tracking_number: `T${id}` });
    const units = shop.store.parcels(607).map((parcel) => parcel.units);
    const sums = [0, 1].map((line) => units.flat().reduce((sum, [at, some]) => sum + (at === line ? some : 0), 0));
    expect([units.length, ...sums]).toEqual([3, 2, 3]);
  });

  test("ignores the result of a server whose claim has expired", async () => {
    const order = await shop.sell(610, { sku: "MUG", quantity: 1 });
    await shop.done("POST", `/orders/${order.id}/ship`, { tracking_number: "T1" });
    const store = shop.app.service.stores.test;
    const claim = async () => (await store.write((tx) => claimShipmentUpdates(tx, new Set()))).claims;
    const [slow] = await claim();
    expect(await claim()).toEqual([]);
    shop.clock.advance(300_000);
    const [quick] = await claim();
    if (slow === undefined || quick === undefined) throw new Error("there is a claim");
    const reason = { code: "platform_error", message: "Down.", permanent: true, retry_after_seconds: null } as const;
    expect(await store.write((tx) => recordFailed(tx, slow, reason))).toBeNull();
    expect(await store.write((tx) => recordReported(tx, slow, "77"))).toBeNull();
    expect(await store.write((tx) => recordReported(tx, quick, "78"))).toMatchObject({ external_id: "78" });
    expect(await store.write((tx) => recordFailed(tx, quick, reason))).toBeNull();
    expect(await statuses(order)).toEqual(["reported"]);
  });

  test("claims a parcel for one server, and an order's next one only after it", async () => {
    const order = await shop.sell(608, { sku: "MUG", quantity: 3 });
    const packages = [1, 2].map((quantity) => ({ items: [{ sku: "MUG", quantity }] }));
    const other = await shop.sell(609, { sku: "MUG", quantity: 1 });
    await shop.act(order, "pack", { packages });
    for (const tracking_number of ["T1", "T2"])
      await shop.done("POST", `/orders/${order.id}/ship`, { tracking_number });
    await shop.done("POST", `/orders/${other.id}/ship`, { tracking_number: "T3" });
    const store = shop.app.service.stores.test;
    const rounds = await Promise.all(
      Array.from({ length: 6 }, () => store.write((tx) => claimShipmentUpdates(tx, new Set()))),
    );
    const contents = rounds.flatMap(({ claims }) => claims.map(({ content }) => content));
    const claimed = contents.map(({ tracking_number, last }) => [tracking_number, last]);
    expect(claimed.sort()).toEqual([
      ["T1", false],
      ["T3", true],
    ]);
    expect(await store.write((tx) => claimShipmentUpdates(tx, new Set([1_000_000_001])))).toEqual({
      claims: [],
      next_at: null,
    });
  });
});

describe("a store with an API that may not be called", () => {
  open("shopify");

  test("gets no reports until it may be called, and then all", async () => {
    const path = `/platforms/${shop.connection.id}`;
    const order = await shop.sell(650, { sku: "MUG", quantity: 1 });
    await shop.done("PATCH", path, { api_token: null });
    await shop.act(order, "ship", { tracking_number: "T1" });
    const [skipped] = await shop.reports(order);
    expect(skipped).toMatchObject({ status: "skipped", reason: { code: "no_api_token" }, attempts: 0 });
    const again = await shop.done("POST", `${path}/reports/${skipped.id}/retry`);
    expect([again.status, again.reason.code]).toEqual(["skipped", "no_api_token"]);
    // The order was fetched when it was new.
    expect(shop.store.asked.length).toBe(1);
    await shop.done("PATCH", path, { api_token: (shop.store.connection as { api_token: string }).api_token });
    await shop.app.runJobs();
    expect([trackings(650), await statuses(order)]).toEqual([["T1"], ["reported"]]);
  });
});

describe("the service refuses", () => {
  open("bigcommerce");

  test("a retry of a reported or queued report, and unknown ones", async () => {
    const order = await shop.sell(701, { sku: "MUG", quantity: 1 });
    await shop.act(order, "ship");
    const path = `/platforms/${shop.connection.id}/reports`;
    const [{ id }] = await shop.reports(order);
    const again = await shop.call("POST", `${path}/${id}/retry`, {});
    expect([again.status, again.body.error.code]).toEqual([409, "invalid_state_transition"]);
    for (const missing of [`${path}/rpt_1/retry`, `/platforms/plt_1/reports/${id}/retry`]) {
      expect((await shop.call("POST", missing, {})).status).toBe(404);
    }
    expect((await shop.call("GET", "/platforms/plt_1/reports")).status).toBe(404);
    expect((await shop.call("GET", `${path}?status=lost`)).status).toBe(422);
    expect(await shop.done("GET", `${path}?status=failed`)).toEqual([]);
    expect(await shop.done("GET", `${path}?status=reported`)).toHaveLength(1);
  });
});
