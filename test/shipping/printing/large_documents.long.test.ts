// Documents of 500 orders: how long they take, how much memory they need, and how long others have to wait meanwhile.
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import { document_chunks } from "../../../db/schema/documents.ts";
import { openApp } from "../../build/service.ts";
import { type LabeledOrder, openPrintShop, readPages } from "./print_shop.ts";

setDefaultTimeout(600_000);

const app = await openApp();
const shop = await openPrintShop(app);
const size = 500;

/** Milliseconds of processor time that this thread has used. */
function usedByThread(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/**
 * Watches the event loop and the memory of this process until it is stopped. The longest work is the processor time of
 * this thread between two turns of the loop: unlike the longest pause, it is the same on a busy machine.
 */
function watch() {
  const before = process.memoryUsage.rss();
  let [longest_pause_ms, longest_work_ms, most] = [0, 0, before];
  let [last, used] = [performance.now(), usedByThread()];
  const timer = setInterval(() => {
    const [now, used_now] = [performance.now(), usedByThread()];
    longest_pause_ms = Math.max(longest_pause_ms, now - last);
    longest_work_ms = Math.max(longest_work_ms, used_now - used);
    [last, used] = [now, used_now];
    most = Math.max(most, process.memoryUsage.rss());
  }, 1);
  const begun = performance.now();
  return () => {
    clearInterval(timer);
    const seconds = (performance.now() - begun) / 1000;
    return { seconds, megabytes: (most - before) / 1e6, longest_pause_ms, longest_work_ms };
  };
}

const orders: LabeledOrder[] = [];
beforeAll(async () => {
  for (let at = 0; at < size; at += 1) orders.push(await shop.labeled(at % 2 === 0 ? "local" : "swift"));
});

/** The longest work as a share of the whole: 12 ms of 1.2 s as PDF and 11 ms of 0.2 s as ZPL on one machine. */
const work_share_max = 0.25;

/** Requests a large document and draws it. Returns it, after others had their turns all the time. */
async function drawn(body: { readonly order_ids: readonly string[]; readonly [name: string]: unknown }) {
  // Opens the fonts, and compiles the code.
  await shop.print({ ...body, order_ids: body.order_ids.slice(0, 25) });
  Bun.gc(true);
  const created = await app.create("/documents", body);
  const stop = watch();
  await app.runJobs();
  const figures = stop();
  const document = await app.read(`/documents/${created.id}`);
  const { format, pages, size: bytes } = document;
  console.log(JSON.stringify({ orders: body.order_ids.length, format, pages, bytes, ...figures }));
  expect(document.status).toBe("completed");
  expect(figures.longest_work_ms / 1000 / figures.seconds).toBeLessThan(work_share_max);
  return document;
}

test("500 orders are one PDF, in order, while others go on", async () => {
  const order_ids = orders.map(({ id }) => id);
  const include = ["pick_list", "label", "packing_slip"];
  const document = await drawn({ order_ids, include, slips: "beside_labels" });
  expect([document.skipped, document.printed.length]).toEqual([[], size]);
  const pages = await readPages(await shop.file(document.url));
  expect(document.pages).toBe(pages.length);
  const slips = pages.flatMap(({ text }) => (text.includes("Packing slip") ? [text.split("\n")[1]] : []));
  expect(slips.filter((word) => word?.startsWith("SO-"))).toEqual(orders.map(({ order_number }) => order_number));
});

test("500 labels are one ZPL file, in order, stored in parts while others go on", async () => {
  const ours = orders.filter(({ carrier }) => carrier === "local");
  while (ours.length < size) ours.push(await shop.labeled("local"));
  const document = await drawn({ order_ids: ours.map(({ id }) => id), include: ["label"], format: "zpl" });
  expect([document.skipped, document.pages]).toEqual([[], size]);
  const number = Number(document.id.replace("doc_", ""));
  const isPart = eq(document_chunks.document_id, number);
  const parts = await app.service.stores.live.read((db) =>
    db.sql
      .select({ bytes: sql<number>`length(${document_chunks.bytes})` })
      .from(document_chunks)
      .where(isPart),
  );
  expect(parts.length).toBeGreaterThan(1);
  const text = new TextDecoder().decode(await shop.file(document.url));
  const labels = text.match(/\^XA[\s\S]*?\^XZ/g) ?? [];
  expect(labels.findIndex((label, at) => !label.includes(ours[at]?.tracking_number ?? "-"))).toBe(-1);
  expect(labels.length).toBe(size);
});
