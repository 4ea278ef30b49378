// A client generated from the document compiles in strict mode, and takes an order from creation to refund.
import { afterAll, describe, expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { engine } from "../../../src/core/config.ts";
import { openTestApp } from "../../build/service.ts";

const here = join(import.meta.dir, "client");
const folder = mkdtempSync(join(tmpdir(), "packhouse-client-"));
const app = await openTestApp();
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await app.close();
});

async function run(words: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const ran = Bun.spawn([process.execPath, ...words], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const [said, complained] = await Promise.all([new Response(ran.stdout).text(), new Response(ran.stderr).text()]);
  if ((await ran.exited) !== 0) throw new Error(`${words.join(" ")}: ${said}${complained}`.slice(0, 4000));
  return said;
}

// The document is the same on both engines, and so is its client.
describe.skipIf(engine === "postgres")("a typed client", () => {
  test("is generated, compiles, and takes an order to its refund", async () => {
    const document = await app.app.handle(new Request("http://packhouse.test/openapi.json"));
    await Bun.write(join(folder, "openapi.json"), await document.text());
    await run([join(here, "generate.ts"), "hey_api", join(folder, "openapi.json"), join(folder, "client")]);
    copyFileSync(join(here, "flow.txt"), join(folder, "flow.ts"));

    const types = join(import.meta.dir, "../../../node_modules/@types");
    const strict = { strict: true, noUncheckedIndexedAccess: true, module: "Preserve", moduleResolution: "bundler" };
    const lib = { lib: ["ESNext", "DOM", "DOM.Iterable"], types: ["bun"], typeRoots: [types], skipLibCheck: true };
    const compilerOptions = { ...strict, ...lib, target: "ESNext", noEmit: true };
    await Bun.write(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["flow.ts", "client"] }));
    await run([join(import.meta.dir, "../../../node_modules/typescript/bin/tsc"), "-p", "tsconfig.json"]);

    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => app.app.handle(request) });
    const said = await run([join(folder, "flow.ts")], {
      ADDRESS: `http://127.0.0.1:${server.port}`,
      KEY: app.keys.live.full,
    });
    await server.stop(true);
    expect(JSON.parse(said)).toEqual({
      status: "delivered",
      amount: 6,
      available: 8,
      listed: ["SO-1"],
      refused: 409,
      code: "duplicate_order_number",
    });
  }, 180_000);
});
