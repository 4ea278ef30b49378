import { expect, test } from "bun:test";
import { timeOf, withTimes } from "../../../../src/dashboard/web/components/filter_days.ts";
import { now } from "../../../../src/dashboard/web/components/now.ts";

/** The start of a day by the clock of this process, some days after another. */
const dayAfter = (at: number, days: number) => {
  const day = new Date(at);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + days).toISOString();
};

test("today and tomorrow are other days once the day has ended", () => {
  const at = Date.now();
  for (const later of [0, 1, 7]) {
    now.value = new Date(dayAfter(at, later)).getTime() + 60_000;
    expect([timeOf("today"), timeOf("tomorrow")]).toEqual([dayAfter(at, later), dayAfter(at, later + 1)]);
  }
});

test("only filters by time have such words", () => {
  const others = { q: "today", tag: "tomorrow", status: "pending", created_after: "2030-01-02", page: null, limit: 50 };
  expect(withTimes({ ...others, ship_by_before: "tomorrow", shipped_after: "today" })).toEqual({
    ...others,
    ship_by_before: timeOf("tomorrow"),
    shipped_after: timeOf("today"),
  });
});
