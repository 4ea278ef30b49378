import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { eq } from "drizzle-orm";
import { documents } from "../../../db/schema/documents.ts";
import { silentLog } from "../../../src/core/log.ts";
import { hour_ms, minute_ms } from "../../../src/core/time.ts";
import { drawDocument } from "../../../src/shipping/printing/draw_document.ts";
import { deleteExpiredDocuments } from "../../../src/shipping/printing/printed_documents.jobs.ts";
import { getPrintedDocument } from "../../../src/shipping/printing/printed_documents.sql.ts";
import type { Store } from "../../../src/storage/database.ts";
import { openApp } from "../../build/service.ts";
import { refusalOf } from "../../build/shop.ts";
import { type LabeledOrder, openPrintShop, pixelsOf, pngLabel, readPages } from "./print_shop.ts";

// The first document opens fonts, which takes time under load.
setDefaultTimeout(60_000);

const app = await openApp();
const shop = await openPrintShop(app);
const carriers = ["local", "swift", "pixel"] as const;

/** The number on each label page and the order number on each slip, in the order of the pages. */
async function pagesInWords(bytes: Uint8Array, orders: readonly LabeledOrder[]): Promise<string[]> {
  const images = new Map<string, string>();
  for (const { carrier, tracking_number } of orders) {
    if (carrier === "pixel") images.set(pixelsOf((await pngLabel(tracking_number)).bytes), tracking_number);
  }
  const words = [];
  for (const page of await readPages(bytes)) {
    if (page.pixels !== null) words.push(`label ${images.get(page.pixels)}`);
    else if (page.text.startsWith("Pick list")) words.push("pick list");
    else if (page.text.startsWith("Packing slip")) words.push(`slip ${page.text.split("\n")[1]}`);
    else {
      const read = (await page.scan()).map(({ text }) => text);
      const found = orders.find(({ tracking_number: number }) => read.includes(`00${number}`) || read.includes(number));
      const said = orders.find(({ tracking_number: number }) => page.text.includes(number));
      words.push(`label ${(found ?? said)?.tracking_number}`);
    }
  }
  return words;
}

