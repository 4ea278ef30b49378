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

test("a file stays as it was until the new one is whole", () => {
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

test("one that is dropped leaves nothing", () => {
  const file = openAtomicFile(path);
  file.write("half");
  file.drop();
  expect(readdirSync(folder)).toEqual([]);
});

test("a new one is its owner's alone, another one stays what it was", () => {
  writeAtomically(path, "secret");
  expect(bits(path)).toBe(0o600);
  chmodSync(path, 0o640);
  writeAtomically(path, "another");
  expect(bits(path)).toBe(0o640);
});

test("a link goes on leading to the file, and what is no file is written to", () => {
  writeFileSync(path, "before");
  symlinkSync(path, join(folder, "link"));
  writeAtomically(join(folder, "link"), "through the link");
  expect(readFileSync(path, "utf8")).toBe("through the link");
  expect(readdirSync(folder).toSorted()).toEqual(["kept.txt", "link"]);
  writeAtomically("/dev/null", "away");
  expect(statSync("/dev/null").isFile()).toBe(false);
});

test("a folder is made with those above it, for its owner alone, and may be there", () => {
  const deep = join(folder, "a", "b", "c");
  makeFolder(deep);
  makeFolder(deep);
  expect(bits(deep)).toBe(0o700);
});
