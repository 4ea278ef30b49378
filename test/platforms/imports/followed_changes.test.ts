// What happens to an order at its shop after it was imported, on notifications and in the nightly fetch.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { reconcile } from "../../../src/platforms/imports/imports.jobs.ts";
import { tries, volume } from "../../volume.ts";
import { type Connected, openConnected, platformNames } from "../shipment_updates/connected.ts";

// The machine may be busy.
setDefaultTimeout(30_000);

interface Line {
  readonly sku: string;
  readonly quantity: number;
  readonly quantity_cancelled: number;
  readonly quantity_shipped: number;
  readonly line_total: number;
}
type Json = Readonly<Record<string, unknown>>;
interface ShopOrderHere extends Json {
  readonly id: string;
  readonly status: string;
  readonly line_items: readonly Line[];
  readonly holds: readonly { reason: string; note: string }[];
}

type Acts = readonly { readonly kind: string; readonly line: number; readonly units: number }[];

const toSend = ({ line_items }: ShopOrderHere) =>
  Object.fromEntries(line_items.map((line) => [line.sku, line.quantity - line.quantity_cancelled]));
const reviews = ({ holds }: ShopOrderHere) => holds.map(({ reason, note }) => `${reason}: ${note}`);
const late = (words: string) => `platform_change: At the shop, ${words}, too late to follow here.`;

