import { describe, expect, test } from "bun:test";
import { getHolidays, saveHolidays } from "../../../src/shipping/rates/holidays.sql.ts";
import { openApp } from "../../build/service.ts";
import { fieldsOf } from "../../build/shop.ts";

const app = await openApp();

const zones = "/shipping/zones";
const explain = async (query: string) => (await app.get(`${zones}?${query}`)).body.data;
const send = (path: string, rows: readonly string[]) =>
  app.call("POST", `${zones}${path}`, `${rows.join("\r\n")}\r\n`, { headers: { "content-type": "text/csv" } });
const header = "origin,destination,zone";

describe("works", () => {
  test("the choice of a zone is explained, for each card too", async () => {
    const data = await explain("from=701&to=372");
    expect(data).toMatchObject({ zone: "4", by: "distance", miles: 489, zone_estimated: false, unknown: [] });
    expect(data.explanation).toEqual([
      "No imported chart of default covers both ends.",
      "No override of default matches the destination.",
      "Distance of ZIP codes: 701 to 372: about 489 miles in a straight line. Zone 4.",
    ]);
    expect(data.services).toHaveLength(3);
    expect(data.services[0]).toMatchObject({ service: "standard", zone: "4", served: true });
    const unknown = await explain("from=43215&to=343&service=express");
    expect(unknown).toMatchObject({ zone: null, unknown: ["343"] });
    expect(unknown.services).toMatchObject([{ service: "express", zone: "8", by: "default", zone_estimated: true }]);
    expect(unknown.services[0].explanation.at(-1)).toBe("Default zone of the card: the card's default zone. Zone 8.");
    expect(await explain("from=10001-1234&to=K1A")).toMatchObject({
      from: { country: "US", postal_code: "10001" },
      to: { country: "CA", postal_code: "K1A" },
      services: [{ zone: "abroad", by: "rest" }, {}, {}],
    });
    expect(await explain("from=09012&to=100")).toMatchObject({ by: "military", zone_estimated: true });
  });

  test("a map shows the explained zone of every place, by the same card", async () => {
    const map = (await app.get(`${zones}/map?from=04101&service=express`)).body.data;
    expect(map).toMatchObject({ service: "express", from: { postal_code: "04101" } });
    expect(map.places.length).toBeGreaterThan(850);
    const places = map.places.filter((_: unknown, at: number) => at % 37 === 0);
    expect(places.length).toBeGreaterThan(20);
    for (const { prefix, zone, by, served } of places) {
      const { services } = await explain(`from=04101&to=${prefix}&service=express`);
      expect(services).toMatchObject([{ zone, by, served, rate_card_id: map.rate_card_id }]);
    }
    expect(new Set(map.places.map((place: { zone: string }) => place.zone)).size).toBeGreaterThan(5);
  });

  test("an imported chart always wins, and rates use it at once", async () => {
    const ask = async () =>
      (await app.post("/shipping/rates", { from_zip: "43215", to_zip: "90210", weight: 1 })).body.data.rates[0].zone;
    expect(await ask()).toBe("8");
    await app.call("PUT", `${zones}/overrides`, {
      overrides: [
        { country: "US", state: "CA", zone: "6" },
        { country: "US", postal_prefix: "902", zone: "5" },
      ],
    });
    expect(await ask()).toBe("5");
    const charts = await send("/charts/import", [header, "432,005-099,3", "432,900-961,4", "900,432,4"]);
    expect(charts.status).toBe(200);
    expect(charts.body.data.charts).toMatchObject([
      { country: "US", origin: "432", ranges: 2 },
      { country: "US", origin: "900", ranges: 1 },
    ]);
    expect(await ask()).toBe("4");
    expect(await explain("from=43215&to=90210")).toMatchObject({
      by: "chart",
      zone: "4",
      explanation: ["Imported chart: US 432 to US 900-961. Zone 4."],
    });
    const text = (await app.get(`${zones}/charts/export.csv`)).body as string;
    expect(text).toBe(
      [
        "origin,destination,zone,origin_country,destination_country",
        "432,005-099,3,US,US",
        "432,900-961,4,US,US",
        "900,432,4,US,US",
        "",
      ].join("\r\n"),
    );
    const again = await send("/charts/import", text.trim().split("\r\n"));
    expect(again.body.data).toEqual(charts.body.data);
    const gone = await app.call("DELETE", `${zones}/charts/${charts.body.data.charts[0].id}`);
    expect(gone.body.data.charts).toHaveLength(1);
    expect(await ask()).toBe("5");
    expect((await app.call("DELETE", `${zones}/charts/${charts.body.data.charts[0].id}`)).status).toBe(404);
  });

  test("overrides can be sent as JSON or CSV; the response of a GET can be sent back", async () => {
    const rows = [
      "zone,country,postal_code,postal_from,postal_to,city,state,continent",
      "2,US,10001,,,,,",
      "3,US,,100,104,,,",
      "4,US,,,,Portland,OR,",
      "9,,,,,,,EU",
    ];
    const set = await send("/overrides/import", rows);
    expect(set.status).toBe(200);
    const got = (await app.get(`${zones}/overrides`)).body.data;
    expect(got).toEqual(set.body.data);
    expect(got.overrides).toHaveLength(4);
    expect((await app.call("PUT", `${zones}/overrides`, got)).body.data).toEqual(got);
    const zone = async (query: string) => (await explain(`from=43215&${query}`)).zone;
    expect(await zone("to=10001")).toBe("2");
    expect(await zone("to=10101")).toBe("3");
    expect(await zone("to=97201&to_city=portland&to_state=or")).toBe("4");
    expect(await zone("to=75001&to_country=FR")).toBe("9");
    const own = await app.call("PUT", `${zones}/overrides?system=air`, { overrides: [{ country: "US", zone: "x" }] });
    expect(own.body.data).toMatchObject({ system: "air", revision: 1 });
    expect(await zone("to=97201")).toBe("8");
    const late = await app.call("PUT", `${zones}/overrides`, got, { headers: { "if-match": '"1"' } });
    expect(late.status).toBe(412);
  });

  test("a carrier's holidays are those of the United States until others are set, and dates respect them", async () => {
    const usual = (await app.get("/shipping/holidays?year=2026")).body.data;
    expect(usual).toMatchObject([{ carrier: "local", is_default: true, revision: 0 }]);
    expect(usual[0].dates.map(({ date }: { date: string }) => date)).toEqual([
      "2026-01-01",
      "2026-01-19",
      "2026-02-16",
      "2026-05-25",
      "2026-06-19",
      "2026-07-03",
      "2026-09-07",
      "2026-10-12",
      "2026-11-11",
      "2026-11-26",
      "2026-12-25",
    ]);
    const leaves = async () =>
      (await app.post("/shipping/rates", { from_zip: "43215", to_zip: "10001", weight: 1 })).body.data.rates[0]
        .ship_date;
    expect(await leaves()).toBe("2026-01-02");
    const days = [{ date: "2026-01-02", name: "Inventory" }];
    const set = await app.call("PUT", "/shipping/holidays/local", { rules: usual[0].rules, days });
    expect(set.body.data).toMatchObject({ is_default: false, revision: 1, days });
    expect(await leaves()).toBe("2026-01-05");
    expect((await app.call("PUT", "/shipping/holidays/local", set.body.data)).body.data).toEqual(set.body.data);
    expect((await app.get("/shipping/holidays/other")).body.data).toMatchObject({ carrier: "other", is_default: true });
  });
});

