// A tracking number of two merchants: the reports on it, and each merchant's view.
import { beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { waiting_updates } from "../../db/schema/tracking.ts";
import { overrideCarriers } from "../../src/shipping/carriers/connectors.ts";
import { recordUpdate } from "../../src/tracking/record_scan.ts";
import { openApp } from "../build/service.ts";
import { addTeller, scanOf, tellingCarrier, told } from "./carrier.ts";

const number = "1Z999AA10123456784";
const app = await openApp();
beforeAll(async () => {
  await app.post("/merchants", { code: "ACME", name: "Acme" });
  for (const code of ["MAIN", "ACME"]) {
    expect((await by(code, "POST", "/tracking", { tracking_number: number })).status).toBe(201);
  }
  await app.takeEvents();
});

const by = (code: string, method: string, path: string, body?: object) =>
  app.call(method, path, body, { headers: { "packhouse-merchant": code } });
const statuses = () =>
  Promise.all(["MAIN", "ACME"].map(async (code) => (await by(code, "GET", `/tracking/${number}`)).body.data.status));
/** The events since the last call, with their merchants. */
const whose = async () =>
  (await app.takeEvents()).map((event) => [event.type, (event as { merchant_id?: string }).merchant_id]);

/** The number of reports on a number that wait for a parcel. */
const waitingOf = (tracking_number: string) =>
  app.service.stores.live.read(async (db) => {
    const { tracking_number: named } = waiting_updates;
    return (await db.sql.select().from(waiting_updates).where(eq(named, tracking_number))).length;
  });

/** An order of the first merchant that can be shipped. */
async function orderOfMain(): Promise<string> {
  const made = async (path: string, body: object) => {
    const answer = await by("MAIN", "POST", path, body);
    expect([path, answer.status]).toEqual([path, 201]);
    return answer.body;
  };
  await made("/products", { sku: "MUG", name: "Mug" });
  await made("/inventory", { sku: "MUG", quantity: 5 });
  const home = { address_line1: "450 Canyon Drive", city: "Beverly Hills", state: "CA", postal_code: "90210" };
  const buyer = { email: "jordan@example.com", shipping_addresses: [{ name: "Jordan", ...home, country: "US" }] };
  const { id: customer_id, shipping_addresses } = await made("/customers", buyer);
  const line_items = [{ sku: "MUG", quantity: 1, unit_price: "3.20" }];
  const to = { customer_id, shipping_address_id: shipping_addresses[0].id };
  return (await made("/orders", { order_number: "SO-1", ...to, line_items })).data.id;
}

describe("works", () => {
  test("a scan for one merchant updates its parcel only", async () => {
    const scan = { status: "in_transit", message: "On its way" };
    expect((await by("ACME", "POST", `/tracking/${number}/events`, scan)).status).toBe(201);
    expect(await statuses()).toEqual(["pending", "in_transit"]);
    expect(await whose()).toEqual([
      ["shipment.tracking_updated", "mer_1001"],
      ["shipment.in_transit", "mer_1001"],
    ]);
  });

  test("a carrier's report counts for both, once each", async () => {
    const { live } = app.service.stores;
    app.clocks.live.advance(60_000);
    const event = {
      source_event_id: "e1",
      status: "delivered",
      occurred_at: live.clock.now(),
      message: null,
      location: null,
      status_detail: null,
      carrier_status: null,
      carrier_code: null,
      reason: null,
      signed_by: null,
    } as const;
    const parcel = { carrier: null, service: null, estimated_delivery: null };
    const update = { ...parcel, tracking_number: number, events: [event] };
    const actor = { type: "carrier", id: "swift", name: "Swift", request_id: null } as const;
    const report = () => live.write((tx) => recordUpdate(tx, update, { source: "swift", actor }));
    expect((await report()).map(({ record, changed }) => [record.merchant_id, changed])).toEqual([
      [1, true],
      [1001, true],
    ]);
    expect(await statuses()).toEqual(["delivered", "delivered"]);
    expect(await whose()).toEqual([
      ["shipment.tracking_updated", "mer_1"],
      ["shipment.delivered", "mer_1"],
      ["shipment.tracking_updated", "mer_1001"],
      ["shipment.delivered", "mer_1001"],
    ]);
    expect((await report()).map(({ changed }) => changed)).toEqual([false, false]);
    expect(await whose()).toEqual([]);
  });
});

describe("a carrier's report on an unknown number", () => {
  test("counts for each merchant that gets the number later, in any order", async () => {
    overrideCarriers(app.service, { teller: tellingCarrier().connector });
    const teller = await addTeller(app);
    const early = "EARLY-0001";
    const scan = scanOf("in_transit", app.clocks.live.now() - 60_000);
    expect((await teller.callBack([told(early, [scan])])).body).toMatchObject({ recorded: 0, waiting: 1 });
    const follow = async (code: string) => (await by(code, "POST", "/tracking", { tracking_number: early })).body.data;
    expect((await follow("MAIN")).status).toBe("in_transit");
    expect((await follow("ACME")).status).toBe("in_transit");
    expect(await whose()).toEqual([
      ["shipment.tracking_updated", "mer_1"],
      ["shipment.in_transit", "mer_1"],
      ["shipment.tracking_updated", "mer_1001"],
      ["shipment.in_transit", "mer_1001"],
    ]);
  });
});

describe("a carrier's report on a number that one merchant tracks", () => {
  test("reaches another merchant's parcel with the number, whichever was first", async () => {
    const teller = await addTeller(app);
    const [early, minute] = ["EARLY0002", 60_000];
    const at = app.clocks.live.now() - 60 * minute;
    const reports = () => waitingOf(early);
    const tell = async (status: Parameters<typeof scanOf>[0], minutes: number) =>
      (await teller.callBack([told(early, [scanOf(status, at + minutes * minute)])])).body;
    expect((await by("ACME", "POST", "/tracking", { tracking_number: early })).status).toBe(201);
    expect(await tell("accepted", 1)).toMatchObject({ recorded: 1, waiting: 0 });
    expect(await tell("in_transit", 2)).toMatchObject({ recorded: 1, waiting: 0 });
    expect(await reports()).toBe(2);
    const order_id = await orderOfMain();
    const shipped = { carrier: "swift", tracking_number: early };
    expect((await by("MAIN", "POST", `/orders/${order_id}/ship`, shipped)).status).toBe(200);
    expect(await tell("out_for_delivery", 3)).toMatchObject({ recorded: 1, waiting: 0 });
    for (const code of ["MAIN", "ACME"]) {
      const { data } = (await by(code, "GET", `/tracking/${early}`)).body;
      const statuses = data.events.map(({ status }: { status: string }) => status);
      expect([code, ...statuses]).toEqual([code, "out_for_delivery", "in_transit", "accepted"]);
    }
    expect(await reports()).toBe(0);
    await app.takeEvents();
  });
});

describe("bulk queries", () => {
  const batch = async (code: string | null) => {
    const body = { tracking_numbers: [number, "NOBODYS-1"] };
    const headers: Record<string, string> = code === null ? {} : { "packhouse-merchant": code };
    return (await app.call("POST", "/tracking/batch", body, { headers })).body;
  };

  test("each merchant sees its own record", async () => {
    for (const [code, merchant_id] of [
      ["MAIN", "mer_1"],
      ["ACME", "mer_1001"],
    ] as const) {
      const { data, meta } = await batch(code);
      expect([data[0].success, data[0].tracking.merchant_id, meta.found]).toEqual([true, merchant_id, 1]);
    }
  });

  test("the operator has to name the merchant, as for one number", async () => {
    const { data, meta } = await batch(null);
    const { error } = (await app.get(`/tracking/${number}`)).body;
    expect(data).toEqual([
      {
        tracking_number: number,
        success: false,
        tracking: null,
        error: { code: "merchant_required", message: error.message, detected_carriers: [], wrong_check_digits: [] },
      },
      expect.objectContaining({ tracking_number: "NOBODYS-1", success: false }),
    ]);
    expect([data[1].error.code, meta.found]).toEqual(["resource_missing", 0]);
  });
});

describe("refuses", () => {
  test.each([
    ["GET", `/tracking/${number}`, undefined],
    ["POST", `/tracking/${number}/events`, { status: "delivered" }],
    ["POST", "/tracking", { tracking_number: number }],
  ])("%s %s without a merchant", async (method, path, body) => {
    const { status, body: answer } = await app.call(method, path, body);
    expect([status, answer.error.code]).toEqual([422, "merchant_required"]);
  });
});
