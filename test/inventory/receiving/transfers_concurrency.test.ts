// Concurrent receipts, transfers in both directions and orders: nothing is lost, counted twice or left waiting.
import { expect, test } from "bun:test";
import { closeReceipt, createReceipt, scanReceipt } from "../../../src/inventory/receiving/receipts.ts";
import { createTransfer, receiveTransfer, shipTransfer } from "../../../src/inventory/receiving/transfers.ts";
import { clerk, openStock, type Stock } from "../../build/stock.ts";

const skus = ["A", "B"] as const;

const shop: Stock = await openStock();
for (const sku of skus) {
  await shop.product(sku);
  await shop.add(sku, 100);
  await shop.add(sku, 100, { location: shop.west });
}

/** A transfer of both SKUs, in either order. */
async function planned(from_location: number, to_location: number, turned: boolean): Promise<string> {
  const items = (turned ? [...skus].reverse() : skus).map((sku) => ({ sku, quantity: 5 }));
  return String((await shop.write((tx) => createTransfer(tx, { from_location, to_location, items }))).id);
}

async function onHand() {
  return Promise.all(skus.map(async (sku) => (({ on_hand, incoming }) => [on_hand, incoming])(await shop.item(sku))));
}

test("transfers in both directions, scans and orders run concurrently", async () => {
  const { main, west } = shop;
  const ids = await Promise.all(
    Array.from({ length: 8 }, (_, at) => (at % 2 ? planned(main, west, at > 3) : planned(west, main, at > 3))),
  );
  const lines = skus.map((sku) => ({ sku, quantity: 16 }));
  const receipt = String((await shop.write((tx) => createReceipt(tx, { location: west, items: lines }))).id);
  const scan = (sku: string) => shop.write((tx) => scanReceipt(tx, receipt, { items: [{ sku, quantity: 2 }] }, clerk));
  const both = [
    ["A", 3],
    ["B", 3],
  ] as const;
  const acts = [
    ...ids.map((id) => shop.write((tx) => shipTransfer(tx, id, clerk))),
    ...Array.from({ length: 8 }, (_, at) => scan(skus[at % 2] ?? "A")),
    ...Array.from({ length: 6 }, (_, at) => shop.claim(at + 1, { lines: at % 2 ? both : [both[1], both[0]] })),
  ];
  await Promise.all(acts);
  expect(await onHand()).toEqual([
    [200 - 40 + 8, 40 + 8],
    [200 - 40 + 8, 40 + 8],
  ]);
  expect(await shop.differences()).toEqual([]);
  const ends = ids.map((id) => shop.write((tx) => receiveTransfer(tx, id, {}, clerk)));
  await Promise.all([...ends, scan("A"), scan("B")]);
  await shop.write((tx) => closeReceipt(tx, receipt));
  expect(await onHand()).toEqual([
    [210, 0],
    [210, 0],
  ]);
  expect(await shop.differences()).toEqual([]);
}, 60_000);

test("concurrent receives, scans and closes count each unit once", async () => {
  const id = await planned(shop.main, shop.west, false);
  await shop.write((tx) => shipTransfer(tx, id, clerk));
  const one = { items: [{ sku: "A", quantity: 1 }] };
  const arrivals = Array.from({ length: 7 }, () => shop.write((tx) => receiveTransfer(tx, id, one, clerk)));
  const settled = await Promise.allSettled(arrivals);
  expect(settled.filter(({ status }) => status === "fulfilled").length).toBe(5);
  const lines = [{ sku: "A", quantity: 9 }];
  const receipt = String((await shop.write((tx) => createReceipt(tx, { location: shop.main, items: lines }))).id);
  const scans = Array.from({ length: 6 }, () => shop.write((tx) => scanReceipt(tx, receipt, one, clerk)));
  const closings = Array.from({ length: 2 }, () => shop.write((tx) => closeReceipt(tx, receipt)));
  const done = (await Promise.allSettled([...scans, ...closings])).slice(0, 6);
  const scanned = done.filter(({ status }) => status === "fulfilled").length;
  expect(await shop.item("A")).toMatchObject({ on_hand: 210 + scanned, incoming: 0 });
  expect(await shop.item("B")).toMatchObject({ on_hand: 205, incoming: 5 });
  expect(await shop.differences()).toEqual([]);
});
