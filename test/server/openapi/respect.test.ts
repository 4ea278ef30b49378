// A workflow from an order to its return, run by Redocly against a live service. Redocly knows only the document.
import { afterAll, describe, expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { engine } from "../../../src/core/config.ts";
import { openTestApp } from "../../build/service.ts";

const folder = mkdtempSync(join(tmpdir(), "packhouse-respect-"));
const app = await openTestApp();
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => app.app.handle(request) });
afterAll(async () => {
  await server.stop(true);
  rmSync(folder, { recursive: true });
  await app.close();
});

async function play(sku: string): Promise<{ code: number; said: string }> {
  const document = await app.app.handle(new Request("http://packhouse.test/openapi.json"));
  await Bun.write(join(folder, "openapi.json"), await document.text());
  copyFileSync(join(import.meta.dir, "order_to_return.arazzo.yaml"), join(folder, "order_to_return.arazzo.yaml"));
  const cli = join(import.meta.dir, "../../../node_modules/@redocly/cli/bin/cli.js");
  const given = ["--input", JSON.stringify({ key: app.keys.live.full, sku })];
  const at = ["--server", `packhouse=http://127.0.0.1:${server.port}/v1`];
  const played = Bun.spawn([process.execPath, cli, "respect", "order_to_return.arazzo.yaml", ...given, ...at], {
    cwd: folder,
    env: { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = await Promise.all([new Response(played.stdout).text(), new Response(played.stderr).text()]);
  return { code: await played.exited, said: said.join("\n") };
}

describe.skipIf(engine === "postgres")("redocly respect", () => {
  test("runs from an order to its return, and every response matches the document", async () => {
    const { code, said } = await play("TEA-100");
    expect(said).toContain("14 passed, 14 total");
    expect(code).toBe(0);
    // A second run is refused at its first step, and Redocly reports that.
    expect((await play("TEA-100")).code).not.toBe(0);
  }, 120_000);
});
