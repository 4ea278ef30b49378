import { describe, expect, test } from "bun:test";
import { seededRandom } from "../../src/core/random.ts";
import { routesOf } from "../../src/http/route.ts";
import { operationsOf } from "../../src/server/openapi/description.ts";
import { isTagged } from "../../src/server/openapi/operation.ts";
import type { Answered } from "../build/service.ts";
import { openShop } from "../build/shop.ts";
import { changesOf, openHouse } from "./entity_tags_story.ts";

const shop = await openShop();

const tagged = async (path: string) => {
  const { headers, body } = await shop.app.get(path);
  return { etag: headers.get("etag") ?? "", data: body.data };
};
const send = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
  shop.app.call(method, path, body, { headers });

describe("works", () => {
  test("a versioned record has an ETag in every response that returns it", async () => {
    const goods = await shop.product({ units: 5 });
    const made = await shop.app.post("/orders", shop.draft([[goods, 1]]));
    const { id } = made.body.data;
    /** The tag of a response about the order, which a GET after it has too. */
    const tagOf = async ({ headers, body }: Answered) => {
      expect([body.data.id, (await tagged(`/orders/${id}`)).etag]).toEqual([id, headers.get("etag")]);
      return headers.get("etag");
    };
    expect(await tagOf(made)).toMatch(/^"1-\w+"$/);
    expect(await tagOf(await shop.app.patch(`/orders/${id}`, { priority: 3 }))).toMatch(/^"2-\w+"$/);
    expect(await tagOf(await shop.app.post(`/orders/${id}/process`))).toMatch(/^"3-\w+"$/);
    expect(await tagOf(await shop.cancel(id))).toMatch(/^"4-\w+"$/);
    expect((await tagged(`/products/${goods.id}`)).etag).toBe('"1"');
    expect((await shop.app.get("/orders")).headers.get("etag")).toBe(null);
  });

  test.each(['"1"', '"7", "1"', '"7" ,W/"1",  "1"', "*"])("If-Match: %s allows a change to revision 1", async (tag) => {
    const { id } = await shop.order([[await shop.product({ units: 5 }), 1]]);
    const answer = await send("PATCH", `/orders/${id}`, { "if-match": tag }, { priority: 3 });
    expect([answer.status, answer.headers.get("etag")]).toEqual([200, expect.stringMatching(/^"2-\w+"$/)]);
  });

  test.each(['"1"', 'W/"1"', '"0", "1"', "*"])("If-None-Match: %s matches revision 1", async (tag) => {
    const { id } = await shop.product({ units: 5 });
    const answer = await send("GET", `/products/${id}`, { "if-none-match": tag });
    expect([answer.status, answer.body, answer.headers.get("etag")]).toEqual([304, "", '"1"']);
    expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
  });

  test("stock and the calendar can change an order's ETag, but do not fail If-Match on its revision", async () => {
    const goods = await shop.product();
    const { id } = await shop.order([[goods, 1]]);
    const path = `/orders/${id}`;
    const { etag: waiting } = await tagged(path);
    await shop.app.stock(goods.sku, 1);
    const { etag: filled, data } = await tagged(path);
    expect([data.revision, data.allocation.complete, filled === waiting]).toEqual([1, true, false]);
    expect((await send("GET", path, { "if-none-match": waiting })).status).toBe(200);
    expect((await send("GET", path, { "if-none-match": '"1"' })).status).toBe(200);
    expect((await send("GET", path, { "if-none-match": `"1", ${filled}` })).status).toBe(304);
    const stale = await send("POST", `${path}/hold`, { "if-match": waiting }, { reason: "fraud" });
    expect([stale.status, stale.headers.get("etag")]).toEqual([412, filled]);
    const held = await send("POST", `${path}/hold`, { "if-match": '"1"' }, { reason: "fraud" });
    expect([held.status, held.body.data.revision]).toEqual([200, 2]);
    shop.app.clocks.live.advance(3_600_000);
    expect((await send("POST", `${path}/release`, { "if-match": held.headers.get("etag") ?? "" }, {})).status).toBe(
      200,
    );
    const { etag: soon, data: before } = await tagged(path);
    shop.app.clocks.live.advance(7 * 24 * 3_600_000);
    const { etag: late, data: after } = await tagged(path);
    expect([before.estimated_ship_date === after.estimated_ship_date, soon === late]).toEqual([false, false]);
  });

  test("a repeated request gets its first response with its ETag, although its If-Match is stale by then", async () => {
    const { id } = await shop.order([[await shop.product({ units: 5 }), 1]]);
    const headers = { "if-match": '"1"', "idempotency-key": `once-${id}` };
    const first = await send("POST", `/orders/${id}/hold`, headers, { reason: "fraud" });
    const again = await send("POST", `/orders/${id}/hold`, headers, { reason: "fraud" });
    expect([first.status, again.status, again.headers.get("etag")]).toEqual([200, 200, first.headers.get("etag")]);
    expect(again.body).toEqual(first.body);
  });
});

