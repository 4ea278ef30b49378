// A shop with three carriers: our own courier, one whose labels are PDFs, and one whose labels are images.
import { expect } from "bun:test";
import { crc32, deflateSync, inflateSync } from "node:zlib";
import { PDFDocument, PDFRawStream } from "@cantoo/pdf-lib";
import { and, eq } from "drizzle-orm";
import { label_documents } from "../../../db/schema/shipments.ts";
import { Fault } from "../../../src/core/faults.ts";
import { openBook } from "../../../src/documents/pdf_writer.ts";
import { png, rasterized, svg, zpl } from "../../../src/documents/render_job.ts";
import { openTypefaces } from "../../../src/documents/typefaces.ts";
import { overrideCarriers } from "../../../src/shipping/carriers/connectors.ts";
import { drawLabel } from "../../../src/shipping/labels/draw_label.ts";
import type { CarrierDocument } from "../../../src/shipping/offer.ts";
import type { TestApp } from "../../build/service.ts";
import { type ParcelShop, parcelShopOn } from "../../build/shop.ts";
import { openPages } from "../../documents/open_pdf.ts";
import { fakeCarrier, fakeOffer } from "../carriers/fake_carrier.ts";
import { facts } from "../labels/label_facts.ts";

const drawingOf = (tracking_number: string) => drawLabel({ ...facts, tracking_number, qr_text: null }).drawing;

/** A carrier's label as a PDF whose only text is its number. */
export async function pdfLabel(tracking_number: string): Promise<CarrierDocument> {
  await openTypefaces(tracking_number);
  const book = await openBook("Label", 0);
  const section = book.section({ width: 288, height: 432 });
  section.turn().text(20, 100, tracking_number, { size: 20, bold: false, gray: 0 });
  section.close();
  return { kind: "label", content_type: "application/pdf", bytes: await book.bytes() };
}

const images = new Map<string, Promise<Uint8Array>>();

/** A carrier's label as a gray image, as most carriers send it. */
export const pngLabel = async (tracking_number: string): Promise<CarrierDocument> => ({
  kind: "label",
  content_type: "image/png",
  bytes: await images.getOrInsertComputed(tracking_number, () => grayPng(tracking_number)),
});

