// A document of 500 orders: how long it takes, how much memory it needs, and how long others have to wait meanwhile.
import { expect, setDefaultTimeout, test } from "bun:test";
import { openApp } from "../../build/service.ts";
import { type LabeledOrder, openPrintShop, readPages } from "./print_shop.ts";

setDefaultTimeout(600_000);

const app = await openApp();
const shop = await openPrintShop(app);
const size = 500;

/** Watches the event loop and the memory of this process until it is stopped. */
function watch() {
  const before = process.memoryUsage.rss();
  let [longest, most, last] = [0, before, performance.now()];
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    most = Math.max(most, process.memoryUsage.rss());
  }, 1);
  const begun = performance.now();
  return () => {
    clearInterval(timer);
    const seconds = (performance.now() - begun) / 1000;
    return { seconds, megabytes: (most - before) / 1e6, longest_pause_ms: longest };
  };
}

test("500 orders are one PDF, in order, while others go on", async () => {
  const orders: LabeledOrder[] = [];
  for (let at = 0; at < size; at += 1) orders.push(await shop.labeled(at % 2 === 0 ? "local" : "swift"));
  const body = { order_ids: orders.map(({ id }) => id), slips: "beside_labels" };
  // Opens the fonts.
  await shop.print({ ...body, order_ids: body.order_ids.slice(0, 5), include: ["pick_list", "label", "packing_slip"] });
  Bun.gc(true);
  const created = await app.create("/documents", { ...body, include: ["pick_list", "label", "packing_slip"] });
  const stop = watch();
  await app.runJobs();
  const figures = stop();
  const document = await app.read(`/documents/${created.id}`);
  console.log(JSON.stringify({ orders: size, pages: document.pages, bytes: document.size, ...figures }));
  expect([document.status, document.skipped, document.printed.length]).toEqual(["completed", [], size]);
  const pages = await readPages(await shop.file(document.url));
  expect(document.pages).toBe(pages.length);
  const slips = pages.flatMap(({ text }) => (text.includes("Packing slip") ? [text.split("\n")[1]] : []));
  expect(slips.filter((word) => word?.startsWith("SO-"))).toEqual(orders.map(({ order_number }) => order_number));
});
