// The examples of the reference are what a service answers today, and every operation has one.
import { expect, test } from "bun:test";
import { operationsOf } from "../../src/reference/routes.ts";
import { openTestApp } from "../harness.ts";
import { kept_files, tellWhole } from "./story/story.ts";

test("every operation has an example, and each is what the service answers", async () => {
  const app = await openTestApp({ base_url: "http://packhouse.test" });
  const told = await tellWhole(app);
  const ids = operationsOf(app.app.routes).map(({ id }) => id);
  await app.close();
  expect(ids.filter((id) => !(id in told.examples))).toEqual([]);
  // To write them anew: bun test/reference/story/story.ts
  expect(told.examples).toEqual(await Bun.file(kept_files.examples).json());
  expect(told.refusals).toEqual(await Bun.file(kept_files.refusals).json());
}, 60_000);
