// `packhouse export --merchant` with two merchants that use the same names.

import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closeStorage } from "../../src/billing/storage_days.jobs.ts";
import { wholeExport } from "../../src/cli/merchants.ts";
import { runOn } from "../build/command.ts";
import { openApp } from "../build/service.ts";
import { pngOf } from "../files/images.ts";

const app = await openApp();
const folder = mkdtempSync(join(tmpdir(), "packhouse-files-"));
afterAll(async () => {
  rmSync(folder, { recursive: true });
});

/** Texts that distinguish the merchants' records; names, SKUs and numbers are equal. */
interface Marked {
  readonly code: string;
  readonly mark: string;
  readonly units: number;
}
const acme: Marked = { code: "ACME", mark: "acme-only", units: 7 };
const bolt: Marked = { code: "BOLT", mark: "bolt-only", units: 9 };

async function fill({ code, mark, units }: Marked): Promise<void> {
  const call = async (method: string, path: string, body?: object) => {
    const answer = await app.call(method, path, body, { headers: { "packhouse-merchant": code } });
    expect([path, answer.status < 300, answer.body.error]).toEqual([path, true, undefined]);
    return answer.body.data ?? answer.body;
  };
  const place = { address_line1: `1 ${mark}`, city: "Portland", state: "OR", postal_code: "97201", country: "US" };
  const headers = { "packhouse-merchant": code, "content-type": "image/png" };
  const logo = await app.call("POST", "/files?kind=logo", pngOf(20, 10, units), { headers });
  await call("PATCH", `/merchants/${code}/branding`, { logo_file_id: logo.body.data.id, message: mark });
  const tea = await call("POST", "/products", { sku: "TEA", name: "Tea", description: mark, lot_tracking: true });
  const cup = await call("POST", "/products", { sku: "CUP", name: "Cup", description: mark });
  const parts = [
    { sku: "TEA", quantity: 1 },
    { sku: "CUP", quantity: 1 },
  ];
  await call("POST", "/products", { sku: "SET", name: "Set", type: "bundle", components: parts });
  const stock = { location: "whs_1001", bin: `SHELF-${code}`, notes: mark };
  await call("POST", "/inventory", { ...stock, sku: "TEA", quantity: units, lot_number: "L-1" });
  await call("POST", "/inventory", { ...stock, sku: "CUP", quantity: units });
  await call("POST", "/inventory/receipts", { reference: mark, items: [{ sku: "CUP", quantity: 3 }] });
  const customer = await call("POST", "/customers", {
    email: "jane@example.com",
    company: mark,
    shipping_addresses: [place],
  });
  await call("POST", "/customers", { email: `${mark}@example.com` });
  const line_items = [{ product_id: cup.id, quantity: 2, unit_price: "12.50" }];
  const shipping_address_id = customer.shipping_addresses[0].id;
  const terms = { customer_id: customer.id, shipping_address_id, line_items, order_notes: mark };
  const order = await call("POST", "/orders", { ...terms, order_number: "N-1" });
  await call("POST", `/orders/${order.id}/notes`, { text: `shared by ${mark}`, shared: true });
  await call("POST", `/orders/${order.id}/notes`, { text: "internal" });
  const picked = await call("POST", "/orders", {
    ...terms,
    order_number: "N-2",
    line_items: [{ ...line_items[0], product_id: tea.id }],
  });
  for (const act of ["process", "pick"]) await call("POST", `/orders/${picked.id}/${act}`, {});
  for (const act of ["process", "pick", "pack"]) await call("POST", `/orders/${order.id}/${act}`, {});
  await call("POST", "/shipping/labels", {
    order_id: order.id,
    carrier: "local",
    service: "standard",
    package: { weight: 1 },
  });
  await call("POST", `/orders/${order.id}/ship`, {});
  const items = [{ sku: "CUP", quantity: 1, notes: mark }];
  await call("POST", "/returns", { order_id: order.id, reason: "defective", items });
  const [location, bin] = [stock.location, stock.bin];
  await call("POST", "/inventory/moves", { sku: "CUP", quantity: 1, bin, condition: "damaged", location });
  await call("POST", "/billing/events", { minutes: 5, description: mark, location });
}

const run = (...words: string[]) => runOn(app.service.stores, wholeExport, words);

/** Exports a merchant. Returns the text of each file, and the command's output. */
async function exported(merchant: string): Promise<{ files: ReadonlyMap<string, string>; lines: readonly string[] }> {
  const to = join(folder, merchant);
  const where = ["--files", app.service.files.folder ?? ""];
  const lines = await run("--merchant", merchant, "--to", to, "--mode", "live", ...where);
  const names = readdirSync(to).filter((name) => name.includes("."));
  return { files: new Map(names.map((name) => [name, readFileSync(join(to, name), "utf8")])), lines };
}

interface Held {
  readonly sku: string;
  readonly lot_number: string | null;
  readonly quantity: number;
}

const parsed = (files: ReadonlyMap<string, string>, name: string) => JSON.parse(files.get(name) ?? "null");

