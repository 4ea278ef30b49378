import { beforeEach, describe, expect, test } from "bun:test";
import { openShop } from "../../build/shop.ts";

const shop = await openShop();
const tea = await shop.product({ sku: "TEA", units: 1000 });
beforeEach(async () => {
  await shop.told();
});

const notesIn = async (id: string): Promise<(string | null)[]> =>
  (await shop.app.get(`/orders/${id}/history`)).body.data.map(({ note }: { note: string | null }) => note);
const idsOf = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id).toSorted();

describe("works", () => {
  test("an order has its tags as written, its event and its list too, and a change replaces them", async () => {
    const order = await shop.order([[tea, 1]], { tags: ["VIP", "gift wrap"], packing_note: "Use tissue." });
    expect(order).toMatchObject({ tags: ["VIP", "gift wrap"], packing_note: "Use tissue.", revision: 1 });
    const [event] = (await shop.app.takeEvents()).filter(({ type }) => type === "order.created");
    expect(event?.data).toMatchObject({ tags: ["VIP", "gift wrap"], packing_note: "Use tissue." });
    const changed = await shop.app.call("PATCH", `/orders/${order.id}`, { tags: ["gift wrap", "Fragile"] });
    expect(changed.body.data).toMatchObject({
      tags: ["gift wrap", "Fragile"],
      packing_note: "Use tissue.",
      revision: 2,
    });
    expect(await notesIn(order.id)).toEqual([null, "tags: VIP, gift wrap > gift wrap, Fragile"]);
    const cleared = await shop.app.call("PATCH", `/orders/${order.id}`, { tags: [], packing_note: null });
    expect(cleared.body.data).toMatchObject({ tags: [], packing_note: null, revision: 3 });
    expect(await shop.told()).toEqual([]);
    expect((await notesIn(order.id)).at(-1)).toBe("packing_note: Use tissue. > none, tags: gift wrap, Fragile > none");
    const same = await shop.app.call("PATCH", `/orders/${order.id}`, { tags: [] });
    expect(same.body.data.revision).toBe(3);
  });

  test("tags change in any status, the packing note until the order is packed", async () => {
    const { id } = await shop.order([[tea, 1]]);
    await shop.act(id, "ship");
    const tagged = await shop.act(id, "tag", { tags: ["late", "LATE", "vip"] });
    expect(tagged.tags).toEqual(["late", "vip"]);
    expect((await shop.act(id, "tag", { tags: ["VIP"] })).revision).toBe(tagged.revision);
    expect((await shop.act(id, "untag", { tags: ["Vip", "none"] })).tags).toEqual(["late"]);
    expect((await shop.app.call("PATCH", `/orders/${id}`, { tags: ["done"] })).body.data.tags).toEqual(["done"]);
    const refused = await shop.app.call("PATCH", `/orders/${id}`, { tags: ["more"], packing_note: "Too late" });
    expect([refused.status, refused.body.error.code]).toEqual([409, "invalid_state_transition"]);
    const { id: gone } = await shop.order([[tea, 1]]);
    await shop.cancel(gone);
    expect((await shop.act(gone, "tag", { tags: ["cancelled"] })).tags).toEqual(["cancelled"]);
    await shop.expectVerified();
  });

  test("tags in use are listed with their number, and filter the list by any of them, in any case", async () => {
    const [one, two] = [
      await shop.order([[tea, 1]], { tags: ["Élan", "x-ray"] }),
      await shop.order([[tea, 1]], { tags: ["ÉLAN"] }),
    ];
    const used = (await shop.app.get("/order_tags")).body.data as { tag: string; count: number }[];
    expect(used.filter(({ tag }) => /lan|x-ray/i.test(tag))).toMatchObject([{ count: 2 }, { tag: "x-ray", count: 1 }]);
    expect(idsOf(await shop.app.get("/orders?tag=%C3%A9lan"))).toEqual([one.id, two.id].toSorted());
    expect(idsOf(await shop.app.get("/orders?tag=X-RAY,nothing&status=pending"))).toEqual([one.id]);
    expect(idsOf(await shop.app.get("/orders?q=ray"))).toEqual([one.id]);
    expect(idsOf(await shop.app.get("/orders?q=%C3%A9la"))).toEqual([one.id, two.id].toSorted());
    await shop.act(one.id, "untag", { tags: ["x-ray"] });
    expect(idsOf(await shop.app.get("/orders?q=ray"))).toEqual([]);
    expect(idsOf(await shop.app.get("/orders?tag=x-ray"))).toEqual([]);
  });

  test("many orders are tagged at once, and a part that is split off has the tags", async () => {
    const made = [await shop.order([[tea, 3]]), await shop.order([[tea, 1]])];
    const body = { action: "tag", order_ids: made.map(({ id }) => id), input: { tags: ["bulk"] } };
    expect((await shop.app.post("/orders/actions", body)).body.data).toMatchObject({ done: 2, failed: 0 });
    const { split_off } = await shop.act(made[0].id, "split", { items: [{ sku: "TEA", quantity: 1 }] });
    expect(split_off.tags).toEqual(["bulk"]);
    expect(idsOf(await shop.app.get("/orders?tag=bulk"))).toEqual([...made, split_off].map(({ id }) => id).toSorted());
    await shop.app.post("/orders/actions", { ...body, action: "untag" });
    expect(idsOf(await shop.app.get("/orders?tag=bulk"))).toEqual([split_off.id]);
    await shop.expectVerified();
  });

  test("a pick list prints the packing note, for one order and for several", async () => {
    const made = [
      await shop.order([[tea, 1]], { packing_note: "Double box, please" }),
      await shop.order([[tea, 1]], { order_notes: "Handle gently" }),
    ];
    const htmlOf = async (path: string) => (await shop.app.get(`${path}format=html`)).body as string;
    expect(await htmlOf(`/orders/${made[0].id}/pick_list?`)).toContain("Double box, please");
    const wave = await htmlOf(`/pick_lists?order_ids=${made.map(({ id }) => id).join()}&`);
    expect(wave).toContain("Double box, please");
    expect(wave).toContain("Handle gently");
    expect(await htmlOf(`/orders/${made[0].id}/packing_slip?notes=true&`)).not.toContain("Double box");
  });

  test("a CSV has the tags and the packing note, and an import reads them", async () => {
    const order = await shop.order([[tea, 1]], { tags: ["csv a", "csv b"], packing_note: "Box L" });
    const text: string = (await shop.app.get(`/orders/export.csv?order_number=${order.order_number}`)).body;
    expect(text).toContain("csv a,csv b");
    const renamed = text.replaceAll(order.order_number, "COPY-1");
    const imported = await shop.app.call("POST", "/orders/import", renamed, {
      headers: { "content-type": "text/csv" },
    });
    expect(imported.status).toBe(200);
    const [copy] = (await shop.app.get("/orders?order_number=COPY-1")).body.data;
    expect(copy).toMatchObject({ tags: ["csv a", "csv b"], packing_note: "Box L" });
  });
});

