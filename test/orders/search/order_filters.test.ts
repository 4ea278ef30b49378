import { expect, test } from "bun:test";
import { openShop } from "../../build/shop.ts";

const shop = await openShop();

const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

const found = async (query: string) =>
  (await shop.app.get(`/orders?${query}`)).body.data.map(({ id }: { id: string }) => id);

test("released holds and voided parcels do not match filters", async () => {
  const goods = await shop.product({ units: 9 });
  const [one, other] = [await shop.order([[goods, 1]]), await shop.order([[goods, 1]])];
  for (const { id } of [one, other]) await shop.act(id, "hold", { reason: "fraud" });
  expect(await found("hold_reason=fraud")).toEqual([other.id, one.id]);
  await shop.act(one.id, "release");
  expect(await found("hold_reason=fraud")).toEqual([other.id]);
  await shop.act(other.id, "release");

  const parcel = { order_id: one.id, carrier: "local", service: "express", package: { weight: 1 } };
  const label = (await shop.app.post("/shipping/labels", parcel)).body.data;
  expect(await found("carrier=local&service=express")).toEqual([one.id]);
  expect(await found("carrier=local&service=standard")).toEqual([]);
  await shop.app.post(`/shipping/labels/${label.label_id}/void`);
  expect(await found("carrier=local")).toEqual([]);
});

test("each warehouse has its own cut-off, and orders without a warehouse have that of the first", async () => {
  const zones = [{ zone_id: "FLOOR", temperature_zone: "ambient", bins: [{ code: "W-1" }] }];
  const address = { name: "West", address_line1: "1 Dock Rd", city: "Osaka", country: "JP", postal_code: "530-0001" };
  const calendar = { timezone: "Asia/Tokyo", working_days: ["sun"], cutoff_time: "09:30" };
  const west = await shop.app.post("/inventory/locations", {
    name: "West",
    address,
    location_zones: zones,
    ...calendar,
  });
  const { warehouse_id } = west.body.data;
  const goods = await shop.product({ units: 9 });
  const near = await shop.order([[goods, 1]]);
  const far = await shop.order([[goods, 1]], { warehouse_id });
  const main = await shop.order([[goods, 1]], { warehouse_id: "whs_1001" });
  expect(main.ship_by).toBe(near.ship_by);
  expect(far.ship_by).not.toBe(near.ship_by);
  const [sooner, later] = [near.ship_by, far.ship_by].sort();
  const after = (moment: string) => encodeURIComponent(new Date(Date.parse(moment) + 1).toISOString());
  const mine = async (query: string) =>
    (await found(`${query}&sort=created_at`)).filter((id: string) => [near.id, far.id, main.id].includes(id));
  expect(await mine(`ship_by_before=${encodeURIComponent(sooner)}`)).toEqual([]);
  expect(await mine(`ship_by_before=${after(sooner)}`)).toEqual(
    near.ship_by === sooner ? [near.id, main.id] : [far.id],
  );
  expect(await mine(`ship_by_before=${after(later)}`)).toEqual([near.id, far.id, main.id]);

  // West ships every day, and so sometimes before the main warehouse.
  await shop.app.patch(`/inventory/locations/${warehouse_id}`, { working_days: days, cutoff_time: "00:01" });
  let one_is_late = 0;
  for (let hour = 0; hour < 24 * 7; hour += 6) {
    shop.app.clocks.live.advance(6 * 3_600_000);
    const late = await mine("late=true");
    expect((await mine("late=false")).concat(late).sort()).toEqual([near.id, far.id, main.id].sort());
    if (late.length === 1) one_is_late += 1;
  }
  expect(one_is_late).toBeGreaterThan(0);
});

test("a carrier is that of the parcels, or the one that was chosen while no parcel has a carrier", async () => {
  const goods = await shop.product({ units: 9 });
  const shipping_choice = { carrier: "local", service: "overnight" };
  const { id } = await shop.order([[goods, 1]], { shipping_choice });
  await shop.order([[goods, 1]]);
  expect(await found("service=overnight")).toEqual([id]);
  expect(await found("service=overnight,standard&carrier=local&status=pending")).toContain(id);
  expect(await found("service=overnight&carrier=other")).toEqual([]);
  await shop.label(id, { service: "express" });
  expect(await found("service=overnight")).toEqual([]);
  expect(await found("service=express")).toContain(id);
});

test("orders of one unit, and of a promised day, are those that their own fields show", async () => {
  const goods = await shop.product({ units: 99 });
  for (let n = 0; n < 12; n += 1) {
    shop.app.clocks.live.advance(5 * 3_600_000);
    const { id } = await shop.order(
      n % 3 === 0
        ? [[goods, 1]]
        : [
            [goods, 1],
            [goods, n],
          ],
    );
    const items = [{ sku: goods.sku, quantity: 1 }];
    if (n === 4) await shop.act(id, "cancel_items", { items: [{ sku: goods.sku, quantity: 4 }] });
    if (n === 8) await shop.act(id, "split", { items });
    if (n % 4 === 3) await shop.act(id, "ship");
  }
  type Shown = { id: string; line_items: Record<string, number>[]; ship_by: string | null; shipped_at: string | null };
  const all: Shown[] = (await shop.app.get("/orders?limit=100")).body.data;
  const units = ({ line_items }: Shown) =>
    line_items.reduce((sum, line) => sum + (line["quantity"] ?? 0) - (line["quantity_cancelled"] ?? 0), 0);
  const idsThat = (holds: (order: Shown) => boolean) => all.filter(holds).map(({ id }) => id);
  expect(await found("limit=100&one_unit=true")).toEqual(idsThat((order) => units(order) === 1));
  expect(await found("limit=100&one_unit=false")).toEqual(idsThat((order) => units(order) !== 1));
  const times = [...new Set(all.flatMap(({ ship_by }) => ship_by ?? []))].sort();
  expect(times.length).toBeGreaterThan(2);
  for (const [at, from] of times.entries()) {
    const to = times[at + 1] ?? "2099-01-01T00:00:00Z";
    const period = `ship_by_after=${encodeURIComponent(from)}&ship_by_before=${encodeURIComponent(to)}`;
    const due = ({ ship_by, shipped_at }: Shown) =>
      shipped_at === null && ship_by !== null && ship_by >= from && ship_by < to;
    expect(await found(`limit=100&${period}&sort=-created_at`)).toEqual(idsThat(due));
  }
});
