// Data that does not go on from what was shipped of it: put back to an earlier moment, or without its notes.
import { afterEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leases } from "../../../db/schema/service.ts";
import { openContinuous } from "../../../src/backups/continuous/continuous.ts";
import { folderPlace, type ShippedPlace } from "../../../src/backups/continuous/place.ts";
import { engine } from "../../../src/config.ts";
import { openStores } from "../../../src/database/open.ts";
import { insert } from "../../../src/database/statements.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import { openLog } from "../../../src/kit/log.ts";

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

function newRoot() {
  const root = mkdtempSync(join(tmpdir(), "packhouse-put-back-"));
  roots.push(root);
  return { data: join(root, "data"), copy: join(root, "copy"), to: join(root, "to") };
}

/** Serves data for a while: writes rows, each shipped by itself, and ends in order. Answers what was logged. */
async function serve(data: string, place: ShippedPlace, rows: readonly string[]): Promise<string> {
  const clock = systemClock();
  const lines: string[] = [];
  const log = openLog({ level: "warn", format: "text", write: (line) => void lines.push(line) });
  const continuous = openContinuous({
    ...{ data, place, log, now: () => clock.now(), every_ms: 60_000 },
    ...{ backUp: async () => {}, backups: async () => [] },
  });
  const { followers } = continuous;
  const fatal = (error: unknown) => {
    throw error;
  };
  const stores = await openStores({ data, database_url: null, purpose: "serve", log, fatal, followers });
  await continuous.ship();
  for (const name of rows) {
    await stores.live.write((tx) => insert(tx, leases, [{ name, owner: "one", until: 1 }]));
    await continuous.ship();
  }
  await stores.close();
  await continuous.finish(10_000);
  return lines.join("\n");
}

/** The segments of the live world in a place, with their bytes. */
const shippedTo = (to: string) =>
  readdirSync(join(to, "continuous", "live"), { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name))
    .sort()
    .map((file) => `${file} ${Bun.hash(readFileSync(file))}`);

/** Makes a folder as another is, in the same files with the same times, as a machine does that goes back as a whole. */
function copyOver(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  const files = (folder: string) => readdirSync(folder, { recursive: true }) as string[];
  const kept = new Set(files(from));
  for (const name of files(to)) if (!kept.has(name)) rmSync(join(to, name), { recursive: true, force: true });
  expect(Bun.spawnSync(["cp", "-a", `${from}/.`, to]).exitCode).toBe(0);
}

const chainsIn = (to: string) => readdirSync(join(to, "continuous", "live")).length;

if (engine === "sqlite") {
  test.each([[["b"]], [["b", "c", "d"]]])(
    "data that was put back behind %p begins another chain, and leaves the one that was shipped as it is",
    async (lost) => {
      const { data, copy, to } = newRoot();
      await serve(data, folderPlace(to), ["a"]);
      copyOver(data, copy);
      await serve(data, folderPlace(to), lost);
      const before = shippedTo(to);
      expect(chainsIn(to)).toBe(1);
      copyOver(copy, data);
      expect(await serve(data, folderPlace(to), ["x", "y"])).toContain("put back to an earlier moment");
      expect(shippedTo(to)).toEqual(expect.arrayContaining(before));
      expect(chainsIn(to)).toBe(2);
      // From here on all is as it should be.
      expect(await serve(data, folderPlace(to), ["z"])).toBe("");
      expect(chainsIn(to)).toBe(2);
    },
  );

  test("what waits to be shipped is shipped, also where the notes of the chain are lost", async () => {
    const { data, to } = newRoot();
    const place = folderPlace(to);
    await serve(data, place, ["a"]);
    const away = { ...place, write: () => Promise.reject(new Error("away")) };
    await serve(data, away, ["b"]);
    const waiting = (readdirSync(join(data, "continuous", "live"), { recursive: true }) as string[]).filter((name) =>
      /\d/.test(name.split("/").at(-1) ?? ""),
    );
    rmSync(join(data, "continuous", "live.json"));
    await serve(data, place, []);
    const there = shippedTo(to).join("\n");
    const segments = waiting.filter((name) => name.includes("/"));
    expect(segments.length).toBeGreaterThan(0);
    for (const name of segments) expect(there).toContain(name);
  });
}
