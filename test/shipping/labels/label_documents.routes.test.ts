// The documents of a label: ours from the drawing, a carrier's unchanged.
import { describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { labels } from "../../../db/schema/shipments.ts";
import { overrideCarriers } from "../../../src/shipping/carriers/connectors.ts";
import { insertDocuments } from "../../../src/shipping/labels/labels.sql.ts";
import type { CarrierDocument } from "../../../src/shipping/offer.ts";
import { openApp } from "../../build/service.ts";
import { type ParcelShop, parcelShopOn } from "../../build/shop.ts";
import { fakeCarrier } from "../carriers/fake_carrier.ts";

let account_id = 0;
// A label loses its document here, which `verify` would report.
const app = await openApp({ verified: false });
const shop: ParcelShop = await parcelShopOn(app);
overrideCarriers(app.service, { fake: fakeCarrier().connector });
const account = await app.post("/shipping/carrier_accounts", {
  connector: "fake",
  credentials: { api_key: "secret_of_it" },
});
account_id = Number(account.body.data.id.replace("cac_", ""));

// Bytes that are not text, and some that claim to be a page.
const picture = Uint8Array.from({ length: 256 }, (_, at) => 255 - at);
const invoice = new TextEncoder().encode("<script>alert(1)</script>");

/** A label after a carrier's purchase, with its documents. */
async function carriersLabel(documents: readonly CarrierDocument[]) {
  const { label_id } = (await shop.label((await shop.order()).id)).body.data;
  const id = Number(label_id.replace("lbl_", ""));
  await app.service.stores.live.write(async (tx) => {
    await tx.sql.update(labels).set({ drawing: null, account_id }).where(eq(labels.id, id));
    await insertDocuments(tx, id, documents);
  });
  return label_id as string;
}

async function followed(path: string, key: string | null) {
  const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
  const response = await app.app.handle(new Request(path, { headers }));
  const shown = ["content-type", "content-disposition", "x-content-type-options"];
  return [response.status, ...shown.map((name) => response.headers.get(name)), await response.bytes()];
}

describe("a carrier's documents", () => {
  test("are listed and served unchanged, each by its link and by key", async () => {
    const label_id = await carriersLabel([
      { kind: "customs", content_type: "application/pdf", bytes: invoice },
      { kind: "label", content_type: "image/png", bytes: picture },
    ]);
    const { label_url, documents } = (await app.get(`/shipping/labels/${label_id}`)).body.data;
    expect(documents.map(({ kind, format }: Record<string, string>) => [kind, format])).toEqual([
      ["customs", "pdf"],
      ["label", "png"],
    ]);
    expect(label_url).toBe(documents[1].url);
    const customs = [200, "application/pdf", `inline; filename="${label_id}-customs-0.pdf"`, "nosniff", invoice];
    const label = [200, "image/png", `inline; filename="${label_id}.png"`, "nosniff", picture];
    expect(await followed(documents[0].url, null)).toEqual(customs);
    expect(await followed(documents[1].url, null)).toEqual(label);
    const path = `http://packhouse.test/v1/shipping/labels/${label_id}/document`;
    expect(await followed(path, app.keys.live.read)).toEqual(label);
    expect(await followed(`${path}?format=pdf`, app.keys.live.read)).toEqual(customs);
    expect(await followed(`${path}?document=0`, app.keys.live.read)).toEqual(customs);
  });

  test("that do not exist are refused, naming the existing ones", async () => {
    const label_id = await carriersLabel([{ kind: "label", content_type: "application/pdf", bytes: invoice }]);
    for (const wish of ["?format=zpl", "?document=1", "?document=0&format=png"]) {
      const refused = await app.get(`/shipping/labels/${label_id}/document${wish}`);
      expect([refused.status, refused.body.error.code]).toEqual([404, "resource_missing"]);
      expect(refused.body.error.message).toEndWith("It has: pdf.");
    }
    const ours = (await shop.label((await shop.order()).id)).body.data.label_id;
    const none = await app.get(`/shipping/labels/${ours}/document?document=1`);
    expect([none.status, none.body.error.message]).toEqual([
      404,
      `${ours} has no such document. It has: pdf, png, zpl.`,
    ]);
  });

  test("are empty before the purchase", async () => {
    const label_id = await carriersLabel([]);
    expect((await app.get(`/shipping/labels/${label_id}`)).body.data).toMatchObject({ label_url: null, documents: [] });
    const refused = await app.get(`/shipping/labels/${label_id}/document`);
    expect([refused.status, refused.body.error.message]).toEqual([404, `${label_id} has no document.`]);
  });
});

test("a PNG is available for printers of 203 and 300 dpi", async () => {
  const { label_id } = (await shop.label((await shop.order()).id)).body.data;
  const sizes = await Promise.all(
    ["", "&dpi=203", "&dpi=300"].map(async (dpi) => {
      const path = `http://packhouse.test/v1/shipping/labels/${label_id}/document?format=png${dpi}`;
      const [, , , , bytes] = await followed(path, app.keys.live.read);
      const view = new DataView((bytes as Uint8Array).buffer);
      return [view.getUint32(16), view.getUint32(20)];
    }),
  );
  expect(sizes).toEqual([
    [812, 1218],
    [812, 1218],
    [1200, 1800],
  ]);
  expect((await app.get(`/shipping/labels/${label_id}/document?dpi=600`)).status).toBe(422);
});
