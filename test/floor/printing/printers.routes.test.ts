import { expect, test } from "bun:test";
import { openApp } from "../../build/service.ts";
import { refusalOf } from "../../build/shop.ts";

const app = await openApp();
const zpl = { kind: "zpl_tcp", host: "192.168.1.40" };
const refused = async (path: string, body: object, method = "POST") => {
  const { status, body: answer } = await app.call(method, path, body);
  return [status, answer.error?.code, answer.error?.details?.[0]?.field];
};

test("printers have private addresses, but none of metadata services or of our own port", async () => {
  expect(await app.create("/printers", { name: "Zebra", ...zpl })).toMatchObject({
    port: 9100,
    media: "4x6",
    dpi: 203,
  });
  for (const host of ["169.254.169.254", "0.0.0.0", "224.0.0.1", "fd00:ec2::254"]) {
    expect(await refused("/printers", { name: "Bad", ...zpl, host })).toEqual([422, "blocked_address", "host"]);
  }
  Object.assign(app.service, { ownPort: () => 8080 });
  const own = { name: "Own", ...zpl, host: "127.0.0.1", port: 8080 };
  expect(await refused("/printers", own)).toEqual([422, "blocked_address", "host"]);
  expect(await refused("/printers", { name: "zebra", ...zpl })).toEqual([422, "validation_failed", "name"]);
});

test("a merchant's key reaches none of it", async () => {
  const { key } = await app.merchant("ACME");
  for (const path of ["/printers", "/stations", "/cartons", "/print_jobs"]) {
    expect((await app.call("GET", path, undefined, { key })).body.error.code).toBe("not_for_merchants");
  }
});

test("a station takes printers of its warehouse that fit, and its printers cannot be deleted", async () => {
  const label = await app.create("/printers", { name: "Label", ...zpl });
  expect(await refused("/stations", { name: "T", document_printer_id: label.id })).toEqual([
    422,
    "validation_failed",
    "document_printer_id",
  ]);
  const station = await app.create("/stations", { name: "T", label_printer_id: label.id });
  expect(await refused(`/printers/${label.id}`, {}, "DELETE")).toEqual([409, "record_in_use", undefined]);
  await app.must("PATCH", `/stations/${station.id}`, { label_printer_id: null });
  await app.must("DELETE", `/printers/${label.id}`);
  expect(refusalOf(await app.get(`/printers/${label.id}`))).toContain("404");
});

test("a carton keeps what was sent, and its whole millimeters and grams never promise too much", async () => {
  const sent = { length: 12, width: 9.5, height: 4, unit: "in", weight: 0.4, max_weight: 30, weight_unit: "lb" };
  const carton = await app.create("/cartons", { code: "S", ...sent, cost: "0.62" });
  expect(carton).toMatchObject({ ...sent, cost: 0.62, currency: "USD" });
  const again = await app.must("PATCH", `/cartons/${carton.id}`, { unit: "cm", length: 30.49 });
  expect(again).toMatchObject({ length: 30.49, width: 9.5, unit: "cm", revision: 2 });
  expect(await refused("/cartons", { code: "s", ...sent })).toEqual([422, "validation_failed", "code"]);
  expect(await refused("/cartons", { code: "XXL", ...sent, length: 9999 })).toEqual([
    422,
    "validation_failed",
    "length",
  ]);
  await app.must("DELETE", `/cartons/${carton.id}`);
});
