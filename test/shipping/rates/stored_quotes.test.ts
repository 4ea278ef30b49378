// Quotes are stored once per response, for the merchant that requested them, until they expire.

import { describe, expect, test } from "bun:test";
import { rate_quotes } from "../../../db/schema/rates.ts";
import { Fault } from "../../../src/core/faults.ts";
import { minute_ms } from "../../../src/core/time.ts";
import { deleteExpiredQuotes } from "../../../src/shipping/rates/quotes.sql.ts";
import type { Store } from "../../../src/storage/database.ts";
import { appOn, openApp } from "../../build/service.ts";
import { outcomeOf, parcelShopOn } from "../../build/shop.ts";

let full = false;

/** A store whose disk can be full. */
function onFullDisk(store: Store): Store {
  const write = store.write.bind(store);
  const refused = () => Promise.reject(new Fault("storage_full", "The disk is full."));
  return Object.assign(store, { write: ((work) => (full ? refused() : write(work))) satisfies Store["write"] });
}

const app = await openApp({ through: onFullDisk });
const shop = await parcelShopOn(app);
const { live } = app.service.stores;

const parcel = { weight: 2.5, weight_unit: "lb" };
const from = (await app.get("/inventory/locations")).body.data[0].address;
const asked = { from_zip: from.postal_code, to_zip: "90210", ...parcel };

const stored = () => live.read((db) => db.sql.select().from(rate_quotes));
const quoted = async (by: Parameters<typeof app.call>[3] = {}, fields: object = {}): Promise<string[]> => {
  const { status, body } = await app.call("POST", "/shipping/rates", { ...asked, ...fields }, by);
  expect(status).toBe(200);
  return body.data.rates.map(({ quote_id }: { quote_id: string }) => quote_id);
};
const buy = (order_id: string, quote_id: string, by: Parameters<typeof app.call>[3] = {}) =>
  app.call("POST", "/shipping/labels", { order_id, quote_id, package: parcel }, by);

describe("the quotes of a response", () => {
  test("are one row, and none if there are none", async () => {
    const ids = await quoted();
    expect(new Set(ids).size).toBe(3);
    const [row, ...others] = await stored();
    expect(others).toEqual([]);
    expect(ids).toEqual([0, 1, 2].map((at) => `${row?.id}_${at}`));
    expect(ids.every((id) => id.length <= 40)).toBe(true);
    expect(JSON.stringify(row)).not.toMatch(/Canyon|90210/);
    expect(await quoted({}, { weight: 151 })).toEqual([]);
    expect(await stored()).toHaveLength(1);
  });

  test("can be bought on another server", async () => {
    const [quote_id = ""] = await quoted();
    const other = appOn(app.service.stores);
    const { id } = await shop.order();
    const headers = { authorization: `Bearer ${app.keys.live.full}`, "content-type": "application/json" };
    const body = JSON.stringify({ order_id: id, quote_id, package: parcel });
    const request = new Request("http://packhouse.test/v1/shipping/labels", { method: "POST", headers, body });
    expect((await other.handle(request)).status).toBe(201);
    expect(outcomeOf(await buy((await shop.order()).id, quote_id))).toEqual([409, "quote_used"]);
  });

  test("belong to the merchant that they were requested for; the operator can use all", async () => {
    await app.must("PATCH", "/merchants/MAIN", { may_buy_labels: true });
    await app.must("POST", "/merchants", { code: "ACME", name: "Acme", may_buy_labels: true });
    const keyOf = async (merchant_id: string) =>
      (await app.must("POST", "/keys", { name: merchant_id, permission: "full", merchant_id })).key as string;
    const [main, acme] = [{ key: await keyOf("MAIN") }, { key: await keyOf("ACME") }];
    const named = { merchant: "MAIN" };
    const unknown = [422, "validation_failed"];
    const outcomes = async (quote_id: string, buyers: readonly object[]) => {
      const found: unknown[] = [];
      for (const buyer of buyers) {
        const { id } = await shop.order();
        found.push(outcomeOf(await buy(id, quote_id, buyer)));
      }
      return found;
    };
    const bought = [201, undefined];
    const used = [409, "quote_used"];
    const [of_acme = "", other_of_acme = ""] = await quoted(acme);
    expect(await outcomes(of_acme, [main, {}, {}])).toEqual([unknown, bought, used]);
    expect(await outcomes(other_of_acme, [named])).toEqual([bought]);
    const [of_main = "", other_of_main = ""] = await quoted(main);
    expect(await outcomes(of_main, [main])).toEqual([bought]);
    expect(await outcomes(other_of_main, [{}])).toEqual([bought]);
    const [of_operator = ""] = await quoted();
    expect(await outcomes(of_operator, [main, named])).toEqual([unknown, bought]);
    const [for_main = ""] = await quoted(named);
    expect(await outcomes(for_main, [main])).toEqual([bought]);
    const [in_test = ""] = await quoted({ key: app.keys.test.full });
    expect(await outcomes(in_test, [{}])).toEqual([unknown]);
  });

  test("are deleted once they have expired, which their ids still show", async () => {
    const [quote_id = ""] = await quoted();
    const { id } = await shop.order();
    app.clocks.live.advance(15 * minute_ms - 1);
    const clean = (limit = 100) => live.write((tx) => deleteExpiredQuotes(tx, limit));
    expect([await clean(), (await stored()).length > 1]).toEqual([false, true]);
    app.clocks.live.advance(1);
    expect(await clean(1)).toBe(true);
    expect(outcomeOf(await buy(id, quote_id))).toEqual([409, "quote_expired"]);
    expect([await clean(), await stored()]).toEqual([false, []]);
    expect(outcomeOf(await buy(id, quote_id))).toEqual([409, "quote_expired"]);
  });

  test("are not needed when a purchase is repeated", async () => {
    const [quote_id = ""] = await quoted();
    const { id } = await shop.order();
    const headers = { "idempotency-key": "once" };
    const first = await buy(id, quote_id, { headers });
    expect(first.status).toBe(201);
    app.clocks.live.advance(15 * minute_ms);
    await live.write((tx) => deleteExpiredQuotes(tx, 100));
    const again = await buy(id, quote_id, { headers });
    expect([again.status, again.body]).toEqual([201, first.body]);
  });

  test("are refused while nothing can be stored, and rates with them", async () => {
    full = true;
    const refused = await app.post("/shipping/rates", asked);
    full = false;
    expect(outcomeOf(refused)).toEqual([503, "storage_full"]);
    expect(await quoted()).toHaveLength(3);
  });
});
