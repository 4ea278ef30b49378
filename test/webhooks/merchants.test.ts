// Subscriptions of the operator that are limited to some merchants.

import { beforeEach, describe, expect, test } from "bun:test";
import { hour_ms } from "../../src/core/time.ts";
import { emit } from "../../src/events/emit.ts";
import { listSendable } from "../../src/webhooks/deliveries/deliveries.sql.ts";
import { useScene } from "./scene.ts";

const scene = useScene();
const { ask, subscribe, rows, ids, passed } = scene;
const [main, acme, bolt] = [1, 1001, 1002];

beforeEach(async () => {
  for (const code of ["ACME", "BOLT"]) {
    const { status, body } = await scene.app.post("/merchants", { code, name: code });
    expect([status, body.data?.id ?? body.id]).toEqual([201, code === "ACME" ? "mer_1001" : "mer_1002"]);
  }
});

/** Stores an event about an order for each of these merchants. The order is named after the merchant. */
const tell = (...merchants: readonly number[]) =>
  scene.store.write((tx) =>
    emit(
      tx,
      merchants.map((merchant_id) => ({
        type: "order.created" as const,
        merchant_id,
        data: { object: "order", id: `ord_${merchant_id}` },
      })),
    ),
  );
const statuses = async () => (await rows()).map(({ status }) => status);
const change = async (id: string, body: object) => (await ask("PATCH", `/webhooks/${id}`, body)).body.data;
const merchantKey = async (merchant_id: string): Promise<string> =>
  (await ask("POST", "/keys", { name: "K", permission: "full", merchant_id })).body.data.key;
const refusal = ({ status, body }: Awaited<ReturnType<typeof ask>>) => [status, body.error?.details];

describe("works", () => {
  test("it gets the events of the merchants it lists, by code or id, numbered without gaps", async () => {
    const some = await subscribe({ merchants: ["BOLT", "mer_1001", 1001] });
    expect(some).toMatchObject({ merchant_id: null, merchants: ["mer_1001", "mer_1002"] });
    await subscribe({ merchants: null, url: `${scene.receiver.url}/all` });
    await tell(main, acme, main, bolt, acme);
    await scene.app.runJobs();
    const sent = (await rows()).filter(({ subscription_id }) => `whk_${subscription_id}` === some.id);
    expect(sent.map(({ sequence, status }) => [sequence, status])).toEqual([
      [1, "delivered"],
      [2, "delivered"],
      [3, "delivered"],
    ]);
    const whose = scene.receiver.events.map(({ merchant_id }) => merchant_id);
    expect(
      Object.fromEntries(
        Map.groupBy(whose, String)
          .entries()
          .map(([id, all]) => [id, all.length]),
      ),
    ).toEqual({ mer_1: 2, mer_1001: 4, mer_1002: 2 });
    expect((await ask("GET", "/webhooks")).body.data.map((one: { merchants: unknown }) => one.merchants)).toEqual([
      null,
      ["mer_1001", "mer_1002"],
    ]);
  });

  test("a changed list applies from then on, null restores all merchants, and numbering continues", async () => {
    const { id } = await subscribe({ merchants: ["ACME"] });
    await tell(acme, bolt);
    await scene.app.runJobs();
    expect(await change(id, { merchants: ["BOLT"] })).toMatchObject({ merchants: ["mer_1002"] });
    await tell(acme, bolt);
    await scene.app.runJobs();
    const { merchants, ...other } = await change(id, { merchants: null });
    expect(merchants).toBeNull();
    expect(await change(id, { description: "x" })).toMatchObject({ merchants: null, url: other.url });
    await tell(main, acme, bolt);
    await scene.app.runJobs();
    expect(ids()).toEqual(["ord_1001", "ord_1002", "ord_1", "ord_1001", "ord_1002"]);
    expect((await rows()).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5]);
  });

  test("the response of a GET can be sent back, by the operator and by a merchant", async () => {
    const { id } = await subscribe({ merchants: ["ACME"] });
    const shown = (await ask("GET", `/webhooks/${id}`)).body.data;
    expect(await change(id, shown)).toEqual(shown);
    const key = await merchantKey("ACME");
    const own = await ask("POST", "/webhooks", { url: "https://1.1.1.1/events", events: ["order.created"] }, key);
    const { secret: _, ...made } = own.body.data;
    expect(made).toMatchObject({ merchant_id: "mer_1001", merchants: null });
    expect((await ask("PATCH", `/webhooks/${made.id}`, made, key)).body.data).toEqual(made);
  });

  test("pending deliveries of a removed merchant are skipped when due, and the rest are sent", async () => {
    const { id } = await subscribe();
    scene.receiver.answerWith(() => 500);
    await tell(acme, bolt, acme);
    await scene.app.runJobs();
    expect(await statuses()).toEqual(["pending", "pending", "pending"]);
    await change(id, { merchants: ["BOLT"] });
    scene.receiver.received.splice(0);
    scene.receiver.answerWith(() => 200);
    passed(hour_ms);
    await scene.app.runJobs();
    expect([ids(), await statuses()]).toEqual([["ord_1002"], ["skipped", "delivered", "skipped"]]);
    expect((await scene.store.read(listSendable)).map(({ first_at, late_at }) => first_at ?? late_at)).toEqual([null]);
  });

  test("the whole backlog of a removed merchant is skipped", async () => {
    const { id } = await subscribe();
    scene.receiver.answerWith(() => 500);
    await tell(...Array.from({ length: 300 }, () => acme), bolt);
    await scene.app.runJobs();
    await change(id, { merchants: ["BOLT"] });
    scene.receiver.received.splice(0);
    scene.receiver.answerWith(() => 200);
    passed(hour_ms);
    await scene.app.runJobs();
    expect(new Set(ids())).toEqual(new Set(["ord_1002"]));
    expect(Map.groupBy(await statuses(), String).get("skipped")?.length).toBe(300);
  });

  test("a recovery counts and sends what was missed of the merchants listed now", async () => {
    const { id } = await subscribe({ active: false });
    const since = new Date(scene.app.clocks.test.now()).toISOString();
    await tell(acme, bolt, main, bolt);
    await scene.app.runJobs();
    await change(id, { active: true, merchants: ["BOLT"] });
    passed(1);
    const { body } = await ask("POST", `/webhooks/${id}/recoveries`, { created_after: since });
    expect(body.data.total).toBe(2);
    await scene.app.runJobs();
    expect(ids()).toEqual(["ord_1002", "ord_1002"]);
    expect(await statuses()).toEqual(["skipped", "delivered", "skipped", "delivered"]);
    expect((await ask("GET", `/webhooks/${id}/recoveries/${body.data.id}`)).body.data).toMatchObject({
      status: "completed",
      delivered: 2,
      failed: 0,
    });
  });

  test("a test event names a merchant that the subscription is limited to", async () => {
    const { id } = await subscribe({ merchants: ["BOLT"] });
    await ask("POST", `/webhooks/${id}/test`, { event: "order.created" });
    expect(scene.receiver.events.map(({ merchant_id }) => merchant_id)).toEqual(["mer_1002"]);
  });

  test("two subscriptions with one URL but different merchants are not duplicates", async () => {
    const { id } = await subscribe({ merchants: ["ACME"] });
    const other = await subscribe({ merchants: ["BOLT"] });
    const again = await ask("POST", "/webhooks", {
      ...{ url: scene.receiver.url, events: ["order.created"], merchants: ["mer_1001"] },
    });
    expect([again.status, again.body.error.code, again.body.error.existing_id]).toEqual([
      ...[409, "duplicate_subscription", id],
    ]);
    const same = await ask("PATCH", `/webhooks/${other.id}`, { merchants: ["ACME"] });
    expect([same.status, same.body.error.code]).toEqual([409, "duplicate_subscription"]);
  });
});

