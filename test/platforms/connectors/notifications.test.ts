// Notifications are parsed, and anything else is refused with the name of the field.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Fault } from "../../../src/core/faults.ts";
import { connectors } from "../../../src/platforms/connectors/connectors.ts";
import { type Platform, platforms } from "../../../src/platforms/platforms.transitions.ts";
import { type BigCommerceMock, openBigCommerce } from "../mocks/bigcommerce.ts";
import { openShopify, type ShopifyMock } from "../mocks/shopify.ts";
import { shopOrder } from "../mocks/shopify_shop.ts";
import { openWooCommerce, siteOrder, type WooCommerceMock } from "../mocks/woocommerce.ts";
import { at, inbound } from "./access.ts";

const { bigcommerce, shopify, woocommerce } = connectors;
const now = () => at;
let bc: BigCommerceMock;
let sh: ShopifyMock;
let wc: WooCommerceMock;
beforeAll(async () => {
  [bc, sh, wc] = [await openBigCommerce({ now }), await openShopify({ now }), await openWooCommerce({ now })];
});
afterAll(() => {
  for (const mock of [bc, sh, wc]) mock.stop();
});

describe("BigCommerce", () => {
  test.each([
    "store/order/created",
    "store/order/updated",
    "store/order/archived",
    "store/order/statusUpdated",
    "store/order/refund/created",
  ])("%s identifies an order", (scope) => {
    const sent = inbound(bc.notification(118, { scope }));
    expect(bigcommerce.read(sent)).toEqual({
      kind: "order",
      topic: scope,
      external_id: "118",
      stores: ["k3v9x2", "1001"],
      created_at: at,
      order: null,
      problem: null,
      dedupe_key: expect.stringMatching(/^1001 store\/order\/[\w/]+ 118 [0-9a-f]{40}$/),
    });
  });

  test("a repeat has the same key, a signed one its own id", () => {
    const key = (options: object) => bigcommerce.read(inbound(bc.notification(118, options))).dedupe_key;
    expect(key({})).toBe(key({}));
    expect(key({ at: at + 1000 })).not.toBe(key({}));
    expect(key({ secret: "s" })).toStartWith("msg_");
  });

  test.each(["store/product/updated", "store/order/message/created", "store/cart/created", "store/shipment/created"])(
    "%s is about no order",
    (scope) => {
      const { kind, external_id } = bigcommerce.read(inbound(bc.notification(118, { scope })));
      expect([kind, external_id]).toEqual(["unknown", null]);
    },
  );

  test.each([
    ["scope", {}],
    ["store_id", { scope: "store/order/created" }],
    ["data.id", { scope: "store/order/created", store_id: "1", data: { type: "order" } }],
    ["data.id", { scope: "store/order/created", store_id: "1", data: { type: "order", id: "12; drop" } }],
    ["data.id", { scope: "store/order/created", store_id: "1", data: { type: "order", id: -1 } }],
    ["data.id", { scope: "store/order/created", store_id: "1", data: { type: "order", id: 1e300 } }],
    ["created_at", { scope: "store/order/created", store_id: "1", created_at: "yesterday" }],
  ])("the problem of %s is reported", (field, body) => {
    expect(refused("bigcommerce", JSON.stringify(body))).toContain(field);
  });
});

const wishes = [
  { name: "Engraving", value: "For Zoë" },
  { name: "_builder_id", value: "77" },
];

const goods = [
  { name: "Lamp - Brass", sku: "LAMP-B", quantity: 3, current_quantity: 2, price: "40.00", discount: "8.01" },
  { name: "Gift card", gift_card: true, requires_shipping: false },
  { name: "Card in a box", gift_card: true },
  { name: "E-book", requires_shipping: false },
  { name: "Tray", sku: "", properties: wishes },
  { name: "Taken out", quantity: 2, current_quantity: 0 },
];

