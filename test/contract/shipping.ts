import { describe, expect } from "bun:test";
import { replay } from "./service.ts";
import { decimal, envelope, expectShape, integer, link, listOf, moment, prefixed, record, text } from "./shape.ts";
import { buyLabel, from_address, makeOrder, numberOf, parcel, serviceOf, to_address } from "./supplies.ts";

const rate = record({
  carrier: text,
  service: text,
  rate: decimal,
  currency: text,
  delivery_days: integer,
  delivery_date: moment,
});

const label = record({
  label_id: prefixed("lbl_"),
  tracking_number: text,
  carrier: text,
  service: text,
  cost: decimal,
  label_url: link,
  tracking_url: link,
  created_at: moment,
});

const carrier = record({ code: text, name: text, services: listOf(text) });

const rateBody = { from_zip: "90001", to_zip: "10001", ...parcel };

describe("shipping", () => {
  replay("POST /shipping/rates", "quotes the documented request, with value and insurance", async (api) => {
    const body = { ...rateBody, value: 150, insurance: true };
    const answer = await api.ask("POST", "/shipping/rates", body);
    expect(answer.status).toBe(200);
    expectShape(answer.body, envelope(record({ rates: listOf(rate) })));
  });

  replay("POST /shipping/rates", "quotes without value and insurance", async (api) => {
    const answer = await api.post("/shipping/rates", rateBody);
    expectShape(answer.body, envelope(record({ rates: listOf(rate) })));
    await api.refused(422, "validation_failed", "POST", "/shipping/rates", { ...rateBody, weight: 0 });
    await api.refused(422, "validation_failed", "POST", "/shipping/rates", { ...rateBody, weight_unit: "stones" });
  });

  replay("POST /shipping/labels", "buys a label by the documented request", async (api) => {
    const order = await makeOrder(api);
    const chosen = await serviceOf(api);
    const body = { order_id: order.id, ...chosen, from_address, to_address, package: parcel };
    const answer = await api.ask("POST", "/shipping/labels", body);
    expect(answer.status).toBe(201);
    expectShape(answer.body, envelope(label));
    expect(answer.at("data")).toMatchObject(chosen);
    expect((await api.get(`/orders/${order.id}`)).at("data.shipments")).toHaveLength(1);
  });

  replay(
    "POST /shipping/labels",
    "buys what was quoted, for an order named by its number or an integer",
    async (api) => {
      const quoted = await api.post("/shipping/rates", rateBody);
      const chosen = { carrier: quoted.textAt("data.rates.0.carrier"), service: quoted.textAt("data.rates.0.service") };
      const [first, second] = [await makeOrder(api), await makeOrder(api)];
      for (const order_id of [first.order_number, numberOf(second.id)]) {
        const body = { order_id, ...chosen, from_address, to_address, package: parcel };
        const answer = await api.post("/shipping/labels", body);
        expectShape(answer.body, envelope(label));
        expect(answer.at("data")).toMatchObject({ ...chosen, cost: quoted.at("data.rates.0.rate") });
      }
    },
  );

  replay("POST /shipping/labels", "gives a link to the label that needs no key", async (api) => {
    const order = await makeOrder(api);
    const bought = await buyLabel(api, order.id);
    const document = await fetch(bought.textAt("data.label_url"));
    expect(document.status).toBe(200);
    expect((await document.bytes()).length).toBeGreaterThan(1000);
    const altered = await fetch(bought.textAt("data.label_url").replace(/.$/, (last) => (last === "0" ? "1" : "0")));
    expect(altered.status).toBeGreaterThanOrEqual(400);
  });

  replay("GET /shipping/carriers", "names carriers and their services", async (api) => {
    const answer = await api.get("/shipping/carriers");
    expectShape(answer.body, envelope(record({ carriers: listOf(carrier) })));
    const codes = (answer.at("data.carriers") as { code: string }[]).map(({ code }) => code);
    expect(codes).toEqual(codes.map((code) => code.toLowerCase()));
  });
});
