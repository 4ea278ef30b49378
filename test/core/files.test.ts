import { afterAll, beforeEach, expect, test } from "bun:test";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeFolder, openAtomicFile, writeAtomically } from "../../src/core/files.ts";

const root = mkdtempSync(join(tmpdir(), "packhouse-whole-"));
afterAll(() => rmSync(root, { recursive: true }));
let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(root, "case-"));
  path = join(folder, "kept.txt");
});
const bits = (path: string) => statSync(path).mode & 0o777;

test("a file is unchanged until the new one is complete", () => {
  writeFileSync(path, "before");
  const file = openAtomicFile(path);
  file.write("after, ");
  file.write("in pieces: é");
  expect(readFileSync(path, "utf8")).toBe("before");
  file.keep();
  file.drop();
  expect(readFileSync(path, "utf8")).toBe("after, in pieces: é");
  expect(readdirSync(folder)).toEqual(["kept.txt"]);
});

test("a dropped file leaves nothing behind", () => {
  const file = openAtomicFile(path);
  file.write("half");
  file.drop();
  expect(readdirSync(folder)).toEqual([]);
});

test("a new file is private to its owner, a replaced file has the same permissions as before", () => {
  writeAtomically(path, "secret");
  expect(bits(path)).toBe(0o600);
  chmodSync(path, 0o640);
  writeAtomically(path, "another");
  expect(bits(path)).toBe(0o640);
});

test("a symlink still points to the file, and a device is written to directly", () => {
  writeFileSync(path, "before");
  symlinkSync(path, join(folder, "link"));
  writeAtomically(join(folder, "link"), "through the link");
  expect(readFileSync(path, "utf8")).toBe("through the link");
  expect(readdirSync(folder).toSorted()).toEqual(["kept.txt", "link"]);
  writeAtomically("/dev/null", "away");
  expect(statSync("/dev/null").isFile()).toBe(false);
});

test("a folder is created with its parents, private to its owner, and may already exist", () => {
  const deep = join(folder, "a", "b", "c");
  makeFolder(deep);
  makeFolder(deep);
  expect(bits(deep)).toBe(0o700);
});
