// Carriers' labels: claimed, paid for and recorded, whatever happens to the responses.

import { beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { systemActor } from "../../../src/core/actor.ts";
import { wireId } from "../../../src/core/ids.ts";
import { day_ms, minute_ms } from "../../../src/core/time.ts";
import { beginPurchase, chooseSeller } from "../../../src/shipping/labels/label_purchases.ts";
import { carrier_timeout_ms, openApp } from "../../build/service.ts";
import { type ParcelShop, parcel, parcelShopOn } from "../../build/shop.ts";
import { down, drawn, lost, openSeller, refused } from "./seller.ts";

setDefaultTimeout(60_000);

const app = await openApp();
const shop: ParcelShop = await parcelShopOn(app);
const seller = await openSeller(app);
beforeEach(async () => {
  seller.openUp();
  Object.assign(app.service, { carrier_timeout_ms });
  await app.takeEvents();
});

const ground = { carrier: "swift", service: "ground" };
const labelOf = async (id: string) => (await app.get(`/shipping/labels/${id}`)).body.data;
const orderOf = async (id: string) => (await app.get(`/orders/${id}`)).body.data;

/** Advances the store's clock and runs the due jobs. */
async function later(ms: number) {
  app.clocks.live.advance(ms);
  await app.runJobs();
}

/** Requests a label of the carrier, and returns the label and its order. */
async function buy(fields: object = {}, headers: Record<string, string> = {}) {
  const order = await shop.order();
  const answer = await shop.label(order.id, { ...ground, ...fields }, headers);
  return { order, answer, label: answer.body.data };
}

/** A carrier that responds when told to, and clients that do not wait for it. */
function hanging() {
  Object.assign(app.service, { carrier_timeout_ms: 1 });
  const { promise, resolve } = Promise.withResolvers<void>();
  seller.fake.buy = async (ref) => {
    const sold = seller.sell(ref);
    await promise;
    return sold;
  };
  return resolve;
}

describe("works", () => {
  test("a label is bought, tracked and emitted once, with the carrier's document behind a link", async () => {
    const before = seller.books.size;
    const { order, answer, label } = await buy();
    expect(answer.status).toBe(201);
    expect(label).toMatchObject({
      order_id: order.id,
      account_id: seller.account_id,
      status: "completed",
      ...ground,
      return_id: null,
      cost: 12.5,
      carrier_cost: 12.5,
      currency: "USD",
      error: null,
      void_status: null,
    });
    expect(label.tracking_url).toBe(`https://swift.example/${label.tracking_number}`);
    expect(seller.books.size).toBe(before + 1);
    expect(await app.takeTypes()).toEqual(["shipment.created"]);
    const printed = await app.app.handle(new Request(label.label_url));
    expect([printed.headers.get("content-type"), await printed.bytes()]).toEqual(["application/pdf", drawn]);
    const { tracking_number, tracking_url } = label;
    const { shipments } = await orderOf(order.id);
    expect(shipments).toMatchObject([{ ...ground, tracking_number, tracking_url }]);
    const parcel = (await app.get(`/shipments/${shipments[0].id}`)).body.data;
    expect([parcel.tracking_url, (await app.get(`/tracking/${tracking_number}`)).body.data.tracking_url]).toEqual([
      tracking_url,
      tracking_url,
    ]);
    expect((await app.get(`/tracking/${label.tracking_number}`)).body.data).toMatchObject({ status: "pending" });
    expect(await labelOf(label.label_id)).toMatchObject({ status: "completed", cost: 12.5 });
  });

  test("a slow carrier leads to 202, and the job completes the purchase with growing delays", async () => {
    seller.fake.buy = async (ref) => seller.sell(ref, "waiting");
    const { order, answer, label } = await buy();
    expect([answer.status, label.status, label.cost, label.label_url]).toEqual([202, "processing", null, null]);
    expect(await app.takeTypes()).toEqual([]);
    const asked = seller.asked("find");
    for (let looks = 0; looks < 5; looks += 1) await later(6000 * 2 ** looks);
    expect(seller.asked("find")).toBe(asked + 5);
    await later(10_000);
    expect(seller.asked("find")).toBe(asked + 5);
    for (const sold of seller.books.values()) sold.state = sold.state === "waiting" ? "bought" : sold.state;
    await later(30 * minute_ms);
    expect(await labelOf(label.label_id)).toMatchObject({ status: "completed", cost: 12.5, carrier_cost: 12.5 });
    expect(await app.takeTypes()).toEqual(["shipment.created"]);
    expect((await orderOf(order.id)).shipments).toHaveLength(1);
  });

  test("a purchase with a lost response is looked up, and not paid for again", async () => {
    seller.fake.buy = async (ref) => {
      seller.sell(ref);
      throw lost();
    };
    const { answer, label } = await buy();
    expect([answer.status, label.status]).toEqual([202, "processing"]);
    seller.openUp();
    await later(minute_ms);
    expect(await labelOf(label.label_id)).toMatchObject({ status: "completed" });
    expect([...seller.books.values()].map(({ paid }) => paid).filter((paid) => paid !== 1)).toEqual([]);
    expect(await app.takeTypes()).toEqual(["shipment.created"]);
  });

  test("a purchase that never reached the carrier is repeated with the same offer", async () => {
    seller.fake.buy = async () => {
      throw lost();
    };
    const { label } = await buy();
    const offers = seller.asked("offers");
    seller.openUp();
    await later(minute_ms);
    expect(await labelOf(label.label_id)).toMatchObject({ status: "completed" });
    expect(seller.asked("offers")).toBe(offers);
  });

  test("a response that arrives after the 202 is recorded anyway", async () => {
    const answerNow = hanging();
    const { answer, label } = await buy();
    expect([answer.status, label.status]).toEqual([202, "processing"]);
    answerNow();
    await Bun.sleep(0);
    while ((await labelOf(label.label_id)).status === "processing") await Bun.sleep(5);
    expect(await app.takeTypes()).toEqual(["shipment.created"]);
  });

  test("a voided label is refunded, and the units go into another parcel", async () => {
    const { order, label } = await buy();
    const voided = await app.post(`/shipping/labels/${label.label_id}/void`);
    expect([voided.status, voided.body.data.status, voided.body.data.void_status]).toEqual([200, "voided", "accepted"]);
    expect((await app.post(`/shipping/labels/${label.label_id}/void`)).body.data).toEqual(voided.body.data);
    expect((await shop.label(order.id, ground)).status).toBe(201);
  });

  test("cancelling all or part of an order voids its labels first", async () => {
    const { order, label } = await buy();
    const cancelled = await app.call("DELETE", `/orders/${order.id}`, undefined, {
      headers: { "if-match": `"${(await orderOf(order.id)).revision}"`, "idempotency-key": `cancel-${order.id}` },
    });
    expect([cancelled.status, cancelled.body.data.status]).toEqual([200, "cancelled"]);
    expect(await labelOf(label.label_id)).toMatchObject({ status: "voided", void_status: "accepted" });
    const part = await buy();
    const items = [{ sku: "RICE-1KG", quantity: 1 }];
    expect((await app.post(`/orders/${part.order.id}/cancel_items`, { items, reason: "customer" })).status).toBe(200);
    expect(await labelOf(part.label.label_id)).toMatchObject({ status: "voided" });
  });

  test("a carrier that decides later has its label voided, and one that does not respond is retried", async () => {
    const slow = await buy();
    seller.fake.void = async () => "submitted";
    const path = `/shipping/labels/${slow.label.label_id}/void`;
    expect((await app.post(path)).body.data).toMatchObject({ status: "voided", void_status: "submitted" });
    const silent = await buy();
    seller.fake.void = async () => {
      throw lost();
    };
    const asked = await app.post(`/shipping/labels/${silent.label.label_id}/void`);
    expect([asked.status, asked.body.data.status, asked.body.data.void_status]).toEqual([
      202,
      "completed",
      "requested",
    ]);
    const again = await app.call("DELETE", `/orders/${silent.order.id}`);
    expect([again.status, again.body.error.code]).toEqual([409, "label_in_progress"]);
    seller.openUp();
    await later(minute_ms);
    expect(await labelOf(silent.label.label_id)).toMatchObject({ status: "voided", void_status: "accepted" });
    expect((await app.call("DELETE", `/orders/${silent.order.id}`)).status).toBe(200);
  });
});

describe("refuses", () => {
  test("a parcel that the carrier refuses, and its units are free", async () => {
    seller.fake.buy = async () => {
      throw refused();
    };
    const { order, answer } = await buy();
    expect([answer.status, answer.body.error.code]).toEqual([422, "carrier_refused"]);
    expect(answer.body.error.message).toContain("balance is too low");
    expect(await app.takeTypes()).toEqual([]);
    seller.openUp();
    expect((await shop.label(order.id, ground)).status).toBe(201);
  });

  test("a carrier that is down, and the key can be retried", async () => {
    seller.fake.offers = async () => {
      throw down();
    };
    const headers = { "idempotency-key": "while-it-is-down" };
    const order = await shop.order();
    const first = await shop.label(order.id, ground, headers);
    expect([first.status, first.body.error.code]).toEqual([502, "carrier_error"]);
    seller.openUp();
    expect((await shop.label(order.id, ground, headers)).status).toBe(201);
  });

  test("a service without an offer, with the carrier's reason", async () => {
    const said = {
      carrier: "swift",
      service: "ground",
      level: "info",
      code: "over_weight_limit",
      message: "Too heavy.",
    };
    seller.fake.offers = async () => ({ offers: [], messages: [{ ...said, level: "info" }] });
    const { answer } = await buy();
    expect([answer.status, answer.body.error.code]).toEqual([422, "carrier_refused"]);
    expect(answer.body.error.message).toContain("Too heavy.");
  });

  test("an unknown carrier, service and account", async () => {
    const { answer: carrier } = await buy({ carrier: "swallow" });
    expect(carrier.body.error.message).toContain("swift");
    const { answer: service } = await buy({ service: "submarine" });
    expect(service.body.error.details).toMatchObject([{ field: "service" }]);
    const { answer: account } = await buy({ account_id: "cac_1" });
    expect(account.body.error.details).toMatchObject([{ field: "account_id" }]);
  });

  test("to void or cancel during a purchase", async () => {
    const answerNow = hanging();
    const { order, label } = await buy();
    const refusals = [
      await app.post(`/shipping/labels/${label.label_id}/void`),
      await app.call("DELETE", `/orders/${order.id}`),
      await app.post(`/orders/${order.id}/cancel_items`, {
        items: [{ sku: "RICE-1KG", quantity: 1 }],
        reason: "customer",
      }),
    ];
    expect(refusals.map(({ status, body }) => [status, body.error.code])).toEqual(
      refusals.map(() => [409, "label_in_progress"]),
    );
    answerNow();
    while ((await labelOf(label.label_id)).status === "processing") await Bun.sleep(5);
    expect((await app.call("DELETE", `/orders/${order.id}`)).status).toBe(200);
    expect(await labelOf(label.label_id)).toMatchObject({ status: "voided" });
  });

  test("to void a label that the carrier refuses to void; then nothing is cancelled", async () => {
    const { order, label } = await buy();
    seller.fake.void = async () => "rejected";
    const voided = await app.post(`/shipping/labels/${label.label_id}/void`);
    expect([voided.status, voided.body.error.code]).toEqual([409, "label_not_voidable"]);
    const cancelled = await app.call("DELETE", `/orders/${order.id}`);
    expect([cancelled.status, cancelled.body.error.code]).toEqual([409, "label_not_voidable"]);
    expect([await labelOf(label.label_id), await orderOf(order.id)]).toMatchObject([
      { status: "completed", void_status: null },
      { status: "pending" },
    ]);
  });

  test("to leave a purchase open forever: after a day it fails, and says where to look", async () => {
    seller.fake.buy = async (ref) => {
      seller.sell(ref, "waiting");
      throw lost();
    };
    const { order, label } = await buy();
    for (let hours = 0; hours < 26; hours += 1) await later(day_ms / 24);
    const ended = await labelOf(label.label_id);
    expect(ended).toMatchObject({ status: "error", error: { code: "purchase_unknown" } });
    expect(ended.error.message).toContain("Look it up there");
    seller.openUp();
    expect((await shop.label(order.id, ground)).status).toBe(201);
  });
});

describe("a merchant", () => {
  const asMerchant = async () => {
    await app.call("PATCH", "/merchants/MAIN", { may_buy_labels: true });
    const wanted = { name: "Till", permission: "full", merchant_id: "MAIN" };
    const { key } = (await app.post("/keys", wanted)).body.data;
    return (method: string, path: string, body?: object) => app.call(method, path, body, { key });
  };
  const offer = (order_id: string, more: object = {}) => ({ order_id, ...parcel, ...ground, ...more });

  test("sees neither the operator's account nor the carrier's messages to it", async () => {
    const by = await asMerchant();
    const bought = await by("POST", "/shipping/labels", offer((await shop.order()).id));
    expect([bought.status, bought.body.data.account_id, bought.body.data.carrier_cost]).toEqual([201, null, null]);
    const held = (await by("GET", "/shipping/labels/export.csv")).body.trim().split("\r\n");
    const at = held[0].split(",").indexOf("account_id");
    expect(new Set(held.slice(1).map((row: string) => row.split(",")[at]))).toEqual(new Set([""]));
    seller.fake.buy = async () => {
      throw refused();
    };
    const none = await by("POST", "/shipping/labels", offer((await shop.order()).id));
    const words = "The carrier swift has not sold this label. Ask the warehouse operator for the reason.";
    expect([none.status, none.body.error.code, none.body.error.message]).toEqual([422, "carrier_refused", words]);
    const [failed] = (await by("GET", "/shipping/labels?status=error&limit=1")).body.data;
    expect([failed.account_id, failed.error]).toEqual([null, { code: "carrier_refused", message: words }]);
    expect((await labelOf(failed.label_id)).error.message).toBe("The account's balance is too low.");
    seller.fake.void = async () => {
      throw refused();
    };
    const kept = await by("POST", `/shipping/labels/${bought.body.data.label_id}/void`);
    expect([kept.status, kept.body.error.message]).toEqual([
      409,
      "The carrier swift has not voided this label. Ask the warehouse operator for the reason.",
    ]);
  });

  test("cannot name an account, and the refusal reveals none", async () => {
    const by = await asMerchant();
    const order = await shop.order();
    const refusalOf = async (account_id: string) => {
      const { status, body } = await by("POST", "/shipping/labels", offer(order.id, { account_id }));
      const { request_id: _, ...error } = body.error;
      return { status, error };
    };
    const there = await refusalOf(seller.account_id);
    expect([there.status, JSON.stringify(there.error)]).toEqual([422, expect.stringContaining("account_id is not an")]);
    expect(there).toEqual(await refusalOf("cac_9999"));
  });
});

describe("guards", () => {
  test("two equal concurrent requests buy one label", async () => {
    const order = await shop.order();
    const paid = seller.books.size;
    const answers = await Promise.all([shop.label(order.id, ground), shop.label(order.id, ground)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(seller.books.size).toBe(paid + 1);
  });

  test("a concurrent cancellation and purchase leave no unwanted label", async () => {
    for (let round = 0; round < 8; round += 1) {
      const order = await shop.order();
      const ask = () => shop.label(order.id, ground);
      const cancel = () => app.call("DELETE", `/orders/${order.id}`);
      await Promise.all(round % 2 === 0 ? [ask(), cancel()] : [cancel(), ask()]);
      await app.runJobs();
      const { status, shipments } = await orderOf(order.id);
      const open = shipments.filter((parcel: { status: string }) => parcel.status === "pending");
      const valid = open.filter((parcel: { tracking_number: string | null }) => parcel.tracking_number !== null);
      expect([status, open.length, valid.length]).toEqual(status === "cancelled" ? [status, 0, 0] : ["pending", 1, 1]);
      const numbers = shipments.map((parcel: { tracking_number: string | null }) => parcel.tracking_number);
      const sold = [...seller.books.values()].filter(({ tracking_number }) => numbers.includes(tracking_number));
      expect(sold.filter(({ state }) => state === "bought")).toHaveLength(valid.length);
    }
  });

  test("a void concurrent with the completing job: it is bought first, or not voided", async () => {
    seller.fake.buy = async (ref) => seller.sell(ref, "waiting");
    const { label } = await buy();
    for (const sold of seller.books.values()) sold.state = sold.state === "waiting" ? "bought" : sold.state;
    app.clocks.live.advance(minute_ms);
    const [voided] = await Promise.all([app.post(`/shipping/labels/${label.label_id}/void`), app.runJobs()]);
    const { status, tracking_number } = await labelOf(label.label_id);
    expect([voided.status, status]).toEqual(voided.status === 200 ? [200, "voided"] : [409, "completed"]);
    const sold = [...seller.books.values()].find((one) => one.tracking_number === tracking_number);
    expect([sold?.paid, sold?.state]).toEqual([1, status === "voided" ? "voided" : "bought"]);
    expect(await app.takeTypes()).toEqual(["shipment.created"]);
  });

  test("requests with one key buy one label and get the same bytes at any time", async () => {
    const order = await shop.order();
    const headers = { "idempotency-key": `key-of-${order.id}` };
    const paid = seller.books.size;
    const both = await Promise.all([shop.label(order.id, ground, headers), shop.label(order.id, ground, headers)]);
    const [one, other] = both.map(({ status, body }) => [status, body]);
    expect(one).toEqual(other as unknown[]);
    const again = await shop.label(order.id, ground, headers);
    expect([again.status, again.body]).toEqual(one as [number, unknown]);
    expect(seller.books.size).toBe(paid + 1);
  });

  test("a 202 is repeated, even if the label has been bought since", async () => {
    const answerNow = hanging();
    const headers = { "idempotency-key": "told-to-wait" };
    const order = await shop.order();
    const first = await shop.label(order.id, ground, headers);
    expect(first.status).toBe(202);
    answerNow();
    while ((await labelOf(first.body.data.label_id)).status === "processing") await Bun.sleep(5);
    const again = await shop.label(order.id, ground, headers);
    expect([again.status, again.body]).toEqual([202, first.body]);
  });

  test("a refusal is stored for its key", async () => {
    seller.fake.buy = async () => {
      throw refused();
    };
    const order = await shop.order();
    const headers = { "idempotency-key": "refused-once" };
    const first = await shop.label(order.id, ground, headers);
    seller.openUp();
    const again = await shop.label(order.id, ground, headers);
    expect([again.status, again.body]).toEqual([422, first.body]);
  });

  test("a killed server's purchase is completed by the job, once its claim has expired", async () => {
    const order = await shop.order();
    const { label_id } = await app.service.stores.live.write(async (tx) => {
      const input = { order_id: order.id, ...ground, package: { weight: 1 } };
      const buying = { actor: systemActor("test"), additional: false, quote: null };
      const label = await beginPurchase(tx, input, buying, await chooseSeller(tx, input, { merchant_id: null }));
      return { label_id: wireId("label", label.id) };
    });
    await later(4 * minute_ms);
    expect(await labelOf(label_id)).toMatchObject({ status: "processing" });
    await later(2 * minute_ms);
    expect(await labelOf(label_id)).toMatchObject({ status: "completed" });
    expect(await app.takeTypes()).toEqual(["shipment.created"]);
  });
});
