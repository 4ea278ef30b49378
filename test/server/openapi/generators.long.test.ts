// Clients of four generators compile in the strictest mode of TypeScript, and refuse misspelt fields and error codes.
import { afterAll, describe, expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeApi } from "../../../src/cli/openapi.ts";

const here = join(import.meta.dir, "client");
const modules = join(import.meta.dir, "../../../node_modules");
const folder = mkdtempSync(join(tmpdir(), "packhouse-generators-"));
afterAll(() => rmSync(folder, { recursive: true }));

const strictest = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noFallthroughCasesInSwitch: true,
  verbatimModuleSyntax: true,
};
const environment = {
  target: "ESNext",
  module: "Preserve",
  moduleResolution: "bundler",
  lib: ["ESNext", "DOM", "DOM.Iterable"],
  types: [],
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
};

async function run(words: readonly string[], cwd: string): Promise<string> {
  const ran = Bun.spawn([process.execPath, ...words], { cwd, stdio: ["ignore", "pipe", "pipe"] });
  const [said, complained] = await Promise.all([new Response(ran.stdout).text(), new Response(ran.stderr).text()]);
  const code = await ran.exited;
  return code === 0 ? "" : `${words.join(" ")}: ${said}${complained}`.slice(0, 4000);
}

describe("a client of", () => {
  test.each(["openapi_fetch", "hey_api", "orval", "swagger_typescript_api"])(
    "%s compiles, and refuses misspelt fields and codes",
    async (name) => {
      const project = join(folder, name);
      await Bun.write(join(project, "openapi.json"), describeApi(""));
      symlinkSync(modules, join(project, "node_modules"));
      expect(await run([join(here, "generate.ts"), name, "openapi.json", project], project)).toBe("");
      copyFileSync(join(here, `${name}.txt`), join(project, "program.ts"));
      const tsconfig = { compilerOptions: { ...strictest, ...environment }, include: ["program.ts"] };
      await Bun.write(join(project, "tsconfig.json"), JSON.stringify(tsconfig));
      expect(await run([join(modules, "typescript/bin/tsc"), "-p", "tsconfig.json"], project)).toBe("");
    },
    120_000,
  );
});
