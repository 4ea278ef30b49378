// WooCommerce over its REST API: fetches orders, lists changes, reports parcels once.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { connectors } from "../../../src/platforms/connectors/connectors.ts";
import { openWooCommerce, siteOrder, type WooCommerceMock } from "../mocks/woocommerce.ts";
import { at, inbound, openCaller, parcel, refusal } from "./access.ts";

const { fetchOrder, changedSince, report, read } = connectors.woocommerce;
// The machine may be busy.
setDefaultTimeout(30_000);

const caller = openCaller();
let wc: WooCommerceMock;
beforeEach(async () => {
  wc = await openWooCommerce({ now: () => at + 60_000 });
});
afterEach(() => wc.stop());
const access = () => caller.to(wc.url, wc.url, wc.secret, wc.key);

describe("an order", () => {
  test("is the same fetched as notified", async () => {
    const order = wc.add(siteOrder(812, at));
    const told = read(inbound(wc.notification(order))).order;
    expect(told).not.toBeNull();
    expect(await fetchOrder(access(), "812")).toEqual(told);
  });

  test("has no HTML entities in its texts", async () => {
    const methods = [{ method_title: "Café &amp; Co &#8211; 2 days", total: "5.00" }];
    const note = "Don&#039;t ring &lt;bell&gt; &amp;amp;";
    const told = wc.add(siteOrder(814, at, { customer_note: note, shipping_lines: methods }));
    const { shipping_method, notes } = (await fetchOrder(access(), "814")) ?? {};
    expect([shipping_method, notes]).toEqual(["Café & Co – 2 days", "Don't ring <bell> &amp;"]);
    expect(read(inbound(wc.notification(told))).order?.notes).toBe(notes as string);
  });

  test("is fetched without refunded units", async () => {
    const order = wc.add(siteOrder(813, at, {}, [{ quantity: 3 }, { quantity: 1 }, { quantity: 2 }]));
    wc.refund(order, 81300, 1);
    wc.refund(order, 81300, 1);
    wc.refund(order, 81301, 1);
    const fetched = await fetchOrder(access(), "813");
    expect(fetched?.lines.map(({ external_id, quantity }) => [external_id, quantity])).toEqual([
      ["81300", 1],
      ["81302", 2],
    ]);
  });

  test.each(["bundled_by", "composite_parent"])("with a bundle (%s) has its parts as goods", async (parent) => {
    const set = { sku: "SET", quantity: 1, total: "10.00", subtotal: "12.00", bundled_items: [81601, 81602] };
    const part = (sku: string, quantity: number) => ({
      sku,
      quantity,
      total: "0.00",
      subtotal: "0.00",
      [parent]: 81600,
    });
    const alone = { sku: "EMPTY-SET", quantity: 1, total: "3.00", subtotal: "3.00", bundled_items: [] };
    const order = wc.add(siteOrder(816, at, {}, [set, part("A", 2), part("B", 1), alone]));
    const told = read(inbound(wc.notification(order))).order;
    expect(told?.lines.map(({ sku, quantity, total_cents }) => [sku, quantity, total_cents])).toEqual([
      ["A", 2, 667],
      ["B", 1, 333],
      ["EMPTY-SET", 1, 300],
    ]);
    expect(await fetchOrder(access(), "816")).toEqual(told);
  });

  test.each(["local_pickup", "pickup_location"])("that is collected (%s) is told apart", async (method_id) => {
    const order = wc.add(
      siteOrder(817, at, { shipping_lines: [{ method_id, method_title: "Pickup", total: "0.00" }] }),
    );
    const told = read(inbound(wc.notification(order))).order;
    expect([told?.state, told?.fulfillment_type, told?.shipping_method_code]).toEqual(["open", "pickup", method_id]);
    expect(await fetchOrder(access(), "817")).toEqual(told);
  });

  test("that does not exist is null", async () => {
    expect(await fetchOrder(access(), "999")).toBeNull();
  });
});

test("changes are listed by time, across pages, and not before the start", async () => {
  for (let id = 1; id <= 130; id += 1) wc.add(siteOrder(id, at + (id % 7) * 1000));
  wc.add(siteOrder(301, at - 2000));
  const changes = await changedSince(access(), at - 1000);
  expect(new Set(changes.map(({ external_id }) => external_id)).size).toBe(130);
  expect(changes[0]).toEqual({ external_id: "7", updated_at: at });
  expect(changes.at(-1)?.updated_at).toBe(at + 6000);
  expect(await changedSince(access(), at + 3_600_000)).toEqual([]);
});

describe("a parcel", () => {
  test("becomes a note to the buyer, and the last one completes the order", async () => {
    const order = wc.add(siteOrder(820, at));
    const first = parcel(820, [[82000, 1]], { last: false, tracking_number: null, tracking_url: null, service: null });
    expect(await report(access(), first)).toBe("1");
    expect(order.fields["status"]).toBe("processing");
    expect(await report(access(), parcel(820, [[82000, 2]], { shipment_id: "shp_1002" }))).toBe("2");
    expect(order.fields["status"]).toBe("completed");
    const left = "A part of your order was shipped by UPS. It left on 2026-11-20 at 10:30:00 UTC.";
    expect(order.notes).toEqual([
      {
        id: 2,
        customer_note: true,
        note:
          "Your order was shipped by UPS Ground. Tracking number: 1Z999AA10123456784. " +
          "https://track.example/1Z999AA10123456784",
      },
      { id: 1, customer_note: true, note: left },
    ]);
  });

  test.each(["POST", "PUT"])("reported twice is one note if the response to %s is lost", async (method) => {
    const order = wc.add(siteOrder(821, at));
    wc.fail("lose", { method });
    expect(await refusal(report(access(), parcel(821, [[82100, 3]])))).toMatchObject({ permanent: false });
    for (const _time of [1, 2]) expect(await report(access(), parcel(821, [[82100, 3]]))).toBe("1");
    expect(order.notes.length).toBe(1);
    expect(order.fields["status"]).toBe("completed");
  });

  test.each(["completed", "cancelled", "refunded", "on-hold"])(
    "leaves an order that is %s as it is",
    async (status) => {
      const order = wc.add(siteOrder(822, at, { status }));
      expect(await report(access(), parcel(822, [[82200, 3]]))).toBe("1");
      expect(order.fields["status"]).toBe(status);
      expect(wc.asked.some(({ method }) => method === "PUT")).toBe(false);
    },
  );

  test("of an unknown order is refused permanently", async () => {
    expect(await refusal(report(access(), parcel(999, [[1, 1]])))).toMatchObject({ permanent: true });
  });
});

test("a site without the API is not a missing order", async () => {
  const elsewhere = { ...access(), connection: { id: 1, store_id: wc.url, api_url: `${wc.url}/blog` } };
  const said = await refusal(fetchOrder(elsewhere, "812"));
  expect(said).toMatchObject({ permanent: true, message: expect.stringContaining("api_url") });
});
