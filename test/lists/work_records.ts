// The records of work in the warehouse, for the comparison of lists.
import { expect } from "bun:test";
import { iso } from "../../src/core/clock.ts";
import type { Random } from "../../src/core/random.ts";
import { day_ms, hour_ms } from "../../src/core/time.ts";
import type { TestApp } from "../build/service.ts";

/** Creates deliveries, transfers, counts and keys in different states, and lots that expire or are put on hold. */
export async function makeWork(app: TestApp, random: Random, skus: readonly string[], pass: () => void): Promise<void> {
  const places = ["whs_1001", "whs_1002"];
  const later = (ms: number) => iso(app.clocks.live.now() + ms);
  const tried = async (path: string, body: object = {}) => {
    const { status, body: received } = await app.post(path, body);
    if (status !== 409) expect([path, received.error]).toEqual([path, undefined]);
    pass();
    return received.data;
  };
  const lines = () => [{ sku: random.pick(skus), quantity: random.integer(1, 3) }];
  for (let n = 0; n < 16; n += 1) {
    const from = random.integer(0, 1);
    const [location, other] = [places[from], places[1 - from]];
    const expected_at = random.pick([null, later(day_ms), later(3 * day_ms)]);
    const receipt = { reference: `PO-${n}`, supplier: random.pick([null, "Mill 5%", "Dairy"]), location, expected_at };
    const { id } = await tried("/inventory/receipts", { ...receipt, items: [...lines(), ...lines()] });
    if (random.chance(0.6)) await tried(`/inventory/receipts/${id}/${random.pick(["close", "cancel"])}`);
    const transfer = { from_location: location, to_location: other, reference: `PO-1${n}`, items: lines() };
    const planned = await tried("/inventory/transfers", transfer);
    await tried(`/inventory/transfers/${planned.id}/${random.pick(["ship", "cancel"])}`);
    const count = await tried("/inventory/counts", { location, skus: [random.pick(skus)] });
    if (random.chance(0.5)) await tried(`/inventory/counts/${count.id}/cancel`);
    const key = await tried("/keys", {
      name: `till ${n}`,
      permission: "read",
      expires_at: random.pick([null, later(1), later(hour_ms)]),
    });
    if (n % 3 === 0) await app.call("DELETE", `/keys/${key.id}`);
  }
  for (let n = 0; n < 8; n += 1) {
    const sku = random.pick(skus);
    const expiration_date = random.pick(["2031-01-01", "2032-01-01"]);
    await tried("/inventory", { sku, quantity: 1, lot_number: `E-${n}`, expiration_date, location: places[n % 2] });
    const [lot] = (await app.get(`/inventory/lots?lot_number=E-${n}`)).body.data;
    if (n % 3 === 0) await tried(`/inventory/lots/${lot.id}/status`, { status: "on_hold", reason: "smell" });
    if (n % 3 === 1)
      await app.patch(`/inventory/${encodeURIComponent(sku)}`, {
        adjustment: -1,
        reason: "lost",
        lot_number: `E-${n}`,
        location: places[n % 2],
      });
  }
}
