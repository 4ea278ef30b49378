// Concurrent calls of the same command run as one batch, and no response shows it.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { engine } from "../../src/core/config.ts";
import { Fault } from "../../src/core/faults.ts";
import { answerBatched, type BatchableCommand } from "../../src/http/batching.ts";
import type { Call } from "../../src/http/call.ts";
import type { Store } from "../../src/storage/database.ts";
import type { Answered, TestApp } from "../build/service.ts";
import { type House, stock, twoHouses } from "../build/twin_services.ts";
import { tries } from "../volume.ts";

const { alone, crowd } = await twoHouses();

const order = fc.record({
  number: fc.integer({ min: 0, max: 7 }),
  lines: fc.uniqueArray(
    fc.record({ sku: fc.constantFrom("A", "B", "C", "?"), quantity: fc.integer({ min: 1, max: 6 }) }),
    { minLength: 1, maxLength: 3, selector: ({ sku }) => sku },
  ),
  allow_backorder: fc.boolean(),
  bad: fc.constantFrom(false, false, false, false, true),
});
const situation = fc.record({
  orders: fc.array(order, { minLength: 2, maxLength: 12 }),
  stock: fc.tuple(...[0, 1, 2].map(() => fc.integer({ min: 0, max: 14 }))),
  booked: fc.option(fc.integer({ min: 0, max: 7 })),
});

let run = 0;
type Situation = typeof situation extends fc.Arbitrary<infer S> ? S : never;

type Way = "at once" | "in a list" | "one by one";

/** Runs a situation in a service and returns the outcome. */
async function played(house: House, { orders, stock: units, booked }: Situation, way: Way) {
  const { app, to } = house;
  const own = (name: string) => `${name}-${run}`;
  for (const [at, sku] of ["A", "B", "C"].entries()) await stock(house, own(sku), units[at] ?? 0);
  if (booked !== null) {
    await app.post("/inventory/reserve", { order_id: own(`N${booked}`), items: [{ sku: own("A"), quantity: 1 }] });
  }
  await app.takeEvents();
  const bodies = orders.map(({ number, lines, allow_backorder, bad }) => ({
    ...to,
    ...(bad ? { customer_id: "cus_77" } : {}),
    order_number: own(`N${number}`),
    line_items: lines.map(({ sku, quantity }) => ({ sku: own(sku), quantity, unit_price: "5.00" })),
    allow_backorder,
  }));
  const create = async (body: object) => {
    const answer = await app.post("/orders", body);
    return told({ status: answer.status, ...answer.body });
  };
  const told = ({ status, data, error }: Answered["body"]) => {
    const units = data?.line_items.map((line: Record<string, unknown>) => [line["sku"], line["quantity_reserved"]]);
    return [status, error?.code ?? units, error?.message.replace(/ord_\d+/g, "ord") ?? data.order_number];
  };
  const results: unknown[] = [];
  if (way === "at once") results.push(...(await Promise.all(bodies.map(create))));
  else if (way === "one by one") for (const body of bodies) results.push(await create(body));
  else results.push(...(await app.post("/orders/bulk", { orders: bodies })).body.data.results.map(told));
  const events = (await app.takeEvents()).map(({ type, data }) => `${type} ${data["order_number"] ?? ""}`);
  const levels = await Promise.all(
    ["A", "B", "C"].map(async (sku) => (await app.get(`/inventory/${own(sku)}`)).body.data),
  );
  return {
    results,
    created: events.filter((event) => event.startsWith("order.created")),
    levels: levels.map(({ available, reserved, backordered }) => ({ available, reserved, backordered })),
  };
}

const lists = async (app: TestApp) => {
  const text = String((await app.call("GET", "/metrics")).body);
  const count = (what: string) => {
    const pattern = new RegExp(`^packhouse_calls_together_${what}.*act="createOrder".*mode="live".* (\\d+)$`, "gm");
    return [...text.matchAll(pattern)].map(([line, number]) => [line, Number(number)] as const);
  };
  return { transactions: count("count")[0]?.[1] ?? 0, calls: count("sum")[0]?.[1] ?? 0 };
};

/** The number of batches that were rolled back, after which each of their calls ran individually. */
async function parted(app: TestApp, act = "createOrder"): Promise<number> {
  const text = String((await app.call("GET", "/metrics")).body);
  const found = new RegExp(`^packhouse_calls_parted_total\\{.*act="${act}".*mode="live".* (\\d+)$`, "m").exec(text);
  return Number(found?.[1] ?? 0);
}

