// Whatever a live key was shown or has done, a key of the test world finds nothing of it.
import { beforeAll, expect, test } from "bun:test";
import { operationsOf } from "../../../src/server/openapi/description.ts";
import { openApp, type TestApp } from "../../build/service.ts";
import { tellStory } from "../../server/openapi/story/story.ts";

/** A request that the story made with a live key. */
interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly type: string | undefined;
}

const asked: Asked[] = [];
/** What names something of the live world, as its answers said it, and what the test world has of its own. */
const names = new Set<string>();
const own = new Set<string>();
const naming =
  /\b(?!mer_)[a-z]{3}_\d{4,9}\b|\bevt_[0-9a-f]{32}\b|"(?:sku|order_number|tracking_number|email)":"([^"]+)"/g;

const app = await openApp();
beforeAll(async () => {
  const call: TestApp["call"] = async (method, path, body, options) => {
    const answer = await app.call(method, path, body, options);
    const isLive = options?.key?.startsWith("ph_live_") ?? true;
    if (isLive) asked.push({ method, path, body, type: options?.headers?.["content-type"] });
    const text = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body);
    for (const [whole, value] of text.matchAll(naming)) (isLive ? names : own).add(value ?? whole);
    return answer;
  };
  await tellStory({ ...app, call });
  await app.takeEvents();
  for (const name of own) names.delete(name);
  // What both worlds have under one name, both may ask for.
  const isShared = (path: string) =>
    ofCarriers.test(path) || ofBoth.test(path) || path.split(/[/?]/).some((part) => own.has(decodeURIComponent(part)));
  const foreign = asked.filter(({ path }) => !isShared(path));
  asked.splice(0, asked.length, ...foreign);
}, 60_000);

// Carriers are called the same in both worlds, each of which keeps holidays of its own.
const ofCarriers = /^\/shipping\/holidays\//;

// Merchants are the same in both worlds, under the same ids.
const ofBoth = /^\/merchants\b/;

// Who may sign in, who did what, and the backups, in which both worlds are, are kept once for both worlds, where no key
// of the test world reaches them.
const ofHouse = /^\/(?:users|invitations|audit|backups|mail|servers)\b/;

// What shows examples to everyone, or a document or a parcel to whoever has its link.
const published = /^\/(errors|event-types|openapi\.json|docs|labels|t)\b/;

const inTest = ({ method, path, body, type }: Asked) =>
  app.call(method, path, body, {
    key: app.keys.test.full,
    ...(type !== undefined && { headers: { "content-type": type } }),
  });

/** Whether a request names something by its path, by the routes of the reference. */
function namesSomething({ method, path }: Asked): boolean {
  const [bare = ""] = path.split("?");
  const matching = operationsOf(app.app.routes).filter((operation) => {
    const pattern = new RegExp(`^${operation.path.replace(/\{\w+\}/g, "[^/]+")}$`);
    return operation.method === method.toLowerCase() && pattern.test(bare);
  });
  return matching.length > 0 && matching.every(({ path: pattern, need }) => pattern.includes("{") && need !== "none");
}

test("the story names a lot, by most routes", () => {
  expect(names.size).toBeGreaterThan(50);
  expect(asked.filter(namesSomething).length).toBeGreaterThan(50);
});

test("what is read of the test world names nothing of the live one", async () => {
  for (const request of asked.filter(({ method, path }) => method === "GET" && !published.test(path))) {
    const { status, body } = await inTest(request);
    const text = typeof body === "string" ? body : JSON.stringify(body);
    // What is the house's lies only in the live world.
    if (ofHouse.test(request.path)) expect([request.path, status]).toEqual([request.path, 403]);
    else if (namesSomething(request)) expect([request.path, status]).toEqual([request.path, 404]);
    // A query may name something, too: an order, say, or a service that only the live world sells.
    else expect([request.path, [200, 404, 422].includes(status)]).toEqual([request.path, true]);
    const said = [...names].filter((name) => text.includes(name) && !decodeURIComponent(request.path).includes(name));
    expect([request.path, said]).toEqual([request.path, []]);
  }
});

test("what is done to the live world cannot be done from the test world", async () => {
  for (const request of asked.filter((one) => one.method !== "GET" && namesSomething(one))) {
    const { status } = await inTest(request);
    const expected = ofHouse.test(request.path) ? 403 : 404;
    expect([request.method, request.path, status]).toEqual([request.method, request.path, expected]);
  }
  expect(await app.takeEvents()).toEqual([]);
});
