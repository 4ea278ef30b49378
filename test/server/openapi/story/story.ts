// The examples of the reference: a day in the warehouse, run on a fresh service. To record them:
// `bun test/server/openapi/story/story.ts`.
import { join } from "node:path";
import type { Example } from "../../../../src/server/openapi/operation.ts";
import { openTestApp, type TestApp } from "../../../build/service.ts";
import { billing } from "./billing.ts";
import { carriers } from "./carriers.ts";
import { floor } from "./floor.ts";
import { branding, merchants } from "./merchants.ts";
import { type Buyer, changes, customers, fulfillment, reservations, returns } from "./orders.ts";
import { packing } from "./packing.ts";
import { people } from "./people.ts";
import { platforms } from "./platforms.ts";
import { printing } from "./printing.ts";
import { privacy } from "./privacy.ts";
import { openStory, type Teller } from "./record_example.ts";
import { refusals } from "./refusals.ts";
import { reports } from "./reports.ts";
import { audit, backups, events, keys, mail, servers, webhooks } from "./service.ts";
import { holidays, rateCards, shippingRules, zones } from "./shipping.ts";
import { catalogue, imports, inventory } from "./stock.ts";

const folder = join(import.meta.dir, "../../../../src/server/openapi");

/** The files with the examples, and with those of refusals. */
export const kept_files = { examples: join(folder, "examples.json"), refusals: join(folder, "refusals.json") };

/** The recorded examples by operation and refusals by code, in alphabetical order. */
export interface Told {
  readonly examples: Readonly<Record<string, Example>>;
  readonly refusals: Readonly<Record<string, unknown>>;
}

const sorted = <Value>(record: Readonly<Record<string, Value>>): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Runs the successful part of the story on a fresh service, in live. Returns the examples of operations. */
export async function tellStory(app: TestApp): Promise<Told["examples"]> {
  const story = openStory(app, "live");
  await tellWorks(story);
  return sorted(story.examples);
}

/**
 * Runs the whole story on a fresh service, with the refusals at its end. It runs in test, so that users who try the
 * examples with a test key get the same ids.
 */
export async function tellWhole(app: TestApp): Promise<Told> {
  const story = openStory(app, "test");
  await refusals(story, await tellWorks(story));
  return { examples: sorted(story.examples), refusals: sorted(story.refusals) };
}

async function tellWorks(story: Teller): Promise<Buyer> {
  await catalogue(story);
  await imports(story);
  await inventory(story);
  const buyer = await customers(story);
  await reservations(story);
  await changes(story, buyer);
  await fulfillment(story, buyer);
  await printing(story);
  await floor(story, buyer);
  await rateCards(story);
  await zones(story);
  await holidays(story);
  await shippingRules(story);
  await returns(story);
  await packing(story, buyer);
  await carriers(story);
  await platforms(story);
  await events(story);
  await keys(story);
  await webhooks(story);
  await people(story);
  await mail(story);
  await backups(story);
  await servers(story);
  await audit(story);
  await reports(story);
  await billing(story);
  await branding(story);
  await merchants(story);
  await privacy(story);
  return buyer;
}

if (import.meta.main) {
  const app = await openTestApp({ base_url: "http://packhouse.test" });
  const told = await tellWhole(app);
  await Bun.write(kept_files.examples, `${JSON.stringify(told.examples, null, 1)}\n`);
  await Bun.write(kept_files.refusals, `${JSON.stringify(told.refusals, null, 1)}\n`);
  await app.close();
}