describe("Shopify", () => {
  test("contains the whole order, without cards and lines that are not shipped", () => {
    const order = shopOrder(5001, at, { note: "Leave at the\ndoor" }, goods);
    const read = shopify.read(inbound(sh.notification(order, { event_id: "ev-1" })));
    expect(read).toEqual({
      kind: "order",
      topic: "orders/create",
      external_id: "5001",
      problem: null,
      dedupe_key: "orders/create ev-1",
      stores: ["lamps.myshopify.com"],
      created_at: at,
      order: {
        external_id: "5001",
        number: "5001",
        state: "open",
        is_pending: false,
        is_test: false,
        email: "lea@morel.example",
        customer_name: "Léa Morel",
        phone: "+33 4 72 00 00 00",
        address: {
          name: "Léa Morel",
          company: "Morel SARL",
          address_line1: "4 Rue Neuve",
          address_line2: null,
          city: "Lyon",
          state: null,
          postal_code: "69001",
          country: "FR",
          phone: "+33 4 72 00 00 00",
        },
        lines: [
          {
            external_id: "500100",
            sku: "LAMP-B",
            variant_id: "900",
            name: "Lamp - Brass",
            ...{ quantity: 2, left: 2 },
            // Two of three that cost 111.99 together, which no price in whole cents gives.
            unit_price_cents: 4000,
            total_cents: 7466,
          },
          {
            external_id: "500104",
            sku: null,
            variant_id: "904",
            name: "Tray",
            ...{ quantity: 1, left: 1 },
            unit_price_cents: 1000,
            total_cents: 1000,
          },
        ],
        fulfillment_type: null,
        shipping_method: "Colissimo",
        shipping_method_code: null,
        shipping_amount_cents: 500,
        currency: "EUR",
        notes: "Leave at the\ndoor\nTray: Engraving: For Zoë",
        attributes: {},
        created_at: at,
        updated_at: at,
      },
    });
  });

  test("the number keeps the shop's prefix and suffix, except #", () => {
    const { order } = shopify.read(inbound(sh.notification(shopOrder(7, at, { name: "#EN-7-B" }))));
    expect(order?.number).toBe("EN-7-B");
  });

  test("refunded units are subtracted if the line does not contain the rest", () => {
    const { headers, body } = sh.notification(shopOrder(8, at, {}, [{ quantity: 5 }]));
    const payload = JSON.parse(body);
    delete payload.line_items[0].current_quantity;
    payload.refunds = [
      { refund_line_items: [{ line_item_id: 800, quantity: 2 }] },
      {
        refund_line_items: [
          { line_item_id: 800, quantity: 1 },
          { line_item_id: 801, quantity: 1 },
        ],
      },
    ];
    const { order } = shopify.read(inbound({ headers, body: JSON.stringify(payload) }));
    expect(order?.lines.map(({ quantity }) => quantity)).toEqual([2]);
  });

  test.each([
    [{ financial_status: "paid" }, "open"],
    [{ financial_status: "partially_refunded" }, "open"],
    [{ financial_status: "pending" }, "unpaid"],
    [{ financial_status: "authorized" }, "unpaid"],
    [{ financial_status: "partially_paid" }, "unpaid"],
    [{ financial_status: "expired" }, "unpaid"],
    [{ financial_status: null }, "unpaid"],
    [{ financial_status: "constructor" }, "unpaid"],
    [{ financial_status: "refunded" }, "cancelled"],
    [{ financial_status: "voided" }, "cancelled"],
    [{ cancelled_at: "2026-11-20T10:00:00Z", fulfillment_status: "fulfilled" }, "cancelled"],
    [{ fulfillment_status: "fulfilled" }, "done"],
    [{ fulfillment_status: "fulfilled", financial_status: "refunded" }, "done"],
    [{ fulfillment_status: "partial" }, "open"],
    [{ closed_at: "2026-11-20T10:00:00Z" }, "done"],
  ])("%p is %s", (fields, state) => {
    const { order } = shopify.read(inbound(sh.notification(shopOrder(9, at, fields))));
    expect(order?.state).toBe(state as "open");
  });

  test("deletions and edits identify their order only, other topics none", () => {
    const order = shopOrder(5002, at);
    for (const topic of ["orders/delete", "orders/edited"]) {
      const { kind, external_id, order: carried } = shopify.read(inbound(sh.notification(order, { topic })));
      expect([kind, external_id, carried]).toEqual(["order", "5002", null]);
    }
    const { kind, external_id } = shopify.read(inbound(sh.notification(order, { topic: "products/update" })));
    expect([kind, external_id]).toEqual(["unknown", null]);
  });

  test("one act of the merchant sent under two topics is two notifications", () => {
    const order = shopOrder(5003, at);
    const key = (topic: string) => shopify.read(inbound(sh.notification(order, { topic, event_id: "e" }))).dedupe_key;
    expect(key("orders/paid")).not.toBe(key("orders/updated"));
    expect(key("orders/paid")).toBe(key("orders/paid"));
  });
});

