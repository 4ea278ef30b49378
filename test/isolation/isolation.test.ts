// A merchant never sees, names or changes what another one has: by any operation of the OpenAPI document, in any place
// of a request, in any list, total, export, event, delivery or hint. A new operation is checked as soon as it is
// documented.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Checked, check, checkedOf, compareLooks, looksOf, published } from "./check.ts";
import { type Fixture, openFixture, type Told } from "./fixture.ts";
import { strangeHints } from "./hints.ts";
import { placesOf } from "./identifier_fields.ts";
import { forgotten, namedMetrics, planted, repeatedAnswers, through_others, wrongDeliveries } from "./leaks.ts";
import { strangers } from "./response_words.ts";
import { allRows, changesOf, ownedTables } from "./table_rows.ts";

let fixture: Fixture;
let operations: readonly Checked[];
beforeAll(async () => {
  fixture = await openFixture(async (ask, own, app) => {
    operations = await checkedOf(app);
    const told = new Map<string, Told>();
    for (const look of looksOf(operations, own)) told.set(look.path, await ask(look));
    return told;
  });
}, 120_000);
afterAll(() => fixture.close());

test("merchants have many records with the same names, and many that only they have", () => {
  const { ALFA, BETA, MAIN } = fixture.merchants;
  const of = (word: string) => [ALFA, BETA, MAIN].map(({ names }) => names.of(word));
  for (const [word, name] of [
    ["sku", "EQUAL-1"],
    ["order_number", "EQUAL-O1"],
    ["email", "equal@example.com"],
    ["tracking_number", "EQUAL-TRACK"],
    ["lot_number", "EQUAL-LOT"],
    ["value", "5012345678900"],
    ["reference", "EQUAL-PO"],
  ] as const) {
    for (const names of of(word)) expect(names).toContain(name);
  }
  expect(ALFA.names.all().difference(BETA.names.all()).size).toBeGreaterThan(300);
  const refused = [...fixture.before].filter(([, { status }]) => status !== 200);
  expect(refused.map(([path, { text }]) => `${path}: ${text.slice(0, 200)}`)).toEqual([]);
  expect(fixture.before.size).toBeGreaterThan(60);
});

describe("a merchant", () => {
  test("gets the same response for others' records as for unknown ones, anywhere, and changes none", async () => {
    const { cases, leaks, silent } = await check(fixture, operations);
    console.log(`${cases} requests of one merchant about what others have, by ${operations.length} operations`);
    expect(leaks).toEqual([]);
    // Each operation is called, and those with places for ids many times.
    expect(cases).toBeGreaterThan(7500);
    // A merchant's own records look unknown in these places: give each merchant one in test/isolation/extra_records.ts.
    expect(silent).toEqual([]);
    for (const mode of ["live", "test"] as const) {
      const rows = await fixture.app.service.stores[mode].read(allRows);
      expect(changesOf(fixture.foreign[mode], rows)).toEqual([]);
    }
  }, 300_000);

  test("sees the same as before another one was added, and none of the others' words", async () => {
    const looks = looksOf(operations, fixture.merchants.BETA);
    expect(await compareLooks(fixture, looks)).toEqual([]);
    const scan = strangers(fixture);
    const others = [...fixture.before].filter(([path]) => !published.test(path));
    const foreign = others.flatMap(([path, { text }]) => scan(text, { path }).map((name) => [path, name]));
    expect(foreign).toEqual([]);
  }, 60_000);

  describe("is protected by checks that find a leak between the service and its store:", () => {
    const leaks = Object.entries(planted).filter(([, { leak }]) => leak !== undefined);
    test.each(leaks)(
      "%s",
      async (_, { leak = null, find }) => {
        expect(await find(fixture, operations)).toEqual([]);
        fixture.seam.leak = leak;
        try {
          expect(await find(fixture, operations)).not.toEqual([]);
        } finally {
          fixture.seam.leak = null;
        }
      },
      60_000,
    );
  });

  test("is protected by checks that find an unscoped read of any table that merchants own", async () => {
    const tables = Object.keys(forgotten);
    expect([...tables, ...through_others].sort()).toEqual([...ownedTables].sort());
    const unseen: string[] = [];
    for (const table of tables) {
      fixture.seam.leak = { tables: new Set([table]) };
      try {
        const found = await forgotten[table]?.(fixture, operations);
        if (found?.length === 0) unseen.push(table);
      } finally {
        fixture.seam.leak = null;
      }
    }
    expect(unseen).toEqual([]);
  }, 120_000);

  test("is sent only its own events", async () => {
    expect(await wrongDeliveries(fixture)).toEqual([]);
  }, 60_000);

  test("gets no stored response of another one", async () => {
    expect(await repeatedAnswers(fixture)).toEqual([]);
  }, 60_000);

  test("hears no hint of what others do", async () => {
    expect(await strangeHints(fixture)).toEqual([]);
  }, 60_000);
});

