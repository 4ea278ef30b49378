// An order can be given by its id or its number, wherever a request names one: in paths, fields and filters.
import { beforeAll, describe, expect, test } from "bun:test";
import { operationsOf } from "../../../src/server/openapi/description.ts";
import type { Operation } from "../../../src/server/openapi/operation.ts";
import type { Answered } from "../../build/service.ts";
import { openShop } from "../../build/shop.ts";

const shop = await openShop();
const goods: { id: string; sku: string } = await shop.product({ units: 1000 });
const operations: Operation[] = operationsOf(shop.app.app.routes).filter(({ path }) => path.startsWith("/orders/{id}"));

// Order numbers, each with a different last digit.
const odd = ["#7/ü 1?a=b&c", "100%", "a+b", "%23", "..", "ORD-", "ordinary ", "00", "1e"];

const parcel = { carrier: "local", service: "standard", package: { weight: 1 } };
type Ask = (name: string) => Promise<Answered>;

/** All other places that take an order, with the status of the response if it exists. */
const places: Readonly<Record<string, readonly [number, Ask]>> = {
  "POST /returns": [201, (order_id) => shop.app.post("/returns", { order_id, reason: "defective" })],
  "POST /shipping/labels": [201, (order_id) => shop.app.post("/shipping/labels", { ...parcel, order_id })],
  "POST /inventory/reserve": [
    201,
    (order_id) => shop.app.post("/inventory/reserve", { order_id, items: [{ sku: goods.sku, quantity: 1 }] }),
  ],
  "GET /returns": [200, (name) => shop.app.get(`/returns?order_id=${encodeURIComponent(name)}`)],
  "GET /inventory/reservations": [
    200,
    (name) => shop.app.get(`/inventory/reservations?order_id=${encodeURIComponent(name)}`),
  ],
  "GET /pick_lists": [200, (name) => shop.app.get(`/pick_lists?format=json&order_ids=${encodeURIComponent(name)}`)],
};

/** Calls a route with this name of an order. */
function ask({ method, path }: Operation, name: string): Promise<Answered> {
  const items = { items: [{ sku: goods.sku, quantity: 1 }] };
  const given = /tag$/.test(path) ? { tags: ["odd"] } : /notes$/.test(path) ? { text: "odd" } : {};
  const fields = /cancel_items|split/.test(path) ? items : /unp|reopen/.test(path) ? { reason: "mistake" } : given;
  const body = method === "get" || method === "delete" ? undefined : fields;
  const at = path
    .replace("{id}", encodeURIComponent(name))
    .replace("{shipment_id}", "shp_1")
    .replace("{note_id}", "nte_1");
  return shop.app.call(method.toUpperCase(), at, body);
}

describe("a number that only one order has", () => {
  test.each(odd)(
    "%j works on every route of its order",
    async (text) => {
      expect(operations.length).toBeGreaterThan(10);
      for (const [at, operation] of operations.entries()) {
        const order_number = `${text}${at}`;
        await shop.order([[goods, 1]], { order_number });
        const plain = await shop.order([[goods, 1]]);
        const [named, known] = [await ask(operation, order_number), await ask(operation, plain.id)];
        expect([operation.path, named.status]).toEqual([operation.path, known.status]);
        // The parcel or the note is unknown, but not the order.
        const of_part = /shipment_id|note_id/.test(operation.path);
        expect(named.status === 404).toBe(of_part);
        const of_parcel = operation.path.includes("{shipment_id}");
        if (of_parcel) expect(named.body.error.message).toEndWith("has no such parcel: shp_1.");
      }
    },
    30_000,
  );

  test.each(Object.entries(places))("%s accepts it", async (place, [status, askThere]) => {
    const order_number = `N/${place} ü`;
    const made = await shop.order([[goods, 2]], { order_number });
    if (place.endsWith("/returns")) await shop.act(made.id, "ship");
    if (place === "GET /returns") await shop.app.post("/returns", { order_id: made.id, reason: "defective" });
    const answer = await askThere(order_number);
    expect([answer.status, answer.body.error]).toEqual([status, undefined]);
    const said = JSON.stringify(answer.body.data);
    expect(said.includes(made.id) || said.includes(JSON.stringify(order_number))).toBe(true);
  });
});

describe("digits that are the number of one order and the id of another", () => {
  let order: { id: string; order_number: string };
  let digits: string;
  beforeAll(async () => {
    digits = (await shop.order([[goods, 1]])).id.slice(4);
    order = await shop.order([[goods, 1]], { order_number: digits });
  });

  test("are refused by every route, naming both", async () => {
    for (const operation of operations) {
      const answer = await ask(operation, digits);
      expect([operation.path, answer.status, answer.body.error.code]).toEqual([
        ...[operation.path, 409, "ambiguous_identifier"],
      ]);
      for (const id of [`ord_${digits}`, order.id]) expect(answer.body.error.message).toContain(id);
    }
  });

  test.each(Object.entries(places))("are refused by %s", async (_, [__, askThere]) => {
    const answer = await askThere(digits);
    expect([answer.status, answer.body.error?.code]).toEqual([409, "ambiguous_identifier"]);
  });

  test("mean the id with the prefix `ord_`", async () => {
    expect((await shop.get(`ord_${digits}`)).id).toBe(`ord_${digits}`);
    expect((await shop.get(order.id)).order_number).toBe(digits);
  });
});

test("digits are an id if no order has that number", async () => {
  const made = await shop.order([[goods, 1]]);
  expect((await shop.get(made.id.slice(4))).id).toBe(made.id);
});

test("unknown names are refused as such", async () => {
  for (const name of ["nothing", "ord_1", "1", "ord_x", "ord_"]) {
    for (const operation of operations) {
      const answer = await ask(operation, name);
      expect([operation.path, answer.status, answer.body.error.code]).toEqual([
        ...[operation.path, 404, "resource_missing"],
      ]);
      expect(answer.body.error.message).toContain(name);
    }
  }
});
