// Shopify over its GraphQL Admin API: fetches orders, lists changes, reports parcels once.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { connectors } from "../../../src/platforms/connectors/connectors.ts";
import { openShopify, type ShopifyMock } from "../mocks/shopify.ts";
import { shopOrder } from "../mocks/shopify_shop.ts";
import { at, inbound, openCaller, parcel, refusal } from "./access.ts";

const { fetchOrder, changedSince, report, read } = connectors.shopify;
// The machine may be busy.
setDefaultTimeout(30_000);

const caller = openCaller();
let sh: ShopifyMock;
beforeEach(async () => {
  sh = await openShopify({ now: () => at + 60_000 });
});
afterEach(() => sh.stop());
const access = () => caller.to(sh.url, sh.shop, sh.token);

describe("an order", () => {
  test("is the same fetched as notified", async () => {
    const attributes = [
      { name: "Delivery date", value: "2026-12-01" },
      { name: "_cart", value: "c7" },
    ];
    const wishes = [
      { name: "Engraving", value: "For Zoë" },
      { name: "_id", value: "7" },
    ];
    const order = sh.add(
      shopOrder(5001, at, { note: "At the back door", note_attributes: attributes }, [
        { name: "Lamp", sku: "LAMP", quantity: 3, current_quantity: 2, price: "40.00", discount: "9.00" },
        { name: "Gift card", gift_card: true, requires_shipping: false },
        { name: "Tray", sku: null, properties: wishes },
        { name: "Own thing", sku: "", variant_id: null, product_id: null },
      ]),
    );
    const told = read(inbound(sh.notification(order))).order;
    expect(told?.notes).toStartWith("At the back door\nDelivery date: 2026-12-01\n");
    expect(told?.notes).not.toContain("c7");
    const money = told?.lines.map((line) => [line.variant_id, line.unit_price_cents, line.total_cents]);
    expect(money).toEqual([
      ["900", 4000, 7400],
      ["902", 1000, 1000],
      ["l500103", 1000, 1000],
    ]);
    // A notification does not say whether the buyer collects the order.
    expect(await fetchOrder(access(), "5001")).toEqual(told && { ...told, fulfillment_type: "ship" });
  });

  test.each([
    [{ financial_status: "pending" }, "unpaid"],
    [{ financial_status: "voided" }, "cancelled"],
    [{ fulfillment_status: "fulfilled" }, "done"],
    [{ fulfillment_status: "partial" }, "open"],
    [{ cancelled_at: "2026-11-20T10:00:00Z" }, "cancelled"],
    [{ shipping_address: null, email: null, shipping_lines: [] }, "open"],
  ])("with %p is %s, fetched as notified", async (fields, state) => {
    const order = sh.add(shopOrder(5002, at, fields));
    const fetched = await fetchOrder(access(), "5002");
    expect(fetched?.state).toBe(state as "open");
    const told = read(inbound(sh.notification(order))).order;
    expect(fetched).toEqual(told && { ...told, fulfillment_type: "ship" });
  });

  test("with more lines than a page is fetched completely", async () => {
    sh.add(
      shopOrder(
        5003,
        at,
        {},
        Array.from({ length: 120 }, (_, n) => ({ sku: `S-${n}` })),
      ),
    );
    const order = await fetchOrder(access(), "5003");
    expect(new Set(order?.lines.map(({ sku }) => sku)).size).toBe(120);
    expect(sh.asked.length).toBe(3);
  });

  test("that does not exist is null", async () => {
    expect(await fetchOrder(access(), "999")).toBeNull();
  });
});

test("changes are listed by time, across pages, and not before the start", async () => {
  for (let id = 1; id <= 260; id += 1) sh.add(shopOrder(id, at + (id % 7) * 1000));
  sh.add(shopOrder(301, at - 1000));
  const changes = await changedSince(access(), at);
  expect(new Set(changes.map(({ external_id }) => external_id)).size).toBe(260);
  expect(changes[0]).toEqual({ external_id: "7", updated_at: at });
  expect(changes.at(-1)?.updated_at).toBe(at + 6000);
  expect(await changedSince(access(), at + 3_600_000)).toEqual([]);
});

