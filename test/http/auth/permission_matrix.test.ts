// Every route, called with every kind of key of both environments.
import { describe, expect, test } from "bun:test";
import { environments } from "../../../src/core/environment.ts";
import { wireId } from "../../../src/core/ids.ts";
import { levels } from "../../../src/http/auth/permissions.ts";
import { createKey, type NewKey, revokeKey } from "../../../src/identity/api_keys/api_keys.ts";
import { openApp, start } from "../../build/service.ts";
import { live_only, matrix } from "./permission_matrix.ts";

let peer = 0;
const app = await openApp();
// A new address for each request, since an address that fails too often is rate-limited.
Object.assign(app.service, { peerOf: () => `192.0.${peer >> 8}.${peer++ & 255}` });

const rows = Object.entries(matrix).map(([route, row]) => {
  const [method = "", pattern = ""] = route.split(" ");
  const [stranger = "", ...levels] = row.split(/ +/);
  return { route, method, path: pattern.replace(/:\w+/g, "7"), stranger, levels };
});

type Row = (typeof rows)[number];

/** The status of a route's response to a key, or to no key, and the code of a refusal. */
async function asked({ route, method, path }: Row, key: string | null): Promise<{ status: number; code?: string }> {
  const isBeside = app.app.routes.some((mounted) => `${mounted.method} ${mounted.path}` === route);
  const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
  const sent = method === "GET" ? {} : { body: "{}", headers: { ...headers, "content-type": "application/json" } };
  const url = `http://packhouse.test${isBeside ? "" : "/v1"}${path}`;
  const answer = await app.app.handle(new Request(url, { method, headers, ...sent }));
  // An event stream never ends.
  if (answer.headers.get("content-type") === "text/event-stream") await answer.body?.cancel();
  const text = answer.bodyUsed ? "" : await answer.text();
  return { status: answer.status, code: text.startsWith("{") ? JSON.parse(text).error?.code : undefined };
}

/**
 * The outcome of a request in the matrix's terms: `401`, `403`, `live_only` (also 403), or `ok` for any response of the
 * route itself.
 */
async function got(row: Row, key: string | null): Promise<string> {
  const { status, code = "" } = await asked(row, key);
  const early = ["authentication_required", "insufficient_permission", "route_not_found", "method_not_allowed"];
  // The dashboard's pages exist only after a build.
  if (row.route.startsWith("GET /dashboard") && /^(404|503)$/.test(`${status}`)) return "ok";
  if (status === 403 && code === "live_only") return code;
  return early.includes(code) || status >= 500 ? `${status}` : "ok";
}

describe("the matrix", () => {
  test("has a row for every route, and a route for every row", () => {
    const mounted = app.app.routes.map(({ method, path }) => `${method} ${path.replace(/^\/(api\/)?v1/, "")}`);
    expect(Object.keys(matrix).toSorted()).toEqual([...new Set(mounted)].toSorted());
  });

  test("states the outcome without a key", async () => {
    for (const row of rows) expect([row.route, await got(row, null)]).toEqual([row.route, row.stranger]);
  });

  test.each(environments)(
    "states the outcome for each level of a %s key",
    async (mode) => {
      for (const row of rows) {
        const answers: string[] = [];
        for (const level of levels) answers.push(await got(row, app.keys[mode][level]));
        // A test key lacks nothing on a route that no level of it may use. Users' own routes refuse live keys as well.
        const isElsewhere = mode === "test" && live_only.has(row.route) && row.levels.includes("ok");
        const told = isElsewhere ? row.levels.map(() => "live_only") : row.levels;
        expect([row.route, answers]).toEqual([row.route, told]);
      }
    },
    20_000,
  );
});

describe("a key with full permission", () => {
  const full = { name: "main", permission: "full" } as const;
  const made = async (mode: (typeof environments)[number], fields: Partial<NewKey> = {}) => {
    const random = crypto.getRandomValues(new Uint8Array(96));
    return app.service.stores[mode].write((tx) => createKey(tx, { ...full, ...fields }, random));
  };

  /** A key in each invalid state, with its refusal. */
  async function states(mode: (typeof environments)[number]): Promise<[string, string, number, string][]> {
    const { key, text: revoked } = await made(mode);
    await app.service.stores[mode].write((tx) => revokeKey(tx, wireId("key", key.id), null, true));
    const expired = await made(mode, { expires_at: start + 1 });
    const elsewhere = await made(mode, { ip_mode: "enforce", ip_list: ["10.0.0.0/8"] });
    const spent = await made(mode, { rate_limit_per_minute: 1 });
    app.clocks[mode].advance(1);
    await app.call("GET", "/products", undefined, { key: spent.text });
    const { full: good } = app.keys[mode];
    const wrong = good.slice(0, -1) + (good.endsWith("0") ? "1" : "0");
    return [
      ["was revoked", revoked, 401, "api_key_revoked"],
      ["has expired", expired.text, 401, "api_key_expired"],
      ["is for other addresses", elsewhere.text, 403, "ip_not_allowed"],
      ["is used up for now", spent.text, 429, "rate_limited"],
      ["has a letter wrong", wrong, 401, "invalid_api_key"],
      [
        "is of the other mode by its name only",
        `ph_${mode === "live" ? "test" : "live"}${good.slice(7)}`,
        401,
        "invalid_api_key",
      ],
    ];
  }

  test.each(environments)(
    "that is not valid is refused by every route of the %s environment, except public ones",
    async (mode) => {
      for (const [, key, status, code] of await states(mode)) {
        for (const row of rows) {
          const answer = await asked(row, key);
          if (row.stranger === "401") expect([row.route, answer]).toEqual([row.route, { status, code }]);
          else expect([row.route, answer.code]).not.toEqual([row.route, code]);
        }
      }
    },
    20_000,
  );
});
