import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { minute_ms } from "../../src/core/time.ts";
import { overrideCarriers } from "../../src/shipping/carriers/connectors.ts";
import { openApp } from "../build/service.ts";
import { type ParcelShop, parcel, parcelShopOn } from "../build/shop.ts";
import { addTeller, scanOf, tellingCarrier, told } from "./carrier.ts";

setDefaultTimeout(60_000);

const carrier = tellingCarrier();
const app = await openApp({ base_url: "https://ship.example.com" });
overrideCarriers(app.service, { teller: carrier.connector });
const shop: ParcelShop = await parcelShopOn(app);
const teller = await addTeller(app);
await app.takeEvents();

let made = 0;
const fresh = () => `SWIFT${String(++made).padStart(6, "0")}`;
const follow = async (tracking_number: string, more: object = {}) => {
  const answer = await app.post("/tracking", { tracking_number, ...more });
  return { status: answer.status, data: answer.body.data, error: answer.body.error };
};

describe("works", () => {
  test("a number without a parcel is tracked, polled once the response is sent, and emitted", async () => {
    const number = fresh();
    carrier.answer = async () => [
      told(number, [scanOf("in_transit", app.clocks.live.now() - minute_ms, { message: "Left Reno." })], {
        estimated_delivery: app.clocks.live.now() + 1000 * minute_ms,
      }),
    ];
    const asked_before = carrier.asked.length;
    const first = await follow(`swift ${number.slice(5).toLowerCase()}`, { carrier: "Swift" });
    expect([first.status, first.data]).toMatchObject([
      201,
      { tracking_number: number, status: "pending", carrier: "swift", account_id: teller.id, shipment_id: null },
    ]);
    expect(carrier.asked).toHaveLength(asked_before);
    await app.runJobs();
    expect(carrier.asked.slice(asked_before)).toEqual([{ what: "follow", numbers: [number] }]);
    const known = (await app.get(`/tracking/${number}`)).body.data;
    expect(known).toMatchObject({
      status: "in_transit",
      message: "Left Reno.",
      events: [{ carrier_status: "IN_TRANSIT" }],
    });
    expect(Date.parse(known.estimated_delivery)).toBe(app.clocks.live.now() + 1000 * minute_ms);
    const events = await app.takeEvents();
    expect(events.map(({ type }) => type)).toEqual(["shipment.tracking_updated", "shipment.in_transit"]);
    expect(events[1]?.data).toMatchObject({ object: "shipment", id: null, order_id: null, tracking_number: number });
    // Tracking it again returns the same record without another poll.
    expect((await follow(number)).data).toMatchObject(known);
    await app.runJobs();
    expect([carrier.asked.length, await app.takeTypes()]).toEqual([asked_before + 1, []]);
  });

  test("a number of an unknown carrier is recorded and waits for scans", async () => {
    const number = fresh();
    const { data } = await follow(number);
    expect(data).toMatchObject({ carrier: "unknown", account_id: null, next_poll_at: null, status: "pending" });
    await app.post(`/tracking/${number}/events`, { status: "delivered", signed_by: "Ada" });
    expect((await app.get(`/tracking/${number}`)).body.data).toMatchObject({ status: "delivered", signed_by: "Ada" });
    expect(await app.takeTypes()).toEqual(["shipment.tracking_updated", "shipment.delivered"]);
  });

  test("a number that fits one carrier by its check digit names it, one that fits several names none", async () => {
    const ups = (await follow("1Z5R89390357567127")).data;
    expect([ups.carrier, ups.detected_carriers.length, ups.wrong_check_digits]).toEqual(["ups", 1, []]);
    const several = (await follow("331880102594")).data;
    expect(several.carrier).toBe("unknown");
    const names = several.detected_carriers.map(({ carrier }: { carrier: string }) => carrier);
    expect(names.toSorted()).toEqual(["fedex", "purolator"]);
  });

  test("a number with a wrong check digit is tracked, and the response shows the right one", async () => {
    const mistyped = (await follow("1Z5R89390357567126")).data;
    expect([mistyped.carrier, mistyped.detected_carriers]).toEqual(["unknown", []]);
    const wrong = { carrier: "ups", format: "UPS", check_digit: "6", expected: "7" };
    const message = "The check digit must be 7 for UPS (got 6). Check the number.";
    expect(mistyped.wrong_check_digits).toEqual([{ ...wrong, message }]);
    // With a named carrier only its formats are checked.
    const named = async (carrier: string) => (await follow("331880102501", { carrier })).data.wrong_check_digits;
    expect(await named("fedex")).toMatchObject([{ carrier: "fedex", check_digit: "1" }]);
    expect(await named("bike bob")).toEqual([]);
    const { error } = (await app.get("/tracking/RB123456784GB")).body;
    expect(error).toMatchObject({ code: "resource_missing", detected_carriers: [] });
    expect(error.message).toEndWith("The check digit must be 5 for S10 (got 4). Check the number.");
    const [batched] = (await app.post("/tracking/batch", { tracking_numbers: ["RB123456784GB"] })).body.data;
    expect(batched.error.wrong_check_digits).toEqual(error.wrong_check_digits);
  });

  test("a number that fits many carriers' formats is assigned to none", async () => {
    const { data } = await follow("KQX123456789");
    expect(data).toMatchObject({ carrier: "unknown", detected_carriers: [{ carrier: "purolator", checked: false }] });
  });

  test("a number assigned to an order appears in its history and on a tracking page", async () => {
    const order = await shop.order();
    await app.takeEvents();
    const number = fresh();
    const { data } = await follow(number, { order_id: order.order_number });
    expect(data.order_id).toBe(order.id);
    expect(data.tracking_url).toMatch(/^https:\/\/ship\.example\.com\/t\/N[0-9a-z]+-[0-9a-f]{32}$/);
    await app.post(`/tracking/${number}/events`, { status: "out_for_delivery", location: { city: "Elko" } });
    const [event] = await app.takeEvents();
    expect(event?.data).toMatchObject({ id: null, order_id: order.id, order_number: order.order_number });
    const history = (await app.get(`/orders/${order.id}/history`)).body.data;
    expect(history.at(-1)).toMatchObject({ event: "tracking", note: `${number}: out_for_delivery` });
    expect((await app.get(`/orders/${order.id}`)).body.data.status).toBe("pending");
    const page = await app.call("GET", new URL(data.tracking_url).pathname, undefined, { key: null });
    expect([page.status, page.body]).toEqual([200, expect.stringContaining("Out for delivery, <bdi>Elko</bdi>")]);
    const forged = new URL(data.tracking_url).pathname.replace("/t/N", "/t/");
    expect((await app.call("GET", forged, undefined, { key: null })).status).toBe(404);
    const listed = (await app.get(`/tracking?order_id=${order.id}`)).body.data;
    expect(listed).toMatchObject([{ tracking_number: number, status: "out_for_delivery", order_id: order.id }]);
  });

  test("an account reports on a parcel shipped under a carrier's number, and updates its order", async () => {
    const number = fresh();
    const order = await shop.order();
    await app.post(`/orders/${order.id}/ship`, { carrier: "swift", tracking_number: number });
    await app.takeEvents();
    carrier.answer = async () => [told(number, [scanOf("delivered", app.clocks.live.now())])];
    const { data } = await follow(number, { account_id: teller.id });
    expect(data).toMatchObject({ order_id: order.id, account_id: teller.id, shipment_id: expect.any(String) });
    await app.runJobs();
    expect(await app.takeTypes()).toEqual(["order.delivered", "shipment.tracking_updated", "shipment.delivered"]);
    expect((await app.get(`/orders/${order.id}`)).body.data.status).toBe("delivered");
  });

  test("a number tracked before its parcel existed becomes the parcel's, with its scans", async () => {
    const number = fresh();
    await follow(number);
    await app.post(`/tracking/${number}/events`, {
      status: "in_transit",
      timestamp: new Date(app.clocks.live.now() - minute_ms),
    });
    const order = await shop.order();
    await app.post(`/orders/${order.id}/ship`, { carrier: "swift", tracking_number: number });
    const [{ tracking_url }] = (await app.get(`/orders/${order.id}`)).body.data.shipments;
    expect((await app.call("GET", new URL(tracking_url).pathname, undefined, { key: null })).status).toBe(200);
    await app.takeEvents();
    await app.post(`/tracking/${number}/events`, { status: "delivered" });
    const known = (await app.get(`/tracking/${number}`)).body.data;
    expect(known).toMatchObject({ status: "delivered", order_id: order.id, shipment_id: expect.any(String) });
    expect(known.events).toHaveLength(2);
    expect(await app.takeTypes()).toEqual(["order.delivered", "shipment.tracking_updated", "shipment.delivered"]);
  });

  test("a return shipment is tracked until it arrives", async () => {
    const order = await shop.order();
    await app.post(`/orders/${order.id}/ship`, {});
    const number = fresh();
    const back = { order_id: order.id, reason: "defective", return_shipping: { tracking_number: number } };
    const { id } = (await app.post("/returns", back)).body.data;
    const { data } = await follow(number, { carrier: "swift" });
    expect(data.order_id).toBe(order.id);
    await app.takeEvents();
    await teller.callBack([told(number, [scanOf("in_transit", app.clocks.live.now() - minute_ms)])]);
    expect((await app.get(`/returns/${id}`)).body.data).toMatchObject({
      arrived_at: null,
      return_shipping: { status: "in_transit", tracking_url: data.tracking_url },
    });
    const waiting = async () =>
      (await app.get("/returns?arrived=true&status=initiated")).body.data.map(({ id: one }: { id: string }) => one);
    expect(await waiting()).toEqual([]);
    const before = await app.get(`/returns/${id}`);
    await teller.callBack([told(number, [scanOf("delivered", app.clocks.live.now())])]);
    const none_match = { "if-none-match": before.headers.get("etag") ?? "" };
    expect((await app.call("GET", `/returns/${id}`, undefined, { headers: none_match })).status).toBe(200);
    const arrived = (await app.get(`/returns/${id}`)).body.data;
    expect(arrived).toMatchObject({ return_shipping: { status: "delivered" }, status: "initiated" });
    expect(Date.parse(arrived.arrived_at)).toBe(app.clocks.live.now());
    expect(await waiting()).toEqual([id]);
    expect((await app.get("/returns?arrived=false")).body.data.map(({ id: one }: { id: string }) => one)).not.toContain(
      id,
    );
    const last = (await app.takeEvents()).at(-1);
    expect([last?.type, last?.data["return_id"], last?.data["order_id"]]).toEqual(["shipment.delivered", id, order.id]);
    const history = (await app.get(`/orders/${order.id}/history`)).body.data;
    expect(history.at(-1).note).toBe(`${id}, ${number}: delivered`);
    expect((await app.get(`/orders/${order.id}`)).body.data.status).toBe("shipped");
    const page = await app.call("GET", new URL(data.tracking_url).pathname, undefined, { key: null });
    expect(page.body).toMatch(/<dt>To<\/dt><dd><bdi>[^<]*<\/bdi><\/dd>/);
    await app.post(`/returns/${id}/receive`);
    expect(await waiting()).toEqual([]);
  });
});