describe("works", () => {
  test("40 orders of three carriers are one PDF, each slip beside its label, in the order of the list", async () => {
    const orders: LabeledOrder[] = [];
    for (let at = 0; at < 40; at += 1) orders.push(await shop.labeled(carriers[at % 3] ?? "local"));
    orders.reverse();
    const order_ids = orders.map(({ id }) => id);
    const created = await app.post("/documents", {
      order_ids: [...order_ids, order_ids[3]],
      include: ["pick_list", "label", "packing_slip"],
      slips: "beside_labels",
    });
    expect([created.status, created.body.data.status, created.body.data.url]).toEqual([202, "processing", null]);
    expect(created.body.data.progress).toEqual({ done: 0, total: 80 });
    await app.runJobs();
    const document = await app.read(`/documents/${created.body.data.id}`);
    expect([document.status, document.skipped, document.progress.done]).toEqual(["completed", [], 80]);
    expect(document.printed.map((row: { order_id: string }) => row.order_id)).toEqual(order_ids);
    const bytes = await shop.file(document.url);
    expect(document.size).toBe(bytes.length);
    const words = await pagesInWords(bytes, orders);
    expect(document.pages).toBe(words.length);
    const list = words.lastIndexOf("pick list") + 1;
    expect(words.slice(list)).toEqual(
      orders.flatMap(({ order_number, tracking_number }) => [`label ${tracking_number}`, `slip ${order_number}`]),
    );
  });

  test("a small document is in the response, with separate labels and slips by default", async () => {
    const orders = [await shop.labeled("local"), await shop.labeled("swift")];
    const { status, body } = await app.post("/documents", {
      label_ids: orders.map(({ label_id }) => label_id),
      include: ["packing_slip", "label"],
    });
    expect([status, body.data.status, body.data.pages]).toEqual([201, "completed", 4]);
    expect(await pagesInWords(await shop.file(body.data.url), orders)).toEqual([
      ...orders.map(({ order_number }) => `slip ${order_number}`),
      ...orders.map(({ tracking_number }) => `label ${tracking_number}`),
    ]);
  });

  test("ZPL has the labels in the order of the list, split back into labels", async () => {
    const orders = [await shop.labeled("pixel"), await shop.labeled("local"), await shop.labeled("swift")];
    const order_ids = orders.map(({ id }) => id);
    const document = await shop.print({ order_ids, include: ["label"], format: "zpl" });
    const text = new TextDecoder().decode(await shop.file(document.url));
    const found = text.match(/\^XA[\s\S]*?\^XZ/g) ?? [];
    expect(found.map((label) => orders.findIndex(({ tracking_number }) => label.includes(tracking_number)))).toEqual([
      0, 1,
    ]);
    expect(document.pages).toBe(2);
    expect(document.skipped).toEqual([
      expect.objectContaining({ order_id: order_ids[2], label_id: orders[2]?.label_id, code: "no_document" }),
    ]);
  });

  test("an image with transparency is printed, too", async () => {
    const { id, label_id } = await shop.labeled("pixel");
    await shop.spoil(label_id, "image/png", await shop.clearImage());
    const document = await shop.print({ order_ids: [id], include: ["label"] });
    const [page, ...others] = await readPages(await shop.file(document.url));
    expect([page?.pixels === null, page?.size, others, document.skipped]).toEqual([false, [288, 432], [], []]);
  });

  test("prints are recorded once for each document, and slips and pick lists say how often", async () => {
    const order = await shop.labeled("swift");
    const before = await app.get(`/orders/${order.id}`);
    expect(before.body.data.printed).toEqual({ label_at: null, slip_at: null, pick_list_at: null });
    expect(await listed("labeled=true&printed=false")).toContain(order.id);
    const body = { order_ids: [order.id], include: ["pick_list", "packing_slip", "label"] };
    const first = await shop.print(body);
    const at = new Date(app.clocks.live.now()).toISOString();
    const shown = await app.get(`/orders/${order.id}`);
    expect(shown.body.data.printed).toEqual({ label_at: at, slip_at: at, pick_list_at: at });
    expect([shown.body.data.revision, shown.headers.get("etag") === before.headers.get("etag")]).toEqual([
      before.body.data.revision,
      false,
    ]);
    expect(await listed("labeled=true&printed=false")).not.toContain(order.id);
    expect(await listed("printed=true")).toContain(order.id);
    const again = await shop.print(body);
    expect([first.printed[0].reprint, again.printed[0].reprint]).toEqual([0, 1]);
    const marks = async (url: string) =>
      (await readPages(await shop.file(url))).map(({ text }) => /REPRINT \d+/.exec(text)?.[0] ?? null);
    expect([await marks(first.url), await marks(again.url)]).toEqual([
      [null, null, null],
      ["REPRINT 1", "REPRINT 1", null],
    ]);
    const label = await app.read(`/shipping/labels/${order.label_id}`);
    expect([label.printed_at, label.print_count]).toEqual([at, 2]);
    const history = await app.read(`/orders/${order.id}/history`);
    const prints = history.filter(({ event }: { event: string }) => event === "print");
    expect(prints.map(({ note, actor }: { note: string; actor: { type: string } }) => [note, actor.type])).toEqual([
      ["pick list, packing slip, label", "api_key"],
      ["pick list, packing slip, label; reprint 1", "api_key"],
    ]);
    // The routes of one order only read.
    await app.get(`/orders/${order.id}/packing_slip?format=html`);
    expect((await app.read(`/orders/${order.id}/history`)).length).toBe(history.length);
  });

  test("documents of an order at once are one first print and the reprints 1 to n, each so marked", async () => {
    const { id, label_id } = await shop.labeled("local");
    const body = { order_ids: [id], include: ["pick_list", "packing_slip", "label"] };
    const made = await Promise.all(Array.from({ length: 8 }, () => app.create("/documents", body)));
    const numbers = made.map((_, at) => at);
    expect(made.map(({ printed }) => printed[0].reprint).sort()).toEqual(numbers);
    for (const { url, printed } of made) {
      const [list, slip] = (await readPages(await shop.file(url))).map(({ text }) => text);
      const marks = [list, slip].map((text) => Number(/REPRINT (\d+)/.exec(text ?? "")?.[1] ?? 0));
      expect(marks).toEqual([printed[0].reprint, printed[0].reprint]);
    }
    expect((await app.read(`/shipping/labels/${label_id}`)).print_count).toBe(8);
    // Labels alone, whose number is only in the history.
    const labels = { order_ids: [id], include: ["label"] };
    const again = await Promise.all([app.create("/documents", labels), app.create("/documents", labels)]);
    expect(again.map(({ printed }) => printed[0].reprint).sort()).toEqual([8, 9]);
  });

  test("a repeated request is drawn once", async () => {
    const { id } = await shop.labeled("local");
    const headers = { "idempotency-key": "print-once" };
    const send = () => app.call("POST", "/documents", { order_ids: [id], include: ["label"] }, { headers });
    const [first, second] = [await send(), await send()];
    expect([first.status, second.body.data.id]).toEqual([201, first.body.data.id]);
    expect((await app.read(`/orders/${id}`)).printed.label_at).not.toBeNull();
  });

  test("a manifest and returns: labels without slips", async () => {
    const { id, label_id } = await shop.labeled("local");
    const manifest = await app.create("/shipping/manifests", { label_ids: [label_id] });
    const of_manifest = await shop.print({ manifest_id: manifest.manifest_id, include: ["label"] });
    expect(of_manifest.printed.map((row: { order_id: string }) => row.order_id)).toEqual([id]);
    await app.create(`/orders/${id}/ship`, {});
    const back = await app.create("/returns", { order_id: id, reason: "defective" });
    const { body } = await app.post(`/returns/${back.return_id ?? back.id}/label`, {
      carrier: "local",
      service: "standard",
      package: { weight: 1 },
    });
    const returned = await shop.print({ label_ids: [body.data.label_id], include: ["label", "packing_slip"] });
    expect([returned.pages, returned.skipped.map(({ code }: { code: string }) => code)]).toEqual([1, ["return_label"]]);
  });

  test("another server continues a document whose server stopped, and prints it once", async () => {
    const { id } = await shop.labeled("swift");
    const created = await app.create("/documents", { order_ids: [id], include: ["packing_slip", "label"] });
    const number = Number(created.id.replace("doc_", ""));
    // As after a kill between the first transaction and the last one.
    await app.service.stores.live.write(async (tx) => {
      const undone = { status: "processing", pages: null, size: null, claimed_until: tx.now + minute_ms } as const;
      await tx.sql.update(documents).set(undone).where(eq(documents.id, number));
    });
    await app.runJobs();
    expect((await app.read(`/documents/${created.id}`)).status).toBe("processing");
    app.clocks.live.advance(minute_ms);
    await app.runJobs();
    const document = await app.read(`/documents/${created.id}`);
    expect([document.status, document.pages, document.printed[0].reprint]).toEqual(["completed", 2, 1]);
    expect((await readPages(await shop.file(document.url))).length).toBe(2);
  });

  test("a document that cannot be drawn fails at the last try", async () => {
    const { id } = await shop.labeled("local");
    const created = await app.create("/documents", { order_ids: [id], include: ["label"] });
    const number = Number(created.id.replace("doc_", ""));
    await app.service.stores.live.write(async (tx) => {
      const stuck = { status: "processing", pages: null, size: null, claimed_until: tx.now, attempts: 3 } as const;
      await tx.sql.update(documents).set(stuck).where(eq(documents.id, number));
      tx.wake("shipping.print", tx.now);
    });
    await app.runJobs();
    const document = await app.read(`/documents/${created.id}`);
    expect([document.status, document.error.code, document.url]).toEqual(["failed", "not_drawn", null]);
  });

  test("documents are listed without what they printed, and deleted after a day", async () => {
    const { id } = await shop.labeled("local");
    const made = await app.create("/documents", { order_ids: [id], include: ["label"] });
    const [newest] = await app.read("/documents?status=completed&format=pdf");
    expect([newest.id, newest.printed]).toEqual([made.id, undefined]);
    const { live } = app.service.stores;
    app.clocks.live.advance(23 * hour_ms);
    await deleteExpiredDocuments(live, app.service);
    expect((await app.get(`/documents/${made.id}`)).status).toBe(200);
    app.clocks.live.advance(hour_ms);
    await deleteExpiredDocuments(live, app.service);
    expect((await app.get(`/documents/${made.id}`)).status).toBe(404);
    expect(await app.read("/documents")).toEqual([]);
  });
});