// On PostgreSQL two batches run concurrently, so simultaneous calls have no order.
const ways: readonly Way[] = engine === "sqlite" ? ["at once", "in a list"] : ["in a list"];

describe("orders created together", () => {
  test.each(ways)(
    "%s have the same outcome as one after the other, including any that fail",
    async (way) => {
      await fc.assert(
        fc.asyncProperty(situation, async (it) => {
          run += 1;
          expect(await played(crowd, it, way)).toEqual(await played(alone, it, "one by one"));
        }),
        tries(20),
      );
    },
    120_000,
  );

  test("share transactions", async () => {
    const { app, to } = crowd;
    await stock(crowd, "SHARED", 10);
    const before = await lists(app);
    const place = (at: number) => {
      const line_items = [{ sku: "SHARED", quantity: 1, unit_price: "5.00" }];
      return app.post("/orders", { ...to, order_number: `S-${at}`, line_items, allow_backorder: false });
    };
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => place(at)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    expect((await app.get("/inventory/SHARED")).body.data).toMatchObject({ available: 0, reserved: 10 });
    const { transactions, calls } = await lists(app);
    expect(calls - before.calls).toBe(20);
    // On PostgreSQL, how many calls have arrived when a transaction starts depends on how busy the machine is.
    expect(transactions - before.transactions).toBeLessThan(engine === "sqlite" ? 10 : 20);
  });
});

const booking = fc.record({
  name: fc.integer({ min: 0, max: 5 }),
  items: fc.array(fc.record({ sku: fc.constantFrom("A", "B", "?"), quantity: fc.integer({ min: 1, max: 5 }) }), {
    minLength: 1,
    maxLength: 3,
  }),
  by_id: fc.constantFrom(false, false, false, true),
});
const bookings = fc.record({
  bookings: fc.array(booking, { minLength: 2, maxLength: 12 }),
  stock: fc.tuple(...[0, 1].map(() => fc.integer({ min: 0, max: 20 }))),
  ordered: fc.option(fc.integer({ min: 0, max: 5 })),
});
type Bookings = typeof bookings extends fc.Arbitrary<infer S> ? S : never;

/** Makes reservations in a service, all at once or one after the other, and returns the outcome. */
async function booked(house: House, { bookings, stock: units, ordered }: Bookings, at_once: boolean) {
  const { app, to } = house;
  const own = (name: string) => `${name}-B${run}`;
  for (const [at, sku] of ["A", "B"].entries()) await stock(house, own(sku), units[at] ?? 0);
  // A reservation with the name of an order means the order's own reservation.
  if (ordered !== null) {
    const line_items = [{ sku: own("A"), quantity: 2, unit_price: "5.00" }];
    await app.post("/orders", { ...to, order_number: own(`N${ordered}`), line_items });
  }
  const book = async ({ name, items, by_id }: Bookings["bookings"][number]) => {
    const { status, body } = await app.post("/inventory/reserve", {
      order_id: by_id ? "ord_77777777" : own(`N${name}`),
      items: items.map(({ sku, quantity }) => ({ sku: own(sku), quantity })),
    });
    return [status, body.error?.code ?? body.data.items, body.error?.details ?? null];
  };
  const results: unknown[] = [];
  if (at_once) results.push(...(await Promise.all(bookings.map(book))));
  else for (const one of bookings) results.push(await book(one));
  const levels = await Promise.all(["A", "B"].map(async (sku) => (await app.get(`/inventory/${own(sku)}`)).body.data));
  return { results, levels: levels.map(({ available, reserved }) => ({ available, reserved })) };
}

test.skipIf(engine === "postgres")(
  "simultaneous reservations have the same outcome as one after the other",
  async () => {
    await fc.assert(
      fc.asyncProperty(bookings, async (it) => {
        run += 1;
        expect(await booked(crowd, it, true)).toEqual(await booked(alone, it, false));
      }),
      tries(25),
    );
  },
  120_000,
);

const adjustments = fc.record({
  adjustments: fc.array(
    fc.record({
      sku: fc.constantFrom("A", "A", "B", "?"),
      adjustment: fc.integer({ min: -6, max: 6 }).filter((by) => by !== 0),
      expected: fc.option(fc.integer({ min: 0, max: 9 }), { freq: 4 }),
      allow_shortfall: fc.boolean(),
    }),
    { minLength: 2, maxLength: 12 },
  ),
  stock: fc.tuple(...[0, 1].map(() => fc.constantFrom(0, 1, 4, 9))),
  reserved: fc.integer({ min: 0, max: 6 }),
});
type Adjustments = typeof adjustments extends fc.Arbitrary<infer S> ? S : never;

