// A subscription that is made while others' events are being handed out gets every event that comes after it.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { emit } from "../../../src/outbox/emit.ts";
import { fanOutEvents } from "../../../src/webhooks/deliveries/jobs.ts";
import { openTestApp, type TestApp } from "../../harness.ts";

const rounds = 40;

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app.close());

test("no event passes a subscription by that was there before it", async () => {
  const store = app.service.stores.test;
  let done = false;
  const fanning = (async () => {
    while (!done) await fanOutEvents(store);
  })();
  for (let round = 0; round < rounds; round += 1) {
    const body = { url: `http://127.0.0.1:9/${round}`, events: ["order.created"] };
    const { status } = await app.call("POST", "/webhooks", body, { key: app.keys.test.full });
    expect(status).toBe(201);
    await store.write((tx) => emit(tx, [{ type: "order.created", data: { object: "order", id: `ord_${round}` } }]));
    app.clocks.test.advance(1);
  }
  done = true;
  await fanning;
  await fanOutEvents(store);
  const { data } = (await app.call("GET", "/webhooks?limit=100", undefined, { key: app.keys.test.full })).body;
  const counts: number[] = [];
  for (const { id } of data) {
    const path = `/webhooks/${id}/deliveries?limit=100`;
    const answer = await app.call("GET", path, undefined, { key: app.keys.test.full });
    counts.push(answer.body.meta.pagination.total);
  }
  // The newest first: it has the last event only, the oldest has all.
  expect(counts).toEqual(Array.from({ length: rounds }, (_, at) => at + 1));
}, 60_000);