describe("skips, with the reason", () => {
  test("cancelled, held, unlabeled and packed orders, and unreadable files", async () => {
    const { id: cancelled } = await shop.order();
    await app.call("DELETE", `/orders/${cancelled}`);
    const { id: held } = await shop.order();
    await app.create(`/orders/${held}/hold`, { reason: "manual" });
    const { id: bare } = await shop.order();
    const { id: packed } = await shop.order();
    await app.create(`/orders/${packed}/pack`, {});
    const broken = await shop.labeled("swift");
    await shop.spoil(broken.label_id, "application/pdf", new TextEncoder().encode("not a PDF"));
    const order_ids = [cancelled, held, bare, packed, broken.id];
    const document = await shop.print({ order_ids, include: ["pick_list", "label", "packing_slip"] });
    const skipped = document.skipped.map((row: Record<string, string>) => [
      row["order_id"],
      row["document"],
      row["code"],
    ]);
    expect(skipped).toEqual([
      [cancelled, "pick_list", "cancelled"],
      [held, "pick_list", "on_hold"],
      [packed, "pick_list", "nothing_to_pick"],
      [cancelled, "label", "cancelled"],
      [held, "label", "on_hold"],
      [bare, "label", "no_label"],
      [packed, "label", "no_label"],
      [broken.id, "label", "unreadable_document"],
      [cancelled, "packing_slip", "cancelled"],
      [held, "packing_slip", "on_hold"],
    ]);
    expect(document.printed.map((row: { order_id: string }) => row.order_id)).toEqual([bare, packed, broken.id]);
    expect((await app.read(`/orders/${broken.id}`)).printed.label_at).toBeNull();
    expect((await app.read(`/orders/${held}`)).printed.slip_at).toBeNull();
  });

  test("voided, failed and processing labels, and returns nothing if nothing can be printed", async () => {
    const voided = await shop.labeled("local");
    await app.create(`/shipping/labels/${voided.label_id}/void`, {});
    const failed = await shop.refused();
    const document = await shop.print({ label_ids: [voided.label_id, failed], include: ["label"] });
    expect(document.skipped.map(({ code }: { code: string }) => code)).toEqual(["label_voided", "label_failed"]);
    expect([document.status, document.pages, document.url, document.printed]).toEqual(["completed", 0, null, []]);
  });
});

