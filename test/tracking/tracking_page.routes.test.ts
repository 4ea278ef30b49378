import { describe, expect, test } from "bun:test";
import { day_ms } from "../../src/core/time.ts";
import { carrierPage } from "../../src/orders/fulfillment/tracking_url.ts";
import { createApp } from "../../src/server/app.ts";
import { start as now, openApp, type TestApp } from "../build/service.ts";
import { type ParcelShop, parcelShopOn } from "../build/shop.ts";
import { pngOf } from "../files/images.ts";

const base_url = "https://ship.example.com";
const app = await openApp({ base_url });
const shop: ParcelShop = await parcelShopOn(app);

/** Requests a page like a browser, without a key. */
async function look(url: string, from: TestApp["app"] = app.app) {
  const answer = await from.handle(new Request(url.replace(base_url, "http://packhouse.test")));
  return { status: answer.status, headers: answer.headers, html: await answer.text() };
}

/** An order with a label. */
async function sent() {
  const { id } = await shop.order();
  const { tracking_url, tracking_number, label_id } = (await shop.label(id)).body.data;
  const scan = (status: string, fields: object = {}) =>
    app.post(`/tracking/${tracking_number}/events`, { status, ...fields });
  return { id, tracking_url, tracking_number, label_id, scan };
}

const headline = (html: string) => /<h1>(.*?)<\/h1>/.exec(html)?.[1];

