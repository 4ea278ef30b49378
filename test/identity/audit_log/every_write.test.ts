// Every route that writes, asked by a user: what is done leaves one entry, what is refused leaves none.
import { describe, expect, test } from "bun:test";
import type { Environment } from "../../../src/core/environment.ts";
import { type AuditEntryFilter, countEntries, listEntries } from "../../../src/identity/audit_log/audit_log.sql.ts";
import { operationsOf } from "../../../src/server/openapi/description.ts";
import { isWrite, type Operation } from "../../../src/server/openapi/operation.ts";
import { openTestApp, type TestApp } from "../../build/service.ts";
import { tellStory, tellWhole } from "../../server/openapi/story/story.ts";
import { signedInAs } from "../people.ts";

/** A request of the story, and how many entries it has left. */
interface Asked {
  readonly operation: Operation;
  readonly by: "user" | "key" | "nobody";
  readonly status: number;
  /** Whether it only asked what would be done. */
  readonly tried: boolean;
  readonly left: number;
}

const all: AuditEntryFilter = {};
const usual: readonly string[] = ["content-type", "idempotency-key", "if-match"];
// What these change has no name of its own.
const nameless: readonly string[] = [
  ...["setZoneOverrides", "testMail", "decideRestored", "updateRetention", "discloseEmail"],
];

const isNameless = (action: string) => action.startsWith("import") || nameless.includes(action);

/** Tells the story with an owner's session wherever it shows a key that may do everything. */
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
    // Of `/users/me` and `/users/{id}` the one without a parameter is meant.
    return matching.toSorted((a, b) => a.operation.path.split("{").length - b.operation.path.split("{").length)[0];
  };
  const asked: Asked[] = [];
  const count = () => live.read((db) => countEntries(db, all));
  const call: TestApp["call"] = async (method, path, body, options = {}) => {
    const { key = app.keys.live.full, headers = {} } = options;
    const world = (["live", "test"] as const).find((one) => app.keys[one].full === key);
    // What is refused for what its headers say is asked as it is.
    const isUser = world !== undefined && Object.keys(headers).every((name) => usual.includes(name));
    const shown = isUser
      ? { key: null, headers: { ...headers, ...owner.headers, "packhouse-world": world } }
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
  const last = await live.read((db) => listEntries(db, all, { limit: 10_000, offset: 0, after: null }));
  await app.close();
  const writes = operations.map(({ operation }) => operation).filter((one) => isWrite(one));
  return { mode, asked, writes, entries: last, owner };
}

describe.each([
  ["live", tellStory],
  ["test", tellWhole],
] as const)("in the %s world", (mode, story) => {
  test("a user's act leaves one entry, and a refused one none", async () => {
    const { asked, writes, entries, owner } = await told(mode, story);
    for (const { operation, by, status, tried, left } of asked) {
      const expected = by === "user" && isWrite(operation) && status < 300 && !tried ? 1 : 0;
      if (by === "user") expect([operation.id, status, left]).toEqual([operation.id, status, expected]);
    }
    const done = new Set(asked.filter(({ by, status }) => by === "user" && status < 300).map((it) => it.operation.id));
    expect(writes.map(({ id }) => id).filter((id) => !done.has(id))).toEqual([]);
    const own = entries.filter(({ actor }) => actor.id === owner.id);
    expect(own.length).toBeGreaterThan(100);
    // What was done, to what, and in which world, is said of each.
    for (const { action, targets, actor, ip } of own) {
      expect([action, /^[a-z]\w+$/.test(action), targets.length > 0 || isNameless(action), actor.name, ip]).toEqual([
        ...[action, true, true, "Ada Auditor", "127.0.0.1"],
      ]);
    }
    expect(new Set(own.map(({ world }) => world))).toContain(mode);
  }, 120_000);
});
