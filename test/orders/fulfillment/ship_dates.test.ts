import { describe, expect, test } from "bun:test";
import { defaultCalendar } from "../../../src/inventory/warehouses/dispatch_calendar.ts";
import { type DispatchFacts, shipDate } from "../../../src/orders/fulfillment/ship_dates.ts";

// A Wednesday, at ten in New York.
const created_at = Date.parse("2026-01-07T15:00:00Z");
const at = (text: string) => Date.parse(text);
const facts = (fields: Partial<DispatchFacts>): DispatchFacts => ({
  cancelled_at: null,
  created_at,
  processing_at: null,
  shipped_at: null,
  holds: [],
  calendars: [defaultCalendar],
  ...fields,
});
const london = { ...defaultCalendar, timezone: "Europe/London" };
const tokyo = { ...defaultCalendar, timezone: "Asia/Tokyo", holidays: ["2026-01-08", "2026-01-09", "2026-01-12"] };

describe("an order ships", () => {
  test.each([
    ["on the day it came, before the cut-off", {}, "2026-01-07T15:00:00Z", "2026-01-07"],
    ["on that day still, when the cut-off is over", {}, "2026-01-08T04:59:00Z", "2026-01-07"],
    ["on the next, once that day is over", {}, "2026-01-08T05:00:00Z", "2026-01-08"],
    ["after the weekend, when it is late by then", {}, "2026-01-09T20:00:00Z", "2026-01-12"],
    [
      "counted from when work on it began",
      { processing_at: at("2026-01-07T20:00:00Z") },
      "2026-01-07T20:00:00Z",
      "2026-01-08",
    ],
    ["with the last of its warehouses", { calendars: [defaultCalendar, london] }, "2026-01-07T15:00:00Z", "2026-01-08"],
    ["with the last, which has holidays", { calendars: [tokyo, london] }, "2026-01-07T15:00:00Z", "2026-01-13"],
    [
      "when its holds end",
      { holds: [{ hold_until: at("2026-01-08T12:00:00Z") }, { hold_until: at("2026-01-09T19:00:00Z") }] },
      "2026-01-07T15:00:00Z",
      "2026-01-12",
    ],
    [
      "now, when its hold should have ended",
      { holds: [{ hold_until: at("2026-01-07T16:00:00Z") }] },
      "2026-01-07T19:00:00Z",
      "2026-01-08",
    ],
    [
      "on the day it left, by the warehouse's clock",
      { shipped_at: at("2026-01-09T03:00:00Z") },
      "2026-02-01T00:00:00Z",
      "2026-01-08",
    ],
  ] as const)("%s", (_, fields, now, day) => {
    expect(shipDate(facts(fields), 0, at(now))).toBe(day);
  });
});

describe("the date is unknown", () => {
  test.each([
    ["of a cancelled order", { cancelled_at: 1 }, 0],
    ["of one that waits for stock", {}, 1],
    ["of one with a hold that has no end", { holds: [{ hold_until: created_at }, { hold_until: null }] }, 0],
    ["of one whose warehouse never works", { calendars: [{ ...defaultCalendar, working_days: [] }] }, 0],
  ] as const)("%s", (_, fields, backordered) => {
    expect(shipDate(facts(fields), backordered, created_at)).toBeNull();
  });
});
