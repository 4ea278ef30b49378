import { describe, expect } from "bun:test";
import { type Api, replay } from "./service.ts";
import { decimal, envelope, expectShape, flag, listOf, moment, object, oneOf, orNull, record, text } from "./shape.ts";
import { buyLabel, makeOrder, scan } from "./supplies.ts";

const statuses = ["pending", "picked_up", "in_transit", "out_for_delivery", "delivered", "exception", "returned"];
const eventStatus = oneOf(...statuses, "accepted");

const common = { tracking_number: text, carrier: text, status: oneOf(...statuses), estimated_delivery: moment };

const shapeA = record({
  ...common,
  status_detail: text,
  events: listOf(record({ status: eventStatus, message: text, location: text, timestamp: moment })),
});

const shapeB = record({
  ...common,
  service_type: text,
  current_location: record({ city: text, state: text, country: text, facility: text }),
  events: listOf(
    record({
      timestamp: moment,
      status: eventStatus,
      location: record({ city: text, state: text }),
      description: text,
    }),
  ),
  shipment_details: record({
    weight: text,
    weight_unit: text,
    dimensions: record({ length: decimal, width: decimal, height: decimal }),
  }),
});

/** A parcel that has been scanned twice. */
async function makeParcel(api: Api) {
  const order = await makeOrder(api);
  const label = await buyLabel(api, order.id);
  const tracking_number = label.textAt("data.tracking_number");
  for (const status of ["picked_up", "in_transit"]) expect((await scan(api, tracking_number, status)).status).toBe(201);
  return { order, tracking_number };
}

describe("tracking", () => {
  replay("GET /tracking/:tracking_number", "answers the shape of the tracking reference", async (api) => {
    const { tracking_number } = await makeParcel(api);
    const answer = await api.get(`/tracking/${tracking_number}`);
    expectShape(answer.body, envelope(shapeB));
    expect(answer.at("data")).toMatchObject({
      tracking_number,
      status: "in_transit",
      current_location: { city: "Memphis", state: "TN", country: "US", facility: "Memphis hub" },
    });
    const times = (answer.at("data.events") as { timestamp: string }[]).map(({ timestamp }) => timestamp);
    expect(times).toEqual(times.toSorted().toReversed());
    expect(answer.at("data.events.0.status")).toBe("in_transit");
  });

  replay("GET /tracking/:tracking_number", "answers the shape of the shipping reference when asked", async (api) => {
    const { tracking_number } = await makeParcel(api);
    const answer = await api.get(`/tracking/${tracking_number}?shape=a`);
    expectShape(answer.body, envelope(shapeA));
    expect(answer.at("data")).toMatchObject({ tracking_number, status: "in_transit" });
  });

  replay("GET /tracking/:tracking_number", "is pending once a label is made, and tells each status", async (api) => {
    const order = await makeOrder(api);
    const label = await buyLabel(api, order.id);
    const tracking_number = label.textAt("data.tracking_number");
    const path = `/tracking/${tracking_number}`;
    expect((await api.get(path)).at("data.status")).toBe("pending");
    for (const status of [...statuses.slice(1, 4), "exception", "delivered", "returned"]) {
      await scan(api, tracking_number, status);
      expect((await api.get(path)).at("data.status")).toBe(status);
    }
    await api.refused(404, "resource_missing", "GET", "/tracking/NOSUCHNUMBER1");
  });

  replay("GET /tracking/:tracking_number", "knows `accepted` as a status of events only", async (api) => {
    const label = await buyLabel(api, (await makeOrder(api)).id);
    const tracking_number = label.textAt("data.tracking_number");
    await scan(api, tracking_number, "accepted");
    const answer = await api.get(`/tracking/${tracking_number}`);
    expect([answer.at("data.status"), answer.at("data.events.0.status")]).toEqual(["picked_up", "accepted"]);
  });

  replay("GET /tracking/:tracking_number", "agrees with the order, which moves with its parcel", async (api) => {
    const { order, tracking_number } = await makeParcel(api);
    expect((await api.get(`/tracking/${tracking_number}`)).at("data.status")).toBe("in_transit");
    expect((await api.get(`/orders/${order.id}`)).at("data.status")).toBe("shipped");
    await scan(api, tracking_number, "delivered");
    expect((await api.get(`/tracking/${tracking_number}`)).at("data.status")).toBe("delivered");
    expect((await api.get(`/orders/${order.id}`)).at("data.status")).toBe("delivered");
  });

  replay("POST /tracking/batch", "answers each number in the order asked", async (api) => {
    const { tracking_number } = await makeParcel(api);
    const tracking_numbers = ["NOSUCHNUMBER1", tracking_number];
    const answer = await api.ask("POST", "/tracking/batch", { tracking_numbers });
    expect(answer.status).toBe(200);
    const found = record({ tracking_number: text, success: flag, tracking: orNull(shapeB), error: orNull(object) });
    expectShape(answer.body, envelope(listOf(found)));
    expect(answer.at("data")).toMatchObject([
      { tracking_number: "NOSUCHNUMBER1", success: false, tracking: null, error: { code: "resource_missing" } },
      { tracking_number, success: true, tracking: { tracking_number, status: "in_transit" }, error: null },
    ]);
    expect(answer.at("meta")).toMatchObject({ requested: 2, found: 1 });
  });

  replay("POST /tracking/batch", "takes 100 numbers and refuses 101", async (api) => {
    const tracking_numbers = Array.from({ length: 101 }, (_, n) => `NOSUCHNUMBER${n}`);
    const answer = await api.post("/tracking/batch", { tracking_numbers: tracking_numbers.slice(1) });
    expect(answer.at("data")).toHaveLength(100);
    await api.refused(422, "validation_failed", "POST", "/tracking/batch", { tracking_numbers });
  });
});
