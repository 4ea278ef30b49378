// The numbers of parcels that were kept as they had been typed, so that no look-up found them.
import { expect, test } from "bun:test";
import { plainTrackingNumber } from "../../src/orders/shipments/tracking_number.ts";
import { openOlder } from "./older.ts";

const typed = [
  "0307 1790 0005 2348 3741",
  "rb123456785xx",
  "1Z-999-AA1",
  "1Z 999 AA1",
  "\u00a01z\u2013999\u2212aa\u00ad1\u200b",
  "SHIPPO_TRANSIT",
  "N/A",
  "été-1",
  "WH000000000001Q",
];
// Every sign of the plane that most texts are written in, each between two that stay.
const signs = Array.from({ length: 0xffff - 0xa0 }, (_, at) => 0xa0 + at)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));
const chunks = Array.from({ length: Math.ceil(signs.length / 500) }, (_, at) => signs.slice(at * 500, at * 500 + 500));
const all = chunks.map((chunk) => `A${chunk.join("B")}C`);

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

test("a migration brings the numbers of before to the form in which they are looked up", async () => {
  const older = await openOlder("0022_plain_tracking_numbers");
  const numbers = [...typed, ...all, "- -"];
  for (const [at, number] of numbers.entries()) {
    await older.run(`insert into shipments (id, order_id, status, tracking_number, created_at)
      values (${at + 1}, 1, 'shipped', ${quoted(number)}, 1)`);
    const back = JSON.stringify({ carrier: "ups", tracking_number: number, label_url: null, status: "pending" });
    await older.run(`insert into returns (id, order_id, status, reason, return_shipping, refund_status, refund_shipping,
      currency, version, created_at, updated_at)
      values (${at + 1}, 1, 'initiated', 'defective', ${quoted(back)}, 'pending', false, 'USD', 1, 1, 1)`);
  }
  // One was looked up with its dash, which was not taken away then.
  await older.run(`insert into shipments (id, order_id, status, tracking_number, created_at)
    values (9000, 1, 'shipped', 'A\u2013B', 1)`);
  await older.run(`insert into tracking_records
    (id, tracking_number, carrier, shipment_id, status, version, created_at, updated_at)
    values (1, 'A\u2013B', 'ups', 9000, 'pending', 1, 1, 1)`);
  await older.migrate();
  const plain = numbers.map((number) => [plainTrackingNumber(number) || null]);
  const kept = await older.all("select tracking_number from shipments where id < 9000 order by id");
  expect(kept).toEqual(plain);
  expect(kept.slice(0, 9).flat()).toEqual([
    ...["03071790000523483741", "RB123456785XX", "1Z999AA1", "1Z999AA1", "1Z999AA1", "SHIPPO_TRANSIT", "N/A", "éTé1"],
    "WH000000000001Q",
  ]);
  const wayBack = "select return_shipping ->> 'tracking_number' from returns order by id";
  expect(await older.all(wayBack)).toEqual(plain);
  expect(await older.all("select tracking_number from tracking_records")).toEqual([["AB"]]);
  for (const number of ["1Z 999", "1z999", ""]) {
    const again = older.run(`update shipments set tracking_number = ${quoted(number)} where id = 1`);
    await expect(again).rejects.toThrow(/check|CHECK/);
  }
  await older.close();
});
