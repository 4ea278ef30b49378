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

interface Problem {
  readonly ruleId: string;
  readonly message: string;
  readonly location: readonly { readonly pointer: string }[];
}

// Both paths of a pair match one address, such as /webhooks/carriers/test. No webhook has the id `carriers`, no
// connector is called `test`, and no reservation has the id `explain`, so no request is ambiguous.
const ambiguous = [
  "/inventory/reservations/{id} /inventory/{sku}/explain",
  ...["rotate_secret", "test", "deliveries", "recoveries", "logs"].map(
    (act) => `/webhooks/carriers/{connector} /webhooks/{id}/${act}`,
  ),
];

describe("the document of the API is valid", () => {
  test("by Redocly", async () => {
    const file = join(folder, "openapi.json");
    await Bun.write(file, text);
    const cli = join(import.meta.dir, "../../../node_modules/@redocly/cli/bin/cli.js");
    const words = ["lint", file, "--extends=recommended-strict", "--format=json"];
    const run = Bun.spawn([process.execPath, cli, ...words], {
      cwd: folder,
      env: { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const said = await new Response(run.stdout).text();
    const { problems } = JSON.parse(said);
    await run.exited;
    const found = (problems as readonly Problem[]).map(({ ruleId, message, location: [at] }) => ({
      rule: ruleId,
      message: `${at?.pointer} ${message}`,
    }));
    const isAmbiguous = ({ rule }: { readonly rule: string }) => rule === "no-ambiguous-paths";
    expect(found.filter((one) => !isAmbiguous(one))).toEqual([]);
    const pairs = found
      .filter(isAmbiguous)
      .map(({ message }) => [...message.matchAll(/`([^`]+)`/g)].map(([, path]) => path));
    expect(pairs.map((pair) => pair.join(" "))).toEqual(ambiguous);
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