test("the 1,000 most used tags are listed, most used first", async () => {
  const many = await openShop();
  const goods = await many.product({ units: 0 });
  // 1,020 tags of one order each, then two of more orders.
  const orders = Array.from({ length: 51 }, (_, of) =>
    many.draft([[goods, 1]], { tags: Array.from({ length: 20 }, (_, at) => `t${of}-${at}`) }),
  );
  for (const tags of [["z twice"], ["z twice", "z thrice"], ["z thrice"], ["z thrice"]])
    orders.push(many.draft([[goods, 1]], { tags }));
  for (const some of [orders.slice(0, 30), orders.slice(30)])
    expect((await many.app.post("/orders/bulk", { orders: some })).status).toBe(200);
  const listed = (await many.app.get("/order_tags")).body.data as { tag: string; count: number }[];
  expect(listed.slice(0, 3)).toMatchObject([
    { tag: "z thrice", count: 3 },
    { tag: "z twice", count: 2 },
    { tag: "t0-0", count: 1 },
  ]);
  expect(listed).toHaveLength(1000);
});

describe("refused", () => {
  test.each([
    [["a", "A"], "tags[1]", "duplicate"],
    [["a,b"], "tags[0]", "invalid_format"],
    [[" a"], "tags[0]", "invalid_format"],
    [["x".repeat(41)], "tags[0]", "too_long"],
    [Array.from({ length: 21 }, (_, at) => `t${at}`), "tags", "too_many"],
  ])("tags %j", async (tags, field, code) => {
    const { id } = await shop.order([[tea, 1]]);
    const { status, body } = await shop.app.call("PATCH", `/orders/${id}`, { tags });
    expect(status).toBe(422);
    expect(body.error.details).toMatchObject([{ field, code }]);
    expect((await shop.app.post("/orders", shop.draft([[tea, 1]], { tags }))).status).toBe(422);
  });

  test("a tag beyond the most that an order may have", async () => {
    const { id } = await shop.order([[tea, 1]], { tags: Array.from({ length: 20 }, (_, at) => `t${at}`) });
    const refused = await shop.app.post(`/orders/${id}/tag`, { tags: ["one more"] });
    expect([refused.status, refused.body.error.details[0].field]).toEqual([422, "tags"]);
    expect((await shop.act(id, "tag", { tags: ["T3"] })).tags).toHaveLength(20);
  });
});
