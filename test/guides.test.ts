// What those who change Packhouse read: each place and each command that it names is there.
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { root } from "../scripts/install.ts";

const read = (file: string) => Bun.file(join(root, file)).text();
/** What stands as code, in a line or in blocks. */
const codeOf = (text: string) =>
  [...text.matchAll(/```\w*\n([\s\S]*?)```|`([^`\n]+)`/g)].map(([, a, b]) => a ?? b ?? "");

describe.each(["README.md", "CONTRIBUTING.md", "src/README.md"])("%s", (file) => {
  test("names files and folders that are there", async () => {
    const text = await read(file);
    const [named, linked] = [
      codeOf(text).flatMap((code) => code.match(/(?<![\w/.…-])(?:src|test|db|scripts|\.github)\/[\w./-]+/g) ?? []),
      [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = ""]) => join(file, "..", path)),
    ];
    expect([...named, ...linked].filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test("names scripts that package.json has", async () => {
    const scripts = codeOf(await read(file)).flatMap((code) =>
      [...code.matchAll(/bun(?:@[\d.]+)? run (\w+)/g)].map(([, name = ""]) => name),
    );
    expect(scripts.filter((name) => !Object.hasOwn(manifest.scripts, name))).toEqual([]);
  });
});

test("the map has every folder of the source in its table", async () => {
  const text = await read("src/README.md");
  const places = text.split("\n").flatMap((line) => /^\| (`.*?) \|/.exec(line)?.[1] ?? []);
  const named = new Set(places.join(" ").match(/[\w./]+/g));
  const there = [...new Bun.Glob("*").scanSync({ cwd: join(root, "src"), onlyFiles: false })];
  const folders = there.filter((name) => !name.includes(".")).map((name) => `${name}/`);
  const programs = there.filter((name) => name.endsWith(".ts"));
  expect([...folders, ...programs].filter((name) => !named.has(name))).toEqual([]);
});

test("one command tests everything, wherever it is run", async () => {
  const command = `npx -y bun@${Bun.version} run test`;
  for (const file of ["README.md", ".ci/run", ".github/workflows/test.yml"])
    expect(await read(file)).toContain(command);
});
