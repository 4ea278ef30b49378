// What most webhook tests need: a new service per test, called in the test environment, and a receiver.
import { afterEach, beforeEach, setDefaultTimeout } from "bun:test";
import { asc } from "drizzle-orm";
import { deliveries } from "../../db/schema/webhooks.ts";
import { emit } from "../../src/events/emit.ts";
import type { EventType } from "../../src/events/event_types.ts";
import { openTestApp, type TestApp } from "../build/service.ts";
import { openReceiver, type Receiver } from "./receiver.ts";

// For busy machines.
const patience_ms = 30_000;

/** Opens and closes a service and a receiver around each test of the file, and returns calls to use them. */
export function useScene(optionsOf: () => Parameters<typeof openTestApp>[0] = () => ({})) {
  let app: TestApp;
  let receiver: Receiver;
  setDefaultTimeout(patience_ms);
  beforeEach(async () => {
    receiver = openReceiver();
    app = await openTestApp(optionsOf());
  });
  afterEach(async () => {
    await app.close();
    await receiver.stop();
  });
  const ask = (method: string, path: string, body?: unknown, key = app.keys.test.full, headers = {}) =>
    app.call(method, path, body, { key, headers });
  return {
    get app() {
      return app;
    },
    get receiver() {
      return receiver;
    },
    get store() {
      return app.service.stores.test;
    },
    ask,
    get: async (path: string) => (await ask("GET", path)).body,
    /** Subscribes the receiver to new orders, or as `fields` specify. */
    subscribe: async (fields: object = {}) => {
      const answer = await ask("POST", "/webhooks", { url: receiver.url, events: ["order.created"], ...fields });
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body.error));
      return answer.body.data;
    },
    /** Stores an event for each of these orders. */
    tell: (ids: readonly string[], type: EventType = "order.created") => {
      const events = ids.map((id) => ({
        type,
        merchant_id: 1,
        data: { object: "order", id, email: "ada@example.com" },
      }));
      return app.service.stores.test.write((tx) => emit(tx, events));
    },
    passed: (ms: number) => app.clocks.test.advance(ms),
    /** Every delivery, oldest first. */
    rows: () => app.service.stores.test.read((db) => db.sql.select().from(deliveries).orderBy(asc(deliveries.id))),
    /** The orders of the received events, in order of arrival. */
    ids: (): string[] => receiver.events.map(({ data }) => data.id),
  };
}
