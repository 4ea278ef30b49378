// A fuzzer that knows only the service's OpenAPI document. Valid requests must succeed or be refused with a documented
// error, invalid ones must be refused, and every response must match the document. For a longer run, or to repeat one:
// CASES=200000 SEED=7 bun test test/server/openapi/fuzz.test.ts
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { engine } from "../../../src/core/config.ts";
import type { BackupPlan } from "../../../src/core/operator_settings.ts";
import type { CheckedSchema } from "../../../src/core/schema.ts";
import type { Examples } from "../../../src/server/openapi/operation.ts";
import { openTestApp } from "../../build/service.ts";
import { seed, volume } from "../../volume.ts";
import { openMailServer } from "../../webhooks/mail_server.ts";
import { type Case, casesBy } from "./fuzz/cases.ts";
import { type Document, judgeBy, operationsIn } from "./fuzz/check_response.ts";
import { FuzzedService } from "./fuzz/fuzzed_service.ts";
import { openHouse } from "./fuzz/supplies.ts";
import { tellStory } from "./story/story.ts";

const mails = await openMailServer();
const mail = { url: mails.url, from: "packhouse@example.com", to: "ops@example.com" };
// A webhook that the operator creates for a merchant belongs to the merchant, and those cannot be on loopback.
const app = await openTestApp({ mail, merchant_allow_cidrs: ["127.0.0.0/8", "::1/128"] });
// Everything that is sent goes to this receiver.
const near = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(null, { status: 204 }) });
// The backup destination. Jobs run only during setup, so a requested backup stays pending.
const place = mkdtempSync(join(tmpdir(), "packhouse-fuzz-"));
const keep = { hours: 24, days: 30, months: 12 };
const backups: BackupPlan = { to: place, every_minutes: 60, keep, with_key: false };
afterAll(async () => {
  rmSync(place, { recursive: true });
  await near.stop(true);
  mails.stop();
  await app.close();
});

const default_cases = engine === "sqlite" ? volume(800, 20_000) : volume(200, 2000);
const cases = Number(process.env["CASES"] ?? default_cases);
const at_once = 10;
const supplied_cases = 800;
// The maximum number of extra batches of cases, for operations that have not succeeded yet.
const more_crowds_max = 40;

// These operations accept more than they validate: invalid items are refused in their responses.
const lenient = ["createOrders", "actOnOrders", "bigcommerceOrder"];

// Operations that only signed-in users can perform, or that affect their session: these requests use keys.
const of_people = [
  ...["getMe", "updateMe", "changePassword", "listMySessions", "endMyOtherSessions", "endMySession", "endSession"],
  ...[
    "getMyBadge",
    "setMyPin",
    "getSecondFactor",
    "beginSecondFactor",
    "confirmSecondFactor",
    "renewRecoveryCodes",
    "turnOffSecondFactor",
  ],
  ...["chooseMembership", "joinMembership", "beginViewAs", "endViewAs"],
];

// The body of an upload is a file.
const excused = [...of_people, "uploadFile"];

/** The service's own validation of each operation's body. */
function checksOf(): Map<string, (body: unknown) => boolean> {
  const checks = app.app.routes.flatMap(({ hooks }) => {
    const { operationId } = (hooks.detail ?? {}) as { operationId?: string };
    const validate = (hooks.body as unknown as CheckedSchema<unknown> | undefined)?.["~standard"].validate;
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
  const operations = operationsIn(document);
  const checks = checksOf();
  const receiver = `http://localhost:${near.port}`;
  const story = JSON.stringify(await tellStory(app)).replaceAll("http://localhost:8080", receiver);
  const examples = JSON.parse(story) as Examples;
  const fuzzed = new FuzzedService(app.keys, examples, await openHouse(app, receiver));
  Object.assign(app.service, { backups });
  const seen = new Map<string, number>();

  /** Describes what is wrong with the result of a case, or returns null. */
  async function problemOf(it: Case): Promise<string | null> {
    const { operation, request, body, valid } = fuzzed.requestOf(it, judge);
    const checked = body === undefined || (checks.get(operation.operationId)?.(body) ?? true);
    const response = await app.app.handle(request);
    const { status } = response;
    const type = response.headers.get("content-type") ?? "";
    const text = /json|csv|^$/.test(type) ? await response.text() : "";
    const key = `${operation.operationId} ${status}`;
    seen.set(key, (seen.get(key) ?? 0) + 1);
    const told = () => `${request.method} ${request.url} ${JSON.stringify(body)}: ${text.slice(0, 500)}`;
    if (status >= 500) return `${status}: ${told()}`;
    if (valid && !checked) return `what the document allows is refused: ${told()}`;
    if (valid === false && status < 400 && !lenient.includes(operation.operationId))
      return `what the document forbids is taken: ${told()}`;
    if (response.headers.get("x-request-id") === null) return `no X-Request-Id: ${told()}`;
    const answer = text !== "" && /json/.test(type) ? JSON.parse(text) : null;
    const fault = judge.faultOf(operation, status, type, answer);
    if (fault !== null && !hasChosenFields(request)) return `${fault}: ${told()}`;
    if (status < 300) fuzzed.learn(answer);
    return null;
  }

  // The other requests continue after one fails, so that several faults are found at once.
  const problems = new Map<string, string>();
  const take = async (crowd: readonly Case[]) => {
    const found = await Promise.all(crowd.map(problemOf));
    for (const [at, problem] of found.entries()) {
      const { operationId = "" } = crowd[at]?.operation ?? {};
      if (problem !== null && problems.size < 20) problems.set(`${operationId} ${problem.slice(0, 30)}`, problem);
    }
  };
  const casesOf = casesBy(document.components.schemas);
  const crowdsOf = (chosen: typeof operations) => fc.array(casesOf(chosen), { minLength: at_once, maxLength: at_once });
  for (let from = 0; from < cases; from += supplied_cases) {
    const numRuns = Math.min(supplied_cases, cases - from) / at_once;
    await fuzzed.supply();
    for (const crowd of fc.sample(crowdsOf(operations), { seed: seed + from, numRuns })) await take(crowd);
  }

  // No operation refuses everything: those that did get some extra cases.
  const worked = (id: string) => [200, 201, 202, 204].some((status) => seen.has(`${id} ${status}`));
  const idle = () => operations.filter(({ operationId }) => !worked(operationId) && !excused.includes(operationId));
  if (process.env["CASES"] !== undefined)
    console.log(
      seen,
      idle()
        .map(({ operationId }) => operationId)
        .join(" "),
    );
  for (let more = 0; more < more_crowds_max && idle().length > 0; more += 1) {
    await fuzzed.supply();
    for (const crowd of fc.sample(crowdsOf(idle()), { seed: seed + more, numRuns: 4 })) await take(crowd);
  }
  expect([...problems.values()]).toEqual([]);
  expect(idle().map(({ operationId }) => operationId)).toEqual([]);
}, 3_600_000);

/** Whether a request chooses fields: its response then lacks some that its schema requires. */
const hasChosenFields = ({ url }: Request) => new URL(url).searchParams.has("fields");