test("holidays set for the first time concurrently get two versions: no update is lost", async () => {
  const { live } = app.service.stores;
  const set = (name: string) =>
    live.write(async (tx) => {
      // Both have read that there are none before either has stored its own.
      const none = { carrier: "race", revision: 0, updated_at: null, rules: [], days: [] };
      await saveHolidays(tx, none, { rules: [], days: [{ date: "2026-05-01", name }] });
    });
  await set("One");
  await set("Other");
  expect(await live.read((db) => getHolidays(db, "race"))).toMatchObject({ revision: 2, days: [{ name: "Other" }] });
});

describe("refuses", () => {
  test.each([
    ["from=4321&to=10001", "from_country"],
    ["from=43215&to=SW1A1AA", "to_country"],
    ["from=43215&to=1000&to_country=US", "to"],
    ["from=43215&to=1&to_country=XX", "to_country"],
    ["from=43215&to=10001&service=slow", "service"],
    ["from=43215", "to"],
  ])("a query such as %s", async (query, field) => {
    const answer = await app.get(`${zones}?${query}`);
    expect([answer.status, fieldsOf(answer)]).toEqual([422, [field]]);
  });

  test.each([
    ["from=343&service=express", "from"],
    ["from=432&service=slow", "service"],
    ["from=432", "service"],
  ])("a map such as %s", async (query, field) => {
    const answer = await app.get(`${zones}/map?${query}`);
    expect([answer.status, fieldsOf(answer)]).toEqual([422, [field]]);
  });

  test("files with any bad row, names its line, and changes nothing", async () => {
    const before = (await app.get(`${zones}/charts`)).body.data;
    const bad = await send("/charts/import", [
      header,
      "432,005-099,3",
      "432,05-9,3",
      "432,099-005,3",
      "4x2,100,3",
      "432,100,!",
    ]);
    expect([bad.status, fieldsOf(bad)]).toEqual([
      422,
      ["line 3, destination", "line 4, destination", "line 5, origin", "line 6, zone"],
    ]);
    const twice = await send("/charts/import", [header, "432,005-099,3", "433,050,3", "432,050-051,4"]);
    expect([twice.status, fieldsOf(twice)]).toEqual([422, ["line 4, destination"]]);
    const overrides = await send("/overrides/import", [
      "zone,country,postal_prefix,city",
      "3,US,100,Albany",
      "3,,100,",
    ]);
    expect([overrides.status, fieldsOf(overrides)]).toEqual([422, ["line 2, city", "line 3, country"]]);
    expect((await app.get(`${zones}/charts`)).body.data).toEqual(before);
  });

  test("two zones for one place in different notations", async () => {
    const twice = [
      { country: "US", postal_code: "10001", zone: "5" },
      { country: "US", postal_from: "100", postal_to: "109", zone: "5" },
      { country: "US", city: "Saint Paul", zone: "5" },
      { country: "US", postal_from: "100", postal_to: "102", zone: "6" },
      { country: "US", postal_code: "10001-1234", zone: "6" },
      { country: "US", city: "saint-paul", zone: "6" },
    ];
    const put = await app.call("PUT", `${zones}/overrides?system=twice`, { overrides: twice });
    expect([put.status, fieldsOf(put)]).toEqual([422, ["overrides[4]", "overrides[5]"]]);
    const file = await send("/overrides/import?system=twice", ["zone,country,state", "3,US,NY", "4,US,NJ", "5,US,ny"]);
    expect([file.status, fieldsOf(file)]).toEqual([422, ["line 4"]]);
    expect((await app.get(`${zones}/overrides?system=twice`)).body.data.overrides).toEqual([]);
  });

  test("dates that do not exist as holidays", async () => {
    const rules = [
      { name: "A", month: 2, day: 30 },
      { name: "B", month: 2, weekday: "mon" },
      { name: "C", month: 2, day: 1, weekday: "mon", week: 1 },
    ];
    const answer = await app.call("PUT", "/shipping/holidays/local", {
      rules,
      days: [{ date: "2026-02-29", name: "D" }],
    });
    expect([answer.status, fieldsOf(answer)]).toEqual([
      422,
      ["rules[0].day", "rules[1]", "rules[2].day", "days[0].date"],
    ]);
    expect((await app.call("PUT", "/shipping/holidays/No", { rules: [] })).status).toBe(404);
  });
});
