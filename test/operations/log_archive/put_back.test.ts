// Data that does not continue its archive: it was reset to an earlier state, or lost the state of its chain.
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

/** Lists the live segments at a destination, in order. */
const filesIn = (to: string) =>
  readdirSync(join(to, "continuous", "live"), { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name))
    .sort();

/** Lists them with a hash of their content. */
const shippedTo = (to: string) => filesIn(to).map((file) => `${file} ${Bun.hash(readFileSync(file))}`);

/** Resets a folder to a copy, with the same files and times, as restoring a virtual machine does. */
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
    "data that was reset to before %p starts another chain, and leaves the archived one unchanged",
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
      // From here on, archiving continues normally.
      expect(await serve(data, folderPlace(to), ["z"])).toBe("");
      expect(chainsIn(to)).toBe(2);
    },
  );

  test("data that is reset while its server runs starts another chain as well", async () => {
    const { data, to } = newRoot();
    // The same server archived these before its machine was reset, including its memory.
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

  test("waiting segments are not sent if the destination has later ones, even after the chain ended", async () => {
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

  test("waiting segments are archived even if the state of their chain is lost", async () => {
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

  test("segments for another destination are dropped, with a warning", async () => {
    const { data, to, copy } = newRoot();
    await serve(data, away(folderPlace(to)), ["a"]);
    expect(await serve(data, folderPlace(copy), ["b"])).toContain("for another archive destination were dropped");
    expect(chainsIn(copy)).toBe(1);
    expect(await serve(data, folderPlace(copy), ["c"])).toBe("");
  });
}