test("an erasure deletes the files that contain an order of the person", async () => {
  const { id, customer_id } = await shop.other();
  const theirs = await shop.print({ order_ids: [id], include: ["packing_slip"] });
  const kept = await shop.print({ order_ids: [(await shop.order()).id], include: ["packing_slip"] });
  await app.call("DELETE", `/orders/${id}`);
  await app.create(`/customers/${customer_id}/erasure`, {});
  await app.runJobs();
  const status = async (link: string) => (await app.app.handle(new Request(link))).status;
  expect([await status(theirs.url), await status(kept.url)]).toEqual([404, 200]);
  expect((await app.read(`/documents/${theirs.id}`)).pages).toBe(1);
});

test("a document that is drawn while one of its orders is erased is drawn again, without the person", async () => {
  const { id, customer_id } = await shop.other();
  await app.create(`/orders/${id}/ship`, {});
  await app.create(`/orders/${id}/deliver`, {});
  const made = await shop.print({ order_ids: [id], include: ["packing_slip"] });
  expect((await readPages(await shop.file(made.url)))[0]?.text).toContain("9 Pine St");
  const { live } = app.service.stores;
  const number = Number(made.id.replace("doc_", ""));
  const claim = { status: "processing", pages: null, size: null, claimed_until: live.clock.now() + minute_ms } as const;
  await live.write((tx) => tx.sql.update(documents).set(claim).where(eq(documents.id, number)));
  const claimed = await live.read((db) => getPrintedDocument(db, number));
  let reads = 0;
  const read: Store["read"] = async (work) => {
    const found = await live.read(work);
    reads += 1;
    if (reads === 1) {
      await app.create(`/customers/${customer_id}/erasure`, {});
      await app.runJobs();
    }
    return found;
  };
  const store = new Proxy(live, {
    get: (target, name) => {
      const own = name === "read" ? read : Reflect.get(target, name);
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
  const { files } = app.service;
  await drawDocument({ store, files, log: silentLog, ending: new AbortController().signal }, claimed, async () => {});
  const { status, url } = await app.read(`/documents/${made.id}`);
  const [slip] = await readPages(await shop.file(url));
  expect([status, slip?.text.startsWith("Packing slip"), slip?.text.includes("9 Pine St")]).toEqual([
    "completed",
    true,
    false,
  ]);
});

test("many documents at once are all drawn", async () => {
  const { id } = await shop.labeled("local");
  const body = { order_ids: [id], include: ["label"] };
  const made = await Promise.all(Array.from({ length: 12 }, () => app.create("/documents", body)));
  expect(made.map(({ status }) => status)).toEqual(made.map(() => "completed"));
});

describe("refuses", () => {
  test("unknown orders and labels, no or several selections, and slips in ZPL", async () => {
    const { id, label_id } = await shop.labeled("local");
    const include = ["label"];
    const refused = async (body: object) => refusalOf(await app.post("/documents", body));
    expect(await refused({ order_ids: [id, "ord_99"], include })).toBe("404 resource_missing order_ids[1]");
    expect(await refused({ label_ids: [label_id, "lbl_99"], include })).toBe("404 resource_missing label_ids[1]");
    expect(await refused({ manifest_id: "man_99", include })).toBe("404 resource_missing");
    expect(await refused({ include })).toBe("422 validation_failed order_ids");
    expect(await refused({ order_ids: [id], label_ids: [label_id], include })).toBe("422 validation_failed order_ids");
    expect(await refused({ order_ids: [id], include: ["label", "packing_slip"], format: "zpl" })).toBe(
      "422 validation_failed format",
    );
    expect(await refused({ order_ids: [id], include: [] })).toBe("422 validation_failed include");
  });

  test("links that were changed, have expired, or are for another environment", async () => {
    const { id } = await shop.labeled("local");
    const { id: document_id, url } = await shop.print({ order_ids: [id], include: ["label"] });
    const status = async (link: string) => (await app.app.handle(new Request(link))).status;
    expect(await status(url)).toBe(200);
    expect(await status(url.replace(document_id, "doc_77"))).toBe(401);
    expect(await status(url.replace("mode=live", "mode=test"))).toBe(401);
    expect(await status(url.replace(/expires=(\d+)/, (_: string, at: string) => `expires=${Number(at) + 1}`))).toBe(
      401,
    );
    app.clocks.live.advance(hour_ms + 1000);
    expect(await status(url)).toBe(401);
    const later = await app.read(`/documents/${document_id}`);
    expect(await status(later.url)).toBe(200);
  });

  test("merchants, who print their own orders one by one", async () => {
    const { id } = await shop.labeled("local");
    const merchant = await app.merchant("ALFA");
    const by = { key: merchant.key };
    const body = { order_ids: [id], include: ["label"] };
    expect(refusalOf(await app.call("POST", "/documents", body, by))).toBe("403 not_for_merchants");
    expect(refusalOf(await app.call("GET", "/documents", undefined, by))).toBe("403 not_for_merchants");
  });

  test("a document of another merchant's orders", async () => {
    const beta = await app.merchant("BETA");
    const { id } = await shop.labeled("local");
    const by = { merchant: beta.id };
    const body = { order_ids: [id], include: ["label"] };
    expect(refusalOf(await app.call("POST", "/documents", body, by))).toBe("404 resource_missing order_ids[0]");
  });
});

/** The ids of the orders that a filter lists. */
async function listed(query: string): Promise<string[]> {
  const orders = await app.read(`/orders?limit=100&${query}`);
  return orders.map(({ id }: { id: string }) => id);
}