/** Adjusts stock in a service, all at once or one after the other, and returns the outcome. */
async function adjusted(house: House, it: Adjustments, at_once: boolean) {
  const { app, to } = house;
  const own = (name: string) => `${name}-A${run}`;
  for (const [at, sku] of ["A", "B"].entries()) await stock(house, own(sku), it.stock[at] ?? 0);
  if (it.reserved > 0) {
    const line_items = [{ sku: own("A"), quantity: it.reserved, unit_price: "5.00" }];
    await app.post("/orders", { ...to, order_number: own("N"), line_items, allow_backorder: true });
  }
  const adjust = async ({ sku, adjustment, expected, allow_shortfall }: Adjustments["adjustments"][number]) => {
    const { status, body } = await app.patch(`/inventory/${own(sku)}`, {
      adjustment,
      reason: "damaged",
      allow_shortfall,
      ...(expected === null ? {} : { expected_quantity: expected }),
    });
    const { error, data } = body;
    return [status, error?.code ?? [data.previous_quantity, data.new_quantity, data.backordered_orders.length]];
  };
  const results: unknown[] = [];
  if (at_once) results.push(...(await Promise.all(it.adjustments.map(adjust))));
  else for (const one of it.adjustments) results.push(await adjust(one));
  const levels = await Promise.all(["A", "B"].map(async (sku) => (await app.get(`/inventory/${own(sku)}`)).body.data));
  const moved = (await app.get(`/inventory/movements?sku=${own("A")}`)).body.data;
  return {
    results,
    levels: levels.map(({ total, available, reserved, backordered }) => ({ total, available, reserved, backordered })),
    moved: moved.map(({ quantity, to_balance }: Record<string, unknown>) => ({ quantity, to_balance })),
  };
}

test.skipIf(engine === "postgres")(
  "simultaneous adjustments have the same outcome as one after the other",
  async () => {
    await fc.assert(
      fc.asyncProperty(adjustments, async (it) => {
        run += 1;
        expect(await adjusted(crowd, it, true)).toEqual(await adjusted(alone, it, false));
      }),
      tries(40),
    );
    expect(await parted(crowd.app, "adjustInventory")).toBe(0);
  },
  120_000,
);

/**
 * Calls a command that returns its input, in a store whose transactions run through `write`. Returns the outcome of
 * each call.
 */
function askerOf(live: Store, write: Store["write"]) {
  const act: BatchableCommand<string, object> = {
    name: "createOrder",
    status: 200,
    weight: () => 1,
    runOne: async (_, { input }) => ({ input }),
    runBatch: async (_, parts) => parts.map(({ input }) => ({ input })),
    view: (it) => it,
  };
  const request = new Request("http://packhouse.test/v1/orders", { method: "POST" });
  const actor = { type: "api_key", id: "key_1", name: "till", request_id: "req_1" };
  const asked = { request, request_id: "req_1", route: { need: "orders.write" }, merchant_id: null };
  const given = { ...asked, store: { ...live, write }, actor, recording: null, renew: null, headers: {} };
  const call = { ...given, confirm: async () => {} } as unknown as Call;
  return (inputs: readonly string[]) =>
    Promise.all(
      inputs.map((input) =>
        answerBatched(call, act, input).then(
          async (answer) => ((await answer.json()) as { data: { input: string } }).data.input,
          (error: Error) => error.message,
        ),
      ),
    );
}

