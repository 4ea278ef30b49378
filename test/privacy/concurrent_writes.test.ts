// Records created during and after an erasure: a new customer's stay, later ones of the person are erased.

import { expect, setDefaultTimeout, test } from "bun:test";
import { eq } from "drizzle-orm";
import { events } from "../../db/schema/outbox.ts";
import { platform_imports } from "../../db/schema/platforms.ts";
import { erasures } from "../../db/schema/privacy.ts";
import { refunds, return_inspections, return_items, returns } from "../../db/schema/returns.ts";
import { idempotency_keys } from "../../db/schema/service.ts";
import { readId } from "../../src/core/ids.ts";
import { day_ms } from "../../src/core/time.ts";
import { eraseAgain, eraseDue } from "../../src/privacy/privacy.jobs.ts";
import type { Store } from "../../src/storage/database.ts";

import { openShop } from "../build/shop.ts";

setDefaultTimeout(60_000);

const shop = await openShop();
const goods = await shop.product({ units: 100 });

const post = (path: string, body: unknown = {}) => shop.app.post(path, body);
const read = (id: string) => shop.app.get(`/erasures/${id}`).then(({ body }) => body.data);
const store = () => shop.app.service.stores.live;
const piece = () => eraseDue(store(), shop.app.service);

async function person(email: string, name: string) {
  const address = { name, address_line1: `9 ${name} Rd`, city: "Portland", state: "OR", postal_code: "97201" };
  const sent = { email, first_name: name, shipping_addresses: [{ ...address, country: "US" }] };
  const made = await post("/customers", sent);
  expect([made.status, made.body.error]).toEqual([201, undefined]);
  const customer = made.body;
  return {
    id: customer.id as string,
    customer_id: customer.id,
    shipping_address_id: customer.shipping_addresses[0].id,
  };
}

/** Creates an order of a person with an idempotency key. */
function orderOf({ customer_id, shipping_address_id }: Awaited<ReturnType<typeof person>>, key: string) {
  const draft = shop.draft([[goods, 1]], { customer_id, shipping_address_id });
  return shop.app.must("POST", "/orders", draft, { headers: { "idempotency-key": key } });
}

async function erased(id: string) {
  const begun = await post(`/customers/${id}/erasure`);
  expect([begun.status, begun.body.error]).toEqual([202, undefined]);
  await shop.app.runJobs();
  const done = await read(begun.body.data.id);
  expect(done.status).toBe("done");
  return done;
}

test("a person who orders again during an erasure is a new customer, whose events and responses stay", async () => {
  const email = "again@example.com";
  const before = await person(email, "Oldname");
  const old = await orderOf(before, "old");
  await shop.cancel(old.id);
  const begun = (await post("/erasures", { email })).body.data;
  expect(begun.customers).toEqual([before.id]);
  // The erasure starts and erases the customer: from now on the address is free.
  await piece();
  await piece();
  expect((await shop.app.get(`/customers/${before.id}`)).body.erased_at).not.toBeNull();
  const after = await person(email, "Newname");
  const fresh = await orderOf(after, "new");
  // Erasing the new customer is a separate erasure.
  const other = (await post("/erasures", { email, after_days: 30 })).body.data;
  expect([other.id === begun.id, other.customers]).toEqual([false, [after.id]]);
  expect((await shop.app.call("DELETE", `/erasures/${other.id}`)).status).toBe(200);
  await shop.app.runJobs();
  expect((await read(begun.id)).status).toBe("done");

  const told = await store().read((db) => db.sql.select().from(events));
  const bodies = told.map(({ body }) => body);
  expect(bodies.filter((body) => body.includes("Oldname"))).toEqual([]);
  const created = bodies.filter((body) => body.includes(fresh.id) && body.includes("order.created"));
  expect(created.length).toBe(1);
  expect(created[0]).toContain("Newname");
  expect(created[0]).toContain(email);
  const answers = await store().read((db) => db.sql.select().from(idempotency_keys));
  expect(answers.filter(({ body }) => body.includes("Oldname"))).toEqual([]);
  expect(answers.filter(({ body }) => body.includes("Newname") && body.includes(email)).length).toBe(1);
  await shop.cancel(fresh.id);
});

