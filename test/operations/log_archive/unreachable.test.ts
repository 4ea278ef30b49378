// A place that cannot be reached: what waits is bounded, and all goes on once it can be reached again.
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
  /** A place that is away until it is told to be back. */
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

  test("what waits is sent once the place can be reached, by the same chain", () =>
    inRoot(async (root) => {
      const { comes, back, place } = awayAtFirst(join(root, "to"));
      const told: (string | null)[] = [];
      const said = await serve(join(root, "data"), comes, ["a", "b", "c"], {
        between: back,
        onShipped: ({ problem }) => told.push(problem),
      });
      expect(told).toEqual(["away", null, null]);
      expect(said).toContain("archive destination is unavailable");
      expect((await chainsIn(place)).length).toBe(1);
      expect((await place.list("live")).length).toBe(3);
    }));

  test("a chain of which too much waits is given up, and another begins by a backup of its own", () =>
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
        onShipped: ({ worlds }) => chains.push(worlds.live.chain),
      });
      expect(said).toContain("too much waits to be archived");
      expect(new Set(chains).size).toBeGreaterThan(1);
      // Nothing that waited is lost: it is sent, as is what is committed since.
      expect((await chainsIn(place)).length).toBe(2);
      expect(waitingIn(join(data, "continuous"), "live")).toEqual([]);
      expect(backups).toBeGreaterThan(1);
    }));

  test("a backup that cannot be made is told, and nothing counts as shipped before it is", () =>
    inRoot(async (root) => {
      const told: (readonly [string | null, number | null])[] = [];
      let tries = 0;
      await serve(join(root, "data"), folderPlace(join(root, "to")), ["a", "b", "c"], {
        backUp: () => (++tries === 1 ? Promise.reject(new Error("no room left")) : Promise.resolve()),
        // It is tried again after a minute.
        between: () => 61_000,
        onShipped: ({ problem, worlds }) => told.push([problem, worlds.live.archived_until] as const),
      });
      expect(told[0]).toEqual([expect.stringContaining("no room left"), null]);
      expect(told.at(-1)).toEqual([null, expect.any(Number)]);
    }));
}
