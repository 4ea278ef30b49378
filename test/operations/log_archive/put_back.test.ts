// Data that does not go on from what was shipped of it: put back to an earlier moment, or without its notes.
import { afterEach, expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { engine } from "../../../src/core/config.ts";
import { folderPlace } from "../../../src/operations/log_archive/archive_destination.ts";
import { waitingIn } from "../../../src/operations/log_archive/log_chain.ts";
import { away, serve } from "./served_data.ts";

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

function newRoot() {
  const root = mkdtempSync(join(tmpdir(), "packhouse-put-back-"));
  roots.push(root);
  return { data: join(root, "data"), copy: join(root, "copy"), to: join(root, "to") };
}

/** The segments of the live world in a place, the last one last. */
const filesIn = (to: string) =>
  readdirSync(join(to, "continuous", "live"), { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name))
    .sort();

/** The same with their bytes. */
const shippedTo = (to: string) => filesIn(to).map((file) => `${file} ${Bun.hash(readFileSync(file))}`);

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
      expect(await serve(data, folderPlace(to), ["x", "y"])).toContain("put back to an earlier state");
      expect(shippedTo(to)).toEqual(expect.arrayContaining(before));
      expect(chainsIn(to)).toBe(2);
      // From here on all is as it should be.
      expect(await serve(data, folderPlace(to), ["z"])).toBe("");
      expect(chainsIn(to)).toBe(2);
    },
  );

  test("data that is put back while its server goes on begins another chain as well", async () => {
    const { data, to } = newRoot();
    // What the same server had shipped before its machine was put back, memory and all.
    const shipLater = () => {
      const [last = ""] = filesIn(to).slice(-1);
      const [index = "", ...others] = basename(last).split("-");
      const next = `${String(Number(index) + 1).padStart(10, "0")}-${others.join("-")}`;
      cpSync(last, join(dirname(last), next));
      return 3_600_000;
    };
    expect(await serve(data, folderPlace(to), ["a", "b", "c", "d"], { between: shipLater })).toContain(
      "put back to an earlier state",
    );
    expect(chainsIn(to)).toBe(2);
  });

  test("what waits of a chain that its place has gone on with is not sent, also once the chain is over", async () => {
    const { data, copy, to } = newRoot();
    const place = folderPlace(to);
    await serve(data, place, ["a"]);
    copyOver(data, copy);
    await serve(data, place, ["b"]);
    const before = shippedTo(to);
    copyOver(copy, data);
    await serve(data, away(place), ["x"]);
    rmSync(join(data, "continuous", "live.json"));
    await serve(data, place, ["y"]);
    const chain = basename(dirname(filesIn(to)[0] ?? ""));
    expect(shippedTo(to).filter((line) => line.includes(chain))).toEqual(before);
    expect(waitingIn(join(data, "continuous"), "live")).toEqual([]);
  });

  test("what waits to be shipped is shipped, also where the notes of the chain are lost", async () => {
    const { data, to } = newRoot();
    const place = folderPlace(to);
    await serve(data, place, ["a"]);
    await serve(data, away(place), ["b"]);
    const waiting = waitingIn(join(data, "continuous"), "live");
    rmSync(join(data, "continuous", "live.json"));
    await serve(data, place, []);
    expect(waiting.length).toBeGreaterThan(0);
    for (const { name } of waiting) expect(shippedTo(to).join("\n")).toContain(name);
  });

  test("what waits for a place is dropped when another is named, and said", async () => {
    const { data, to, copy } = newRoot();
    await serve(data, away(folderPlace(to)), ["a"]);
    expect(await serve(data, folderPlace(copy), ["b"])).toContain("for another archive destination were dropped");
    expect(chainsIn(copy)).toBe(1);
    expect(await serve(data, folderPlace(copy), ["c"])).toBe("");
  });
}
