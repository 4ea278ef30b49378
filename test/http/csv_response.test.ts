import { expect, test } from "bun:test";
import type { Call } from "../../src/http/call.ts";
import { answerCsv, type CsvFile, pagesOf } from "../../src/http/csv_response.ts";
import type { Db, ReadQueueKey } from "../../src/storage/database.ts";

const rows = 20_000;
const about = "stoneware, glazed twice ".repeat(12);
const file: CsvFile<number> = {
  name: "rows.csv",
  columns: ["number", "about"],
  page: pagesOf(async (_, after, limit) => {
    const from = (after ?? -1) + 1;
    return Array.from({ length: Math.min(limit, rows - from) }, (_, at) => from + at);
  }),
  cells: (row) => [row, about],
};
const lines_read = new Set<ReadQueueKey | undefined>();
const store = {
  read: <T>(work: (db: Db) => Promise<T>, line?: ReadQueueKey) => {
    lines_read.add(line);
    return work({} as Db);
  },
};

async function open() {
  const request = new Request("http://packhouse.test/v1/rows.csv");
  const call = { request, request_id: "req_1", headers: {}, store } as unknown as Call;
  const { body } = await answerCsv(call, file, {});
  if (body === null) throw new Error("a file has a body");
  return body.getReader();
}

type Reading = Awaited<ReturnType<typeof open>>;

/** Reads n chunks and returns the length of the last one. */
async function read(reading: Reading, pieces: number): Promise<number> {
  let last = 0;
  for (let piece = 0; piece < pieces; piece += 1) last = (await reading.read()).value?.byteLength ?? 0;
  return last;
}

test("many files waiting for their readers have small pages, a single file has large ones", async () => {
  const alone = await open();
  expect(await read(alone, 6)).toBeGreaterThan(48 << 10);
  const many = await Promise.all(Array.from({ length: 100 }, open));
  // The header with the first few rows.
  await Promise.all(many.map((reading) => read(reading, 1)));
  const beginning = await Promise.all(many.map((reading) => read(reading, 1)));
  expect(beginning.reduce((sum, length) => sum + length, 0)).toBeLessThan(5 << 20);
  const lengths = await Promise.all(many.map((reading) => read(reading, 4)));
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThan(3 << 20);
  expect(Math.min(...lengths)).toBeGreaterThan(4 << 10);
  // Readers that leave or finish make room again.
  for (const reading of many.slice(1)) await reading.cancel();
  const [whole] = many as [Reading];
  while (!(await whole.read()).done);
  expect(await read(alone, 3)).toBeGreaterThan(48 << 10);
  await alone.cancel();
});

test("a file contains each row once, whatever other files are being sent", async () => {
  const reading = await open();
  const decoder = new TextDecoder();
  const others: Reading[] = [];
  let text = "";
  for (;;) {
    const { done, value } = await reading.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
    const other = await open();
    await read(other, 3);
    others.push(other);
  }
  for (const other of others) await other.cancel();
  const lines = text.trimEnd().split("\r\n");
  expect(lines.length).toBe(rows + 1);
  // No page waits behind other reads of its merchant, since other files' pages wait for it.
  expect([...lines_read]).toEqual(["slices"]);
  lines.slice(1).forEach((line, at) => {
    expect(line.startsWith(`${at},`)).toBe(true);
  });
});
