// The labels of packed parcels: bought from carriers, refused, and bought by the job after a crash.
import { beforeEach, describe, expect, test } from "bun:test";
import { systemActor } from "../../../src/core/actor.ts";
import { minute_ms } from "../../../src/core/time.ts";
import { closePackingSession } from "../../../src/floor/packing/pack_session.ts";
import { codeOf, openShop, type Shop } from "../../build/shop.ts";
import { down, openSeller, refused } from "../../shipping/labels/seller.ts";
import { packerOf } from "./packing_floor.ts";

let shop: Shop;
let packer: Awaited<ReturnType<typeof packerOf>>;
beforeEach(async () => {
  shop = await openShop();
  packer = await packerOf(shop);
  await shop.product({ sku: "MUG", units: 20, weight: 400, weight_unit: "g" });
}, 30_000);

/** An order whose shipping choice names a service, and the session of its parcel. */
async function toPack(shipping_choice: object | null, quantity = 1) {
  const order = await shop.order([["MUG", quantity]], shipping_choice === null ? {} : { shipping_choice });
  const { id } = (await packer.open({ order_id: order.id })).body.data;
  return { id: id as string, order_id: order.id as string };
}
const swift = { carrier: "swift", service: "ground" };

describe("works", () => {
  test("the order's service is bought, or the cheapest in time of all carriers", async () => {
    const { fake, books } = await openSeller(shop.app);
    const named = await toPack(swift);
    const first = (await packer.scan(named.id, "MUG")).body.data;
    expect([first.label_status, first.label.carrier, first.label.service]).toEqual(["completed", "swift", "ground"]);
    expect([...books.values()].map(({ paid }) => paid)).toEqual([1]);
    const open = await toPack(null);
    const second = (await packer.scan(open.id, "MUG")).body.data;
    expect([second.label.carrier, second.label.cost]).toEqual(["swift", 12.5]);
    fake.offers = async () => ({ offers: [], messages: [] });
    const own = await toPack(null);
    expect((await packer.scan(own.id, "MUG")).body.data.label.carrier).toBe("local");
  });

  test("a refused purchase leaves the parcel packed, and another service can be bought", async () => {
    const { fake, openUp, books } = await openSeller(shop.app);
    fake.buy = async () => {
      throw refused();
    };
    const { id, order_id } = await toPack(swift);
    const closed = (await packer.scan(id, "MUG")).body.data;
    expect(closed).toMatchObject({ status: "closed", label_status: "error" });
    expect(closed.label_error).toContain("balance");
    expect((await shop.get(order_id)).status).toBe("fulfilled");
    openUp();
    const again = (await packer.post(`/${id}/label`)).body.data;
    expect([again.label_status, again.label_error]).toEqual(["completed", null]);
    expect(books.size).toBe(1);
    expect(codeOf(await packer.post(`/${id}/label`))).toBe("duplicate_label");
  });

  test("a service that nobody sells is a refusal, and its parcel is not packed twice", async () => {
    const { id, order_id } = await toPack({ carrier: "local", service: "nowhere" });
    const closed = (await packer.scan(id, "MUG")).body.data;
    expect([closed.status, closed.label_status, closed.shipment_id]).toEqual(["closed", "error", null]);
    expect(closed.label_error).toContain("must be one of: standard");
    expect(codeOf(await packer.open({ order_id }))).toBe("already_packed");
    expect(codeOf(await packer.fromItem("MUG"))).toBe("no_matching_order");
    // The table is gone by now, so nothing is printed.
    expect((await shop.app.call("DELETE", `/stations/${packer.station_id}`)).status).toBe(200);
    const bought = (await packer.post(`/${id}/label`, { carrier: "local", service: "express" })).body.data;
    expect([bought.label_status, bought.label.service]).toEqual(["completed", "express"]);
    await shop.expectVerified();
  });

  test("a slow carrier's label is processing, and its print job waits for it", async () => {
    const { fake, books } = await openSeller(shop.app);
    const { sell } = { sell: fake.buy };
    fake.buy = async (ref, ...rest) => {
      await sell(ref, ...rest);
      return { state: "waiting" };
    };
    const { id } = await toPack(swift);
    const answer = await packer.scan(id, "MUG");
    expect([answer.status, answer.body.data.label_status]).toEqual([202, "pending"]);
    expect((await packer.get(id)).label_status).toBe("processing");
    expect((await packer.prints()).map(({ kind }) => kind)).toEqual(["label", "packing_slip"]);
    shop.app.clocks.live.advance(10 * minute_ms);
    await shop.app.runJobs();
    expect((await packer.get(id)).label_status).toBe("completed");
    expect([...books.values()].map(({ paid }) => paid)).toEqual([1]);
  });

  test("if the server stops between packing and buying, the job buys the label once", async () => {
    const { id, order_id } = await toPack(null, 2);
    await packer.scan(id, "MUG");
    // As the request does before its process ends.
    await shop.app.service.stores.live.write((tx) => closePackingSession(tx, id, systemActor("test")));
    expect((await packer.get(id)).label_status).toBe("pending");
    expect(codeOf(await packer.post(`/${id}/label`))).toBe("duplicate_label");
    await shop.app.runJobs();
    expect((await packer.get(id)).label_status).toBe("pending");
    shop.app.clocks.live.advance(2 * minute_ms);
    await shop.app.runJobs();
    await shop.app.runJobs();
    const bought = await packer.get(id);
    expect([bought.label_status, bought.packed_by.type]).toEqual(["completed", "api_key"]);
    expect((await shop.get(order_id)).shipments).toHaveLength(1);
    expect((await packer.prints()).map(({ kind }) => kind)).toEqual(["label", "packing_slip"]);
  });

  test("a carrier that is down is asked again by a retry", async () => {
    const { fake, openUp } = await openSeller(shop.app);
    fake.offers = async () => {
      throw down();
    };
    const { id } = await toPack(swift);
    expect((await packer.scan(id, "MUG")).body.data.label_status).toBe("error");
    openUp();
    expect((await packer.post(`/${id}/label`)).body.data.label_status).toBe("completed");
  });

  test("a repeated scan with the same key packs and buys once", async () => {
    const { id, order_id } = await toPack(null, 2);
    const send = () =>
      shop.app.call(
        "POST",
        `/packing_sessions/${id}/scans`,
        { sku: "MUG" },
        { headers: { "idempotency-key": "scan-1" } },
      );
    const [one, two] = [await send(), await send()];
    expect([one.body, two.body.data.units_scanned]).toEqual([two.body, 1]);
    const last = () =>
      shop.app.call(
        "POST",
        `/packing_sessions/${id}/scans`,
        { sku: "MUG" },
        { headers: { "idempotency-key": "scan-2" } },
      );
    const [closed, repeated] = [await last(), await last()];
    expect([closed.body.data.label_status, repeated.body]).toEqual(["completed", closed.body]);
    expect((await shop.get(order_id)).shipments).toHaveLength(1);
  });
});