test("an order created after an erasure has started but before it changes anything keeps its address", async () => {
  const someone = await person("between@example.com", "Between");
  const begun = (await post(`/customers/${someone.id}/erasure`, { after_days: 0 })).body.data;
  await piece();
  expect((await read(begun.id)).status).toBe("running");
  const order = await orderOf(someone, "between");
  await shop.app.runJobs();
  expect((await read(begun.id)).status).toBe("waiting");
  expect((await shop.get(order.id)).shipping_address.name).toBe("Between");
  // It is already recorded outside the database and can no longer be cancelled.
  const refused = await shop.app.call("DELETE", `/erasures/${begun.id}`);
  expect([refused.status, refused.body.error.code]).toEqual([409, "invalid_state_transition"]);
  await shop.cancel(order.id);
  shop.app.clocks.live.advance(2 * 3_600_000);
  await shop.app.runJobs();
  expect((await read(begun.id)).status).toBe("done");
  expect((await shop.get(order.id)).shipping_address.name).toBe("Erased");
  // An erased customer has no address to ship to.
  const { customer_id, shipping_address_id } = someone;
  const late = await post("/orders", shop.draft([[goods, 1]], { customer_id, shipping_address_id }));
  expect([late.status, late.body.error.code]).toEqual([404, "resource_missing"]);
});

/** The texts of all returns. */
const words = () =>
  store().read(async (db) =>
    JSON.stringify([
      await db.sql.select().from(returns),
      await db.sql.select().from(return_items),
      await db.sql.select().from(return_inspections),
      await db.sql.select().from(refunds),
    ]),
  );

async function delivered(id: string) {
  for (const act of ["process", "ship", "deliver"]) await shop.act(id, act);
}

async function sendBack(order_id: string, sku: string) {
  const items = [{ sku, quantity: 1, notes: "Latenote" }];
  const made = await post("/returns", { order_id, reason: "other", customer_email: "late@example.com", items });
  expect([made.status, made.body.error]).toEqual([201, undefined]);
  await post(`/returns/${made.body.data.id}/receive`);
  const found = { condition: "opened", notes: "Latelook" };
  await post(`/returns/${made.body.data.id}/inspect`, { items: [{ sku, quantity: 1, ...found }] });
  await post(`/returns/${made.body.data.id}/refund`, { notes: "Laterefund" });
}

const late = /Latenote|Latelook|Laterefund|late@example/;

test("data added to an erased order is erased by the next request", async () => {
  const someone = await person("sue@example.com", "Sue Late");
  const order = await orderOf(someone, "sue");
  await delivered(order.id);
  const first = await erased(someone.id);
  // Nothing was added: the same erasure is returned.
  expect((await post(`/customers/${someone.id}/erasure`)).body.data.id).toBe(first.id);
  await sendBack(order.id, goods.sku);
  expect(await words()).toMatch(late);
  const second = await erased(someone.id);
  expect(second.id).not.toBe(first.id);
  expect(second.erased.map(({ records }: { records: string }) => records)).not.toContain("customers");
  expect(await words()).not.toMatch(late);
  expect((await post(`/customers/${someone.id}/erasure`)).body.data.id).toBe(second.id);
});

test("an erasure waits for an import that is queued, and the import is not lost", async () => {
  const email = "buyer@example.com";
  const connection = await post("/platforms", {
    ...{ platform: "shopify", store_id: "tea.myshopify.com" },
    client_secret: "the-secret-of-the-app-of-tests",
  });
  expect([connection.status, connection.body.error]).toEqual([201, undefined]);
  const connection_id = readId("connection", connection.body.data.id) ?? 0;
  await post(`/platforms/${connection.body.data.id}/pause`);
  const insert = (external_id: string) =>
    store().write((tx) =>
      tx.sql.insert(platform_imports).values({
        ...{ merchant_id: 1, connection_id, external_id, order_id: 900 + Number(external_id), status: "queued" },
        ...{ payload: { email } as never, revision: 1, lines: [], attempts: 0, next_at: tx.now },
        ...{ give_up_at: tx.now + day_ms, created_at: tx.now, updated_at: tx.now },
      }),
    );
  const payloads = () =>
    store().read(async (db) => {
      const rows = await db.sql.select().from(platform_imports).orderBy(platform_imports.id);
      return rows.map(({ payload }) => payload?.email ?? null);
    });
  await insert("1");
  const begun = (await post("/erasures", { email: "BUYER@example.com" })).body.data;
  await shop.app.runJobs();
  expect((await read(begun.id)).status).toBe("waiting");
  expect(await payloads()).toEqual([email]);
  // The import now waits for payment: no attempt is due.
  const unpaid = { status: "waiting", next_at: null } as const;
  await store().write((tx) => tx.sql.update(platform_imports).set(unpaid));
  shop.app.clocks.live.advance(2 * 3_600_000);
  await piece();
  await piece();
  // The person orders again while the erasure runs.
  await insert("2");
  await shop.app.runJobs();
  expect((await read(begun.id)).status).toBe("done");
  expect(await payloads()).toEqual([null, email]);
});

