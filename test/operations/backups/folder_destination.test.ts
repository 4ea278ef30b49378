// Backups in a folder. Their names state the second.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileDestination, folderDestination } from "../../../src/operations/backups/folder_destination.ts";

const root = mkdtempSync(join(tmpdir(), "packhouse-folder-"));
afterAll(() => rmSync(root, { recursive: true }));
const at = Date.parse("2026-11-24T17:30:00Z");

test("two backups started in the same second get different names", async () => {
  const folder = join(root, "kept");
  const place = folderDestination(folder);
  const drafts = [await place.begin(at)];
  for (const [index, draft] of drafts.entries()) await draft.write(Buffer.from(`backup ${index}`));
  await drafts[0]?.keep();
  // Another process shares no memory with this one.
  const module = JSON.stringify(join(import.meta.dir, "../../../src/operations/backups/folder_destination.ts"));
  const script = `import { folderDestination } from ${module};
    const draft = await folderDestination(${JSON.stringify(folder)}).begin(${at});
    await draft.write(Buffer.from("backup 1"));
    await draft.keep();
    console.log(draft.place);`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" });
  expect((await child.stdout.text()).trim()).toBe(join(folder, "packhouse-20261124T173001Z.tar.zst"));
  const names = (await place.list()).map(({ name }) => name);
  expect(names).toEqual(["packhouse-20261124T173000Z.tar.zst", "packhouse-20261124T173001Z.tar.zst"]);
  expect(names.map((name) => readFileSync(join(folder, name), "utf8"))).toEqual(["backup 0", "backup 1"]);
  expect(readdirSync(folder).length).toBe(2);
});

test("a file that was created in the meantime is not overwritten", async () => {
  const file = join(root, "one.tar.zst");
  const draft = await fileDestination(file).begin(at);
  await draft.write(Buffer.from("second"));
  await Bun.write(file, "first");
  await expect(draft.keep()).rejects.toThrow("already exists");
  await draft.drop();
  expect([readFileSync(file, "utf8"), readdirSync(root).filter((name) => name.startsWith("."))]).toEqual(["first", []]);
  await expect(fileDestination(file).begin(at)).rejects.toThrow("already exists");
});