describe("refuses", () => {
  test("a condition where the resource has no revision, without effect", async () => {
    const body = { sku: crypto.randomUUID(), name: "Tea" };
    const answer = await send("POST", "/products", { "if-match": "*" }, body);
    expect([answer.status, answer.body.error.code]).toEqual([400, "malformed_header"]);
    expect((await shop.app.get(`/products?sku=${body.sku}`)).body.data).toEqual([]);
  });

  test("a weak tag, even of the current revision", async () => {
    const { id } = await shop.order([[await shop.product({ units: 5 }), 1]]);
    expect((await send("PATCH", `/orders/${id}`, { "if-match": 'W/"1"' }, { priority: 3 })).status).toBe(412);
  });

  test.each(["1", '"1', '"1" "2"', "", '"1",', 'w/"1"'])("If-Match: %s, which is not a list of tags", async (tag) => {
    const { id } = await shop.order([[await shop.product({ units: 5 }), 1]]);
    const answer = await send("PATCH", `/orders/${id}`, { "if-match": tag }, { priority: 3 });
    expect([answer.status, answer.body.error.code]).toEqual([400, "malformed_header"]);
    const read = await send("GET", `/orders/${id}`, { "if-none-match": tag });
    expect(read.status).toBe(400);
  });

  test("an unknown order, whatever the tag", async () => {
    expect((await send("PATCH", "/orders/ord_9", { "if-match": "*" }, { priority: 3 })).status).toBe(404);
  });

  test("without storing the refusal of a stale tag for repeated requests", async () => {
    const { id } = await shop.order([[await shop.product({ units: 5 }), 1]]);
    const key = { "idempotency-key": `twice-${id}` };
    const body = { priority: 3 };
    expect((await send("PATCH", `/orders/${id}`, { ...key, "if-match": '"9"' }, body)).status).toBe(412);
    expect((await send("PATCH", `/orders/${id}`, { ...key, "if-match": '"1"' }, body)).status).toBe(200);
  });
});

