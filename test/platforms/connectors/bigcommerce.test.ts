// BigCommerce over its API: fetches orders, lists changes, reports parcels once.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { connectors } from "../../../src/platforms/connectors/connectors.ts";
import { type BigCommerceMock, openBigCommerce, storeOrder } from "../mocks/bigcommerce.ts";
import { at, openCaller, parcel, refusal } from "./access.ts";

const { fetchOrder, changedSince, report } = connectors.bigcommerce;
// The machine may be busy.
setDefaultTimeout(30_000);

const caller = openCaller();
let bc: BigCommerceMock;
beforeEach(async () => {
  bc = await openBigCommerce({ now: () => at + 60_000 });
});
afterEach(() => bc.stop());
const access = () => caller.to(bc.url, bc.hash, bc.token);

const ada = {
  name: "Ada Marsh",
  company: "Marsh & Sons",
  address_line1: "9 Dock Road",
  address_line2: "Unit 4",
  city: "Austin",
  state: "Texas",
  postal_code: "78701",
  country: "US",
  phone: "512-555-0117",
};

describe("an order", () => {
  test("is fetched completely, without digital items", async () => {
    const options = [
      { type: "Text field", display_name: "Name on it", display_value: "Ada" },
      { type: "Rectangle list", display_name: "Size", display_value: "Large" },
    ];
    const discounts = [{ id: "coupon", amount: "2.5000", code: "SPRING", target: "order" }];
    bc.add(
      storeOrder(118, at, { staff_notes: "Pack without a receipt." }, [
        { sku: "MUG-1", name: "Mug", quantity: 3, quantity_refunded: 1, product_options: options },
        { name: "Film", type: "digital" },
        { name: "Collected", order_address_id: 0, order_pickup_method_id: 3 },
        {
          name: "Own thing",
          product_id: 0,
          variant_id: 0,
          price_ex_tax: "5",
          applied_discounts: discounts,
          quantity: 2,
        },
        { name: "Sent back", quantity: 1, quantity_refunded: 1 },
      ]),
    );
    expect(await fetchOrder(access(), "118")).toEqual({
      external_id: "118",
      number: "118",
      destination: "1180",
      others: [expect.objectContaining({ destination: "pickup", fulfillment_type: "pickup" })],
      state: "open",
      email: "ada@marsh.example",
      customer_name: "Ada Marsh",
      phone: "512-555-0117",
      address: ada,
      lines: [
        {
          external_id: "11800",
          sku: "MUG-1",
          variant_id: "170",
          name: "Mug",
          quantity: 2,
          left: 2,
          unit_price_cents: 1250,
          total_cents: 2500,
        },
        {
          external_id: "11803",
          sku: null,
          variant_id: "l11803",
          name: "Own thing",
          quantity: 2,
          left: 2,
          unit_price_cents: 500,
          total_cents: 750,
        },
      ],
      fulfillment_type: "ship",
      shipping_method: "Ground",
      shipping_amount_cents: 650,
      currency: "USD",
      notes: "Ring twice.\nMug: Name on it: Ada",
      staff_notes: "Pack without a receipt.",
      created_at: at,
      updated_at: at,
    });
  });

  test("with more lines than a page is fetched completely", async () => {
    bc.add(
      storeOrder(
        119,
        at,
        {},
        Array.from({ length: 260 }, (_, n) => ({ sku: `S-${n}` })),
      ),
    );
    const order = await fetchOrder(access(), "119");
    expect(order?.lines.length).toBe(260);
    expect(new Set(order?.lines.map(({ sku }) => sku)).size).toBe(260);
  });

  test("without items to ship has no lines and no address", async () => {
    const order = bc.add(storeOrder(120, at, {}, [{ type: "giftcertificate" }, { type: "digital" }]));
    order.addresses.length = 0;
    expect(await fetchOrder(access(), "120")).toMatchObject({ lines: [], address: null, shipping_method: null });
  });

  test("for several addresses goes to the first, with a note", async () => {
    const order = bc.add(storeOrder(121, at));
    order.addresses.push({ ...order.addresses[0], id: 7, city: "Dallas" });
    const fetched = await fetchOrder(access(), "121");
    expect(fetched?.address?.city).toBe("Austin");
    // No goods go to the other address.
    expect(fetched?.others).toBeUndefined();
  });

  test("that does not exist is null", async () => {
    expect(await fetchOrder(access(), "999")).toBeNull();
  });

  test.each([
    [0, "unpaid"],
    [1, "unpaid"],
    [2, "done"],
    [3, "open"],
    [4, "cancelled"],
    [5, "cancelled"],
    [6, "cancelled"],
    [7, "unpaid"],
    [8, "done"],
    [9, "open"],
    [10, "done"],
    [11, "open"],
    [12, "unpaid"],
    [13, "unpaid"],
    [14, "open"],
    [99, "unpaid"],
  ])("with status %d is %s", async (status_id, state) => {
    bc.add(storeOrder(122, at, { status_id }));
    expect((await fetchOrder(access(), "122"))?.state).toBe(state as "open");
  });

  test("is cancelled if it was deleted", async () => {
    bc.add(storeOrder(123, at, { is_deleted: true }));
    expect((await fetchOrder(access(), "123"))?.state).toBe("cancelled");
  });

  test("names the units that are neither refunded nor sent", async () => {
    bc.add(storeOrder(124, at, { status_id: 14 }, [{ quantity: 5, quantity_refunded: 1, quantity_shipped: 3 }]));
    expect((await fetchOrder(access(), "124"))?.lines).toMatchObject([{ quantity: 4, left: 1 }]);
  });

  test("with a bundle has its parts as goods, which cost what the bundle costs", async () => {
    const parts = [
      { sku: "SET", price_ex_tax: "10.0000" },
      { sku: "A", quantity: 2, price_ex_tax: "0.0000", parent_order_product_id: 12600 },
      { sku: "B", quantity: 1, price_ex_tax: "1.0000", parent_order_product_id: 12600 },
      { sku: "C", parent_order_product_id: 999 },
    ];
    bc.add(storeOrder(126, at, {}, parts));
    const lines = (await fetchOrder(access(), "126"))?.lines ?? [];
    expect(lines.map(({ sku, quantity, total_cents }) => [sku, quantity, total_cents])).toEqual([
      ["A", 2, 667],
      ["B", 1, 433],
      ["C", 1, 1250],
    ]);
  });

  test.each([
    ["default_currency_code", { default_currency_code: "dollar" }],
    ["date_modified", { date_modified: "soon" }],
    ["shipping_cost_ex_tax", { shipping_cost_ex_tax: "-1.0000" }],
  ])("with an unreadable field is refused permanently, naming it: %s", async (field, fields) => {
    bc.add(storeOrder(125, at, fields));
    const said = await refusal(fetchOrder(access(), "125"));
    expect(said).toMatchObject({ permanent: true, message: expect.stringContaining(field) });
  });
});