/** Expects the logo with its content, as the branding names it, and the notes that the merchant sees. */
function expectLogoAndNotes(files: ReadonlyMap<string, string>): void {
  const [{ id: logo, content, sha256 }] = parsed(files, "files.json");
  expect([parsed(files, "branding.json")[0].logo_file_id, content]).toEqual([logo, `files/${logo}.png`]);
  const bytes = readFileSync(join(folder, "ACME", content));
  expect(new Bun.CryptoHasher("sha256").update(bytes).digest("hex")).toBe(sha256);
  expect(readdirSync(join(folder, "ACME", "files"))).toEqual([`${logo}.png`]);
  const author = { type: "system", name: "The warehouse" };
  expect(parsed(files, "staff_notes.json")).toMatchObject([{ text: `shared by ${acme.mark}`, author }]);
}

test("exports all records of a merchant as the API shows them to the merchant, and nothing of another", async () => {
  for (const { code } of [acme, bolt]) await app.post("/merchants", { code, name: "Twin" });
  await fill(acme);
  await fill(bolt);
  app.clocks.live.advance(48 * 3_600_000);
  await closeStorage(app.service.stores.live, app.service);
  // Events get their position from a job.
  await app.runJobs();
  const { files, lines } = await exported("ACME");
  expect([...files.keys()].sort()).toEqual([
    ...["billable_events.csv", "billable_events.json", "branding.json", "customers.csv", "customers.json"],
    ...[
      "events.json",
      "files.json",
      "labels.csv",
      "labels.json",
      "lots.json",
      "merchant.json",
      "movements.csv",
      "movements.json",
    ],
    ...["orders.csv", "orders.json", "products.csv", "products.json", "receipts.csv", "receipts.json"],
    ...["returns.csv", "returns.json", "shipments.csv", "shipments.json", "staff_notes.json"],
    ...["stock.csv", "stock.json"],
    ...["storage_days.csv", "storage_days.json", "tracking.csv", "tracking.json", "transfers.json"],
  ]);
  const merchant = parsed(files, "merchant.json")[0];
  const strangers = ["mer_1", (await app.get("/merchants/BOLT")).body.data.id, bolt.mark];
  for (const [name, text] of files) {
    for (const stranger of strangers) expect([name, text.match(new RegExp(`\\b${stranger}\\b`))]).toEqual([name, null]);
    // Bins are visible to the operator only.
    expect([name, text.includes("SHELF-")]).toEqual([name, false]);
    expect([name, text.match(/told_by|key_\d+/)]).toEqual([name, null]);
    if (name.endsWith(".json")) {
      const records = JSON.parse(text) as { merchant_id?: string }[];
      expect(lines).toContain(`live: ${name.padEnd(22)} ${records.length}`);
      for (const { merchant_id = merchant.id } of records) expect(merchant_id).toBe(merchant.id);
    }
  }
  expectLogoAndNotes(files);
  const lists = { products: 3, customers: 2, orders: 2, returns: 1, "inventory/receipts": 1, "inventory/lots": 1 };
  const { key } = (await app.post("/keys", { name: "Acme", permission: "full", merchant_id: "ACME" })).body.data;
  for (const [path, count] of Object.entries(lists)) {
    const shown = (await app.call("GET", `/${path}`, undefined, { key })).body.data as { id: string }[];
    const written = parsed(files, `${path.split("/").at(-1)}.json`) as { id: string }[];
    expect(written).toBeArrayOfSize(count);
    const byId = (records: readonly { id: string }[]) => records.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    expect(byId(written)).toEqual(byId(shown));
  }
  // Picked units belong to the merchant until they ship. A row covers all bins of a warehouse without naming one.
  expect(parsed(files, "stock.json").map(({ sku, lot_number, quantity }: Held) => [sku, lot_number, quantity])).toEqual(
    [
      ["TEA", "L-1", acme.units],
      ["CUP", null, acme.units - 2],
    ],
  );
  expect(
    files
      .get("customers.csv")
      ?.split("\r\n")
      .slice(1, -1)
      .map((row) => row.split(",")[1])
      .sort(),
  ).toEqual([`${acme.mark}@example.com`, "jane@example.com"]);
  expect(files.get("returns.csv")).toContain(`,CUP,1,0,,${acme.mark},`);
  for (const kind of ["labels", "shipments", "tracking"]) expect(parsed(files, `${kind}.json`)).toBeArrayOfSize(1);
  expect(parsed(files, "billable_events.json").length).toBeGreaterThan(3);
  expect(parsed(files, "storage_days.json").length).toBeGreaterThan(1);
  expect(parsed(files, "events.json").length).toBeGreaterThan(5);
});

test("reports missing flags and unknown merchants", async () => {
  await expect(run("--mode", "live")).rejects.toThrow("--merchant CODE --to FOLDER");
  const untouched = join(folder, "untouched");
  await expect(run("--merchant", "ACME", "--to", untouched)).rejects.toThrow("--mode is required: live or test");
  expect(existsSync(untouched)).toBe(false);
  await expect(run("--merchant", "ACME", "--to", folder, "--mode", "prod")).rejects.toThrow("live or test");
  await expect(run("--merchant", "NOBODY", "--to", folder, "--mode", "live")).rejects.toThrow(
    "No such merchant: NOBODY.",
  );
});
