import { describe, expect, test } from "bun:test";
import { emit } from "../../src/events/emit.ts";
import { assignPositions } from "../../src/events/events.sql.ts";
import { openApp } from "../build/service.ts";
import { listEventsAfter } from "./stored_events.ts";

// No command caused these events, which `verify` would report.
const app = await openApp({ verified: false });

describe("works", () => {
  test("a body over 64 KiB has its longest list truncated and is marked as truncated", async () => {
    const line_items = Array.from({ length: 2000 }, (_, n) => ({ id: n, name: "é".repeat(30) }));
    const { live } = app.service.stores;
    await live.write((tx) =>
      emit(tx, [
        { type: "order.created", merchant_id: 1, data: { object: "order", id: "ord_1", line_items, holds: [1] } },
      ]),
    );
    const [event] = await live.read((db) => listEventsAfter(db, 0));
    expect(Buffer.byteLength(event?.body ?? "")).toBeLessThanOrEqual(64 * 1024);
    const { data } = JSON.parse(event?.body ?? "");
    expect(data).toMatchObject({ object: "order", id: "ord_1", truncated: true, holds: [1] });
    expect(data.line_items).toEqual(line_items.slice(0, data.line_items.length));
    expect(data.line_items.length).toBeGreaterThan(0);
  });

  test("events get positions in the order they were stored, without gaps between rounds", async () => {
    const { test: store } = app.service.stores;
    await store.write((tx) =>
      emit(
        tx,
        Array.from({ length: 25 }, (_, n) => ({
          type: "order.created",
          merchant_id: 1,
          data: { object: "order", id: `ord_${n}` },
        })),
      ),
    );
    const places: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      const placed = await store.write((tx) => assignPositions(tx, 10));
      expect(placed.map(({ seq }) => seq)).toEqual(placed.map(({ seq }) => seq).sort((a, b) => a - b));
      places.push(...placed.map(({ position }) => position));
    }
    expect(places).toEqual(Array.from({ length: 25 }, (_, n) => n + 1));
  });
});