test("a return label tracks its parcel until it arrives", async () => {
  const order = await shop.order();
  await app.post(`/orders/${order.id}/ship`, {});
  const { id } = (await app.post("/returns", { order_id: order.id, reason: "defective" })).body.data;
  const bought = await app.post(`/returns/${id}/label`, { ...parcel, carrier: "local" });
  expect([bought.status, bought.body.error]).toEqual([201, undefined]);
  const { tracking_number } = (await app.get(`/returns/${id}`)).body.data.return_shipping;
  const shipping = async () => (await app.get(`/returns/${id}`)).body.data;
  expect((await shipping()).return_shipping.tracking_url).toMatch(/^https:\/\/ship\.example\.com\/t\/N/);
  await app.post(`/tracking/${tracking_number}/events`, { status: "picked_up" });
  expect(await shipping()).toMatchObject({ return_shipping: { status: "in_transit" }, arrived_at: null });
  await app.takeEvents();
  await app.post(`/tracking/${tracking_number}/events`, { status: "delivered" });
  expect(await shipping()).toMatchObject({ return_shipping: { status: "delivered" }, arrived_at: expect.any(String) });
  const events = await app.takeEvents();
  expect(events.map(({ type, data }) => [type, data["id"], data["return_id"]])).toEqual([
    ["shipment.tracking_updated", null, id],
    ["shipment.delivered", null, id],
  ]);
  expect((await app.get(`/orders/${order.id}`)).body.data.status).toBe("shipped");
});