describe("works", () => {
  test("a buyer sees where the parcel is and when it arrives, and no personal data but the city", async () => {
    const { id, tracking_url, tracking_number, scan } = await sent();
    const seen: (string | undefined)[] = [];
    const watch = async () => {
      const { status, html } = await look(tracking_url);
      seen.push(`${status} ${headline(html)}`);
      return html;
    };
    expect(await watch()).toContain("Expected by");
    const place = { city: "Columbus <i>", state: "OH", facility: "Gate 5" };
    const said = { message: "To Ms. Marple", reason: "Her dog bit", signed_by: "Jane Marple", location: place };
    for (const [at, status] of ["picked_up", "in_transit", "exception", "out_for_delivery", "delivered"].entries()) {
      await scan(status, { ...said, timestamp: new Date(now - 60_000 + at).toISOString() });
      await watch();
    }
    const html = await watch();
    expect(seen).toEqual([
      "200 Preparing shipment",
      "200 Handed to the carrier",
      "200 On its way",
      "200 Held up",
      "200 Out for delivery",
      "200 Delivered",
      "200 Delivered",
    ]);
    const { order_number, line_items } = (await app.get(`/orders/${id}`)).body.data;
    const [line] = line_items;
    for (const told of [
      ...[tracking_number, "Main warehouse", "Beverly Hills", "Columbus &lt;i&gt;", "Out for delivery"],
      ...[order_number, `<bdi>${line.name}</bdi><span>${line.quantity}</span>`],
    ]) {
      expect(html).toContain(told);
    }
    const persons = ["Jordan", "Avery", "Canyon", "90210", "example.com", "Marple", "dog", "Gate 5", line.unit_price];
    expect(persons.filter((word) => html.includes(word))).toEqual([]);
    expect(html).not.toMatch(/<script|<i>|<link rel="stylesheet|src=|href="(?!data:,")/);
  });

  test("a page is not cached or indexed, and loads nothing", async () => {
    const { tracking_url } = await sent();
    for (const url of [tracking_url, `${base_url}/t/nothing`]) {
      const { headers, html } = await look(url);
      expect(Object.fromEntries(headers)).toMatchObject({
        "content-type": "text/html; charset=utf-8",
        "x-robots-tag": "noindex, nofollow",
        "referrer-policy": "no-referrer",
        "cache-control": "private, no-store",
        "x-content-type-options": "nosniff",
      });
      const policy = headers.get("content-security-policy") ?? "";
      const style = new Bun.CryptoHasher("sha256").update(/<style>(.*?)<\/style>/s.exec(html)?.[1] ?? "");
      expect(policy).toContain(`default-src 'none'; style-src 'sha256-${style.digest("base64")}'`);
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
    }
  });

  test("a buyer sees the merchant's branding, as text", async () => {
    const { tracking_url } = await sent();
    const headers = { "content-type": "image/png" };
    const { id, url } = (await app.call("POST", "/files?kind=logo", pngOf(90, 30), { headers })).body.data;
    const look_of = {
      accent_color: "#FFDD00",
      display_name: "Mill & <b>Co</b>",
      message: "Thanks!\nSee you <i>soon</i>",
    };
    const contact = {
      support_email: "help@mill.example",
      support_phone: "+1 (503) 555-0142",
      website: "https://mill.example",
    };
    await app.must("PATCH", "/merchants/MAIN/branding", { logo_file_id: id, ...look_of, ...contact });
    const { status, headers: sent_headers, html } = await look(tracking_url);
    expect(status).toBe(200);
    for (const told of [
      ...["Mill &amp; &lt;b&gt;Co&lt;/b&gt;", "Thanks!</bdi><br><bdi>See you &lt;i&gt;soon&lt;/i&gt;"],
      ...['href="mailto:help@mill.example"', 'href="tel:+15035550142"', 'href="https://mill.example/"'],
      // Black text on yellow.
      "background:#ffdd00;color:#000000",
    ]) {
      expect(html).toContain(told);
    }
    const source = /<img src="([^"]+)"/.exec(html)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect(source).toBe(url.replace(base_url, ""));
    expect((await look(`${base_url}${source}`)).status).toBe(200);
    const policy = sent_headers.get("content-security-policy") ?? "";
    const style = new Bun.CryptoHasher("sha256").update(/<style>(.*?)<\/style>/s.exec(html)?.[1] ?? "");
    expect(policy).toContain(`style-src 'sha256-${style.digest("base64")}'; img-src 'self' data:`);
    const none = { logo_file_id: null, accent_color: null, display_name: null, message: null };
    await app.must("PATCH", "/merchants/MAIN/branding", {
      ...none,
      support_email: null,
      support_phone: null,
      website: null,
    });
    expect((await look(tracking_url)).html).not.toMatch(/<img|<footer|mill/i);
  });

  test("an erased buyer's page names neither the order nor the goods", async () => {
    const other = await openApp({ base_url });
    const own = await parcelShopOn(other);
    const { id } = await own.order();
    const { tracking_url } = (await own.label(id)).body.data;
    const { order_number, line_items, customer } = await other.read(`/orders/${id}`);
    expect((await look(tracking_url, other.app)).html).toContain(order_number);
    await other.create(`/orders/${id}/ship`);
    await other.create(`/orders/${id}/deliver`);
    await other.create(`/customers/${customer.id}/erasure`);
    await other.runJobs();
    const { html } = await look(tracking_url, other.app);
    expect(headline(html)).toBe("Delivered");
    for (const word of [order_number, line_items[0].name]) expect(html).not.toContain(word);
  });

  test("manual acts on a parcel appear without a scan", async () => {
    const { id, tracking_url } = await sent();
    await app.post(`/orders/${id}/ship`);
    expect(headline((await look(tracking_url)).html)).toBe("Handed to the carrier");
    await app.post(`/orders/${id}/deliver`);
    expect(headline((await look(tracking_url)).html)).toBe("Delivered");
  });

  test("the URL is the same on the label, in the order and in events", async () => {
    await app.takeEvents();
    const { id, tracking_url, label_id } = await sent();
    const { shipments } = (await app.get(`/orders/${id}`)).body.data;
    const bought = (await app.takeEvents()).find(({ type }) => type === "shipment.created");
    expect([shipments[0].tracking_url, bought?.data["tracking_url"]]).toEqual([tracking_url, tracking_url]);
    expect((await app.get(`/shipping/labels/${label_id}`)).body.data.tracking_url).toBe(tracking_url);
    expect((await app.get(`/shipping/labels/${label_id}/document?format=zpl`)).body).toContain(tracking_url);
  });

  test("a label bought before the service had a public URL leads to the page afterwards", async () => {
    const other = await openApp();
    const own = await parcelShopOn(other);
    const { id } = await own.order();
    const { label_id } = (await own.label(id)).body.data;
    const printed = async () => (await other.get(`/shipping/labels/${label_id}/document?format=zpl`)).body;
    const known = async () => (await other.get(`/orders/${id}`)).body.data.shipments[0].tracking_url;
    expect([(await printed()).includes("^BQ"), await known()]).toEqual([false, null]);
    Object.assign(other.service, { base_url });
    const url = await known();
    expect(url).toStartWith(`${base_url}/t/`);
    expect(await printed()).toContain(url);
    expect((await look(url, other.app)).status).toBe(200);
  });

  test.each([
    [
      "usps",
      "9400 1000 0000 0000 0000 00",
      "https://tools.usps.com/go/TrackConfirmAction?tLabels=9400100000000000000000",
    ],
    ["UPS", "1z 77 b", "https://www.ups.com/track?tracknum=1Z77B"],
    ["FedEx_Ground", "7777", "https://www.fedex.com/fedextrack/?trknbr=7777"],
    ["dhl", "8888", "https://www.dhl.com/en/express/tracking.html?AWB=8888"],
    ["Bob's Vans", "9999", expect.stringMatching(/^https:\/\/ship\.example\.com\/t\/\w+-[0-9a-f]{32}$/)],
  ])("a parcel of %s has the page of its carrier", async (carrier, tracking_number, page) => {
    await app.takeEvents();
    const { id } = await shop.order();
    const { shipments } = (await app.post(`/orders/${id}/ship`, { carrier, tracking_number })).body.data;
    expect(shipments[0].tracking_url).toEqual(page);
    expect((await app.get(`/orders/${id}`)).body.data.shipments).toEqual(shipments);
    await app.post(`/tracking/${encodeURIComponent(tracking_number)}/events`, { status: "in_transit" });
    const told = (await app.takeEvents()).filter(({ type }) => type === "shipment.in_transit");
    expect(told.map(({ data }) => data["tracking_url"])).toEqual([page]);
    const back = { order_id: id, reason: "defective", return_shipping: { carrier, tracking_number } };
    expect((await app.post("/returns", back)).body.data.return_shipping.tracking_url).toEqual(page);
  });

  test("a parcel to a city state, whose addresses contain no city", async () => {
    const address = { name: "Ana Tan", address_line1: "270 Orchard Road", postal_code: "238857", country: "SG" };
    const buyer = (await app.post("/customers", { email: "ana@example.com", shipping_addresses: [address] })).body;
    const draft = { ...shop.draft(1, buyer.shipping_addresses[0].id), customer_id: buyer.id };
    const { id } = (await app.post("/orders", draft)).body.data;
    const { shipments } = (await app.post(`/orders/${id}/ship`, { tracking_number: "SG-1", carrier: "van" })).body.data;
    const { tracking_url } = shipments[0];
    const { status, html } = await look(tracking_url);
    expect([status, html]).toEqual([200, expect.stringContaining("<dt>To</dt><dd><bdi>Singapore</bdi></dd>")]);
  });

  test("carriers are recognized by how their names begin", () => {
    expect(carrierPage("usps_priority", "94")).toBe("https://tools.usps.com/go/TrackConfirmAction?tLabels=94");
    for (const name of ["Canada Post", "canada_post", "CanadaPost", "canada-post expedited"]) {
      expect(carrierPage(name, "1")).toContain("canadapost");
    }
    expect(carrierPage("DHL eCommerce", "1 2")).toBe("https://www.dhl.com/us-en/home/tracking.html?tracking-id=1%202");
    for (const name of ["upside", "local", "", null]) expect(carrierPage(name, "1")).toBeNull();
    expect(carrierPage("UPS", null)).toBeNull();
  });
});

