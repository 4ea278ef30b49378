import { describe, expect, test } from "bun:test";
import { day_ms } from "../../src/core/time.ts";
import { openApp } from "../build/service.ts";
import { parcelShopOn } from "../build/shop.ts";

let labels: Record<string, string>[] = [];
let by_hand = "";
const app = await openApp();
const shop = await parcelShopOn(app);
for (const service of ["standard", "express"]) {
  labels.unshift((await shop.label((await shop.order()).id, { service })).body.data);
  app.clocks.live.advance(day_ms);
}
await app.post(`/tracking/${labels[0]?.["tracking_number"]}/events`, { status: "in_transit" });
const third = await shop.order(3);
const shipped = { carrier: "ups", tracking_number: "1Z999AA10123456784" };
await app.post(`/orders/${third.id}/ship`, shipped);
by_hand = (await app.get(`/orders/${third.id}`)).body.data.shipments[0].id;
labels = labels.slice();

const found = async (query: string) =>
  (await app.get(`/shipments${query}`)).body.data.map(({ id }: Record<string, string>) => id);
const all = () => [by_hand, ...labels.map((label) => label["shipment_id"])];

describe("works", () => {
  test("parcels are listed newest first, each as in its own response", async () => {
    expect(await found("")).toEqual(all());
    const { data } = (await app.get("/shipments?limit=2")).body;
    for (const parcel of data) expect((await app.get(`/shipments/${parcel.id}`)).body.data).toEqual(parcel);
    expect(data[1]).toMatchObject({
      status: "shipped",
      carrier: "local",
      service: "express",
      order_number: "SO-2",
      customer_name: "Jordan Avery",
      label_ids: [labels[0]?.["label_id"]],
      tracking_status: "in_transit",
      items: [{ sku: "RICE-1KG", quantity: 2 }],
      tracking_number: labels[0]?.["tracking_number"],
    });
    expect(data[0]).toMatchObject({ carrier: "ups", label_ids: [], items: [{ quantity: 3 }] });
  });
});
