// Calls every route as a user of every role.
import { describe, expect, test } from "bun:test";
import { allPermissions, levelPermissions, levels } from "../../../src/http/auth/permissions.ts";
import { type Route, routesOf } from "../../../src/http/route.ts";
import { type Role, roleFacts, roles } from "../../../src/identity/users/roles.ts";
import { openApp } from "../../build/service.ts";
import { type Person, signedInAs } from "../people.ts";
import { rolesByHand } from "./role_matrix.ts";

const people = new Map<Role, Person>();
const app = await openApp();
const routes: readonly Route[] = routesOf(app.app.routes);
for (const role of roles) people.set(role, await signedInAs(app.service, role));

const byHand = (route: string) => rolesByHand.find(([pattern]) => pattern.test(route))?.[1].split(/ +/);
const guarded = () => routes.flatMap(({ name, need }) => (need === "none" ? [] : [name]));

/** The result of a route for a role: `403` without permission, otherwise `ok`. */
async function got(route: string, role: Role, mode: string): Promise<string> {
  const [method = "", pattern = ""] = route.split(" ");
  const isBeside = app.app.routes.some((mounted) => `${mounted.method} ${mounted.path}` === route);
  const url = `http://packhouse.test${isBeside ? "" : "/v1"}${pattern.replace(/:\w+/g, "7")}`;
  const headers = { cookie: people.get(role)?.headers.cookie ?? "", "packhouse-mode": mode };
  const sent = method === "GET" ? {} : { body: "{", headers: { ...headers, "content-type": "application/json" } };
  const answer = await app.app.handle(new Request(url, { method, headers, ...sent }));
  // A stream stays open until it is closed.
  if (/event-stream/.test(answer.headers.get("content-type") ?? "")) await answer.body?.cancel();
  const text = /json/.test(answer.headers.get("content-type") ?? "") ? await answer.text() : "";
  const code = text === "" ? "" : JSON.parse(text).error?.code;
  return code === "insufficient_permission" || answer.status === 401 || answer.status >= 500
    ? `${answer.status}`
    : "ok";
}

describe("roles", () => {
  test("have a row for every route", () => {
    expect(guarded().filter((route) => byHand(route) === undefined)).toEqual([]);
  });

  test.each(["live", "test"])(
    "may do in the %s environment what the handwritten table allows",
    async (mode) => {
      const wrong: unknown[] = [];
      for (const route of guarded()) {
        const answers: string[] = [];
        for (const role of roles) answers.push(await got(route, role, mode));
        if (answers.join(" ") !== byHand(route)?.join(" ")) wrong.push([route, answers.join(" "), byHand(route)]);
      }
      expect(wrong).toEqual([]);
    },
    60_000,
  );

  test("each of the operator's workers contains the role below, and each level of keys contains the one below", () => {
    expect(new Set(roleFacts.owner.permissions)).toEqual(new Set(allPermissions));
    const line = ["owner", "manager", "office", "lead", "floor"] as const;
    for (const [at, role] of line.entries()) {
      const above = new Set<string>(roleFacts[line[at - 1] ?? role].permissions);
      expect(roleFacts[role].permissions.filter((word) => !above.has(word))).toEqual([]);
    }
    expect(levelPermissions.full).toEqual(new Set(allPermissions));
    for (const [at, level] of levels.entries()) {
      const before = levelPermissions[levels[at - 1] ?? level];
      expect([...before].filter((word) => !levelPermissions[level].has(word))).toEqual([]);
    }
  });

  test("every permission is needed by a route", () => {
    const needed = new Set<string>(routes.map(({ need }) => need));
    expect(allPermissions.filter((word) => !needed.has(word))).toEqual([]);
  });
});
