import { afterAll, expect, test } from "bun:test";
import { openTestApp } from "../../build/service.ts";
import { openPages } from "../../documents/open_pdf.ts";

const app = await openTestApp();
afterAll(() => app.close());
const authorization = `Bearer ${app.keys.live.full}`;
const { totes } = await app.create("/totes/bulk", { prefix: "T-", first: 1, count: 40 });
const long = await app.create("/totes", { code: "Trolley of the north hall, slot 12 (blue)".slice(0, 40) });

/** The response with its bytes, since the harness reads responses as text. */
const sheet = (ids: readonly string[]) => {
  const path = `http://packhouse.test/v1/totes/labels?tote_ids=${ids.join(",")}&paper=a4`;
  return app.app.handle(new Request(path, { headers: { authorization } }));
};

test("the sheet has the barcode and the code of each tote, and a scanner reads all of them", async () => {
  const chosen = [long, ...totes.toReversed()] as { id: string; code: string }[];
  const response = await sheet([...chosen, totes[0]].map(({ id }) => id));
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/pdf"]);
  const pages = await openPages(new Uint8Array(await response.arrayBuffer()));
  const codes = chosen.map(({ code }) => code).sort();
  const read = [];
  for (const page of pages) {
    expect(page.size).toEqual([595, 842]);
    const symbols = await page.scan();
    for (const { text } of symbols) expect(page.text.replaceAll("\n", " ")).toContain(text);
    read.push(...symbols);
  }
  expect(read.map(({ text }) => text).sort()).toEqual(codes);
  // A code that is too long for bars is a QR code.
  expect(read.filter(({ kind }) => kind !== "]C0").map(({ text }) => text)).toEqual([long.code]);
  expect(pages.length).toBe(3);
}, 20_000);

test("unknown totes are refused, each by its place", async () => {
  const { status, body } = await app.get(`/totes/labels?tote_ids=${totes[0].id},tot_99,tot_98`);
  expect([status, body.error.code]).toEqual([404, "resource_missing"]);
  expect(body.error.details.map(({ field }: { field: string }) => field)).toEqual(["tote_ids[1]", "tote_ids[2]"]);
});
