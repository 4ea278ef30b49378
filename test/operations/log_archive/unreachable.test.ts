// An unavailable destination: waiting segments are limited, and archiving continues once it is available.
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { engine } from "../../../src/core/config.ts";
import { type ArchiveDestination, folderPlace } from "../../../src/operations/log_archive/archive_destination.ts";
import { waitingIn } from "../../../src/operations/log_archive/log_chain.ts";
import { readName } from "../../../src/operations/log_archive/segment.ts";
import { away, serve } from "./served_data.ts";

if (engine === "sqlite") {
  const inRoot = async (work: (root: string) => Promise<void>) => {
    const root = mkdtempSync(join(tmpdir(), "packhouse-unreachable-"));
    await work(root).finally(() => rmSync(root, { recursive: true }));
  };
  const chainsIn = async (place: ArchiveDestination) => {
    const names = (await place.list("live")).flatMap((name) => readName(name) ?? []);
    return [...new Set(names.map(({ chain }) => chain))];
  };
  /** A destination that is unavailable until `back` is called. */
  const awayAtFirst = (to: string) => {
    const place = folderPlace(to);
    let is_away = true;
    const now = () => (is_away ? away(place) : place);
    const back = () => {
      is_away = false;
      return 0;
    };
    const comes: ArchiveDestination = {
      ...place,
      list: (below) => now().list(below),
      write: (name, bytes) => now().write(name, bytes),
    };
    return { comes, back, place };
  };

  test("waiting segments are sent once the destination is available, in the same chain", () =>
    inRoot(async (root) => {
      const { comes, back, place } = awayAtFirst(join(root, "to"));
      const told: (string | null)[] = [];
      const said = await serve(join(root, "data"), comes, ["a", "b", "c"], {
        between: back,
        onArchived: ({ problem }) => told.push(problem),
      });
      expect(told).toEqual(["away", null, null]);
      expect(said).toContain("archive destination is unavailable");
      expect((await chainsIn(place)).length).toBe(1);
      expect((await place.list("live")).length).toBe(3);
    }));

  test("a chain with too much waiting is abandoned, and another starts from its own backup", () =>
    inRoot(async (root) => {
      const { comes, back, place } = awayAtFirst(join(root, "to"));
      let backups = 0;
      const backUp = async () => {
        backups += 1;
      };
      const data = join(root, "data");
      const chains: (string | null)[] = [];
      const said = await serve(data, comes, ["a", "b", "c", "d"], {
        ...{ between: back, backUp, most_waiting_bytes: 1 },
        onArchived: ({ modes }) => chains.push(modes.live.chain),
      });
      expect(said).toContain("too much waits to be archived");
      expect(new Set(chains).size).toBeGreaterThan(1);
      // Waiting segments are not lost: they are sent, as are later commits.
      expect((await chainsIn(place)).length).toBe(2);
      expect(waitingIn(join(data, "continuous"), "live")).toEqual([]);
      expect(backups).toBeGreaterThan(1);
    }));

  test("a failed base backup is reported, and nothing counts as archived before one is made", () =>
    inRoot(async (root) => {
      const told: (readonly [string | null, number | null])[] = [];
      let tries = 0;
      await serve(join(root, "data"), folderPlace(join(root, "to")), ["a", "b", "c"], {
        backUp: () => (++tries === 1 ? Promise.reject(new Error("no room left")) : Promise.resolve()),
        // It is retried after a minute.
        between: () => 61_000,
        onArchived: ({ problem, modes }) => told.push([problem, modes.live.archived_until] as const),
      });
      expect(told[0]).toEqual([expect.stringContaining("no room left"), null]);
      expect(told.at(-1)).toEqual([null, expect.any(Number)]);
    }));
}
