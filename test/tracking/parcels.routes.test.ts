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
    const { data, meta } = (await app.get("/shipments?limit=2")).body;
    for (const parcel of data) expect((await app.get(`/shipments/${parcel.id}`)).body.data).toEqual(parcel);
    expect(await found(`?limit=2&cursor=${meta.pagination.next_cursor}`)).toEqual(all().slice(2));
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

  test("filters work", async () => {
    const [hand, second, first] = all();
    expect(await found("?status=pending")).toEqual([first]);
    expect(await found("?carrier=ups")).toEqual([hand]);
    expect(await found("?service=express")).toEqual([second]);
    expect(await found("?tracking_status=in_transit")).toEqual([second]);
    expect((await app.get("/shipments?tracking_status=in_transit&page=2")).body.meta.pagination.total).toBe(1);
    expect(await found("?tracking_number=1z999aa1-0123456784")).toEqual([hand]);
    expect(await found("?order_id=SO-1")).toEqual([first]);
    expect(await found("?order_id=SO-NONE")).toEqual([]);
    expect(await found("?created_after=2026-01-03&created_before=2026-01-04")).toEqual([second]);
    expect(await found("?shipped_after=2026-01-04")).toEqual([hand, second]);
    expect(await found("?shipped_before=2026-01-04")).toEqual([]);
  });

  test("parcels are exported as CSV", async () => {
    const { body, headers } = await app.get("/shipments/export.csv?carrier=local");
    expect(headers.get("content-disposition")).toBe('attachment; filename="shipments.csv"');
    const [head, ...rows] = body.trimEnd().split("\r\n");
    expect(head).toStartWith("shipment_id,created_at,status,order_id,order_number,customer_name,carrier,");
    expect(rows.map((row: string) => row.split(",")[0])).toEqual(all().slice(1));
  });
});

test("refuses an unknown status", async () => {
  expect((await app.get("/shipments?status=lost")).status).toBe(422);
});