describe("WooCommerce", () => {
  test("contains the whole order", () => {
    const meta = [
      { id: 1, key: "pa_size", value: "m", display_key: "Size", display_value: "M" },
      { id: 2, key: "_reduced_stock", value: "3" },
      { id: 3, key: "wish", value: "blue", display_key: "Ribbon", display_value: "Blue" },
    ];
    const lines = [{ meta_data: meta }, { name: "Dish", sku: "", variation_id: 71, quantity: 1, total: "4.005" }];
    const order = siteOrder(812, at, { number: "INV-812", customer_note: " Thanks! " }, lines);
    const { order: read, ...about } = woocommerce.read(inbound(wc.notification(order)));
    expect(about).toEqual({
      kind: "order",
      topic: "order.created",
      external_id: "812",
      created_at: null,
      stores: [wc.url],
      problem: null,
      dedupe_key: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(read).toEqual({
      external_id: "812",
      number: "INV-812",
      state: "open",
      email: "noor@ahmed.example",
      customer_name: "Noor Ahmed",
      phone: "0113 496 0000",
      address: {
        name: "Noor Ahmed",
        company: "Ahmed Ltd",
        address_line1: "12 Mill Lane",
        address_line2: null,
        city: "Leeds",
        state: null,
        postal_code: "LS1 4DY",
        country: "GB",
        phone: "0113 496 0000",
      },
      lines: [
        {
          external_id: "81200",
          sku: "SOAP-1",
          variant_id: "p50",
          name: "Soap",
          quantity: 3,
          left: null,
          unit_price_cents: 900,
          total_cents: 2580,
        },
        {
          external_id: "81201",
          sku: null,
          variant_id: "71",
          name: "Dish",
          quantity: 1,
          left: null,
          unit_price_cents: 2700,
          total_cents: 401,
        },
      ],
      fulfillment_type: "ship",
      shipping_method: "Royal Mail 48",
      shipping_method_code: "flat_rate",
      shipping_amount_cents: 420,
      currency: "GBP",
      notes: "Thanks!\nSoap: Ribbon: Blue",
      attributes: {},
      created_at: at,
      updated_at: at,
    });
  });

  test("an order without a shipping address uses the billing address", () => {
    const empty = { first_name: "", last_name: "", address_1: "", city: "", postcode: "", country: "", state: "" };
    const { order } = woocommerce.read(inbound(wc.notification(siteOrder(813, at, { shipping: empty }))));
    expect(order?.address).toMatchObject({ address_line1: "12 Mill Lane", city: "Leeds", country: "GB" });
  });

  test.each([
    ["pending", "unpaid"],
    ["on-hold", "unpaid"],
    ["failed", "unpaid"],
    ["checkout-draft", "unpaid"],
    ["a-plugins-own", "unpaid"],
    ["toString", "unpaid"],
    ["processing", "open"],
    ["completed", "done"],
    ["cancelled", "cancelled"],
    ["refunded", "cancelled"],
    ["trash", "cancelled"],
  ])("%s is %s", (status, state) => {
    const { order } = woocommerce.read(inbound(wc.notification(siteOrder(814, at, { status }))));
    expect(order?.state).toBe(state as "open");
  });

  test("the ping of a new webhook is recognized, and a deletion identifies its order", () => {
    expect(woocommerce.read(inbound(wc.ping()))).toMatchObject({ kind: "ping", external_id: null });
    const order = siteOrder(815, at);
    const deleted = woocommerce.read(inbound(wc.notification(order, { topic: "order.deleted" })));
    expect(deleted).toMatchObject({ kind: "order", external_id: "815", order: null });
    const other = woocommerce.read(inbound(wc.notification(order, { topic: "coupon.created" })));
    expect(other).toMatchObject({ kind: "unknown", external_id: null });
  });

  test("an order with refunds has to be fetched, since the rest of each line is unknown", () => {
    const order = wc.add(siteOrder(816, at));
    wc.refund(order, 81600, 1);
    expect(woocommerce.read(inbound(wc.notification(order)))).toMatchObject({ kind: "order", order: null });
  });

  test("the same bytes have one key, other bytes another", () => {
    const key = (fields: object) =>
      woocommerce.read(inbound(wc.notification(siteOrder(817, at, { ...fields })))).dedupe_key;
    expect(key({})).toBe(key({}));
    expect(key({})).not.toBe(key({ status: "completed" }));
  });
});

/** The refusal of a body; null if it is accepted. Anything but `validation_failed` fails the test. */
function refused(platform: Platform, body: string, headers: Record<string, string> = {}): string | null {
  try {
    connectors[platform].read(inbound({ body, headers }));
    return null;
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== "validation_failed") throw error;
    return (error.facts.fields ?? []).map(({ field, message }) => `${field} ${message}`).join("; ");
  }
}

const topics: Record<Platform, Record<string, string>> = {
  bigcommerce: {},
  shopify: { "X-Shopify-Topic": "orders/create" },
  woocommerce: { "X-WC-Webhook-Topic": "order.updated" },
};

describe("any body", () => {
  test.each(["", "null", "[]", "1", '"a"', "{", "\u0000", "[".repeat(200_000), '{"id":', "webhook_id=", "<xml/>"])(
    "is refused when it is no object: %p",
    (body) => {
      for (const platform of platforms) {
        expect([platform, refused(platform, body, topics[platform])]).toEqual([platform, expect.stringMatching(/./)]);
      }
    },
  );

  test("must have its topic in a header", () => {
    expect(refused("shopify", "{}")).toContain("X-Shopify-Topic");
    expect(refused("woocommerce", "{}")).toContain("X-WC-Webhook-Topic");
  });

  test("is accepted or refused by name, with any value in one field", () => {
    const bodies = {
      bigcommerce: bc.notification(118).body,
      shopify: sh.notification(shopOrder(5004, at)).body,
      woocommerce: wc.notification(siteOrder(818, at)).body,
    };
    const strange = [
      null,
      0,
      -1,
      1e308,
      1e21,
      Number.MAX_SAFE_INTEGER,
      "",
      "x",
      "1e9",
      "-3.00",
      true,
      [],
      {},
      [[]],
      [null],
    ];
    let cases = 0;
    for (const platform of platforms) {
      for (const path of pathsOf(JSON.parse(bodies[platform]))) {
        for (const value of [...strange, "\ud800", "a".repeat(70_000), "\u0000\u0007"]) {
          refused(platform, JSON.stringify(replaced(JSON.parse(bodies[platform]), path, value)), topics[platform]);
          cases += 1;
        }
      }
    }
    expect(cases).toBeGreaterThan(1500);
  }, 30_000);

  test("is accepted or refused by name", () => {
    fc.assert(
      fc.property(fc.constantFrom(...platforms), fc.jsonValue(), (platform, value) => {
        refused(platform, JSON.stringify(value), topics[platform]);
        refused(
          platform,
          JSON.stringify({ id: 1, line_items: value, refunds: value, scope: "a", store_id: value }),
          topics[platform],
        );
      }),
    );
  });

  test("with an unreadable order causes a fetch: nothing is guessed", () => {
    const whole = JSON.parse(sh.notification(shopOrder(5005, at)).body);
    for (const [field, value] of [
      ["line_items", undefined],
      ["line_items", [{ id: 1, current_quantity: 1.5, quantity: 2, price: "1.00" }]],
      ["line_items", [{ id: 1, current_quantity: 1, quantity: 1, price: "1,00" }]],
      ["line_items", [{ id: 1, current_quantity: 2_000_000, quantity: 2_000_000, price: "1.00" }]],
      ["line_items", Array(501).fill(whole.line_items[0])],
      ["currency", "euro"],
      ["updated_at", "lately"],
    ] as const) {
      const body = JSON.stringify({ ...whole, [field]: value });
      const read = shopify.read(inbound({ body, headers: topics.shopify }));
      expect([field, read.external_id, read.order]).toEqual([field, "5005", null]);
    }
  });
});

type Path = readonly (string | number)[];

/** The paths of all values in a value. */
function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [path, ...entries.flatMap(([key, inner]) => pathsOf(inner, [...path, key]))];
}

/** A value with one path replaced. */
function replaced(whole: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  const copy: unknown = Array.isArray(whole) ? [...whole] : { ...(whole as object) };
  const fields = copy as Record<string | number, unknown>;
  fields[key] = replaced(fields[key], rest, value);
  return copy;
}
