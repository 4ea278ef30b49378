// One tracking number that two merchants know: what is reported of it, and what each sees.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { recordUpdate } from "../../src/tracking/scans/commands.ts";
import { openTestApp, type TestApp } from "../harness.ts";

const number = "1Z999AA10123456784";
let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
  await app.post("/merchants", { code: "ACME", name: "Acme" });
  for (const code of ["MAIN", "ACME"]) {
    expect((await by(code, "POST", "/tracking", { tracking_number: number })).status).toBe(201);
  }
  await app.takeEvents();
});
afterAll(() => app.close());

const by = (code: string, method: string, path: string, body?: object) =>
  app.call(method, path, body, { headers: { "packhouse-merchant": code } });
const statuses = () =>
  Promise.all(["MAIN", "ACME"].map(async (code) => (await by(code, "GET", `/tracking/${number}`)).body.data.status));
/** The events since the last call, and whose each is. */
const told = async () =>
  (await app.takeEvents()).map((event) => [event.type, (event as { merchant_id?: string }).merchant_id]);

describe("works", () => {
  test("a scan for one merchant is told of its parcel alone", async () => {
    const scan = { status: "in_transit", message: "On its way" };
    expect((await by("ACME", "POST", `/tracking/${number}/events`, scan)).status).toBe(201);
    expect(await statuses()).toEqual(["pending", "in_transit"]);
    expect(await told()).toEqual([
      ["shipment.tracking_updated", "mer_1001"],
      ["shipment.in_transit", "mer_1001"],
    ]);
  });

  test("what a carrier reports counts for both, once for each", async () => {
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
    expect(await told()).toEqual([
      ["shipment.tracking_updated", "mer_1"],
      ["shipment.delivered", "mer_1"],
      ["shipment.tracking_updated", "mer_1001"],
      ["shipment.delivered", "mer_1001"],
    ]);
    expect((await report()).map(({ changed }) => changed)).toEqual([false, false]);
    expect(await told()).toEqual([]);
  });
});

describe("refuses", () => {
  test.each([
    ["GET", `/tracking/${number}`, undefined],
    ["POST", `/tracking/${number}/events`, { status: "delivered" }],
    ["POST", "/tracking", { tracking_number: number }],
  ])("%s %s where nobody says whose is meant", async (method, path, body) => {
    const { status, body: answer } = await app.call(method, path, body);
    expect([status, answer.error.code]).toEqual([422, "merchant_required"]);
  });
});
