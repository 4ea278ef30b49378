import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { mutants } from "./mutant_list.ts";

const root = join(import.meta.dir, "../..");
const timesIn = (file: string, text: string) =>
  existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8").split(text).length - 1 : 0;

test("every fault of the list can be injected: the text that it replaces occurs once", () => {
  const wrong = mutants.filter(({ file, search }) => timesIn(file, search) !== 1);
  expect(wrong.map(({ name, file }) => `${name}: ${file}`)).toEqual([]);
});
