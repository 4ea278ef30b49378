import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { openApp } from "../../build/service.ts";
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
});