test("a failed erasure is postponed, and others continue", async () => {
  const broken = await person("broken@example.com", "Broken");
  const whole = await person("whole@example.com", "Whole");
  const [first, second] = [await post(`/customers/${broken.id}/erasure`), await post(`/customers/${whole.id}/erasure`)];
  const id = readId("erasure", first.body.data.id) ?? 0;
  await store().write((tx) =>
    tx.sql
      .update(erasures)
      .set({ status: "running", step: "unheard" as never })
      .where(eq(erasures.id, id)),
  );
  await expect(shop.app.runJobs()).rejects.toThrow(first.body.data.id);
  await shop.app.runJobs();
  expect((await read(second.body.data.id)).status).toBe("done");
  expect((await read(first.body.data.id)).next_check_at).not.toBeNull();
  await store().write((tx) => tx.sql.update(erasures).set({ step: "records" }).where(eq(erasures.id, id)));
  shop.app.clocks.live.advance(2 * 3_600_000);
  await shop.app.runJobs();
  expect((await read(first.body.data.id)).status).toBe("done");
});

test("the address of an erased customer cannot be predicted or chosen", async () => {
  for (const email of ["erased-1010@erased.invalid", "x@ERASED.invalid"]) {
    const made = await post("/customers", { email });
    expect([made.status, made.body.error.code]).toEqual([422, "validation_failed"]);
  }
  const someone = await person("mark@example.com", "Mark");
  await erased(someone.id);
  const number = someone.id.replace("cus_", "");
  expect((await shop.app.get(`/customers/${someone.id}`)).body.email).toMatch(
    new RegExp(`^erased-${number}-[0-9a-f]{12}@erased\\.invalid$`),
  );
});

test("a restore reports customers that it cannot erase again, and the server continues", async () => {
  const someone = await person("restored@example.com", "Restored");
  const created_at = shop.app.clocks.live.now();
  const again = { mode: "live" as const, customer_id: readId("customer", someone.id) ?? 0, created_at, erased_at: 1 };
  /** The stores with one failing transaction in live. */
  const failing = (nth: number) => {
    let writes = 0;
    const write: Store["write"] = (work) => {
      writes += 1;
      return writes === nth ? Promise.reject(new Error("no room")) : store().write(work);
    };
    const { test: other } = shop.app.service.stores;
    return { live: { ...bound(store()), write }, test: other };
  };
  const said: string[] = [];
  const say = (line: string) => said.push(line);
  await expect(eraseAgain(failing(1), again, say)).rejects.toThrow(`${someone.id} (live)`);
  expect(await eraseAgain(failing(2), again, say)).toBe(true);
  expect(said[0]).toStartWith(`${someone.id} (live)`);
  expect((await shop.app.get(`/customers/${someone.id}`)).body.erased_at).toBeNull();
  shop.app.clocks.live.advance(2 * 3_600_000);
  await shop.app.runJobs();
  expect((await shop.app.get(`/customers/${someone.id}`)).body.erased_at).not.toBeNull();
});

/** A store with bound methods. */
const bound = (all: Store): Store =>
  new Proxy(all, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
    ownKeys: () => ["read", "write", "shred", "mode", "clock"],
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
  });

test("a batch scans a limited number of events, whoever they belong to", async () => {
  const someone = await person("bounded@example.com", "Bounded");
  const merchant_id =
    readId("merchant", (await post("/merchants", { code: "OTHER", name: "Other" })).body.data.id) ?? 0;
  await store().write(async (tx) => {
    const [row] = await tx.sql.select().from(events).limit(1);
    const { seq: _, position: _unplaced, ...fields } = row as NonNullable<typeof row>;
    for (let from = 0; from < 5000; from += 500) {
      const rows = Array.from({ length: 500 }, (_unused, at) => ({ ...fields, id: `evt_x${from + at}`, merchant_id }));
      await tx.sql.insert(events).values(rows.map((one) => ({ ...one, position: null, created_at: tx.now })));
    }
  });
  const begun = (await post(`/customers/${someone.id}/erasure`)).body.data;
  const id = readId("erasure", begun.id) ?? 0;
  const places: number[] = [];
  for (;;) {
    await piece();
    const [now] = await store().read((db) => db.sql.select().from(erasures).where(eq(erasures.id, id)));
    if (now?.status === "done") break;
    if (now?.step === "events" && now.place !== "") places.push(Number(now.place));
  }
  expect(places.length).toBeGreaterThanOrEqual(2);
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  await store().write((tx) => tx.sql.delete(events).where(eq(events.merchant_id, merchant_id)));
});
