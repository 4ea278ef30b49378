// A merchant that tracks another merchant's numbers neither updates that merchant's parcels nor hides them from the
// operator.
import { beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { minute_ms } from "../../src/core/time.ts";
import { overrideCarriers } from "../../src/shipping/carriers/connectors.ts";
import { ownTrackingNumber } from "../../src/shipping/labels/tracking_number.ts";
import { openApp, type TestApp } from "../build/service.ts";
import { outcomeOf, type ParcelShop, parcelShopOn } from "../build/shop.ts";
import { openSeller } from "../shipping/labels/seller.ts";
import { addTeller, scanOf, tellingCarrier, told } from "./carrier.ts";

setDefaultTimeout(60_000);

type Mode = "live" | "test";

let app: TestApp;
let rivals: Readonly<Record<Mode, string>>;
let shops: Readonly<Record<Mode, ParcelShop>>;
const carrier = tellingCarrier();

beforeEach(async () => {
  app = await openApp({ gs1_prefix: null });
  overrideCarriers(app.service, { teller: carrier.connector });
  shops = { live: await parcelShopOn(app), test: await parcelShopOn(app, "test") };
  await app.post("/merchants", { code: "RIVAL", name: "Rival" });
  await app.runJobs();
  rivals = { live: await keyOf("live"), test: await keyOf("test") };
});

/** A key of the other merchant. */
async function keyOf(mode: Mode): Promise<string> {
  const wanted = { name: "Rival", permission: "full", merchant_id: "RIVAL" };
  return (await app.call("POST", "/keys", wanted, { key: app.keys[mode].full })).body.data.key;
}

const byRival = (mode: Mode, method: string, path: string, body?: object) =>
  app.call(method, path, body, { key: rivals[mode] });
const byOperator = (mode: Mode, method: string, path: string, body?: object) =>
  app.call(method, path, body, { key: app.keys[mode].full });

/** An order of the first merchant with a bought label. */
async function labelled(mode: Mode): Promise<{ order_id: string; number: string }> {
  const headers = { "packhouse-merchant": "MAIN" };
  const { key, draft, label } = shops[mode];
  const order_id = (await app.call("POST", "/orders", draft(), { key, headers })).body.data.id;
  const bought = await label(order_id, {}, headers);
  return { order_id, number: bought.body.data.tracking_number };
}

/** The operator's view of an order, its billable events and its events. */
async function seen(mode: Mode, order_id: string) {
  const order = (await byOperator(mode, "GET", `/orders/${order_id}`)).body.data;
  const billed = (await byOperator(mode, "GET", "/billing/events?limit=100")).body.data.length;
  const events = (await byOperator(mode, "GET", "/events?limit=100")).body.data.length;
  return { status: order.status, shipments: order.shipments, billed, events };
}

async function playedOut(): Promise<void> {
  for (let day = 0; day < 6; day++) {
    await app.runJobs();
    app.clocks.test.advance(10_000);
  }
  await app.runJobs();
}

describe("a number of the built-in carrier", () => {
  test("is tracked by its owner only: another merchant is refused, and nothing ships or is billed", async () => {
    const { order_id, number } = await labelled("test");
    await app.runJobs();
    const before = await seen("test", order_id);
    const refused = await byRival("test", "POST", "/tracking", { tracking_number: number });
    expect(outcomeOf(refused)).toEqual([404, "resource_missing"]);
    await app.runJobs();
    expect(await seen("test", order_id)).toEqual(before);
    expect((await byOperator("test", "GET", `/tracking/${number}`)).body.data.status).toBe("pending");
    expect((await byOperator("test", "POST", "/tracking", { tracking_number: number })).status).toBe(201);
    // The simulated carrier reports to the owner.
    await playedOut();
    expect((await byOperator("test", "GET", `/orders/${order_id}`)).body.data.status).toBe("delivered");
    expect(outcomeOf(await byRival("test", "GET", `/tracking/${number}`))).toEqual([404, "resource_missing"]);
    expect((await byRival("test", "GET", "/events?limit=100")).body.data).toEqual([]);
  });

  test("that was not issued yet cannot be tracked, in any notation", async () => {
    const { number } = await labelled("live");
    const serial = Number(number.slice(2, -1));
    const next = ownTrackingNumber("WH", serial + 1);
    for (const tracking_number of [next, next.toLowerCase(), `${next.slice(0, 4)} ${next.slice(4)}`]) {
      const answer = await byRival("live", "POST", "/tracking", { tracking_number });
      expect([tracking_number, ...outcomeOf(answer)]).toEqual([tracking_number, 404, "resource_missing"]);
    }
    const named = { tracking_number: next, merchant_id: "RIVAL" };
    expect(outcomeOf(await byOperator("live", "POST", "/tracking", named))).toEqual([404, "resource_missing"]);
    expect((await labelled("live")).number).toBe(next);
    const scanned = await byOperator("live", "POST", `/tracking/${next}/events`, { status: "picked_up" });
    expect([scanned.status, scanned.body.data?.merchant_id]).toEqual([201, "mer_1"]);
  });

  test("is refused with the same message, whether another merchant has it or nobody", async () => {
    const { number } = await labelled("live");
    const unused = ownTrackingNumber("WH", 999_999);
    const words = async (tracking_number: string) => {
      const { error } = (await byRival("live", "POST", "/tracking", { tracking_number })).body;
      return JSON.stringify({ ...error, request_id: null }).replaceAll(tracking_number, "N");
    };
    expect(await words(number)).toBe(await words(unused));
  });

  test("keeps its record when its owner tracks it months after the delivery", async () => {
    const { number } = await labelled("live");
    await byOperator("live", "POST", `/tracking/${number}/events`, { status: "delivered" });
    app.clocks.live.advance(100 * 86_400_000);
    const { status, body } = await byOperator("live", "POST", "/tracking", { tracking_number: number });
    expect([status, body.data.status, body.data.shipment_id]).toEqual([201, "delivered", expect.any(String)]);
  });

  test("that a merchant's old orders contain belongs to the parcel that it was issued for", async () => {
    const { number } = await labelled("live");
    const next = ownTrackingNumber("WH", Number(number.slice(2, -1)) + 2);
    await byRival("live", "POST", "/products", { sku: "OLD", name: "Old" });
    const row =
      "O-1,shipped,2025-11-01T00:00:00Z,2025-11-02T00:00:00Z,OLD,1,2.00,a@example.com,A,1 St,Reno,NV,89501,US";
    const file =
      "order_number,status,created_at,shipped_at,sku,quantity,unit_price,customer_email,ship_to,address_line1," +
      `city,state,postal_code,country,tracking_number\n${row},${next}\n`;
    const imported = await app.call("POST", "/orders/import?history=true", file, {
      key: rivals.live,
      headers: { "content-type": "text/csv" },
    });
    expect([imported.status, imported.body.data]).toMatchObject([200, { created: 1 }]);
    expect((await labelled("live")).number).toBe(next);
    const scanned = await byOperator("live", "POST", `/tracking/${next}/events`, { status: "picked_up" });
    expect([scanned.status, scanned.body.data?.merchant_id]).toEqual([201, "mer_1"]);
    expect((await byOperator("live", "GET", `/tracking/${next}`)).body.data?.merchant_id).toBe("mer_1");
    const many = (await byOperator("live", "POST", "/tracking/batch", { tracking_numbers: [next] })).body.data;
    expect(many[0].tracking?.merchant_id).toBe("mer_1");
  });
});

describe("a carrier's number from a bought label", () => {
  test("stays its parcel's for the operator when another merchant enters it by hand", async () => {
    await openSeller(app);
    const headers = { "packhouse-merchant": "MAIN" };
    const order_id = (await app.call("POST", "/orders", shops.live.draft(), { headers })).body.data.id;
    const bought = await shops.live.label(order_id, { carrier: "swift", service: "ground" }, headers);
    expect(bought.status).toBe(201);
    const number: string = bought.body.data.tracking_number;
    const row =
      "O-1,shipped,2025-11-01T00:00:00Z,2025-11-02T00:00:00Z,OLD,1,2.00,a@example.com,A,1 St,Reno,NV,89501,US";
    const head =
      "order_number,status,created_at,shipped_at,sku,quantity,unit_price,customer_email,ship_to,address_line1," +
      "city,state,postal_code,country,tracking_number";
    await byRival("live", "POST", "/products", { sku: "OLD", name: "Old" });
    const imported = await app.call("POST", "/orders/import?history=true", `${head}\n${row},${number}\n`, {
      key: rivals.live,
      headers: { "content-type": "text/csv" },
    });
    expect([imported.status, imported.body.data]).toMatchObject([200, { created: 1 }]);
    const scanned = await byOperator("live", "POST", `/tracking/${number}/events`, { status: "picked_up" });
    expect([scanned.status, scanned.body.data?.merchant_id]).toEqual([201, "mer_1"]);
    expect((await byOperator("live", "GET", `/tracking/${number}`)).body.data?.order_id).toBe(order_id);
  });
});

describe("a carrier's number that another merchant tracks", () => {
  const number = "SWIFT000001";

  /** An order of the first merchant shipped under the number. */
  async function shipped(): Promise<string> {
    const { order_id } = await labelled("live");
    const other = await app.call("POST", "/orders", shops.live.draft(), { headers: { "packhouse-merchant": "MAIN" } });
    const id = other.body.data.id;
    expect(order_id).not.toBe(id);
    const left = await byOperator("live", "POST", `/orders/${id}/ship`, { carrier: "swift", tracking_number: number });
    expect(left.status).toBe(200);
    return id;
  }

  test("stays the parcel's for the operator, who scans and reads without naming a merchant", async () => {
    expect((await byRival("live", "POST", "/tracking", { tracking_number: number })).status).toBe(201);
    const order_id = await shipped();
    const scanned = await byOperator("live", "POST", `/tracking/${number}/events`, { status: "in_transit" });
    expect([scanned.status, scanned.body.data?.merchant_id]).toEqual([201, "mer_1"]);
    expect((await byOperator("live", "GET", `/tracking/${number}`)).body.data?.order_id).toBe(order_id);
    const many = (await byOperator("live", "POST", "/tracking/batch", { tracking_numbers: [number] })).body;
    expect([many.data[0].tracking?.order_id, many.meta.found]).toEqual([order_id, 1]);
    const again = await byOperator("live", "POST", "/tracking", { tracking_number: number });
    expect([again.status, again.body.data?.order_id]).toEqual([201, order_id]);
    expect((await byRival("live", "GET", `/tracking/${number}`)).body.data.status).toBe("pending");
  });

  test("is not updated by the carrier's response to the tracking request", async () => {
    const order_id = await shipped();
    await addTeller(app);
    carrier.answer = async () => [told(number, [scanOf("delivered", app.clocks.live.now() - minute_ms)])];
    const followed = { tracking_number: number, carrier: "swift" };
    expect((await byRival("live", "POST", "/tracking", followed)).body.data.account_id).toEqual(expect.any(String));
    await app.takeEvents();
    await app.runJobs();
    expect((await byRival("live", "GET", `/tracking/${number}`)).body.data.status).toBe("delivered");
    expect((await byOperator("live", "GET", `/orders/${order_id}`)).body.data.status).toBe("shipped");
    const events = (await app.takeEvents()) as unknown as { type: string; merchant_id: string }[];
    expect(events.map(({ type, merchant_id }) => [type, merchant_id])).toEqual([
      ["shipment.tracking_updated", "mer_1001"],
      ["shipment.delivered", "mer_1001"],
    ]);
  });
});

describe("a number of the simulated carrier", () => {
  test("that the operator tracks for one merchant updates no parcel of another", async () => {
    const draft = await app.call("POST", "/orders", shops.test.draft(), {
      key: app.keys.test.full,
      headers: { "packhouse-merchant": "MAIN" },
    });
    const order_id = draft.body.data.id;
    const ship = { carrier: "easypost", tracking_number: "EZ4000000004" };
    expect((await byOperator("test", "POST", `/orders/${order_id}/ship`, ship)).status).toBe(200);
    await app.runJobs();
    const before = await seen("test", order_id);
    const follow = { tracking_number: "EZ4000000004", merchant_id: "RIVAL" };
    expect((await byOperator("test", "POST", "/tracking", follow)).body.data.status).toBe("delivered");
    await playedOut();
    const after = await seen("test", order_id);
    expect([after.status, after.shipments, after.billed]).toEqual([before.status, before.shipments, before.billed]);
  });

  test("without a label plays its days for each merchant that tracks it, and for no other", async () => {
    const number = "SIM7RTS";
    for (const code of ["MAIN", "RIVAL"]) {
      await byOperator("test", "POST", "/tracking", { tracking_number: number, merchant_id: code });
      await app.runJobs();
      app.clocks.test.advance(10_000);
    }
    const statusOf = async (code: string) =>
      (
        await app.call("GET", `/tracking/${number}`, undefined, {
          key: app.keys.test.full,
          headers: { "packhouse-merchant": code },
        })
      ).body.data.status;
    await app.runJobs();
    expect([await statusOf("MAIN"), await statusOf("RIVAL")]).toEqual(["in_transit", "picked_up"]);
    await playedOut();
    expect([await statusOf("MAIN"), await statusOf("RIVAL")]).toEqual(["returned", "returned"]);
  });
});