describe("refuses", () => {
  test("a parcel with a voided label", async () => {
    const { tracking_url, label_id } = await sent();
    await app.post(`/shipping/labels/${label_id}/void`);
    expect((await look(tracking_url)).status).toBe(410);
  });

  test("every URL that was not issued", async () => {
    const one = (await sent()).tracking_url;
    const two = (await sent()).tracking_url;
    const [id = "", proof = ""] = one.split("/t/")[1]?.split("-") ?? [];
    const changed = [...proof].map(
      (digit, at) => `${id}-${proof.slice(0, at)}${digit === "0" ? "1" : "0"}${proof.slice(at + 1)}`,
    );
    const swapped = `${two.split("/t/")[1]?.split("-")[0]}-${proof}`;
    const odd = [
      id,
      `${id}-`,
      proof,
      `0${id}-${proof}x`,
      `${id}-${proof.toUpperCase()}`,
      "zzzzzzzzzzz-0".padEnd(44, "0"),
    ];
    const statuses = new Set<number>();
    const other = createApp({ ...app.service, peerOf: () => "192.0.2.1" });
    for (const token of [...changed.slice(0, 20), swapped, ...odd]) {
      statuses.add((await look(`${base_url}/t/${token}`, other)).status);
    }
    expect([...statuses]).toEqual([404]);
    expect((await look(one, other)).status).toBe(200);
  });

  test("an address that requests too often, and no other", async () => {
    const { tracking_url } = await sent();
    let peer = "192.0.2.7";
    const other = createApp({ ...app.service, peerOf: () => peer });
    const statuses = [];
    for (let at = 0; at < 61; at += 1) statuses.push((await look(tracking_url, other)).status);
    expect(statuses).toEqual([...Array(60).fill(200), 429]);
    expect((await look(tracking_url, other)).headers.get("retry-after")).toBe("60");
    peer = "192.0.2.8";
    expect((await look(tracking_url, other)).status).toBe(200);
  });

  test("a parcel that arrived or was returned 90 days ago", async () => {
    const parcels = [await sent(), await sent(), await sent()] as const;
    await parcels[0].scan("delivered");
    await parcels[1].scan("returned");
    const statuses = async () =>
      Promise.all(parcels.map(async ({ tracking_url }) => (await look(tracking_url)).status));
    app.clocks.live.advance(90 * day_ms - 1);
    expect(await statuses()).toEqual([200, 200, 200]);
    app.clocks.live.advance(1);
    expect(await statuses()).toEqual([410, 410, 200]);
  });
});

describe("guards", () => {
  test("a page needs no key, and a test parcel's page says that it is one", async () => {
    const sandbox = await parcelShopOn(app, "test");
    const { tracking_url } = (await sandbox.label((await sandbox.order()).id)).body.data;
    const { status, html } = await look(tracking_url);
    expect([status, html.includes("Test shipment")]).toEqual([200, true]);
    const live = (await look((await sent()).tracking_url)).html;
    expect(live).not.toContain("Test shipment");
  });
});
