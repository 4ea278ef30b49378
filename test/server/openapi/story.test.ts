// The reference's examples are what the service returns today, and every operation has one.
import { expect, test } from "bun:test";
import { engine } from "../../../src/core/config.ts";
import { operationsOf } from "../../../src/server/openapi/description.ts";
import { openTestApp } from "../../build/service.ts";
import { kept_files, tellWhole } from "./story/story.ts";

test("every operation has an example, and each is what the service returns", async () => {
  const app = await openTestApp({ base_url: "http://packhouse.test" });
  const told = await tellWhole(app);
  const ids = operationsOf(app.app.routes).flatMap(({ id, alias }) => (alias ? [] : id));
  await app.close();
  expect(ids.filter((id) => !(id in told.examples))).toEqual([]);
  // To record them again: bun test/server/openapi/story/story.ts
  expect(numbered(told.examples)).toEqual(numbered(await Bun.file(kept_files.examples).json()));
  expect(told.refusals).toEqual(await Bun.file(kept_files.refusals).json());
}, 120_000);

/** PostgreSQL never reuses an id, not even that of a row of a dry run, so these may skip one. */
function numbered(examples: object): unknown {
  if (engine === "sqlite") return examples;
  return JSON.parse(JSON.stringify(examples).replace(/\b(hld|hst|mov|prd)_\d+/g, "$1_1000000001"));
}
