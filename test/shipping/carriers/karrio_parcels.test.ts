// Karrio's tracking: by polling and by callbacks.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { day_ms, minute_ms } from "../../../src/core/time.ts";
import type { CarrierContext } from "../../../src/shipping/carriers/connector.ts";
import { karrio } from "../../../src/shipping/carriers/karrio.ts";
import { at, openMeans, refusal } from "./carrier_setup.ts";
import { type KarrioMock, openKarrio } from "./karrio_mock.ts";

setDefaultTimeout(30_000);
const means = openMeans(karrio);
const today = Date.parse("2026-11-20");
let mock: KarrioMock;
let ctx: CarrierContext;

beforeAll(async () => {
  mock = await openKarrio();
  ctx = means.ctx({ api_key: mock.key, api_url: mock.url });
});
afterAll(() => {
  means.close();
  mock.stop();
});

const sent = () => JSON.parse(mock.asked.findLast(({ method }) => method === "POST")?.body ?? "null");

describe("parcels", () => {
  const number = { tracking_number: "4002012345678901", carrier: "canada_post" };
  const accepted = {
    date: "2026-11-20",
    time: "01:05 PM",
    description: "Accepted",
    code: "0100",
    location: "OTTAWA, ON",
  };
  const out = { date: "2026-11-21", time: "08:30", description: "Out for delivery", code: "0200" };
  const left = { date: "2026-11-21", time: "18:00", description: "Delivered", code: "1408" };

  test("are tracked and polled", async () => {
    expect(await karrio.follow?.(number, ctx)).toMatchObject({ ...number, events: [] });
    expect(sent()).toEqual({ tracking_number: number.tracking_number, carrier_name: "canadapost" });
    const look = async () => (await karrio.track?.([{ tracking_number: "unknown", carrier: null }, number], ctx)) ?? [];
    mock.scan(number.tracking_number, { ...accepted, status: "in_transit" });
    const [first, ...rest] = await look();
    expect(rest).toEqual([]);
    expect(first?.events).toMatchObject([
      {
        status: "in_transit",
        occurred_at: today + (13 * 60 + 5) * minute_ms,
        message: "Accepted",
        carrier_status: "in_transit",
        carrier_code: "0100",
        location: { facility: "OTTAWA, ON" },
      },
    ]);
    mock.scan(number.tracking_number, { ...out, status: "out_for_delivery" });
    mock.scan(number.tracking_number, { ...left, status: "delivered" });
    Object.assign(mock.trackers.get(number.tracking_number) ?? {}, {
      estimated_delivery: "2026-11-21",
      info: { signed_by: "Ann", shipment_service: "Expedited" },
    });
    const [second] = await look();
    expect(second).toMatchObject({ ...number, service: "Expedited", estimated_delivery: today + day_ms });
    expect(second?.events.map(({ status, signed_by }) => [status, signed_by])).toEqual([
      ["pending", null],
      ["pending", null],
      ["delivered", "Ann"],
    ]);
    // An earlier report is recognized by its name, even if its meaning is no longer sent.
    expect(second?.events[0]?.source_event_id).toBe(first?.events[0]?.source_event_id ?? "");
    expect(new Set(second?.events.map(({ source_event_id }) => source_event_id)).size).toBe(3);
  });

  test("show the meaning of each event in newer releases, in any order, even without scans", async () => {
    const events = [
      { ...left, status: "delivered", timestamp: "2026-11-21T18:00:00+01:00" },
      { ...accepted, status: "picked_up" },
      { ...out, status: "never heard of it" },
      { description: "without a moment", status: "delivered" },
    ];
    const tracker = { id: "trk_1", tracking_number: "1", carrier_name: "ups", status: "delivered" };
    const track = async (more: object) => {
      mock.fail({ status: 200, body: { ...tracker, ...more } });
      return (await karrio.track?.([{ tracking_number: "1", carrier: "ups" }], ctx))?.[0]?.events;
    };
    const said = await track({ events });
    expect(said?.map(({ status, occurred_at }) => [status, occurred_at])).toEqual([
      ["picked_up", today + (13 * 60 + 5) * minute_ms],
      ["in_transit", today + day_ms + (8 * 60 + 30) * minute_ms],
      ["delivered", today + day_ms + 17 * 60 * minute_ms],
    ]);
    expect(await track({ events: events.toReversed() })).toEqual(said);
    expect(await track({ events: [] })).toMatchObject([
      { status: "delivered", occurred_at: at, source_event_id: "trk_1:delivered" },
    ]);
    // Two trackers without a name are still two parcels.
    expect(await track({ id: null })).toMatchObject([{ source_event_id: "1:delivered" }]);
    expect(await track({ events: null, status: "pending" })).toEqual([]);
    const [arrived, delivered] = ["Arrived", "Delivered"].map((description) => ({ date: "2026-11-21", description }));
    expect(await track({ events: [delivered, arrived] })).toMatchObject([
      { status: "pending", message: "Arrived" },
      { status: "delivered", message: "Delivered" },
    ]);
    expect(await refusal(track({ tracking_number: null }))).toMatchObject({ code: "carrier_error", permanent: true });
  });

  test("without a carrier name or a connection are not tracked", async () => {
    for (const carrier of [null, "pigeon"]) {
      const refused = await refusal(Promise.resolve(karrio.follow?.({ tracking_number: "1", carrier }, ctx)));
      expect(refused).toMatchObject({ code: "carrier_refused", permanent: true });
    }
  });

  test("accept callbacks with the secret, and no others", () => {
    type Callback = { body: string; headers: Record<string, string> };
    const url = new URL("https://warehouse.example/v1/webhooks/carriers/karrio");
    const read = ({ body, headers }: Callback, secret = "hush") =>
      karrio.readCallback?.({ headers: new Headers(headers), url, raw: Buffer.from(body) }, secret, at);
    const genuine = mock.callback(number.tracking_number);
    const found = read(genuine);
    expect(found).toMatchObject({ event_id: null, updates: [number] });
    expect(found?.updates[0]?.events.at(-1)?.status).toBe("delivered");
    expect(read(mock.callback(number.tracking_number, { event: "tracker.created" }))?.updates).toHaveLength(1);
    expect(read(mock.callback(number.tracking_number, { event: "shipment_purchased" }))?.updates).toEqual([]);
    for (const [one, secret] of [
      [genuine, "another"],
      [{ ...genuine, headers: {} }, "hush"],
      [{ ...genuine, headers: {} }, ""],
      [mock.callback(number.tracking_number, { secret: "hushed" }), "hush"],
    ] as const) {
      expect(() => read(one, secret)).toThrow("X-Event-Id");
    }
    for (const body of ["", "[]", "null", "{", "\u00ff"]) {
      expect(() => read({ ...genuine, body })).toThrow("must be a JSON object");
    }
    expect(() => read({ ...genuine, body: '{"event":"tracker_updated","data":null}' })).toThrow("tracking_number");
  });
});