describe.each([...platformNames])("%s", (platform) => {
  let shop: Connected;
  let ids = 900;
  beforeAll(async () => {
    shop = await openConnected(platform);
    for (const sku of ["MUG", "TRAY", "BOWL"]) await shop.stock(sku, 500);
  });
  afterAll(() => shop.close());

  /** Brings a change here by each way in turn: a notification, or the nightly fetch. */
  let ways = 0;
  const follow = async (id: number, order: { id: string }): Promise<ShopOrderHere> => {
    ways += 1;
    if (ways % 2 === 0) await shop.tell(id);
    else await reconcile(shop.app.service.stores.test, shop.app.service);
    await shop.app.runJobs();
    return shop.done("GET", `/orders/${order.id}`);
  };
  const sell = async (...quantities: readonly [string, number][]) => {
    const id = ++ids;
    return { id, order: await shop.sell(id, ...quantities.map(([sku, quantity]) => ({ sku, quantity }))) };
  };

  test("units that are refunded before work begins are never sent", async () => {
    const { id, order } = await sell(["MUG", 3], ["TRAY", 1]);
    shop.store.refund(id, 0, 2);
    expect(await follow(id, order)).toMatchObject({
      status: "pending",
      line_items: [{ quantity: 1 }, { quantity: 1 }],
    });
    shop.store.refund(id, 1, 1);
    expect(toSend(await follow(id, order))).toEqual({ MUG: 1 });
  });

  test.each(["process", "pick"])(
    "units that are refunded after %s are cancelled, and the rest is sent",
    async (act) => {
      const { id, order } = await sell(["MUG", 3], ["TRAY", 2]);
      await shop.act(order, act);
      shop.store.refund(id, 0, 2);
      const less = await follow(id, order);
      expect([less.status, toSend(less), less.holds]).toEqual(["processing", { MUG: 1, TRAY: 2 }, []]);
      shop.store.refund(id, 1, 2);
      expect(toSend(await follow(id, order))).toEqual({ MUG: 1, TRAY: 0 });
      expect((await shop.act(order, "ship")).line_items).toMatchObject([
        { quantity_shipped: 1 },
        { quantity_shipped: 0 },
      ]);
      expect(shop.store.isDone(id)).toBe(true);
    },
  );

  test("an order that is refunded completely line by line is cancelled", async () => {
    const { id, order } = await sell(["MUG", 2]);
    await shop.act(order, "process");
    shop.store.refund(id, 0, 2);
    expect(await follow(id, order)).toMatchObject({ status: "cancelled", holds: [] });
  });

  test("a refund of units in a parcel with a label holds the order, until somebody decides", async () => {
    const { id, order } = await sell(["MUG", 2]);
    const parcel = { carrier: "sim", service: "standard", package: { weight: 2, weight_unit: "lb" } };
    await shop.done("POST", "/shipping/labels", { order_id: order.id, ...parcel });
    shop.store.refund(id, 0, 1);
    const held = await follow(id, order);
    expect([toSend(held), reviews(held)]).toEqual([{ MUG: 2 }, [late("1 of MUG were removed")]]);
    expect((await shop.call("POST", `/orders/${order.id}/ship`, {})).status).toBe(409);
    await shop.act(order, "release");
    expect(await follow(id, order)).toMatchObject({ holds: [] });
    expect((await shop.act(order, "ship")).status).toBe("shipped");
  });

  test("what is sent from here is not taken for a change", async () => {
    const { id, order } = await sell(["MUG", 3], ["TRAY", 1]);
    await shop.act(order, "pack", { packages: [{ items: [{ sku: "MUG", quantity: 2 }] }] });
    await shop.act(order, "ship", { tracking_number: "T1" });
    for (const _time of [1, 2]) {
      const open = await follow(id, order);
      expect([open.status, toSend(open), open.holds]).toEqual(["processing", { MUG: 3, TRAY: 1 }, []]);
    }
    shop.store.refund(id, 1, 1);
    expect(toSend(await follow(id, order))).toEqual({ MUG: 3, TRAY: 0 });
    expect((await shop.act(order, "ship")).status).toBe("shipped");
  });

  test("the buyer's email address follows, at any time", async () => {
    const { id, order } = await sell(["MUG", 1]);
    await shop.act(order, "pack");
    shop.store.setEmail(id, `new-${id}@buyer.example`);
    const now = await follow(id, order);
    expect(now).toMatchObject({ status: "fulfilled", customer: { email: `new-${id}@buyer.example` }, holds: [] });
    expect(now["customer_id"]).not.toBe(order["customer_id"]);
    const { body: buyer } = await shop.call("GET", `/customers/${now["customer_id"]}`);
    const found = await shop.done("GET", `/orders?q=new-${id}@buyer.example`);
    expect(found).toMatchObject([{ id: order.id }]);
    expect(buyer.shipping_addresses).toMatchObject([{ id: now["shipping_address_id"] }]);
    const place = (one: Json) => (one["shipping_address"] as Json)["address_line1"];
    expect(place(now)).toBe(place(order));
  });

  test("prices follow after work has begun, also of a line that is partly refunded", async () => {
    const { id, order } = await sell(["MUG", 3], ["TRAY", 2]);
    const tray = order.line_items[1]?.line_total ?? 0;
    await shop.act(order, "pick");
    shop.store.refund(id, 0, 1);
    await follow(id, order);
    shop.store.setPrice(id, 0, "5.35");
    const now = await follow(id, order);
    expect([now["subtotal"], now.holds]).toEqual([Number((2 * 5.35 + tray).toFixed(2)), []]);
    expect(now.line_items[0]).toMatchObject({ quantity: 3, quantity_cancelled: 1, unit_price: 5.35 });
    shop.store.edit(id, { [shop.store.currency]: "CHF" });
    const other = await follow(id, order);
    expect([other["currency"], other["subtotal"]]).toEqual([order["currency"], now["subtotal"]]);
    expect(reviews(other)).toEqual([late("its currency changed to CHF")]);
  });

  test.each([
    ["JPY", "1300", 2600],
    ["KWD", "1.2345", 2.469],
  ])("amounts in %s have its decimals", async (currency, price, subtotal) => {
    const id = ++ids;
    shop.store.sell(id, [{ sku: "MUG", quantity: 2 }]);
    shop.store.edit(id, { [shop.store.currency]: currency });
    shop.store.setPrice(id, 0, price);
    expect(await shop.tell(id)).toMatchObject({ currency, subtotal });
  });

  test("an unknown currency is refused by name", async () => {
    const id = ++ids;
    shop.store.sell(id, [{ sku: "MUG", quantity: 2 }]);
    shop.store.edit(id, { [shop.store.currency]: "XXQ" });
    await reconcile(shop.app.service.stores.test, shop.app.service);
    await shop.app.runJobs();
    const [import_] = await shop.done("GET", `/platforms/${shop.connection.id}/imports?external_id=${id}`);
    expect(import_).toMatchObject({ status: "failed", reason: { message: expect.stringContaining("XXQ") } });
  });

  test.skipIf(platform === "bigcommerce")("the shop's own fields follow into the metadata", async () => {
    const field = platform === "shopify" ? "note_attributes" : "meta_data";
    const name = platform === "shopify" ? "name" : "key";
    const fields = (value: string) => ({
      [field]: [
        { [name]: "Gift for", value },
        { [name]: "_cart", value: "c1" },
      ],
    });
    const id = ++ids;
    shop.store.sell(id, [{ sku: "MUG", quantity: 1 }]);
    shop.store.edit(id, fields("Ida"));
    const order = await shop.tell(id);
    expect(order["metadata"]).toEqual({ shop_attributes: { "Gift for": "Ida" } });
    await shop.done("PATCH", `/orders/${order.id}`, { metadata: { ours: 1 } });
    shop.store.edit(id, fields("Noor"));
    expect((await follow(id, order))["metadata"]).toEqual({ ours: 1, shop_attributes: { "Gift for": "Noor" } });
    await shop.act(order, "process");
    await shop.act(order, "pack");
    shop.store.edit(id, fields("Zoe"));
    const packed = await follow(id, order);
    expect(packed["metadata"]).toEqual({ ours: 1, shop_attributes: { "Gift for": "Zoe" } });
    // At Shopify, they are also among the notes that are printed.
    expect(reviews(packed)).toEqual(platform === "shopify" ? [late("its notes changed")] : []);
  });

  test.if(platform === "bigcommerce")("the merchant's own notes become notes of staff", async () => {
    const id = ++ids;
    shop.store.sell(id, [{ sku: "MUG", quantity: 1 }]);
    shop.store.edit(id, { staff_notes: "Owes us for May." });
    const order = await shop.tell(id);
    expect(order["order_notes"]).toBe("Ring twice.");
    shop.store.edit(id, { staff_notes: "Has paid." });
    await follow(id, order);
    await follow(id, order);
    const notes = await shop.done("GET", `/orders/${order.id}/notes`);
    expect(notes).toMatchObject([
      { text: "Owes us for May.", shared: true },
      { text: "Has paid.", shared: true },
    ]);
  });

  test.skipIf(platform === "woocommerce")("units that others send are not sent from here", async () => {
    const { sendElsewhere } = shop.store;
    const id = ++ids;
    const goods = [
      { sku: "MUG", quantity: 5 },
      { sku: "TRAY", quantity: 1 },
    ];
    shop.store.sell(id, goods);
    sendElsewhere?.(id, 0, 3);
    sendElsewhere?.(id, 1, 1);
    const order = await shop.tell(id);
    expect([order.status, toSend(order)]).toEqual(["pending", { MUG: 2 }]);
    await shop.act(order, "process");
    sendElsewhere?.(id, 0, 1);
    const less = await follow(id, order);
    expect([less.status, toSend(less), less.holds]).toEqual(["processing", { MUG: 1 }, []]);
    await shop.act(order, "ship");
    expect(shop.store.isDone(id)).toBe(true);
  });

  test("in any order of refunds, parcels and lost notifications, each unit is refunded, or sent once", async () => {
    const act = fc.record({
      kind: fc.constantFrom("refund", "elsewhere", "pick", "parcel", "follow"),
      line: fc.nat(1),
      units: fc.integer({ min: 1, max: 3 }),
    });
    const cases = fc.record({ mugs: fc.integer({ min: 1, max: 6 }), acts: fc.array(act, { maxLength: 9 }) });
    const plays = async ({ mugs, acts }: { mugs: number; acts: Acts }) => {
      const { id, order } = await sell(["MUG", mugs], ["TRAY", 3]);
      const open = [mugs, 3];
      const others = [0, 0];
      for (const { kind, line, units } of acts) {
        const here: ShopOrderHere = await shop.done("GET", `/orders/${order.id}`);
        if (here.status === "cancelled") break;
        const [sku, left] = [line === 0 ? "MUG" : "TRAY", open[line] ?? 0];
        const count = Math.min(units, left);
        if (kind === "follow") await follow(id, order);
        else if (kind === "pick")
          await shop.call("POST", `/orders/${order.id}/pick`, { items: [{ sku, quantity: 1 }] });
        else if (count === 0 || (kind === "elsewhere" && shop.store.sendElsewhere === null)) continue;
        else if (kind === "parcel") {
          // Only what is known here can be kept from being sent.
          await follow(id, order);
          const parcel = { packages: [{ items: [{ sku, quantity: count }] }], carrier: "ups" };
          const packed = await shop.call("POST", `/orders/${order.id}/pack`, parcel);
          if (packed.status === 200) await shop.act(order, "ship");
          if (packed.status === 200) open[line] = left - count;
        } else {
          if (kind === "refund") shop.store.refund(id, line, count);
          else shop.store.sendElsewhere?.(id, line, count);
          open[line] = left - count;
          others[line] = (others[line] ?? 0) + count;
        }
      }
      const last = await follow(id, order);
      expect(last.holds).toEqual([]);
      if (open.some((units) => units > 0)) await shop.act(order, "ship");
      const sent = (await shop.done("GET", `/orders/${order.id}`)) as ShopOrderHere;
      const of = (sku: string) => sent.line_items.find((one) => one.sku === sku)?.quantity_shipped ?? 0;
      const ours = [of("MUG"), of("TRAY")];
      expect(ours).toEqual([mugs - (others[0] ?? 0), 3 - (others[1] ?? 0)]);
    };
    await fc.assert(fc.asyncProperty(cases, plays), tries(volume(15, 150)));
  }, 300_000);
});
