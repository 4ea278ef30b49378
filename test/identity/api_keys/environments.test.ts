// A test key cannot find any record that a live key has seen or created.
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
/** Identifiers of live records in responses, and the identifiers of test records. */
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
  // Names that exist in both environments may be requested in both.
  const isShared = (path: string) =>
    ofCarriers.test(path) || ofBoth.test(path) || path.split(/[/?]/).some((part) => own.has(decodeURIComponent(part)));
  const foreign = asked.filter(({ path }) => !isShared(path));
  asked.splice(0, asked.length, ...foreign);
}, 60_000);

// Carriers have the same names in both environments, but separate holidays.
const ofCarriers = /^\/shipping\/holidays\//;

// Merchants are the same in both environments, with the same ids.
const ofBoth = /^\/merchants\b/;

// Users, the audit log and backups are shared by both environments and stored once. Test keys cannot access
// them.
const ofHouse = /^\/(?:users|invitations|audit|backups|mail|servers|floor_devices)\b/;

// Public routes: examples, and documents or parcels for holders of their link.
const published = /^\/(errors|event_types|openapi\.json|docs|llms\.txt|labels|t|(?:files|documents)\/[^/]+\/content)\b/;

const inTest = ({ method, path, body, type }: Asked) =>
  app.call(method, path, body, {
    key: app.keys.test.full,
    ...(type !== undefined && { headers: { "content-type": type } }),
  });

/** The code of the operator's own records for a test key. Users' own accounts refuse live keys as well. */
const refusalOf = (path: string) => (path.startsWith("/users/me") ? "insufficient_permission" : "live_only");

/** Whether a request names a record in its path, by the routes of the reference. */
function namesSomething({ method, path }: Asked): boolean {
  const [bare = ""] = path.split("?");
  const matching = operationsOf(app.app.routes).filter((operation) => {
    const pattern = new RegExp(`^${operation.path.replace(/\{\w+\}/g, "[^/]+")}$`);
    return operation.method === method.toLowerCase() && pattern.test(bare);
  });
  return matching.length > 0 && matching.every(({ path: pattern, need }) => pattern.includes("{") && need !== "none");
}

test("the story contains many identifiers, of most routes", () => {
  expect(names.size).toBeGreaterThan(50);
  expect(asked.filter(namesSomething).length).toBeGreaterThan(50);
});

test("reads of test data show nothing of live data", async () => {
  for (const request of asked.filter(({ method, path }) => method === "GET" && !published.test(path))) {
    const { status, body } = await inTest(request);
    const text = typeof body === "string" ? body : JSON.stringify(body);
    // The operator's own records are in live only.
    if (ofHouse.test(request.path))
      expect([request.path, status, body.error.code]).toEqual([request.path, 403, refusalOf(request.path)]);
    else if (namesSomething(request))
      expect([request.path, status, body.error?.code]).toEqual([request.path, 404, "resource_missing"]);
    // A query may name a record, too: an order, or a service that is only sold in live.
    else expect([request.path, [200, 404, 422].includes(status)]).toEqual([request.path, true]);
    const said = [...names].filter((name) => text.includes(name) && !decodeURIComponent(request.path).includes(name));
    expect([request.path, said]).toEqual([request.path, []]);
  }
});

test("acts on live records cannot be repeated in test", async () => {
  for (const request of asked.filter((one) => one.method !== "GET" && namesSomething(one))) {
    const { status, body } = await inTest(request);
    const expected = ofHouse.test(request.path) ? [403, refusalOf(request.path)] : [404, "resource_missing"];
    expect([request.method, request.path, status, body.error?.code]).toEqual([
      request.method,
      request.path,
      ...expected,
    ]);
  }
  expect(await app.takeEvents()).toEqual([]);
});
