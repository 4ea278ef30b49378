// Labels with a GS1 company prefix: each parcel has a unique serial, the same in the response and in
// everything printed.
import { expect, test } from "bun:test";
import { openApp } from "../../build/service.ts";
import { type ParcelShop, parcelShopOn } from "../../build/shop.ts";
import { openPdf, printZpl, scan } from "../../documents/decode.ts";

const gs1_prefix = "0614141";
const app = await openApp({ gs1_prefix });
const shops: Readonly<Record<"live" | "test", ParcelShop>> = {
  live: await parcelShopOn(app, "live"),
  test: await parcelShopOn(app, "test"),
};

type Linked = { readonly format: "pdf" | "png" | "zpl"; readonly url: string };

/** The symbols that a scanner reads on a label's document. */
async function scanned({ format, url }: Linked) {
  const bytes = await (await app.app.handle(new Request(url))).bytes();
  return scan(format === "pdf" ? (await openPdf(bytes)).pixels : format === "zpl" ? await printZpl(bytes) : bytes);
}

test.each([
  ["live", gs1_prefix],
  ["test", "9521234"],
] as const)("every document of a %s label scans as the SSCC that the answer tells", async (mode, prefix) => {
  const shop = shops[mode];
  const [first, second] = [await shop.order(), await shop.order()];
  const { tracking_number, documents } = (await shop.label(first.id)).body.data;
  expect(tracking_number).toMatch(new RegExp(`^\\d${prefix}\\d{10}$`));
  for (const document of [...documents, { ...documents[1], url: `${documents[1].url}&dpi=300` }]) {
    const read = await scanned(document);
    expect(read.filter(({ text }) => text.startsWith("00"))).toEqual([{ kind: "]C1", text: `00${tracking_number}` }]);
  }
  const next = (await shop.label(second.id)).body.data.tracking_number;
  expect(BigInt(next.slice(0, -1)) - BigInt(tracking_number.slice(0, -1))).toBe(1n);
  // A hand scanner sends the text with the identifier.
  const key = app.keys[mode].full;
  for (const typed of [tracking_number, `00${tracking_number}`, `(00) ${tracking_number}`]) {
    const found = await app.call("GET", `/tracking/${encodeURIComponent(typed)}`, undefined, { key });
    expect([found.status, found.body.data?.tracking_number]).toEqual([200, tracking_number]);
  }
  const scan_in = await app.call("POST", `/tracking/00${tracking_number}/events`, { status: "picked_up" }, { key });
  expect([scan_in.status, scan_in.body.data.tracking_number]).toEqual([201, tracking_number]);
});

test("a serial is never reused, not even that of a voided label", async () => {
  const shop = shops.live;
  const { id } = await shop.order();
  const first = (await shop.label(id)).body.data;
  await app.post(`/shipping/labels/${first.label_id}/void`);
  const second = (await shop.label(id, { additional: true })).body.data;
  expect(second.tracking_number).not.toBe(first.tracking_number);
  const many = await Promise.all(
    Array.from({ length: 12 }, async () => (await shop.label((await shop.order()).id)).body.data.tracking_number),
  );
  expect(new Set([first.tracking_number, second.tracking_number, ...many]).size).toBe(14);
});

test("a label has our own number, with the reason, once the prefix has no serials left", async () => {
  // A longer prefix leaves fewer serials than have already been issued.
  const full = await openApp({ gs1_prefix: "06141411234567" });
  const shop = await parcelShopOn(full);
  const { tracking_number, warnings } = (await shop.label((await shop.order()).id)).body.data;
  expect(tracking_number).toMatch(/^WH\d{12}[0-9A-Z]$/);
  expect(warnings).toMatchObject([{ field: "tracking_number", code: "no_sscc" }, { code: "sample_rates" }]);
});

const magic = {
  ...{ name: "Jordan Avery", address_line1: "450 Canyon Drive", address_line2: "SIM-RETURNED" },
  ...{ city: "Beverly Hills", state: "CA", postal_code: "90210", country: "US" },
};

test("a magic word in a test address reaches the simulation, although an SSCC cannot contain it", async () => {
  const key = app.keys.test.full;
  const { customer_id, ...draft } = shops.test.draft();
  const made = await app.call("POST", `/customers/${customer_id}/addresses`, { ...magic }, { key });
  const asked = { ...draft, customer_id, shipping_address_id: made.body.data?.id ?? made.body.id };
  const { id } = (await app.call("POST", "/orders", asked, { key })).body.data;
  const { tracking_number } = (await shops.test.label(id)).body.data;
  expect(tracking_number).toMatch(/RTS$/);
  expect((await app.call("POST", "/tracking", { tracking_number }, { key })).status).toBe(201);
  app.clocks.test.advance(60_000);
  await app.runJobs();
  expect((await app.call("GET", `/tracking/${tracking_number}`, undefined, { key })).body.data.status).toBe("returned");
});
