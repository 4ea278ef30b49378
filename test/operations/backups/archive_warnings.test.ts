// Notices to the operator about late archiving and late backups.
import { expect, test } from "bun:test";
import { minute_ms } from "../../../src/core/time.ts";
import { lateFrom, shippedMessage, shippedView } from "../../../src/operations/backups/backup_run.ts";
import { noteArchiveLate, noteLate } from "../../../src/operations/backups/backup_runs.ts";
import { openApp, start } from "../../build/service.ts";

const until = Date.parse("2026-11-24T17:30:00.000Z");
const shipped = { place: "s3://bucket/kept", until, waiting_bytes: 7, problem: null };

test("archiving is late after a minute or once the destination is unavailable, and a notice comes after ten", () => {
  const lateAt = (after: number, of = {}) => shippedView({ ...shipped, ...of }, until + after).late;
  expect([lateAt(minute_ms), lateAt(minute_ms + 1), lateAt(0, { problem: "It is away." })]).toEqual([
    false,
    true,
    true,
  ]);
  expect(shippedView({ ...shipped, until: null }, until)).toMatchObject({ late: false, shipped_until: null });
  const told = (after: number, of = {}) => shippedMessage({ ...shipped, ...of }, until, until + after);
  expect(told(10 * minute_ms)).toBe(null);
  expect(told(10 * minute_ms + 1, { problem: "It is away." })).toBe(
    "Continuous archiving to s3://bucket/kept is behind: changes since 2026-11-24T17:30:00.000Z would be lost with" +
      " the disk. It is away.",
  );
  // If nothing was ever archived, the time counts from the start of archiving.
  expect(told(10 * minute_ms + 1, { until: null })).toContain("since 2026-11-24T17:30:00.000Z would");
});

test("the operator gets one notice a day while something is late", async () => {
  const app = await openApp();
  const plan = {
    to: "s3://bucket/kept",
    every_minutes: 60,
    keep: { hours: 24, days: 30, months: 12 },
    with_key: false,
  };
  const late = async (since: number) => {
    await app.service.stores.live.write((tx) => noteLate(tx, plan, since, false));
    return (await app.get("/notices?kind=backup_late")).body.data.map(({ message }: { message: string }) => message);
  };
  expect(await late(start - 119 * minute_ms)).toEqual([]);
  const told = [expect.stringContaining("s3://bucket/kept")];
  expect(await late(start - 121 * minute_ms)).toEqual(told);
  expect(await late(start - 121 * minute_ms)).toEqual(told);
  // There is another notice if archiving is late again after it had caught up.
  const away = { ...shipped, until: start + minute_ms, problem: "It is away." };
  app.clocks.live.advance(12 * minute_ms);
  for (const _ of [1, 2]) {
    await app.service.stores.live.write((tx) => noteArchiveLate(tx, away, start, false));
  }
  const all = (await app.get("/notices?kind=backup_late")).body.data;
  expect(all.map(({ message }: { message: string }) => message)).toEqual([
    expect.stringContaining("It is away."),
    ...told,
  ]);
});

test("backups are late once two were missed", () => {
  const plan = { to: "kept", every_minutes: 60, keep: { hours: 24, days: 30, months: 12 }, with_key: false };
  expect(lateFrom(until, plan)).toBe(until + 120 * minute_ms);
});
