import { describe, expect, test } from "bun:test";
import { openApp } from "../../build/service.ts";
import { fieldsOf } from "../../build/shop.ts";

const app = await openApp();

const rates = { from_zip: "43215", to_zip: "90210", weight: 2.5, weight_unit: "lbs" };

describe("works", () => {
  test("rates are quoted for each service, in the specified fields", async () => {
    const dimensions = { length: 10, width: 8, height: 4, unit: "in" };
    const answer = await app.post("/shipping/rates", { ...rates, dimensions, value: 50, insurance: false });
    expect(answer.status).toBe(200);
    expect(answer.body.data.messages).toMatchObject([{ code: "sample_rates" }]);
    expect(answer.body.data.rates).toHaveLength(3);
    expect(answer.body.data.rates[0]).toEqual({
      quote_id: expect.stringMatching(/^quo_[0-9a-f]{32}_0$/),
      expires_at: "2026-01-02T03:19:05.000Z",
      carrier: "local",
      carrier_name: "Packhouse Courier",
      account_id: null,
      service: "standard",
      service_name: "Standard",
      rate: 15.67,
      currency: "USD",
      breakdown: [
        { code: "base", amount: 13.51 },
        { code: "fuel", amount: 2.16 },
      ],
      billable_weight: 3,
      billable_weight_unit: "lb",
      zone: "8",
      zone_estimated: false,
      delivery_days: 5,
      ship_date: "2026-01-02",
      delivery_date: "2026-01-10T04:00:00.000Z",
      delivery_day: "2026-01-09",
      sample: true,
      chosen: false,
    });
  });

  test("a carrier reports what it does not support", async () => {
    const heavy = (await app.post("/shipping/rates", { ...rates, weight: "151", insurance: true })).body.data;
    expect(heavy.rates).toEqual([]);
    expect(heavy.messages.map(({ code }: { code: string }) => code)).toEqual([
      ...Array(3).fill("over_weight_limit"),
      "insurance_not_offered",
    ]);
  });

  test("each environment has its carriers", async () => {
    const services = ["standard", "express", "overnight"];
    const service_names = { standard: "Standard", express: "Express", overnight: "Overnight" };
    const own = (code: string, name: string) => {
      return { code, name, services, service_names, connector: code, account_id: null };
    };
    expect((await app.get("/shipping/carriers")).body.data.carriers).toEqual([own("local", "Packhouse Courier")]);
    const key = app.keys.test.read;
    const simulated = (await app.call("GET", "/shipping/carriers", undefined, { key })).body.data.carriers;
    expect(simulated).toEqual([
      own("sim", "Simulated Parcel"),
      {
        ...own("sim_post", "Simulated Post"),
        services: ["ground", "priority"],
        service_names: { ground: "Ground", priority: "Priority" },
        connector: "sim",
      },
      {
        ...own("sim_express", "Simulated Express"),
        services: ["two_day", "next_day"],
        service_names: { two_day: "Two Day", next_day: "Next Day" },
        connector: "sim",
      },
    ]);
  });

  test.each([
    { to_zip: "90210-1234" },
    { from_zip: "00501" },
    { to_country: "CA", to_zip: "K1A 0B1" },
    { to_country: "CA", to_zip: "k1a0b1" },
    { to_country: "HK", to_zip: "-" },
  ])("a quote is returned for %j", async (fields) => {
    expect((await app.post("/shipping/rates", { ...rates, ...fields })).status).toBe(200);
  });
});

describe("refuses", () => {
  test.each([
    ["no weight", { weight: undefined }, "weight"],
    ["no destination", { to_zip: undefined }, "to_zip"],
    ["a weight of zero", { weight: 0 }, "weight"],
    ["a weight that is no number", { weight: "1.2.3" }, "weight"],
    ["an unknown unit", { weight_unit: "stone" }, "weight_unit"],
    ["an unknown field", { colour: "red" }, "colour"],
    ["a ZIP code of four digits", { to_zip: "9021" }, "to_zip"],
    ["a ZIP code of letters", { from_zip: "OHIO5" }, "from_zip"],
    ["nine digits without a hyphen", { to_zip: "902101234" }, "to_zip"],
    ["a ZIP code in Canada", { to_country: "CA", to_zip: "90210" }, "to_zip"],
    ["a Canadian code that was never given out", { to_country: "CA", to_zip: "Z1A 0B1" }, "to_zip"],
    ["no country", { from_country: "XX" }, "from_country"],
  ])("a quote for %s", async (_name, fields, field) => {
    const answer = await app.post("/shipping/rates", { ...rates, ...fields });
    expect([answer.status, fieldsOf(answer)]).toEqual([422, [field]]);
  });

  test("every bad end at once", async () => {
    const way = await app.post("/shipping/rates", { ...rates, from_zip: "1", to_zip: "K1A 0B1", to_country: "US" });
    expect(way.body.error.details).toMatchObject([
      {
        field: "from_zip",
        code: "invalid_format",
        message: "must be a postal code of US, such as 12345 or 12345-6789",
      },
      { field: "to_zip", code: "invalid_format", message: "must be a postal code of US, such as 12345 or 12345-6789" },
    ]);
  });
});