test("metrics contain nothing that a merchant has", async () => {
  expect(await namedMetrics(fixture)).toEqual([]);
});

describe("a leak planted in the records or metrics is found:", () => {
  const others = Object.entries(planted).filter(([, { leak }]) => leak === undefined);
  test.each(others)(
    "%s",
    async (_, { plant, find }) => {
      await plant?.(fixture);
      expect(await find(fixture, operations)).not.toEqual([]);
    },
    60_000,
  );
});

/**
 * Routes outside the OpenAPI document: static files, signing in, saved views (which have tests of their own), the
 * stream checked above, and another name.
 */
const undescribed = [
  ...["GET /", "GET /docs", "GET /docs/", "GET /docs/errors", "GET /docs/start.js", "GET /docs/scalar.js"],
  ...["GET /docs/guides", "GET /docs/guides/:name", "GET /llms.txt"],
  ...["GET /trust", "GET /trust/authority.crt", "GET /dashboard", "GET /dashboard/", "GET /dashboard/*"],
  ...["GET /dashboard/assets/:name", "GET /dashboard/api/session", "POST /dashboard/api/session"],
  ...["DELETE /dashboard/api/session", "POST /dashboard/api/setup", "POST /dashboard/api/reset"],
  ...["POST /dashboard/api/invitations/look", "POST /dashboard/api/invitations/accept", "GET /dashboard/api/events"],
  ...["GET /dashboard/api/views", "POST /dashboard/api/views", "PATCH /dashboard/api/views/:id"],
  ...["DELETE /dashboard/api/views/:id", "GET /dashboard/api/view_counts"],
  ...["GET /dashboard/api/device", "POST /dashboard/api/device", "POST /dashboard/api/badge_session"],
  // As PATCH, which is described.
  "PUT /v1/customers/:id",
];

test("a new route is in the OpenAPI document, which the checks are made from, or listed here", () => {
  const described = new Set(operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`));
  const nameOf = (path: string) => path.replace(/^\/(?:api\/)?v1(?=\/)/, "").replace(/:(\w+)/g, "{$1}");
  const beside = fixture.app.app.routes.filter(({ method, path }) => !described.has(`${method} ${nameOf(path)}`));
  const named = beside.map(({ method, path }) => `${method} ${path}`);
  expect([...new Set(named)].sort()).toEqual(undescribed.toSorted());
});

test("a new text parameter must declare what it refers to", () => {
  const parameters = [{ name: "gadget", in: "query", schema: { type: "string" } }] as const;
  const operation = { operationId: "turnGadget", method: "get", path: "/gadgets", parameters, responses: {} };
  const document = { paths: {}, components: { schemas: {}, responses: {}, parameters: {} } };
  expect(() => placesOf(operation, document)).toThrow(
    "turnGadget takes a text gadget: " +
      "say in test/isolation/identifier_fields.ts what it names, or that it names nothing.",
  );
});