describe("each of many simultaneous calls", () => {
  test("keeps its own Idempotency-Key", async () => {
    const { app, to } = crowd;
    await stock(crowd, "KEYED", 5);
    const bodies = Array.from({ length: 12 }, (_, at) => ({
      ...to,
      ...(at % 4 === 1 ? { customer_id: "cus_77" } : {}),
      order_number: at % 4 === 2 ? "K-0" : `K-${at}`,
      line_items: [{ sku: "KEYED", quantity: 1, unit_price: "5.00" }],
      allow_backorder: false,
    }));
    const send = () =>
      Promise.all(
        bodies.map(async (body, at) => {
          const headers = { "idempotency-key": `crowd-${at}` };
          const { status, body: answer, headers: told } = await app.call("POST", "/orders", body, { headers });
          return { status, text: JSON.stringify(answer), replayed: told.get("idempotency-replayed") === "true" };
        }),
      );
    const [before, undone] = [await lists(app), await parted(app)];
    const [first, second] = [await send(), await send()];
    // Calls that are refused on their own are not counted.
    expect((await lists(app)).calls - before.calls).toBeGreaterThanOrEqual(20);
    expect(await parted(app)).toBe(undone);
    expect(first.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(new Set(first.map(({ status }) => status))).toEqual(new Set([201, 404, 409]));
    expect(first.filter(({ replayed }) => replayed)).toEqual([]);
    // A 404 is not stored as an outcome of the command, so the command runs again.
    expect(second.map(({ replayed }) => replayed)).toEqual(first.map(({ status }) => status !== 404));
    for (const [at, { status, text }] of second.entries()) if (status !== 404) expect(text).toBe(first[at]?.text ?? "");
  });

  test("runs individually when the batch fails, fails alone, and shares a batch of limited size", async () => {
    const { live } = crowd.app.service.stores;
    const done: string[] = [];
    const lists: string[] = [];
    const act: BatchableCommand<string, object> = {
      name: "createOrder",
      status: 200,
      weight: (input) => (input === "heavy" ? 150 : 1),
      runOne: async (_, { input }) => {
        if (input === "bad") throw new Error("a defect");
        done.push(input);
        return { input };
      },
      runBatch: async (_, parts) => {
        lists.push(parts.map(({ input }) => input).join());
        if (parts.some(({ input }) => input === "bad")) throw new Error("a defect");
        return parts.map(({ input }) => (input === "odd" ? new Fault("write_conflict", "odd") : { input }));
      },
      view: (it) => it,
    };
    const request = new Request("http://packhouse.test/v1/orders", { method: "POST" });
    const asked = { request, request_id: "req_1", route: { need: "orders.write" }, merchant_id: null };
    const given = { ...asked, store: live, recording: null, renew: null, headers: {} };
    const call = { ...given, confirm: async () => {} } as unknown as Call;
    const ask = (...inputs: string[]) =>
      Promise.all(
        inputs.map(async (input) => {
          const answer = await answerBatched(call, act, input).catch((error: Error) => error.message);
          return typeof answer === "string"
            ? answer
            : ((await answer.json()) as { data: { input: string } }).data.input;
        }),
      );
    expect(await ask("a", "odd", "b")).toEqual(["a", "odd", "b"]);
    expect(done).toEqual([]);
    const before = await parted(crowd.app);
    expect(await ask("a", "bad", "b")).toEqual(["a", "a defect", "b"]);
    expect(await parted(crowd.app)).toBe(before + 1);
    expect(done).toEqual(["a", "b"]);
    lists.length = 0;
    const many = Array.from({ length: 70 }, (_, at) => `${at}`);
    expect(await ask("heavy", "c", "heavy", "d")).toHaveLength(4);
    expect(await ask(...many)).toHaveLength(70);
    // Two heavy calls do not share a transaction, and a transaction has at most 64 calls.
    const sizes = lists.map((list) => list.split(",").length);
    expect([lists[0], Math.max(...sizes)]).toEqual(["heavy,c", 64]);
  });

  test("is refused when the transaction cannot begin, and later calls succeed", async () => {
    const { live } = crowd.app.service.stores;
    let down = true;
    let tried = 0;
    const ask = askerOf(live, (work) => {
      tried += 1;
      return down ? Promise.reject(new Fault("storage_unavailable", "gone")) : live.write(work);
    });
    expect(await ask(["a", "b", "c"])).toEqual(["gone", "gone", "gone"]);
    expect(tried).toBe(1);
    down = false;
    expect(await ask(["a", "b", "c"])).toEqual(["a", "b", "c"]);
  });

  test("gets a response when its transaction had to be rerun", async () => {
    const { live } = crowd.app.service.stores;
    const undone = new Error("undone");
    const ask = askerOf(live, (work) =>
      live.write(async (tx) => {
        const first = tx.nested(async (part) => {
          await work(part);
          throw undone;
        });
        await first.catch((error) => expect(error).toBe(undone));
        return await work(tx);
      }),
    );
    const many = Array.from({ length: 200 }, (_, at) => `${at}`);
    expect(await ask(many)).toEqual(many);
  });
});
