// The guides for contributors: every path and command that they name exists.
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { root } from "../scripts/install.ts";

const read = (file: string) => Bun.file(join(root, file)).text();
/** The code of a text, inline and in blocks. */
const codeOf = (text: string) =>
  [...text.matchAll(/```\w*\n([\s\S]*?)```|`([^`\n]+)`/g)].map(([, a, b]) => a ?? b ?? "");

describe.each(["README.md", "CONTRIBUTING.md", "src/README.md"])("%s", (file) => {
  test("names only existing files and folders", async () => {
    const text = await read(file);
    const [named, linked] = [
      codeOf(text).flatMap((code) => code.match(/(?<![\w/.…-])(?:src|test|db|scripts|\.github)\/[\w./-]+/g) ?? []),
      [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = ""]) => join(file, "..", path)),
    ];
    expect([...named, ...linked].filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test("names only scripts in package.json", async () => {
    const scripts = codeOf(await read(file)).flatMap((code) =>
      [...code.matchAll(/bun(?:@[\d.]+)? run (\w+)/g)].map(([, name = ""]) => name),
    );
    expect(scripts.filter((name) => !Object.hasOwn(manifest.scripts, name))).toEqual([]);
  });
});

test("the map lists every folder of the source", async () => {
  const text = await read("src/README.md");
  const places = text.split("\n").flatMap((line) => /^\| (`.*?) \|/.exec(line)?.[1] ?? []);
  const named = new Set(places.join(" ").match(/[\w./]+/g));
  const there = [...new Bun.Glob("*").scanSync({ cwd: join(root, "src"), onlyFiles: false })];
  const folders = there.filter((name) => !name.includes(".")).map((name) => `${name}/`);
  const programs = there.filter((name) => name.endsWith(".ts"));
  expect([...folders, ...programs].filter((name) => !named.has(name))).toEqual([]);
});

test("one command runs all tests, locally and in CI", async () => {
  const command = `npx -y bun@${Bun.version} run test`;
  for (const file of ["README.md", ".ci/run", ".github/workflows/test.yml"])
    expect(await read(file)).toContain(command);
});