describe("changes", () => {
  test("are listed by time, across pages, and not before the start", async () => {
    for (let id = 1; id <= 300; id += 1) bc.add(storeOrder(id, at + (id % 7) * 1000));
    bc.add(storeOrder(301, at - 1000));
    const changes = await changedSince(access(), at);
    expect(new Set(changes.map(({ external_id }) => external_id)).size).toBe(300);
    expect(changes.map(({ updated_at }) => updated_at)).toEqual(changes.map(({ updated_at }) => updated_at).sort());
    expect(changes[0]).toEqual({ external_id: "7", updated_at: at });
    expect(await changedSince(access(), at + 3_600_000)).toEqual([]);
  });

  test("skip no order that changes in the meantime", async () => {
    const orders = Array.from({ length: 300 }, (_, n) => bc.add(storeOrder(n + 1, at)));
    let asked = 0;
    const { api } = caller;
    const moving = {
      ...access(),
      api: async (request: Parameters<typeof api>[0]) => {
        const answer = await api(request);
        asked += 1;
        for (const order of orders.slice(0, 100)) bc.change(order, {});
        return answer;
      },
    };
    const changes = await changedSince(moving, at);
    expect(asked).toBe(2);
    expect(new Set(changes.map(({ external_id }) => external_id)).size).toBe(300);
  });
});

