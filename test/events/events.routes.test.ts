import { describe, expect, test } from "bun:test";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { emit } from "../../src/events/emit.ts";
import { eventSchema } from "../../src/events/event.schema.ts";
import { type EventType, eventTypes } from "../../src/events/event_types.ts";
import { eventDescriptions } from "../../src/webhooks/event_descriptions.schema.ts";
import { openApp, start } from "../build/service.ts";

// No command caused these events, which `verify` would report.
const app = await openApp({ verified: false });
for (let n = 1; n <= 7; n += 1) {
  const type: EventType = n % 2 === 0 ? "order.shipped" : "order.created";
  await app.service.stores.live.write((tx) =>
    emit(tx, [{ type, merchant_id: 1, data: { object: "order", id: `ord_${n}` } }]),
  );
  app.clocks.live.advance(1000);
}
await app.runJobs();

const names = (body: { data: { data: { id: string } }[] }) => body.data.map((event) => event.data.id);

describe("works", () => {
  test("events are listed in the order they happened, and can be read by id", async () => {
    const { body } = await app.get("/events");
    expect(names(body)).toEqual([1, 2, 3, 4, 5, 6, 7].map((n) => `ord_${n}`));
    const [first] = body.data;
    expect(Object.keys(first)).toEqual(["id", "type", "created_at", "merchant_id", "data"]);
    expect((await app.get(`/events/${first.id}`)).body.data).toEqual(first);
  });

  test("events are paginated by cursor or page, oldest first", async () => {
    const page = (await app.get("/events?limit=5")).body;
    expect(page.meta.pagination).toMatchObject({ total: 7, has_more: true });
    const rest = (await app.get(`/events?limit=5&cursor=${page.meta.pagination.next_cursor}`)).body;
    expect([...names(page), ...names(rest)]).toEqual([1, 2, 3, 4, 5, 6, 7].map((n) => `ord_${n}`));
    expect(names((await app.get("/events?limit=5&page=2")).body)).toEqual(["ord_6", "ord_7"]);
  });

  test("events are filtered by type and time", async () => {
    expect(names((await app.get("/events?type=order.shipped")).body)).toEqual(["ord_2", "ord_4", "ord_6"]);
    const after = new Date(start + 4000).toISOString();
    expect(names((await app.get("/events?type=order.shipped,return.created")).body)).toEqual([
      "ord_2",
      "ord_4",
      "ord_6",
    ]);
    expect(names((await app.get(`/events?created_after=${after}`)).body)).toEqual(["ord_5", "ord_6", "ord_7"]);
    expect(names((await app.get(`/events?created_before=${after}`)).body)).toEqual([
      "ord_1",
      "ord_2",
      "ord_3",
      "ord_4",
    ]);
    expect(names((await app.get(`/events?created_after=${after}&type=return.created`)).body)).toEqual([]);
  });

  test("every type has an example that matches its schema", async () => {
    const { body } = await app.get("/event_types");
    expect(body.data.map(({ type }: { type: string }) => type)).toEqual([...eventTypes]);
    for (const { type, example, schema } of body.data) {
      const check = TypeCompiler.Compile(eventSchema(type, eventDescriptions[type as EventType].data));
      const wrong = [...check.Errors(example)].map((error) => `${type} ${error.path}: ${error.message}`);
      expect(wrong).toEqual([]);
      expect(schema).toMatchObject({ type: "object", required: ["id", "type", "created_at", "merchant_id", "data"] });
    }
  });
});

describe("refuses", () => {
  test("an unknown event, an unknown type, a cursor of another query", async () => {
    expect((await app.get("/events/evt_9")).body.error.code).toBe("resource_missing");
    expect((await app.get("/events?type=order.eaten")).body.error.code).toBe("validation_failed");
    const { next_cursor } = (await app.get("/events?limit=5")).body.meta.pagination;
    const other = await app.get(`/events?limit=5&type=order.created&cursor=${next_cursor}`);
    expect([other.status, other.body.error.code]).toEqual([400, "invalid_cursor"]);
  });
});