describe("a parcel", () => {
  test("becomes a fulfillment with its number, link and lines, and the buyer is notified", async () => {
    const order = sh.add(shopOrder(5010, at));
    expect(await report(access(), parcel(5010, [[501000, 2]]))).toBe("6001");
    expect(order.fulfillments).toEqual([
      {
        id: 6001,
        status: "SUCCESS",
        notified: true,
        lines: [{ id: 501000, quantity: 2 }],
        tracking: { number: "1Z999AA10123456784", company: "UPS", url: "https://track.example/1Z999AA10123456784" },
      },
    ]);
    expect(order.fields["fulfillment_status"]).toBe("fulfilled");
  });

  test.each([
    ["usps", "USPS"],
    ["ups", "UPS"],
    ["fedex", "FedEx"],
    ["dhl_express", "DHL Express"],
    ["Own van", "Own van"],
  ])("by %s names the carrier as Shopify spells it: %s", async (carrier, company) => {
    const order = sh.add(shopOrder(5009, at));
    await report(access(), parcel(5009, [[500900, 2]], { carrier }));
    expect(order.fulfillments[0]?.tracking["company"]).toBe(company);
  });

  test("reported twice is one fulfillment, whether or not the first response arrived", async () => {
    const order = sh.add(shopOrder(5011, at, {}, [{ quantity: 3 }]));
    sh.fail("lose", { having: "mutation" });
    expect(await refusal(report(access(), parcel(5011, [[501100, 1]])))).toMatchObject({ permanent: false });
    expect(order.fulfillments.length).toBe(1);
    for (const _time of [1, 2]) expect(await report(access(), parcel(5011, [[501100, 1]]))).toBe("6001");
    const second = { shipment_id: "shp_1002", tracking_number: null, tracking_url: null, carrier: null };
    for (const _time of [1, 2]) expect(await report(access(), parcel(5011, [[501100, 2]], second))).toBe("6002");
    expect(order.fulfillments.map(({ tracking }) => tracking["number"])).toEqual(["1Z999AA10123456784", "shp_1002"]);
  });

  test("that was cancelled at the shop is reported again", async () => {
    const order = sh.add(shopOrder(5012, at, {}, [{ quantity: 2 }]));
    await report(access(), parcel(5012, [[501200, 1]]));
    for (const made of order.fulfillments) made.status = "CANCELLED";
    expect(await report(access(), parcel(5012, [[501200, 1]]))).toBe("6002");
  });

  test("from two locations is a fulfillment for each, and the first is not reported again", async () => {
    const order = sh.add(shopOrder(5013, at, {}, [{ quantity: 1 }, { quantity: 2, location: 2 }]));
    const both = parcel(5013, [
      [501300, 1],
      [501301, 2],
    ]);
    sh.fail({ status: 502 }, { having: '"gid://shopify/FulfillmentOrder/50132","fulfillmentOrderLineItems"' });
    expect(await refusal(report(access(), both))).toMatchObject({ permanent: false });
    expect(await report(access(), both)).toBe("6001");
    expect(order.fulfillments.map(({ lines }) => lines)).toEqual([
      [{ id: 501300, quantity: 1 }],
      [{ id: 501301, quantity: 2 }],
    ]);
  });

  test("with many lines is reported completely", async () => {
    const order = sh.add(
      shopOrder(
        5014,
        at,
        {},
        Array.from({ length: 130 }, () => ({ quantity: 1 })),
      ),
    );
    await report(
      access(),
      parcel(
        5014,
        order.lines.map(({ id }) => [id, 1] as const),
      ),
    );
    expect(order.fulfillments[0]?.lines.length).toBe(130);
    await report(
      access(),
      parcel(
        5014,
        order.lines.map(({ id }) => [id, 1] as const),
      ),
    );
    expect(order.fulfillments.length).toBe(1);
  });

  test("waits while the order is on hold, and is refused permanently if too little is left", async () => {
    const order = sh.add(shopOrder(5015, at, {}, [{ quantity: 2 }]));
    for (const open of order.fulfillment_orders) open.status = "ON_HOLD";
    expect(await refusal(report(access(), parcel(5015, [[501500, 1]])))).toMatchObject({
      permanent: false,
      message: expect.stringContaining("on hold"),
    });
    for (const open of order.fulfillment_orders) open.status = "OPEN";
    const said = await refusal(report(access(), parcel(5015, [[501500, 3]])));
    expect(said).toMatchObject({ permanent: true, message: expect.stringContaining("2 of 3 units") });
    expect(await refusal(report(access(), parcel(5015, [[501509, 1]])))).toMatchObject({ permanent: true });
    expect(await refusal(report(access(), parcel(9999, [[1, 1]])))).toMatchObject({ permanent: true });
    expect(order.fulfillments).toEqual([]);
  });

  test("that the shop refuses is refused with its message", async () => {
    sh.add(shopOrder(5016, at));
    const userErrors = [{ field: null, message: "The api token shpat_mock may not fulfill this." }];
    const body = { data: { fulfillmentCreate: { fulfillment: null, userErrors } } };
    sh.fail({ status: 200, body }, { having: "mutation" });
    const said = await refusal(report(access(), parcel(5016, [[501600, 1]])));
    expect(said.message).toContain("The api token … may not fulfill this.");
    expect(said["permanent"]).toBe(true);
  });
});

describe("the API", () => {
  test("is called again once the query budget is restored", async () => {
    sh.add(shopOrder(5020, at));
    sh.fail(sh.throttled(950));
    expect(await refusal(fetchOrder(access(), "5020"))).toMatchObject({ permanent: false, retry_after_seconds: 10 });
    expect(await fetchOrder(access(), "5020")).not.toBeNull();
  });

  test.each([
    ["ACCESS_DENIED", true],
    ["SHOP_INACTIVE", true],
    ["MAX_COST_EXCEEDED", true],
    [undefined, true],
    ["INTERNAL_SERVER_ERROR", false],
  ])("that returns 200 with the error %p is handled", async (code, permanent) => {
    sh.fail({ status: 200, body: { errors: [{ message: "No.", extensions: { code } }], data: { order: null } } });
    expect(await refusal(fetchOrder(access(), "1"))).toMatchObject({ permanent });
  });
});

test("the mock is strict: it refuses what Shopify does", async () => {
  const ask = async (query: string, variables: object = {}, token = sh.token) => {
    const response = await fetch(`${sh.url}/admin/api/2026-07/graphql.json`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Shopify-Access-Token": token },
      body: JSON.stringify({ query, variables }),
    });
    return [response.status, ((await response.json()) as { errors?: { message: string }[] }).errors?.[0]?.message];
  };
  expect(await ask("{ order(id: 1) { colour } }")).toEqual([200, expect.stringContaining("colour")]);
  const mutation =
    "mutation M($f: FulfillmentInput!) { fulfillmentCreate(fulfillment: $f) { userErrors { message } } }";
  expect(await ask(mutation, { f: { lines: [] } })).toEqual([200, expect.stringContaining("lines")]);
  expect(await ask("{ orders(first: 250) { nodes { id lineItems(first: 100) { nodes { id } } } } }")).toEqual([
    ...[200, expect.stringContaining("cost")],
  ]);
  expect((await ask("{ order(id: 1) { id } }", {}, "other"))[0]).toBe(401);
});
