// Notices to the operator about late archiving and late backups.
import { expect, test } from "bun:test";
import { minute_ms } from "../../../src/core/time.ts";
import { lateFrom, no_outcome, shippedMessage, shippedView } from "../../../src/operations/backups/backup_run.ts";
import { findFirst, forgetRuns, insertRun } from "../../../src/operations/backups/backup_runs.sql.ts";
import { claimRun, endRun, noteArchiveLate, noteLate } from "../../../src/operations/backups/backup_runs.ts";
import { openApp, start } from "../../build/service.ts";

const until = Date.parse("2026-11-24T17:30:00.000Z");
const shipped = { place: "s3://bucket/kept", until, waiting_bytes: 7, problem: null };

const failed = {
  ...no_outcome,
  ...({ kind: "backup", status: "failed", cause: "schedule" } as const),
  ...{ place: "kept", error: "The disk is full.", begun_at: start, ended_at: start, held_until: null },
};

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

test("the settings show backups as late once two were missed since the last success or the first run", async () => {
  const app = await openApp();
  const plan = { to: "kept", every_minutes: 60, keep: { hours: 24, days: 30, months: 12 }, with_key: false };
  Object.assign(app.service, { backups: plan });
  const isLate = async () => (await app.get("/backups/settings")).body.data.late;
  const run = (error: string | null) =>
    app.service.stores.live.write(async (tx) => {
      const claimed = (await claimRun(tx, plan, false)).run;
      if (claimed === null) throw new Error("no backup was due");
      await endRun(tx, claimed, { ...no_outcome, place: "kept", error }, false);
    });
  expect(await isLate()).toBe(false);
  await run("The disk is full.");
  expect(await isLate()).toBe(false);
  app.clocks.live.advance(119 * minute_ms);
  await run("The disk is full.");
  expect(await isLate()).toBe(false);
  app.clocks.live.advance(minute_ms);
  expect(await isLate()).toBe(true);
  app.clocks.live.advance(10 * minute_ms);
  await run(null);
  expect(await isLate()).toBe(false);
  app.clocks.live.advance(120 * minute_ms);
  expect(await isLate()).toBe(true);
});

test("the first failed run is kept while none succeeds", async () => {
  const app = await openApp();
  await app.service.stores.live.write(async (tx) => {
    const ids = [];
    for (let count = 0; count < 4; count += 1) ids.push((await insertRun(tx, { ...failed, created_at: tx.now })).id);
    await forgetRuns(tx, 1);
    expect((await findFirst(tx, "backup"))?.id).toBe(ids[0] ?? 0);
  });
  expect((await app.get("/backups")).body.data).toHaveLength(3);
});
