// One tracking number that two merchants know: what is reported of it, and what each sees.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { handInCarriers } from "../../src/shipping/carriers/table.ts";
import { recordUpdate } from "../../src/tracking/scans/commands.ts";
import { openTestApp, type TestApp } from "../harness.ts";
import { addTeller, scanOf, tellingCarrier, told } from "./carrier.ts";

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
const whose = async () =>
  (await app.takeEvents()).map((event) => [event.type, (event as { merchant_id?: string }).merchant_id]);

describe("works", () => {
  test("a scan for one merchant is told of its parcel alone", async () => {
    const scan = { status: "in_transit", message: "On its way" };
    expect((await by("ACME", "POST", `/tracking/${number}/events`, scan)).status).toBe(201);
    expect(await statuses()).toEqual(["pending", "in_transit"]);
    expect(await whose()).toEqual([
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

describe("a carrier's report on a number that nobody knows yet", () => {
  test("counts for each merchant who comes to know it, whoever asked for it first", async () => {
    handInCarriers(app.service, { teller: tellingCarrier().connector });
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

describe("many numbers at once", () => {
  const batch = async (code: string | null) => {
    const body = { tracking_numbers: [number, "NOBODYS-1"] };
    const headers: Record<string, string> = code === null ? {} : { "packhouse-merchant": code };
    return (await app.call("POST", "/tracking/batch", body, { headers })).body;
  };

  test("each merchant is shown its own record", async () => {
    for (const [code, merchant_id] of [
      ["MAIN", "mer_1"],
      ["ACME", "mer_1001"],
    ] as const) {
      const { data, meta } = await batch(code);
      expect([data[0].success, data[0].tracking.merchant_id, meta.found]).toEqual([true, merchant_id, 1]);
    }
  });

  test("the house has to say whose is meant, as for one number", async () => {
    const { data, meta } = await batch(null);
    const { error } = (await app.get(`/tracking/${number}`)).body;
    expect(data).toEqual([
      {
        tracking_number: number,
        success: false,
        tracking: null,
        error: { code: "merchant_required", message: error.message, detected_carriers: [] },
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
  ])("%s %s where nobody says whose is meant", async (method, path, body) => {
    const { status, body: answer } = await app.call(method, path, body);
    expect([status, answer.error.code]).toEqual([422, "merchant_required"]);
  });
});
