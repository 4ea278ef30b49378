// A merchant's branding on packing slips: by itself, in a batch, and as a page.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { PDFDict, PDFDocument, PDFName, PDFRawStream } from "@cantoo/pdf-lib";
import { getFile } from "../../src/files/files.sql.ts";
import { openApp } from "../build/service.ts";
import { parcelShopOn } from "../build/shop.ts";
import { openPages } from "../documents/open_pdf.ts";
import { pngOf } from "../files/images.ts";

// The first document opens the fonts, which takes time under load.
setDefaultTimeout(30_000);

const app = await openApp();
const shop = await parcelShopOn(app);
const look_of = { display_name: "Harbor Goods", support_email: "help@harbor.example", message: "Thanks!" };

async function bytesOf(path: string, accept = "application/pdf"): Promise<Uint8Array> {
  const headers = { authorization: `Bearer ${app.keys.live.full}`, accept };
  return (await app.app.handle(new Request(`http://packhouse.test/v1${path}`, { headers }))).bytes();
}

/** The widths of the images that each page draws, and how many images the whole file has. */
async function imagesIn(bytes: Uint8Array) {
  const document = await PDFDocument.load(bytes, { updateMetadata: false });
  const pages = document.getPages().map((page) => {
    const { XObject } = page.node.normalizedEntries();
    return XObject.values().map((ref) => {
      const { dict } = document.context.lookup(ref) as PDFRawStream;
      return Number(String(dict.get(PDFName.of("Width"))));
    });
  });
  const all = document.context.enumerateIndirectObjects().filter(([, object]) => {
    const dict = object instanceof PDFRawStream ? object.dict : object;
    return (
      dict instanceof PDFDict && String(dict.get(PDFName.of("Subtype"))) === "/Image" && dict.has(PDFName.of("SMask"))
    );
  });
  return { pages, count: all.length };
}

async function brand(color = 0x42): Promise<void> {
  const headers = { "content-type": "image/png" };
  const { id } = (await app.call("POST", "/files?kind=logo", pngOf(900, 300, color), { headers })).body.data;
  await app.must("PATCH", "/merchants/MAIN/branding", { logo_file_id: id, ...look_of });
}

describe("a packing slip", () => {
  test("has the merchant's logo, name, words and contact", async () => {
    const { id } = await shop.order();
    expect((await imagesIn(await bytesOf(`/orders/${id}/packing_slip`))).pages).toEqual([[]]);
    await brand();
    const bytes = await bytesOf(`/orders/${id}/packing_slip`);
    // Scaled to what a printer shows of it.
    expect((await imagesIn(bytes)).pages).toEqual([[510]]);
    const [page] = await openPages(bytes);
    for (const words of ["Harbor Goods", "Thanks!", "help@harbor.example"]) expect(page?.text).toContain(words);
    const html = Buffer.from(await bytesOf(`/orders/${id}/packing_slip`, "text/html")).toString();
    expect(html).toMatch(/<img class="logo" src="data:image\/png;base64,[\w+/=]+" alt="">/);
  });

  test("of a batch has it too, embedded once", async () => {
    await brand(0x99);
    const orders = [await shop.order(), await shop.order(), await shop.order()].map(({ id }) => id);
    const made = await app.must("POST", "/documents", { order_ids: orders, include: ["packing_slip"] });
    await app.runJobs();
    const { url } = await app.read(`/documents/${made.id}`);
    const bytes = await bytesOf(url.replace(/^.*\/v1/, ""));
    const { pages, count } = await imagesIn(bytes);
    expect(pages).toEqual([[510], [510], [510]]);
    expect(count).toBe(1);
  });

  test("is printed without a logo whose content is missing", async () => {
    await brand(0x77);
    const { id } = await shop.order();
    const { logo_file_id } = await app.read("/merchants/MAIN/branding");
    const { key } = await app.service.stores.live.read((db) => getFile(db, logo_file_id));
    await app.service.files.remove("live", key);
    const bytes = await bytesOf(`/orders/${id}/packing_slip`);
    expect((await imagesIn(bytes)).pages).toEqual([[]]);
    expect((await openPages(bytes))[0]?.text).toContain("Harbor Goods");
  });

  test("is printed without a logo that does not arrive in time", async () => {
    await brand(0x55);
    const { id } = await shop.order();
    const { files } = app.service;
    const { read } = files;
    Object.assign(files, { read: () => new Promise(() => {}) });
    try {
      const [first, second] = await Promise.all([1, 2].map(() => bytesOf(`/orders/${id}/packing_slip`)));
      for (const bytes of [first, second]) expect((await imagesIn(bytes ?? new Uint8Array())).pages).toEqual([[]]);
    } finally {
      Object.assign(files, { read });
    }
  });
});