describe("test data", () => {
  const key = () => app.keys.test.full;
  const sandbox = (method: string, path: string, body?: unknown) => app.call(method, path, body, { key: key() });

  test("knows the carriers' test numbers", async () => {
    const { status, body } = await sandbox("POST", "/tracking", { tracking_number: "EZ4000000004" });
    const there = { status: "delivered", carrier: "sim", signed_by: "John Tester" };
    expect([status, body.data]).toMatchObject([201, there]);
    expect(body.data.events).toHaveLength(5);
    expect((await sandbox("POST", "/tracking", { tracking_number: "EZ4000000004" })).body.data).toEqual(body.data);
  });

  test("plays the days of a SIM number, each once, as its clock advances", async () => {
    const { body } = await sandbox("POST", "/tracking", { tracking_number: "SIM7EXC" });
    expect(body.data).toMatchObject({ status: "pending", events: [{ status: "pending" }] });
    const seen: string[] = [];
    for (let day = 0; day < 6; day++) {
      await app.runJobs();
      await app.runJobs();
      seen.push((await sandbox("GET", "/tracking/SIM7EXC")).body.data.status);
      app.clocks.test.advance(10_000);
    }
    expect(seen).toEqual(["pending", "picked_up", "in_transit", "exception", "out_for_delivery", "delivered"]);
    const last = (await sandbox("GET", "/tracking/SIM7EXC")).body.data;
    expect([last.events.length, last.next_poll_at]).toEqual([6, null]);
  });
});

describe("refuses", () => {
  test.each([
    ["a number of dashes", { tracking_number: "- -" }, 422, "tracking_number"],
    ["no number", { carrier: "ups" }, 422, "tracking_number"],
    ["an account that there is not", { tracking_number: "X1", account_id: "cac_999" }, 422, "account_id"],
    ["an order that there is not", { tracking_number: "X1", order_id: "ord_999999" }, 404, "order_id"],
  ])("%s", async (_, body, status, field) => {
    const answer = await app.post("/tracking", body);
    expect([answer.status, answer.body.error.details[0].field]).toEqual([status, field]);
    expect((await app.get("/tracking/X1")).status).toBe(404);
  });

  test("to assign an order's parcel to another order", async () => {
    const [one, other] = [await shop.order(), await shop.order()];
    const { tracking_number } = (await shop.label(one.id)).body.data;
    const answer = await app.post("/tracking", { tracking_number, order_id: other.id });
    expect([answer.status, answer.body.error.details[0].field]).toEqual([422, "order_id"]);
  });
});
