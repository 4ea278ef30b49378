// Which backups the archived ranges continue.
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { minute_ms } from "../../../src/core/time.ts";
import { folderPlace } from "../../../src/operations/log_archive/archive_destination.ts";
import { archivedRanges, firstBackup, neededBackups } from "../../../src/operations/log_archive/archived_ranges.ts";
import { makeSegment, nameOf, newChain } from "../../../src/operations/log_archive/segment.ts";

const start = Date.parse("2026-11-24T12:00:00.000Z");
const at = (minutes: number) => start + minutes * minute_ms;

/** Builds a segment with one commit: its name and its bytes. */
function segment(chain: string, index: number, from: number, to: number) {
  const facts = { chain, index, number: index + 1, at: to, least_at: to, most_at: to, mode: "live" } as const;
  const { bytes } = makeSegment(
    {
      ...{ ...facts, previous: null, after: { number: index, at: from }, page_bytes: 4096 },
      ...{ sequence_page: 2, schema_version: 1, position: { salts: [1, 2], round: 1, sums: [1, 2], offset: 32 } },
    } as unknown as Parameters<typeof makeSegment>[0],
    Buffer.from("frames"),
  );
  return { name: nameOf(facts), bytes };
}

test("each range continues the first backup after the commit that it starts from", async () => {
  const to = mkdtempSync(join(tmpdir(), "packhouse-ranges-"));
  try {
    const place = folderPlace(to);
    const [first, second] = [newChain(at(10), Buffer.alloc(4)), newChain(at(40), Buffer.alloc(4, 1))];
    const laid = [
      ...[segment(first, 0, at(5), at(15)), segment(first, 1, at(15), at(20))],
      // The segment between them is missing.
      segment(first, 3, at(25), at(30)),
      segment(second, 0, at(38), at(45)),
    ];
    for (const { name, bytes } of laid) await place.write(name, bytes);
    const ranges = await archivedRanges(place);
    expect(ranges.map(({ after_at, most_at, segments }) => [after_at, most_at, segments])).toEqual([
      [at(5), at(20), 2],
      [at(25), at(30), 1],
      [at(38), at(45), 1],
    ]);
    const backups = [at(0), at(11), at(12), at(35), at(41), at(59)];
    // The second range has no backup: it does not continue those before it.
    expect(ranges.map((range) => firstBackup(range, backups))).toEqual([at(11), null, at(41)]);
    expect(neededBackups(ranges, backups)).toEqual(new Set([at(11), at(41)]));
    // A name has a resolution of one second, so it may be earlier than the commit before the copy.
    expect(firstBackup({ mode: "live", chain: first, after_at: 1900, most_at: 9000, segments: 1 }, [1000])).toBe(1000);
    await place.write(laid[3]?.name ?? "", Buffer.from("damaged"));
    // One is removed while the names are read.
    const read = async (name: string) => {
      await place.remove(laid[0]?.name ?? "");
      return place.read(name);
    };
    const removing = { ...place, read };
    const left = await archivedRanges(removing);
    expect(left.map(({ after_at, segments }) => [after_at, segments])).toEqual([
      [at(15), 1],
      [at(25), 1],
    ]);
    const away = { ...place, read: () => Promise.reject(new Error("away")) };
    await expect(archivedRanges(away)).rejects.toThrow("away");
  } finally {
    rmSync(to, { recursive: true });
  }
});
