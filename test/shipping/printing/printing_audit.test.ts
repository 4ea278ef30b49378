// `verify` after the tables of printed documents were changed directly.
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import { document_chunks, documents } from "../../../db/schema/documents.ts";
import { order_history, orders } from "../../../db/schema/orders.ts";
import { labels, shipments } from "../../../db/schema/shipments.ts";
import { verifyStore } from "../../../src/cli/verify.ts";
import type { Tx } from "../../../src/storage/database.ts";
import { openApp } from "../../build/service.ts";
import { openPrintShop } from "./print_shop.ts";

setDefaultTimeout(60_000);

const app = await openApp();
const shop = await openPrintShop(app);
let document_id: number;
let order_id: number;
beforeAll(async () => {
  const { id } = await shop.labeled("local");
  const body = { order_ids: [id], include: ["pick_list", "label", "packing_slip"] };
  document_id = Number((await shop.print(body)).id.replace("doc_", ""));
  app.clocks.live.advance(1000);
  await shop.print(body);
  order_id = Number(id.replace("ord_", ""));
});

/** The rules that a change breaks, which is rolled back. */
async function broken(change: (tx: Tx) => PromiseLike<unknown>): Promise<string[]> {
  const undone = new Error("undone");
  let rules: string[] = [];
  const spoil = async (tx: Tx) => {
    await change(tx);
    rules = (await verifyStore(tx)).map(({ rule, subject, expected, actual }) => {
      return `${rule.slice(0, 3).trim()} ${subject.split(" ")[0]}: ${expected} ${actual}`;
    });
    throw undone;
  };
  expect(await app.service.stores.live.write(spoil).catch((error) => error)).toBe(undone);
  return rules;
}

const ofDocument = () => eq(documents.id, document_id);
const ofOrder = () => eq(orders.id, order_id);

test.each<[string, (tx: Tx) => PromiseLike<unknown>, string[]]>([
  ["nothing", async () => {}, []],
  [
    "a part of a file that is gone",
    (tx) => tx.sql.update(document_chunks).set({ position: 1 }).where(eq(document_chunks.document_id, document_id)),
    [expect.stringMatching(/^D1 document: \d+ -1$/)],
  ],
  [
    "a size that is not that of the file",
    (tx) => tx.sql.update(documents).set({ size: 7 }).where(ofDocument()),
    [expect.stringMatching(/^D1 document: 7 \d+$/)],
  ],
  [
    "the file of a document that failed",
    (tx) => tx.sql.update(documents).set({ status: "failed", pages: null, size: null }).where(ofDocument()),
    ["D2 document: 0 1"],
  ],
  [
    "a print of a pick list that was not counted",
    (tx) => tx.sql.update(orders).set({ pick_list_prints: 1 }).where(ofOrder()),
    ["D3 order: 2 1"],
  ],
  [
    "two first prints of a pick list",
    (tx) =>
      tx.sql
        .update(order_history)
        .set({ note: "pick list, packing slip, label" })
        .where(sql`${order_history.order_id} = ${order_id} and ${order_history.event} = 'print'`),
    ["D4 order: 1 2"],
  ],
  [
    "a printed slip without a mark",
    (tx) => tx.sql.update(orders).set({ slip_printed_at: null }).where(ofOrder()),
    ["D5 order: 1 -1"],
  ],
  [
    "a reprinted slip that was counted once",
    (tx) => tx.sql.update(shipments).set({ slip_prints: 1 }).where(eq(shipments.order_id, order_id)),
    ["D5 order: 1 -1"],
  ],
  [
    "a label that was printed at no time",
    (tx) => tx.sql.update(labels).set({ printed_at: null }).where(eq(labels.order_id, order_id)),
    ["D6 label: 1 0"],
  ],
  [
    "a document of which the order's history knows nothing",
    (tx) => tx.sql.update(documents).set({ completed_at: 1 }).where(ofDocument()),
    ["D7 document: 1 0"],
  ],
])("%s", async (_, change, rules) => {
  expect(await broken(change)).toEqual(rules);
});
