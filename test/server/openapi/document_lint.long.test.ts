// The API's description, checked by two independent tools.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Document, Spectral } from "@stoplight/spectral-core";
import { Json } from "@stoplight/spectral-parsers";
import { oas } from "@stoplight/spectral-rulesets";
import { openTestApp } from "../../build/service.ts";

const folder = mkdtempSync(join(tmpdir(), "packhouse-reference-"));
afterAll(() => rmSync(folder, { recursive: true }));

const app = await openTestApp();
const text = await (await app.app.handle(new Request("http://packhouse.test/openapi.json"))).text();
await app.close();

describe("the document of the API is valid", () => {
  test("by Redocly", async () => {
    const file = join(folder, "openapi.json");
    await Bun.write(file, text);
    const cli = join(import.meta.dir, "../../../node_modules/@redocly/cli/bin/cli.js");
    const words = ["lint", file, "--extends=recommended-strict", "--skip-rule=no-ambiguous-paths", "--format=json"];
    const run = Bun.spawn([process.execPath, cli, ...words], {
      cwd: folder,
      env: { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const said = await new Response(run.stdout).text();
    const { problems } = JSON.parse(said);
    expect(problems).toEqual([]);
    expect(await run.exited).toBe(0);
  }, 120_000);

  test("by Spectral", async () => {
    const spectral = new Spectral();
    spectral.setRuleset({ extends: [[oas as never, "recommended"]] });
    const problems = await spectral.run(new Document(text, Json as never, "openapi.json"));
    // Event types have their own schema and example, which Spectral mistakes for those of an OpenAPI document.
    const real = problems.filter(({ path: [, path] }) => path !== "/event_types");
    expect(real.map(({ code, path, message }) => `${code} ${path.join("/")}: ${message}`)).toEqual([]);
  }, 120_000);
});
