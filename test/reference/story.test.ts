// The examples of the reference are what a service answers today, and every operation has one.
import { expect, test } from "bun:test";
import { operationsOf } from "../../src/reference/routes.ts";
import { openTestApp } from "../harness.ts";
import { kept_file, tellStory } from "./story/story.ts";

test("every operation has an example, and each is what the service answers", async () => {
  const app = await openTestApp();
  const told = await tellStory(app);
  const ids = operationsOf(app.app.routes).map(({ id }) => id);
  await app.close();
  expect(ids.filter((id) => !(id in told))).toEqual([]);
  // To write them anew: bun test/reference/story/story.ts
  expect(told).toEqual(await Bun.file(kept_file).json());
}, 60_000);
