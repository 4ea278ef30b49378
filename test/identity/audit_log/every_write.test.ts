// Calls every writing route as a user: an act adds one entry, a refused one none.
import { describe, expect, test } from "bun:test";
import type { Environment } from "../../../src/core/environment.ts";
import { auditList } from "../../../src/identity/audit_log/audit_log.sql.ts";
import { operationsOf } from "../../../src/server/openapi/description.ts";
import { isWrite, type Operation } from "../../../src/server/openapi/operation.ts";
import { openTestApp, type TestApp } from "../../build/service.ts";
import { tellStory, tellWhole } from "../../server/openapi/story/story.ts";
import { signedInAs } from "../people.ts";

/** A request of the story, and the number of entries that it added. */
interface Asked {
  readonly operation: Operation;
  readonly by: "user" | "key" | "nobody";
  readonly status: number;
  /** Whether it was only a preview. */
  readonly tried: boolean;
  readonly left: number;
}

const usual: readonly string[] = ["content-type", "idempotency-key", "if-match"];
// These change a record without an identifier, or find no task to take.
const nameless: readonly string[] = [
  ...["setZoneOverrides", "testMail", "decideRestored", "updateRetention", "discloseEmail", "takeNextTask"],
];

const isNameless = (action: string) => action.startsWith("import") || nameless.includes(action);

/** Runs the story with an owner's session in place of keys with full permission. */
async function told(mode: Environment, story: (app: TestApp) => Promise<unknown>) {
  const app = await openTestApp();
  const { live } = app.service.stores;
  const owner = await signedInAs(app.service, "owner", "Ada Auditor");
  const operations = operationsOf(app.app.routes).map((operation) => ({
    operation,
    form: new RegExp(`^${operation.path.replace(/\{\w+\}/g, "[^/]+")}$`),
  }));
  const found = (method: string, path: string) => {
    const [bare = ""] = path.split("?");
    const matching = operations.filter(
      ({ operation, form }) => operation.method === method.toLowerCase() && form.test(bare),
    );
    // Of `/users/me` and `/users/{id}`, the one without a parameter applies.
    return matching.toSorted((a, b) => a.operation.path.split("{").length - b.operation.path.split("{").length)[0];
  };
  const asked: Asked[] = [];
  const count = () => live.read((db) => auditList.count(db, {}));
  const call: TestApp["call"] = async (method, path, body, options = {}) => {
    const { key = app.keys.live.full, headers = {} } = options;
    const mode = (["live", "test"] as const).find((one) => app.keys[one].full === key);
    // Requests that are refused for their headers are sent unchanged.
    const isUser = mode !== undefined && Object.keys(headers).every((name) => usual.includes(name));
    const shown = isUser
      ? { key: null, headers: { ...headers, ...owner.headers, "packhouse-mode": mode } }
      : { key, headers };
    const before = await count();
    const answer = await app.call(method, path, body, shown);
    const operation = found(method, path)?.operation;
    if (operation !== undefined) {
      const by = isUser || "cookie" in headers ? "user" : key === null ? "nobody" : "key";
      asked.push({
        operation,
        by,
        status: answer.status,
        tried: /dry_run=true|"dry_run":true/.test(path + JSON.stringify(body ?? "")),
        left: (await count()) - before,
      });
    }
    return answer;
  };
  await story({ ...app, call, get: (path) => call("GET", path), post: (path, body) => call("POST", path, body ?? {}) });
  const last = await live.read((db) => auditList.rows(db, {}, { limit: 10_000 }));
  await app.close();
  const writes = operations.map(({ operation }) => operation).filter((one) => isWrite(one));
  return { mode, asked, writes, entries: last, owner };
}

describe.each([
  ["live", tellStory],
  ["test", tellWhole],
] as const)("in the %s environment", (mode, story) => {
  test("a user's act adds one entry, a refused one none", async () => {
    const { asked, writes, entries, owner } = await told(mode, story);
    for (const { operation, by, status, tried, left } of asked) {
      const expected = by === "user" && isWrite(operation) && status < 300 && !tried ? 1 : 0;
      if (by === "user") expect([operation.id, status, left]).toEqual([operation.id, status, expected]);
    }
    const done = new Set(asked.filter(({ by, status }) => by === "user" && status < 300).map((it) => it.operation.id));
    expect(writes.flatMap(({ id, alias }) => (alias || done.has(id) ? [] : id))).toEqual([]);
    const own = entries.filter(({ actor }) => actor.id === owner.id);
    expect(own.length).toBeGreaterThan(100);
    // Each entry has an action, a target and an environment.
    for (const { action, targets, actor, ip } of own) {
      expect([action, /^[a-z]\w+$/.test(action), targets.length > 0 || isNameless(action), actor.name, ip]).toEqual([
        ...[action, true, true, "Ada Auditor", "127.0.0.1"],
      ]);
    }
    expect(new Set(own.map(({ mode }) => mode))).toContain(mode);
  }, 120_000);
});
