// Which backups are kept, after a year of hourly backups.
import { expect, test } from "bun:test";
import { hour_ms } from "../../../src/core/time.ts";
import { archiveName, momentOfName } from "../../../src/operations/backups/archive.ts";
import { namesToRemove } from "../../../src/operations/backups/destination.ts";

const start = Date.parse("2025-11-24T00:30:00Z");
const names = Array.from({ length: 366 * 24 }, (_, at) => archiveName(start + at * hour_ms));
const keep = { hours: 24, days: 30, months: 12 };

function kept(of: readonly string[], wanted = keep, needed = new Set<number>()): string[] {
  const removed = new Set(namesToRemove(of, wanted, needed));
  return of.filter((name) => !removed.has(name));
}

test("the last of each of 24 hours, 30 days and 12 months is kept", () => {
  const found = kept(names);
  // The last 24; the last of each of the 29 days before today; the last of each of 10 earlier months.
  expect(found.length).toBe(24 + 29 + 10);
  expect(found.slice(-24)).toEqual(names.slice(-24));
  const nights = found.slice(0, -24).map((name) => name.slice(19, 23));
  expect(new Set(nights)).toEqual(new Set(["2330"]));
  expect(found[0]?.slice(10, 16)).toBe("202512");
});

test("removing hourly or once has the same result", () => {
  let left: string[] = [];
  for (const name of names.slice(-1000)) left = kept([...left, name]);
  expect(left).toEqual(kept(names.slice(-1000)));
});

test("needed backups are kept as well, however old they are", () => {
  const needed = [names[100] ?? "", names[200] ?? ""];
  const moments = new Set(needed.map((name) => momentOfName(name) ?? 0));
  expect(kept(names, keep, moments)).toEqual([...needed, ...kept(names)]);
});

test("the newest is always kept, and other files are ignored", () => {
  expect(kept(names, { hours: 0, days: 0, months: 0 })).toEqual([names.at(-1) ?? ""]);
  expect(namesToRemove(["notes.txt", ".packhouse-20251124T003000Z.tar.zst.host-7.part"], keep)).toEqual([]);
  expect(namesToRemove([], keep)).toEqual([]);
});
