// Throughout a random sequence of changes, an ETag identifies everything that a response shows, and a conditional
// change is made only under its condition.
import { expect, test } from "bun:test";
import { engine } from "../../src/core/config.ts";
import { type Random, seededRandom } from "../../src/core/random.ts";
import { volume } from "../volume.ts";
import { type Change, changesOf, type House, openHouse } from "./entity_tags_story.ts";

// Each step reads everything, which takes longer on PostgreSQL.
const steps = engine === "sqlite" ? volume(40, 120) : 30;

// The choices depend on the tags, and those on when jobs run. In a few steps, it may happen that nothing is refused.
const steps_max = 5 * steps;

// Changes that end a resource, or nearly do, come late.
const ends = /^(cancel(?!OrderItems)|delete|close|post|revoke|rotateKey)/;

/** What was seen of a resource: the bytes of its data by tag, and its current tag. */
interface Seen {
  readonly by_tag: Map<string, string>;
  tag: string;
  /** Whether the resource was read a second time because it changed by itself. */
  readonly noting?: boolean;
}

test.each([1, 2])("ETags hold throughout a random sequence of changes, seed %i", live, 120_000);

/** Makes random changes, and checks every resource after each step. */
async function live(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const house = await openHouse();
  const seen = new Map(
    Object.keys(house.resources).map((name): [string, Seen] => [name, { by_tag: new Map(), tag: "" }]),
  );
  const wrong: unknown[] = [];
  let [refused, done] = [0, 0];
  for (let step = 0; step < steps || (step < steps_max && (refused === 0 || done === 0)); step += 1) {
    const change = random.chance(0.6) ? chosenChange(house, random, seen) : null;
    const happening = random.pick(house.happenings);
    const what = step === 0 ? "opening" : change === null ? `${happening}` : `${change.id} on ${change.given}`;
    if (change !== null && step > 0) {
      const outcome = await made(house, change, seen);
      if (outcome === "refused") refused += 1;
      if (outcome === "done") done += 1;
      if (outcome === "wrong") wrong.push(what);
    } else if (step > 0) await happening(random);
    for (const [name, one] of seen) {
      const problem = await problemOf(house, name, one, random.chance(0.2));
      if (problem === "gone") seen.delete(name);
      else if (problem !== null) wrong.push([name, problem, what]);
    }
  }
  expect(wrong).toEqual([]);
  expect([refused > 0, done > 0]).toEqual([true, true]);
}

interface Conditional extends Change {
  /** The tag in the condition. */
  readonly given: string;
}

/** A change conditional on a current or former tag of its resource, or null if there is nothing to change. */
function chosenChange(house: House, random: Random, seen: ReadonlyMap<string, Seen>): Conditional | null {
  const late = random.chance(0.1);
  const now = house.shop.app.clocks.live.now();
  const change = random.pick(changesOf(house, random, now).filter(({ id }) => late || !ends.test(id)));
  const { by_tag, tag } = seen.get(change.of) ?? { by_tag: new Map<string, string>(), tag: "" };
  const old = [...by_tag.keys()].filter((one) => one !== tag);
  const given = old.length > 0 && random.chance(0.3) ? random.pick(old) : random.pick([tag, versionOf(tag)]);
  return given === "" ? null : { ...change, given };
}

/** The tag of the record alone, without the related data shown with it. */
const versionOf = (tag: string) => tag.replace(/-.*/, '"');

/** Makes a change. With an outdated tag it must be refused and have no effect. */
async function made({ shop: { app } }: House, change: Conditional, seen: ReadonlyMap<string, Seen>): Promise<string> {
  const { of, method, path, body, given, headers } = change;
  const tag = seen.get(of)?.tag ?? "";
  await app.takeEvents();
  const { status } = await app.call(method, path, body, { headers: { ...headers, "if-match": given } });
  const isStale = given !== tag && given !== versionOf(tag);
  if ((status === 412) !== isStale) return "wrong";
  if (isStale) return (await app.takeEvents()).length === 0 ? "refused" : "wrong";
  return status < 300 ? "done" : "not possible";
}

/** What is wrong with a resource's current response, compared with earlier ones, or null. */
async function problemOf(
  { shop, resources }: Pick<House, "shop" | "resources">,
  name: string,
  one: Seen,
  again: boolean,
): Promise<string | null> {
  const { by_tag, tag: before } = one;
  const { path = "", headers: own = {} } = resources[name] ?? {};
  const { status, headers, body } = await shop.app.call("GET", path, undefined, { headers: own });
  if (status === 404) return "gone";
  const tag = headers.get("etag");
  if (tag === null) return "no tag";
  const { meta: _meta, ...shown } = body;
  const bytes = JSON.stringify(shown);
  if ((by_tag.get(tag) ?? bytes) !== bytes) return `${tag} names ${by_tag.get(tag)} and ${bytes}`;
  by_tag.set(tag, bytes);
  one.tag = tag;
  if (before === "" || (before === tag && !again)) return null;
  const known = await shop.app.call("GET", path, undefined, { headers: { ...own, "if-none-match": before } });
  // The user's last activity is updated alongside the request, so it may have changed between these two.
  const noted = known.headers.get("etag");
  if (name === "me" && known.status === 200 && noted !== null && noted !== tag) {
    if (one.noting) return "is noted twice";
    const later: Seen = { ...one, tag: noted, noting: true };
    const problem = await problemOf({ shop, resources }, name, later, true);
    one.tag = later.tag;
    return problem;
  }
  if (before !== tag) return known.status === 200 ? null : "a change is hidden";
  return known.status === 304 && known.body === "" && known.headers.get("etag") === tag
    ? null
    : "what is known is sent";
}
