// A fuzzer that knows the service by its document only: what that allows must be taken or refused for a reason that it
// tells of, what it forbids must be refused, and every answer must be as it says. Longer, or again:
// PACKHOUSE_FUZZ_CASES=200000 PACKHOUSE_FUZZ_SEED=7 bun test test/reference/fuzz.test.ts
import { afterAll, expect, test } from "bun:test";
import fc from "fast-check";
import { engine, variable } from "../../src/config.ts";
import type { Checked } from "../../src/kit/schema.ts";
import { openTestApp } from "../harness.ts";
import { type Case, casesOf } from "./fuzz/cases.ts";
import { type Document, judgeBy, operationsIn } from "./fuzz/judge.ts";
import { World } from "./fuzz/world.ts";
import { tellStory } from "./story/story.ts";

const app = await openTestApp();
afterAll(() => app.close());

// The same requests each time, so that only a change can break it; other seeds find what is new.
const seed = Number(variable("PACKHOUSE_FUZZ_SEED") ?? 1);
const usual = engine === "sqlite" ? 20_000 : 2000;
const cases = Number(variable("PACKHOUSE_FUZZ_CASES") ?? usual);
const at_once = 10;
const supply_every = 25;

// What these take is looked at closer than it is checked: the rest is refused in their answers.
const lenient = ["createOrders", "bigcommerceOrder"];
// These leave the house, or take from the fuzzer the key that it comes with.
const left_out = ["testWebhook", "deleteKey", "revokeKey", "rotateKey", "updateKey"];

/** How the service itself checks the body of each operation. */
function checksOf(): Map<string, (body: unknown) => boolean> {
  const checks = app.app.routes.flatMap(({ hooks }) => {
    const { operationId } = (hooks.detail ?? {}) as { operationId?: string };
    const validate = (hooks.body as unknown as Checked<unknown> | undefined)?.["~standard"].validate;
    if (operationId === undefined || validate === undefined) return [];
    const check = (body: unknown) => {
      try {
        return validate(body) !== null;
      } catch {
        return false;
      }
    };
    return [[operationId, check] as const];
  });
  return new Map(checks);
}

test(`${cases} requests, seed ${seed}`, async () => {
  const described = await app.app.handle(new Request("http://packhouse.test/openapi.json"));
  const document = (await described.json()) as Document;
  const judge = judgeBy(document);
  const operations = operationsIn(document).filter(({ operationId }) => !left_out.includes(operationId));
  const checks = checksOf();
  const examples = await tellStory(app);
  const world = new World(app, examples);
  const seen = new Map<string, number>();

  /** What is wrong with how a case went, or null. */
  async function problemOf(it: Case): Promise<string | null> {
    const { operation, request, body, valid } = world.requestOf(it, judge);
    const checked = body === undefined || (checks.get(operation.operationId)?.(body) ?? true);
    const response = await app.app.handle(request);
    const { status } = response;
    const type = response.headers.get("content-type") ?? "";
    const text = /json|csv|^$/.test(type) ? await response.text() : "";
    seen.set(`${operation.operationId} ${status}`, (seen.get(`${operation.operationId} ${status}`) ?? 0) + 1);
    const told = `${request.method} ${request.url} ${JSON.stringify(body)}: ${text.slice(0, 500)}`;
    if (status >= 500) return `${status}: ${told}`;
    if (valid && !checked) return `what the document allows is refused: ${told}`;
    if (!valid && status < 400 && !lenient.includes(operation.operationId))
      return `what the document forbids is taken: ${told}`;
    if (response.headers.get("x-request-id") === null) return `no X-Request-Id: ${told}`;
    const fault = judge.faultOf(operation, status, type, text);
    if (fault !== null) return `${fault}: ${told}`;
    if (status < 300 && /json/.test(type)) world.learn(JSON.parse(text));
    return null;
  }

  // Other requests go on after one that went wrong: several faults are found at once.
  const problems = new Map<string, string>();
  const crowds = fc.array(casesOf(operations, document.components.schemas, examples), {
    minLength: at_once,
    maxLength: at_once,
  });
  let turn = 0;
  const property = fc.asyncProperty(crowds, async (crowd) => {
    if (turn % supply_every === 0) await world.supply();
    turn += 1;
    const found = await Promise.all(crowd.map(problemOf));
    for (const [at, problem] of found.entries()) {
      const { operationId = "" } = crowd[at]?.operation ?? {};
      if (problem !== null && problems.size < 20) problems.set(`${operationId} ${problem.slice(0, 30)}`, problem);
    }
  });
  await fc.assert(property, { seed, numRuns: Math.ceil(cases / at_once), endOnFailure: true });
  expect([...problems.values()]).toEqual([]);
  // It must have come far enough to be worth something: most operations did what they do.
  const worked = new Set([...seen.keys()].filter((key) => / 2\d\d$/.test(key)).map((key) => key.split(" ")[0]));
  const idle = operations.filter(({ operationId }) => !worked.has(operationId)).map(({ operationId }) => operationId);
  if (variable("PACKHOUSE_FUZZ_CASES") !== null) console.log(idle.join(" "), seen);
  expect(worked.size).toBeGreaterThan(operations.length * 0.6);
}, 3_600_000);