describe("a parcel", () => {
  test("becomes a shipment with its number, link and lines", async () => {
    const order = bc.add(storeOrder(130, at));
    expect(await report(access(), parcel(130, [[13000, 2]]))).toBe("130001");
    expect(order.shipments).toMatchObject([
      {
        order_address_id: 1300,
        tracking_number: "1Z999AA10123456784",
        shipping_provider: "ups",
        shipping_method: "UPS Ground",
        tracking_link: "https://track.example/1Z999AA10123456784",
        comments: expect.stringContaining("[shp_1001]"),
        items: [{ order_product_id: 13000, quantity: 2 }],
      },
    ]);
    expect(order.fields["status_id"]).toBe(2);
  });

  test("reported twice is one shipment, whether or not the first response arrived", async () => {
    const order = bc.add(storeOrder(131, at));
    bc.fail("lose", { method: "POST" });
    expect(await refusal(report(access(), parcel(131, [[13100, 1]])))).toMatchObject({ permanent: false });
    expect(order.shipments.length).toBe(1);
    expect(await report(access(), parcel(131, [[13100, 1]]))).toBe("131001");
    expect(await report(access(), parcel(131, [[13100, 1]]))).toBe("131001");
    expect(order.shipments.length).toBe(1);
    const second = { shipment_id: "shp_100", tracking_number: null, tracking_url: null, carrier: "Own van" };
    expect(await report(access(), parcel(131, [[13100, 1]], second))).toBe("131002");
    expect(order.shipments[1]).toMatchObject({
      tracking_number: "",
      shipping_provider: "",
      shipping_method: "Own van Ground",
    });
  });

  test("for two addresses is a shipment for each, and the first is not reported again", async () => {
    const lines = [{ quantity: 1 }, { quantity: 1, order_address_id: 77 }];
    const order = bc.add(storeOrder(132, at, {}, lines));
    order.addresses.push({ ...order.addresses[0], id: 77 });
    bc.fail({ status: 503 }, { method: "POST", having: '"order_address_id":77' });
    const both = parcel(132, [
      [13200, 1],
      [13201, 1],
    ]);
    expect(await refusal(report(access(), both))).toMatchObject({ permanent: false });
    expect(await report(access(), both)).toBe("132001");
    expect(order.shipments.map(({ order_address_id }) => order_address_id)).toEqual([1320, 77]);
  });

  test("with too many units, an unknown line or an unknown order is refused permanently", async () => {
    const order = bc.add(storeOrder(133, at));
    for (const wrong of [
      parcel(133, [[13300, 3]]),
      parcel(133, [[13309, 1]]),
      parcel(133, [[13301, 1]]),
      parcel(134, [[1, 1]]),
    ]) {
      expect(await refusal(report(access(), wrong))).toMatchObject({ permanent: true });
    }
    expect(order.shipments).toEqual([]);
  });

  test("with a tracking number too long for the store is reported without it", async () => {
    const order = bc.add(storeOrder(135, at));
    await report(access(), parcel(135, [[13500, 1]], { tracking_number: "9".repeat(51) }));
    expect(order.shipments).toMatchObject([{ tracking_number: "", tracking_link: expect.any(String) }]);
  });
});

test("waits for the store's rate limit as requested", async () => {
  bc.add(storeOrder(140, at));
  bc.fail({ status: 429, headers: { "X-Rate-Limit-Time-Reset-Ms": "12345", "X-Rate-Limit-Requests-Left": "0" } });
  expect(await refusal(fetchOrder(access(), "140"))).toMatchObject({ permanent: false, retry_after_seconds: 13 });
  expect(await fetchOrder(access(), "140")).not.toBeNull();
});
