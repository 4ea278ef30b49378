import { describe, expect, test } from "bun:test";
import { openApp } from "../../build/service.ts";
import { codeOf, shopOn } from "../../build/shop.ts";

const buyer = {
  first_name: "Al",
  last_name: "One",
  shipping_addresses: [
    { address_line1: "12 Elm St", city: "Portland", state: "OR", postal_code: "97201", country: "US" },
  ],
};

const app = await openApp();
const shop = await shopOn(app);
const units = 400;
await shop.product({ sku: "JAR", units });
await app.create("/totes/bulk", { prefix: "T-", first: 1, count: 9 });

const planned = async (fields: object) => {
  const { id } = await app.create("/waves", fields);
  await app.create(`/waves/${id}/release`);
  return id as string;
};

/** Waves of one order each, which are released. */
async function waves(count: number): Promise<string[]> {
  const made: string[] = [];
  for (let at = 0; at < count; at++) {
    const { id } = await shop.order([["JAR", 2]]);
    made.push(await planned({ mode: "order", filters: { order_ids: [id] } }));
  }
  return made;
}

const idsOf = (answers: readonly { readonly task: { readonly id: string } }[]) => answers.map(({ task }) => task.id);

describe("tasks", () => {
  test("of two requests at once, each gets another one, and the own one again after a crash", async () => {
    const made = await waves(4);
    const devices = ["a", "b", "c", "d"];
    const next = () => Promise.all(devices.map((device) => app.create("/work/next", { device, kinds: ["pick"] })));
    const first = await next();
    expect(idsOf(first).sort()).toEqual(made.map((id) => `pick_${id}`).sort());
    expect(idsOf(await next())).toEqual(idsOf(first));
    expect((await app.create("/work/next", { device: "e", kinds: ["pick"] })).task).toBeNull();
    await app.takeEvents();
    const [own] = made;
    const pick = { bin: "A-01", sku: "JAR", quantity: 1, device: "z" };
    const refused = await app.post(`/waves/${own}/picks`, pick);
    expect([codeOf(refused), refused.body.error.claim.device]).toEqual(["task_taken", "a"]);
    expect(codeOf(await app.post(`/work/pick_${own}/claim`, { device: "z" }))).toBe("task_taken");
    expect(await app.takeEvents()).toEqual([]);
    await app.create(`/work/pick_${own}/take_over`, { device: "z" });
    await app.create(`/waves/${own}/picks`, pick);
    expect(codeOf(await app.post(`/waves/${own}/picks`, { ...pick, device: "a" }))).toBe("task_taken");
    app.clocks.live.advance(16 * 60_000);
    expect((await app.create("/work/next", { device: "e", kinds: ["pick"] })).task.claim.device).toBe("e");
  });

  test("a cancelled order leaves the walk, and its units become a task", async () => {
    const { id } = await shop.order([["JAR", 3]]);
    const wave = await planned({ mode: "cluster", filters: { order_ids: [id] } });
    await app.create(`/waves/${wave}/totes`, { tote: "T-1" });
    await app.create(`/waves/${wave}/picks`, { bin: "A-01", sku: "JAR", quantity: 2, tote: "T-1" });
    await shop.cancel(id);
    expect((await app.get(`/waves/${wave}/walk`)).body.data.stops).toEqual([]);
    const more = { bin: "A-01", sku: "JAR", quantity: 1, tote: "T-1" };
    expect(codeOf(await app.post(`/waves/${wave}/picks`, more))).toBe("order_cancelled");
    const { tasks } = (await app.get("/work?kinds=put_back")).body.data;
    expect(tasks).toMatchObject([{ id: `put_back_${id}`, units: 2, totes: ["T-1"] }]);
    await app.expectVerified();
  });

  test("orders of a merchant that shares no waves are taken only if it is named alone", async () => {
    const { id: merchant } = await app.create("/merchants", { name: "Alone", code: "ALONE", shared_waves: false });
    const apart = await shopOn(app, { merchant: "ALONE", customer: { ...buyer, email: "a@example.com" } });
    await apart.product({ sku: "POT", units: 5 });
    const { id } = await app.create("/orders", apart.draft([["POT", 1]]), apart.by);
    const plan = async (filters: object) =>
      (await app.post("/waves?dry_run=true", { mode: "batch", filters })).body.data;
    const all = await plan({});
    expect([all.order_ids.includes(id), all.waiting.map(({ reason }: { reason: string }) => reason)]).toEqual([
      false,
      expect.arrayContaining(["merchant_opted_out"]),
    ]);
    expect((await plan({ merchant_ids: [merchant] })).order_ids).toEqual([id]);
  });
});

describe("four devices at once", () => {
  test("pick every unit once, whatever they scan", async () => {
    const before = (await app.stockOf("JAR")).picked;
    let wanted = 0;
    const made: string[] = [];
    for (let wave = 0; wave < 3; wave++) {
      const order_ids: string[] = [];
      for (let at = 0; at < 5; at++) {
        order_ids.push((await shop.order([["JAR", at + 1]])).id);
        wanted += at + 1;
      }
      made.push(await planned({ mode: "batch", filters: { order_ids } }));
    }
    let taken = 0;
    const work = async (device: number) => {
      for (let turn = 0; turn < 40; turn++) {
        const id = made[(device + turn) % made.length];
        const quantity = 1 + ((device * 7 + turn * 3) % 4);
        const { status, body } = await app.post(`/waves/${id}/picks`, { bin: "A-01", sku: "JAR", quantity });
        if (status === 200) taken += quantity;
        else expect(["surplus_item"]).toContain(body.error.code);
        if (status === 200 && turn % 5 === 0 && device === 1) {
          const { order_id } = body.data.picked[0];
          const back = { sku: "JAR", quantity: 1, order_id, reason: "mistake" };
          if ((await app.post(`/waves/${id}/unpick`, back)).status === 200) taken -= 1;
        }
      }
    };
    await Promise.all([0, 1, 2, 3].map(work));
    expect((await app.stockOf("JAR")).picked - before).toBe(taken);
    expect(taken).toBeGreaterThan(wanted / 2);
    await app.expectVerified();
  });
});
