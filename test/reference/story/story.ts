// The examples of the reference: a day in the house, told to a fresh service. What was said is written down by
// `bun test/reference/story/story.ts`.
import { join } from "node:path";
import type { Example } from "../../../src/reference/example.ts";
import { openTestApp, type TestApp } from "../../harness.ts";
import { changes, customers, fulfillment, reservations, returns } from "./orders.ts";
import { platforms } from "./platforms.ts";
import { events, keys, webhooks } from "./service.ts";
import { catalogue, inventory } from "./stock.ts";
import { openStory } from "./teller.ts";

/** Where the examples are kept. */
export const kept_file = join(import.meta.dir, "../../../src/reference/examples.json");

/** Tells the whole story to a fresh service, and gives the examples by operation in the order of their names. */
export async function tellStory(app: TestApp): Promise<Record<string, Example>> {
  const story = openStory(app);
  await catalogue(story);
  await inventory(story);
  const buyer = await customers(story);
  await reservations(story);
  await changes(story, buyer);
  await fulfillment(story, buyer);
  await returns(story);
  await platforms(story);
  await events(story);
  await keys(story);
  await webhooks(story);
  return Object.fromEntries(Object.entries(story.examples).sort(([a], [b]) => (a < b ? -1 : 1)));
}

if (import.meta.main) {
  const app = await openTestApp();
  await Bun.write(kept_file, `${JSON.stringify(await tellStory(app), null, 1)}\n`);
  await app.close();
}