async function grayPng(tracking_number: string): Promise<Uint8Array> {
  const drawing = drawingOf(tracking_number);
  await openTypefaces(JSON.stringify(drawing));
  const { pixels, width, height } = await rasterized(svg(drawing, 203), ({ pixels, width, height }) => ({
    pixels: new Uint8Array(pixels),
    width,
    height,
  }));
  const rows = new Uint8Array((width + 1) * height);
  for (let at = 0; at < width * height; at += 1) {
    rows[at + Math.floor(at / width) + 1] = pixels[at * 4] ?? 0;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const chunk = (type: string, content: Uint8Array) => {
    const body = Buffer.concat([Buffer.from(type, "latin1"), content]);
    const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    size.writeUInt32BE(content.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([size, body, sum]);
  };
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = deflateSync(rows);
  const parts = [
    chunk("IHDR", header),
    chunk("IDAT", data.subarray(0, 99)),
    chunk("IDAT", data.subarray(99)),
    chunk("IEND", new Uint8Array()),
  ];
  return Buffer.concat([signature, ...parts]);
}

export const zplLabel = async (tracking_number: string): Promise<CarrierDocument> => ({
  kind: "label",
  content_type: "application/zpl",
  bytes: await zpl(drawingOf(tracking_number)),
});

/** The files of each outside carrier's labels. */
const carriers = {
  swift: async (number: string) => [await pdfLabel(number)],
  pixel: async (number: string) => [await pngLabel(number), await zplLabel(number)],
};

/** An order with its label. */
export interface LabeledOrder {
  readonly id: string;
  readonly order_number: string;
  readonly label_id: string;
  readonly tracking_number: string;
  readonly carrier: string;
}

/** A shop whose orders get labels of three carriers. `files` decides what the outside ones send. */
export async function openPrintShop(app: TestApp, files: Partial<typeof carriers> = {}) {
  const shop = await parcelShopOn(app);
  const all = { ...carriers, ...files };
  const connectors: Record<string, ReturnType<typeof fakeCarrier>["connector"]> = {};
  let sold = 0;
  let refuses = false;
  for (const [code, filesOf] of Object.entries(all)) {
    const fake = fakeCarrier(code);
    fake.check = async () => [{ code, name: code, services: [{ code: "ground", name: "Ground" }] }];
    fake.offers = async () => ({ offers: [fakeOffer({ carrier: code, ref: `${code}_${++sold}` })], messages: [] });
    fake.buy = async (ref) => {
      if (refuses) throw new Fault("carrier_refused", "No.", { permanent: true });
      const tracking_number = `${code.toUpperCase()}${ref.replace(/\D/g, "").padStart(8, "0")}`;
      const bought = { tracking_number, tracking_url: null, cost_cents: 900, currency: "USD", carrier_ref: ref };
      const documents = await filesOf(tracking_number);
      return { state: "bought", bought: { ...bought, tracker_ref: null, estimated_delivery: null, documents } };
    };
    connectors[code] = fake.connector;
  }
  overrideCarriers(app.service, connectors);
  for (const code of Object.keys(all)) {
    const account = await app.create("/shipping/carrier_accounts", { connector: code, credentials: { api_key: code } });
    await app.create(`/shipping/carrier_accounts/${account.id}/test`, {});
  }
  return {
    ...shop,
    ...extras(app, shop),
    /** Orders two units and buys a label of a carrier. */
    async labeled(carrier: "local" | keyof typeof carriers): Promise<LabeledOrder> {
      const { id, order_number } = await shop.order();
      const service = carrier === "local" ? "standard" : "ground";
      const { status, body } = await shop.label(id, { carrier, service });
      expect(status).toBe(201);
      const { label_id, tracking_number } = body.data;
      return { id, order_number, label_id, tracking_number, carrier };
    },
    /** Requests a document, and draws it if it is large. */
    async print(body: object) {
      const created = await app.create("/documents", body);
      if (created.status === "processing") await app.runJobs();
      return app.read(`/documents/${created.id}`);
    },
    /** A label whose purchase the carrier has refused. */
    async refused(): Promise<string> {
      const { id } = await shop.order();
      refuses = true;
      await shop.label(id, { carrier: "swift", service: "ground" });
      refuses = false;
      return (await app.read(`/shipping/labels?order_id=${id}`))[0].label_id;
    },
    /** The file of a document, by its link. */
    async file(url: string): Promise<Uint8Array> {
      const response = await app.app.handle(new Request(url));
      expect(response.status).toBe(200);
      return new Uint8Array(await response.arrayBuffer());
    },
  };
}

function extras(app: TestApp, shop: ParcelShop) {
  return {
    /** Replaces the file of a carrier's label. */
    async spoil(label_id: string, content_type: CarrierDocument["content_type"], bytes: Uint8Array) {
      const id = Number(label_id.replace("lbl_", ""));
      await app.service.stores.live.write((tx) =>
        tx.sql
          .update(label_documents)
          .set({ content_type, bytes })
          .where(and(eq(label_documents.label_id, id), eq(label_documents.position, 0))),
      );
    },
    /** An image with transparent pixels, which a PDF cannot hold as they are. */
    clearImage: () => png(drawingOf("PIXEL1")),
    /** An order of another customer. */
    async other(): Promise<{ readonly id: string; readonly customer_id: string }> {
      const address = { address_line1: "9 Pine St", city: "Salem", state: "OR", postal_code: "97301", country: "US" };
      const sold = { email: "other@example.com", first_name: "O", last_name: "Ther", shipping_addresses: [address] };
      const customer = await app.create("/customers", sold);
      const draft = shop.draft(1, customer.shipping_addresses[0].id);
      return app.create("/orders", { ...draft, customer_id: customer.id });
    },
  };
}

/** A page of a document: its text, its size, and the compressed pixels of its image. */
export interface ReadPage {
  readonly text: string;
  readonly size: readonly [number, number];
  readonly pixels: string | null;
  scan(): Promise<{ readonly text: string }[]>;
}

const digest = (bytes: Uint8Array) => Bun.hash(bytes).toString(36);

/** Reads all pages without the writer's code. */
export async function readPages(bytes: Uint8Array): Promise<ReadPage[]> {
  const pages = await openPages(bytes);
  const document = await PDFDocument.load(bytes, { updateMetadata: false });
  return document.getPages().map((page, at) => {
    const { XObject } = page.node.normalizedEntries();
    const [ref] = XObject.values();
    const image = ref === undefined ? undefined : document.context.lookup(ref);
    const pixels = image instanceof PDFRawStream ? digest(inflateSync(image.contents)) : null;
    const { text = "", size = [0, 0], scan } = pages[at] ?? {};
    return { text, size, pixels, scan: scan ?? (async () => []) };
  });
}

/** The digest of the pixels of a PNG, as `readPages` returns it. */
export function pixelsOf(file: Uint8Array): string {
  const data: Uint8Array[] = [];
  const view = new DataView(file.buffer, file.byteOffset);
  for (let at = 8; at < file.length; at += view.getUint32(at) + 12) {
    const type = String.fromCharCode(...file.subarray(at + 4, at + 8));
    if (type === "IDAT") data.push(file.subarray(at + 8, at + 8 + view.getUint32(at)));
  }
  return digest(inflateSync(Buffer.concat(data)));
}