describe("refuses", () => {
  const unknown = (field: string, pointer: string) => [
    422,
    [{ field, code: "unknown", message: "does not name a merchant: send its code or its id, mer_…", pointer }],
  ];

  test("an unknown merchant, by name, and an empty list", async () => {
    const { id } = await subscribe();
    for (const [list, at] of [
      [["ACME", "NOBODY"], 1],
      [["mer_77", "ACME"], 0],
    ] as const) {
      const body = { url: `${scene.receiver.url}/other`, events: ["order.created"], merchants: list };
      const expected = unknown(`merchants[${at}]`, `/merchants/${at}`);
      expect(refusal(await ask("POST", "/webhooks", body))).toEqual(expected);
      expect(refusal(await ask("PATCH", `/webhooks/${id}`, { merchants: list }))).toEqual(expected);
    }
    for (const merchants of [[], "ACME", [null]]) {
      const answer = await ask("PATCH", `/webhooks/${id}`, { merchants });
      expect([merchants, answer.status, answer.body.error?.code]).toEqual([merchants, 422, "validation_failed"]);
    }
    expect((await ask("GET", "/webhooks")).body.data).toMatchObject([{ id, merchants: null }]);
  });

  test("a redelivery about a merchant that is no longer listed", async () => {
    const { id } = await subscribe();
    await tell(acme, bolt);
    await scene.app.runJobs();
    await change(id, { merchants: ["BOLT"] });
    const [of_acme, of_bolt] = await rows();
    const again = (row: { id: number } | undefined) =>
      ask("POST", `/webhooks/${id}/deliveries/dlv_${row?.id}/redeliver`);
    const refused = await again(of_acme);
    expect([refused.status, refused.body.error?.code]).toEqual([409, "invalid_state_transition"]);
    expect((await again(of_bolt)).status).toBe(202);
    await scene.app.runJobs();
    expect(ids()).toEqual(["ord_1001", "ord_1002", "ord_1002"]);
  });
});

describe("guards", () => {
  test("a merchant's subscription lists no merchants, whoever reads it, and reveals nothing about others", async () => {
    const key = await merchantKey("ACME");
    const own = { url: "https://1.1.1.1/events", events: ["order.created"] };
    const made = (await ask("POST", "/webhooks", own, key)).body.data;
    const answers = [
      await ask("POST", "/webhooks", { ...own, url: `${own.url}/2`, merchants: ["BOLT"] }, key),
      await ask("POST", "/webhooks", { ...own, url: `${own.url}/2`, merchants: ["NOBODY"] }, key),
      await ask("POST", "/webhooks", { ...own, url: `${own.url}/2`, merchants: ["ACME"] }, key),
      await ask("PATCH", `/webhooks/${made.id}`, { merchants: ["BOLT"] }, key),
      await ask("PATCH", `/webhooks/${made.id}`, { merchants: ["BOLT"] }),
      await ask("POST", "/webhooks", { ...own, url: `${own.url}/2`, merchant_id: "ACME", merchants: ["ACME"] }),
    ];
    const [first] = answers.map(refusal);
    expect(first).toMatchObject([422, [{ field: "merchants", code: "invalid_value" }]]);
    for (const answer of answers) expect(refusal(answer)).toEqual(first as unknown[]);
    await tell(acme, bolt);
    await scene.app.runJobs();
    const { data } = (await ask("GET", `/webhooks/${made.id}/deliveries`, undefined, key)).body;
    expect(data).toHaveLength(1);
    const event = (await ask("GET", `/events/${data[0].event_id}`, undefined, key)).body.data;
    expect(event).toMatchObject({ merchant_id: "mer_1001", data: { id: "ord_1001" } });
  });
});
