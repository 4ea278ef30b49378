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