describe("guards", () => {
  test("zones and holidays have a tag before they are first set, and of two first changes one succeeds", async () => {
    const overrides = "/shipping/zones/overrides";
    const first = await tagged(overrides);
    expect((await send("PUT", overrides, { "if-match": first.etag }, { overrides: [] })).status).toBe(200);
    expect(await tagged(overrides)).toEqual(first);
    const holidays = "/shipping/holidays/swift";
    const { etag } = await tagged(holidays);
    const answers = await Promise.all(
      [1, 2].map((day) => send("PUT", holidays, { "if-match": etag }, { rules: [{ name: "Rest", month: 7, day }] })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
  });

  test("of two clients that saw the same revision, one changes the order", async () => {
    const { id } = await shop.order([[await shop.product({ units: 5 }), 1]]);
    const answers = await Promise.all(
      [1, 2].map((priority) => send("PATCH", `/orders/${id}`, { "if-match": '"1"' }, { priority })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
  });
});

/** Every GET whose response has no ETag, by reason. */
const untagged: Readonly<Record<string, readonly string[]>> = {
  "a list, of which each row has a tag where it is read by itself": [
    ...["/keys", "/products", "/inventory", "/inventory/locations", "/inventory/movements"],
    ...["/inventory/reservations", "/inventory/bins", "/inventory/items", "/inventory/lots"],
    ...["/inventory/lots/:id/trace", "/inventory/putbacks", "/inventory/counts", "/inventory/receipts"],
    ...["/inventory/transfers", "/customers", "/orders", "/orders/:id/history", "/returns", "/platforms"],
    ...["/platforms/:id/listings", "/platforms/:id/unlisted_products", "/platforms/:id/stock_pushes"],
    ...["/platforms/:id/stock_differences"],
    ...["/platforms/:id/imports", "/platforms/:id/reports", "/webhooks", "/webhooks/:id/logs", "/requests"],
    ...["/webhooks/:id/deliveries", "/notices", "/events", "/tracking", "/shipments", "/shipping/manifests"],
    ...["/audit", "/backups", "/invitations", "/users", "/users/me/sessions", "/users/:id/sessions", "/merchants"],
    ...["/floor_devices"],
    ...["/billing/events", "/billing/storage", "/shipping/carrier_accounts", "/shipping/rate_cards"],
    ...["/shipping/rate_cards/:id/history", "/shipping/holidays"],
    ...["/shipping/rules", "/shipping/rules/:id/history", "/imports", "/imports/:id/rows", "/orders/:id/notes"],
    ...["/printers", "/stations", "/cartons", "/print_jobs"],
    ...["/totes", "/waves"],
  ],
  "a file of all rows, which is written while it is sent": [
    ...["/products/export.csv", "/inventory/export.csv", "/inventory/movements/export.csv", "/orders/export.csv"],
    ...["/customers/export.csv", "/imports/:id/rejected.csv"],
    ...["/inventory/lots/:id/trace/export.csv", "/shipments/export.csv", "/tracking/export.csv"],
    ...["/shipping/labels/export.csv", "/shipping/labels/costs/export.csv", "/audit/export.csv"],
    ...["/billing/events/export.csv", "/billing/storage/export.csv", "/shipping/rate_cards/:id/export.csv"],
    ...["/shipping/zones/charts/export.csv"],
  ],
  "worked out of many records for this one look": [
    ...["/inventory/:sku/explain", "/orders/:id/plan", "/orders/:id/pick_list", "/orders/:id/packing_slip"],
    ...["/pick_lists", "/orders/counts", "/search", "/servers", "/shipping/zones", "/shipping/zones/map"],
    ...["/exceptions", "/exceptions/counts", "/floor/lookup", "/totes/labels"],
    ...["/shipping/rules/evaluate", "/order_tags", "/platforms/:id/stock", "/platforms/:id/shipping_methods"],
    ...["/shipping/labels/costs", "/overview", "/reports/orders", "/reports/on_time", "/reports/units_picked"],
    ...["/reports/carrier_cost", "/reports/sales", "/reports/stock_ageing", "/reports/stock_turns"],
    ...["/reports/fill_rate", "/reports/orders/export.csv", "/reports/on_time/export.csv"],
    ...["/reports/units_picked/export.csv", "/reports/carrier_cost/export.csv", "/reports/sales/export.csv"],
    ...["/reports/stock_ageing/export.csv", "/reports/stock_turns/export.csv", "/reports/fill_rate/export.csv"],
    ...["/waves/:id/walk", "/work"],
  ],
  "its links are signed anew in each answer": [
    ...["/shipping/labels/:id", "/shipping/labels", "/files", "/files/:id", "/documents", "/documents/:id"],
    "/packing_sessions",
  ],
  "the content of a link, which never changes": ["/files/:id/content", "/documents/:id/content"],
  "a page of this moment, which nobody keeps": ["/t/:token"],
  "set by the environment, and told as it is": ["/mail"],
  "how it stands with the backups at this moment": ["/backups/settings"],
  "figures of this moment": ["/metrics/history"],
  "how far it has come at this moment; nobody changes it": [
    ...["/erasures", "/erasures/:id", "/imports/:id", "/print_jobs/:id"],
  ],
  "a change sets the kinds it names and no other, so that nobody undoes what another set": ["/settings/retention"],
  "it is decided once, and told as it is": ["/restorations"],
  "a line of a log, which nobody asks for twice": ["/requests/:id", "/webhooks/:id/logs/:log_id"],
  "it is decided once, and the clock alone changes it": ["/invitations/:id", "/users/me/second_factor"],
  "each change replaces it as a whole, and sign-ins change it too": ["/users/:id/badge", "/users/me/badge"],
  "a document to print, which nobody keeps": [
    ...["/shipping/labels/:id/document", "/labels/:id", "/shipping/manifests/:id/document"],
    "/print_jobs/:id/document",
  ],
  "part of the program, told to those who ask once": [
    ...["/orders/transitions", "/shipping/carriers", "/shipping/connectors", "/event_types", "/errors", "/roles"],
  ],
  "beside the API; documents of the reference have weak tags of their own": [
    ...["/health", "/health/live", "/metrics", "/openapi.json", "/", "/docs", "/docs/", "/docs/errors"],
    ...["/docs/guides", "/docs/guides/:name", "/llms.txt"],
    ...["/docs/start.js", "/docs/scalar.js", "/trust", "/trust/authority.crt", "/dashboard", "/dashboard/"],
    ...["/dashboard/*", "/dashboard/assets/:name", "/dashboard/api/session", "/dashboard/api/events"],
    "/dashboard/api/device",
    ...["/dashboard/api/views", "/dashboard/api/view_counts"],
  ],
};

const strong = /^"[\w-]+"$/;

describe("every readable resource", () => {
  test("has an ETag, as the reference states, or a reason why not", async () => {
    const { shop: own, resources } = await openHouse();
    const tagged = new Set(Object.values(resources).map(({ route }) => route));
    const reasoned = Object.values(untagged).flat();
    const routes = routesOf(own.app.app.routes).flatMap(({ method, path }) => (method === "GET" ? [path] : []));
    expect([...tagged, ...reasoned].sort()).toEqual(routes.sort());
    for (const { path, headers: shown = {} } of Object.values(resources)) {
      expect([path, (await own.app.call("GET", path, undefined, { headers: shown })).headers.get("etag")]).toEqual([
        path,
        expect.stringMatching(strong),
      ]);
    }
    for (const route of reasoned.filter((one) => !/:|docs|llms|openapi|dashboard/.test(one))) {
      expect([route, (await own.app.get(route)).headers.get("etag")]).toEqual([route, null]);
    }
    // The tag of this document also covers its compressed form, so it is weak.
    const isStrong = ({ path }: { path: string }) => path !== "/openapi.json";
    const said = operationsOf(own.app.app.routes).filter(
      (one) => one.method === "get" && isTagged(one) && isStrong(one),
    );
    expect(said.map(({ path }) => path.replace(/\{(\w+)\}/g, ":$1")).sort()).toEqual([...tagged].sort());
  }, 60_000);

  test("is changed under its current tag only, by any conditional request", async () => {
    const house = await openHouse();
    const { shop: own, resources } = house;
    const changes = changesOf(house, seededRandom(1), own.app.clocks.live.now());
    const knowing = operationsOf(own.app.app.routes).filter(({ matches }) => matches);
    expect([...new Set(changes.map(({ id }) => id))].sort()).toEqual(knowing.map(({ id }) => id).sort());
    for (const { id, of, method, path, body, headers: more } of changes) {
      const sent = (tag: string) => own.app.call(method, path, body, { headers: { ...more, "if-match": tag } });
      const { path: where = "/inventory/locations", headers: shown = {} } = resources[of] ?? {};
      const look = async () => {
        const { headers, body: seen } = await own.app.call("GET", where, undefined, { headers: shown });
        const { meta: _, ...data } = seen;
        return { data, etag: resources[of] === undefined ? null : headers.get("etag") };
      };
      /** Expects a refusal without effect. */
      const refused = async (tag: string) => {
        await own.app.takeEvents();
        const before = await look();
        const { status, body: refusal, headers } = await sent(tag);
        const { code, etag = null } = refusal.error ?? {};
        const now = before.etag ?? headers.get("etag");
        expect([id, tag, status, code, etag, headers.get("etag")]).toEqual([
          id,
          tag,
          412,
          "precondition_failed",
          now,
          now,
        ]);
        expect([id, tag, await look(), await own.app.takeEvents()]).toEqual([id, tag, before, []]);
      };
      await refused('"other"');
      expect([id, (await sent("other")).status]).toEqual([id, 400]);
      const { etag } = await look();
      if (etag === null) continue;
      await refused(`W/${etag}`);
      // Some changes are refused for other reasons, or leave nothing to read.
      const { status } = await sent(`"other", ${etag}`);
      expect([id, [400, 412].includes(status)]).toEqual([id, false]);
      const { etag: after } = await look();
      if (after !== null && after !== etag) await refused(etag);
    }
  }, 60_000);
});
