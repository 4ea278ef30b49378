// The rules of the house that no compiler and no linter keeps. Each check is checked itself, with a planted wrong
// example.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { faults } from "../src/kit/fault.ts";
import { eventTypes } from "../src/outbox/catalog.ts";
import { barrels, circles, dead, homeless, importsUp, isRules, mayImport, oddImports } from "./tidy/imports.ts";
import { loneQueries, unseenTables } from "./tidy/owners.ts";
import { anything, escapes } from "./tidy/quarantine.ts";
import { impureRules, roomCircles, secondWriters } from "./tidy/rooms.ts";
import { brokenContracts, oddNames, tooLong, undocumented } from "./tidy/shape.ts";
import { parse, readSources, type Source } from "./tidy/source.ts";
import { stateLiterals } from "./tidy/states.ts";
import { unusedExports, unusedMoves } from "./tidy/usage.ts";

const sources = await readSources(join(import.meta.dir, ".."));
const tables = { codes: Object.keys(faults), events: eventTypes };
const dependencies = Object.keys(manifest.dependencies);

/** A small wrong house. */
const planted = (files: Record<string, string>): Source[] =>
  Object.entries(files).map(([file, text]) => parse(file, text));

describe("the house", () => {
  test.each([
    ["imports go down", importsUp],
    ["every file has a floor", homeless],
    ["no circles of imports", circles],
    ["no dead files", dead],
    ["no barrels", barrels],
    [
      "no aliases, no endings left out, no package that a release lacks",
      (all: Source[]) => oddImports(all, dependencies),
    ],
    ["the outside world is touched in its own place only", escapes],
    ["nothing is any", anything],
    ["files, functions and lines stay readable", tooLong],
    ["names are spelt one way", oddNames],
    ["exported functions say what they do", undocumented],
    ["no circles of folders, nor of features", roomCircles],
    ["one writer for each table", secondWriters],
    ["merchants' records are named in queries that are narrowed", (all: Source[]) => unseenTables(all)],
    ["merchants' records are asked for by the handle that was handed in", loneQueries],
    ["rules decide and do nothing else", (all: Source[]) => impureRules(all, isRules)],
    ["states are named in their tables, and where they are shown", stateLiterals],
    ["what is exported is used", unusedExports],
    ["every move of a table is made", unusedMoves],
    ["commands name what they refuse and emit", (all: Source[]) => brokenContracts(all, tables)],
  ])(
    "%s",
    (_, problemsIn) => {
      expect(problemsIn(sources)).toEqual([]);
    },
    30_000,
  );
});

describe("the checks themselves", () => {
  test.each([
    ["src/orders/commands.ts", "src/inventory/commands.ts", true],
    ["src/customers/routes.ts", "src/orders/store.ts", true],
    ["src/orders/shipments/store.ts", "src/orders/store.ts", true],
    ["src/orders/store.ts", "db/schema/orders.ts", true],
    ["db/schema/orders.ts", "src/orders/status.ts", true],
    ["src/database/sqlite.ts", "src/kit/clock.ts", true],
    ["src/keys/authenticator.ts", "src/http/guard/authentication.ts", true],
    ["src/main.ts", "src/app.ts", true],
    ["src/inventory/commands.ts", "src/orders/commands.ts", false],
    ["src/orders/order.ts", "src/orders/store.ts", false],
    ["src/orders/store.ts", "src/orders/routes.ts", false],
    ["src/orders/commands.ts", "src/http/envelope.ts", false],
    ["src/kit/page.ts", "src/orders/status.ts", false],
    ["src/config.ts", "src/kit/log.ts", false],
    ["src/database/store.ts", "src/orders/store.ts", false],
    ["src/products/routes.ts", "src/app.ts", false],
    ["src/shipping/carriers/local.ts", "src/tracking/routes.ts", false],
    ["src/orders/order.ts", "test/harness.ts", false],
    ["src/shipping/carriers/local.ts", "src/outbound/api.ts", true],
    ["src/outbound/api.ts", "src/http/service.ts", true],
    ["src/http/service.ts", "src/outbound/api.ts", false],
    ["src/orders/commands.ts", "src/outbound/api.ts", false],
    ["src/dashboard/web/screens/orders/list.tsx", "src/dashboard/web/kit/table.tsx", true],
    ["src/dashboard/web/screens/orders/list.tsx", "src/orders/status.ts", true],
    ["src/dashboard/web/screens/orders/list.tsx", "src/orders/schemas.ts", false],
    ["src/dashboard/pages/routes.ts", "src/dashboard/web/main.tsx", false],
  ])("%s imports %s: %p", (from, to, allowed) => {
    expect(mayImport(from, to)).toBe(allowed);
  });

  test("find an import that goes up, by whatever form", () => {
    const up = ['import { a } from "./store.ts";', 'export * from "./store.ts";', 'const a = import("./store.ts");'];
    for (const text of [...up, 'type A = import("./store.ts").A;']) {
      expect(importsUp(planted({ "src/orders/rules.ts": text }))).toEqual([
        "src/orders/rules.ts imports src/orders/store.ts",
      ]);
    }
  });

  test("let the front end know the types of the service, and nothing else of it", () => {
    const file = "src/dashboard/web/api/types.ts";
    const types = 'import type { A } from "../../../orders/schemas.ts";';
    expect(importsUp(planted({ [file]: types }))).toEqual([]);
    const up = [`${file} imports src/orders/schemas.ts`];
    expect(importsUp(planted({ [file]: types.replace(" type", "") }))).toEqual(up);
    expect(importsUp(planted({ [file]: `${types}\nimport("../../../orders/schemas.ts");` }))).toEqual(up);
  });

  test("find a file without a floor", () => {
    expect(homeless(planted({ "src/utils/text.ts": "", "src/orders/order.ts": "" }))).toEqual(["src/utils/text.ts"]);
  });

  test("find a circle", () => {
    const files = { "src/kit/a.ts": 'import "./b.ts";', "src/kit/b.ts": 'import type { A } from "./a.ts";' };
    expect(circles(planted(files))).toEqual(["src/kit/a.ts -> src/kit/b.ts -> src/kit/a.ts"]);
  });

  test("find a dead file, once there is a start", () => {
    const files = { "src/kit/a.ts": "", "src/kit/b.ts": "" };
    expect(dead(planted(files))).toEqual([]);
    expect(dead(planted({ ...files, "src/main.ts": 'import "./kit/a.ts";' }))).toEqual(["src/kit/b.ts"]);
  });

  test("find a barrel", () => {
    const files = { "src/orders/all.ts": 'import { a } from "./b.ts";\nexport { a };\nexport * from "./c.ts";' };
    expect(barrels(planted({ ...files, "src/orders/b.ts": "export const a = 1;" }))).toEqual(["src/orders/all.ts"]);
  });

  test.each(["~/order.ts", "./order", "fast-check"])("find the odd import %s", (from) => {
    expect(oddImports(planted({ "src/orders/order.ts": `import "${from}";` }), dependencies)).toEqual([
      `src/orders/order.ts imports ${from}`,
    ]);
  });

  test.each([
    ["elysia", 'import { t } from "elysia";'],
    ["the database", 'import { eq } from "drizzle-orm";'],
    ["the database", 'import { Database } from "bun:sqlite";'],
    ["croner", 'import { Cron } from "croner";'],
    ["flags or the environment", "const port = process.env.PORT;"],
    ["flags or the environment", "const { PORT } = Bun.env;"],
    ["flags or the environment", "const words = process.argv.slice(2);"],
    ["the wall clock", "const now = Date.now();"],
    ["the wall clock", "const now = new Date();"],
    ["chance", "const dice = Math.random();"],
    ["chance", "const name = crypto.randomUUID();"],
    ["the network", 'const page = await fetch("https://example.com");'],
    ["the network", 'import { request } from "node:https";'],
    ["the network", "const socket = tls.connect({ port: 443 });"],
    ["the console", 'console.log("hello");'],
    ["a stream of events", 'const stream = new EventSource("/events");'],
    ["what a browser keeps", 'localStorage.setItem("a", "b");'],
  ])("find %s in: %s", (what, text) => {
    expect(escapes(planted({ "src/orders/rules.ts": text }))).toEqual([`src/orders/rules.ts touches ${what}`]);
  });

  test("find the network in a carrier's connector, which calls by the way out", () => {
    const files = { "src/shipping/carriers/some.ts": 'const page = await fetch("https://carrier.example");' };
    expect(escapes(planted(files))).toEqual(["src/shipping/carriers/some.ts touches the network"]);
  });

  test("let the outside world be touched in its place, and its name stand in a text", () => {
    const files = {
      "src/kit/clock.ts": "const now = () => Date.now();",
      "src/outbound/connection.ts": "const socket = net.connect({ port: 1 });",
      "src/orders/rules.ts": '// Date.now()\nexport const text = "process.env";\nconst then = new Date(1);',
    };
    expect(escapes(planted(files))).toEqual([]);
  });

  test("find any, but not the word", () => {
    const files = { "src/kit/a.ts": "const a = [] as any[];", "src/kit/b.ts": 'const any = "any";' };
    expect(anything(planted(files))).toEqual(["src/kit/a.ts"]);
  });

  test("find what is too long, and let data and groups of tests be", () => {
    const lines = (count: number) => "  1;\n".repeat(count);
    const files = {
      "src/kit/wide.ts": `const a = "${"x".repeat(120)}";\n`,
      "src/kit/function.ts": `export function f() {\n${lines(69)}}\n`,
      "src/kit/file.ts": `const f = () => 1;\n${lines(500)}`,
      "src/kit/data.ts": `export const a = [\n${"  1,\n".repeat(600)}];\n`,
      "test/kit/group.test.ts": `describe("a", () => {\n${lines(80)}});\n`,
      "test/kit/each.test.ts": `describe.skipIf(true)("a", () => {\n${lines(80)}});\n`,
    };
    expect(tooLong(planted(files))).toEqual([
      "src/kit/wide.ts:1 has 133 characters",
      "src/kit/function.ts:1 is a function of 71 lines",
      "src/kit/file.ts has 501 lines",
    ]);
  });

  test("find names in another spelling", () => {
    const files = { "src/kit/someFile.ts": "export function make_it() {}\ninterface order {}\nclass KeyManager {}" };
    expect(oddNames(planted(files)).sort()).toEqual([
      "src/kit/someFile.ts is not in snake_case",
      "src/kit/someFile.ts names KeyManager",
      "src/kit/someFile.ts names make_it",
      "src/kit/someFile.ts names order",
    ]);
  });

  test("find functions that do not say what they do", () => {
    const silent = "export const f = () => 1;\n// No docstring.\nexport function g() {}\n/** no sentence */\n";
    const files = {
      "src/kit/a.ts": `${silent}export function h() {}\n/** Not exported. */\nfunction i() {}`,
      "src/kit/b.ts": "/**\n * Says what it does.\n * Refuses: a_code\n */\nexport const f = () => 1;\n",
    };
    expect(undocumented(planted(files))).toEqual([
      "src/kit/a.ts: f has no docstring",
      "src/kit/a.ts: g has no docstring",
      "src/kit/a.ts: h needs full sentences",
    ]);
  });

  test("find contracts that name nothing, or too little", () => {
    const docstring = "/** Acts. Refuses: rate_limited, no_such_code (never). Emits: order.created, order.eaten. */\n";
    const body = 'if (a) throw new Fault("storage_full", "Full.");\n throw missing("order", 1);';
    const files = { "src/orders/commands.ts": `${docstring}export function act() { ${body} }` };
    expect(brokenContracts(planted(files), tables)).toEqual([
      "src/orders/commands.ts: act refuses no_such_code, which is no code",
      "src/orders/commands.ts: act emits order.eaten, which is no event type",
      "src/orders/commands.ts: act throws resource_missing unsaid",
      "src/orders/commands.ts: act throws storage_full unsaid",
    ]);
  });

  test("let a kept contract pass", () => {
    const docstring =
      "/**\n * Acts.\n * Refuses: storage_full when full,\n * and unavailable. Emits: order.created.\n */\n";
    const body = 'throw new Fault("storage_full", "Full.");';
    const files = { "src/orders/commands.ts": `${docstring}export function act() { ${body} }` };
    expect(brokenContracts(planted(files), tables)).toEqual([]);
  });

  test("find a circle of folders, and of features, and let what composes be", () => {
    const files = {
      "src/orders/holds/store.ts": 'import { a } from "../../orders/splits/store.ts";',
      "src/orders/splits/store.ts": "export const a = 1;",
      "src/orders/splits/commands.ts": 'import { b } from "../holds/commands.ts";',
      "src/orders/holds/commands.ts": "export const b = 1;",
    };
    expect(roomCircles(planted(files))).toEqual([
      "src/orders/holds/store.ts -> src/orders/splits/store.ts",
      "src/orders/splits/commands.ts -> src/orders/holds/commands.ts",
    ]);
    const { "src/orders/splits/commands.ts": text, ...others } = files;
    expect(roomCircles(planted({ ...others, "src/orders/splits/routes.ts": text }))).toEqual([]);
    const features = {
      "src/keys/a/one.ts": 'import "../../users/a/two.ts";',
      "src/users/a/two.ts": "",
      "src/users/b/three.ts": 'import "../../keys/b/four.ts";',
      "src/keys/b/four.ts": "",
    };
    expect(roomCircles(planted(features))).toEqual([
      "src/keys/a/one.ts -> src/users/a/two.ts",
      "src/users/b/three.ts -> src/keys/b/four.ts",
    ]);
  });

  test.each([
    "tx.delete(orders).where(a);",
    "tx.update(schema.orders).set(a);",
    "sql`insert into $" + "{orders} (id) values (1)`;",
    "sql`with a as (select 1) update $" + "{orders} set b = 1`;",
  ])("find a second writer of a table: %s", (text) => {
    const files = {
      "db/schema/orders.ts": 'export const orders = table("orders", {});',
      "src/orders/store.ts": "await tx.insert(orders).values(a); parts.delete(other);",
      "src/orders/holds/store.ts": text,
    };
    expect(secondWriters(planted(files))).toEqual([
      "orders is written by src/orders/holds/store.ts and src/orders/store.ts",
    ]);
  });

  test("find an owned table in the text of a query, and a reason that nothing needs", () => {
    const files = {
      "db/schema/orders.ts":
        'export const orders = table("orders", { id: id(), merchant_id: owner() });' +
        'export const order_holds = table("order_holds", { id: id() });',
      "src/orders/store.ts": "sql`select 1 from $" + "{orders} where $" + "{orders.id} = 1`;",
      "src/orders/holds/store.ts": "sql`exists (select 1 from $" + "{order_holds} where $" + "{orders.id} = 1)`;",
      "src/orders/audit/store.ts": "sql`select 1 from $" + "{orders}`;",
      "src/orders/list/store.ts": "const some = template`(select $" + "{sql`1`} from a join $" + "{orders} on b)`;",
    };
    expect(
      unseenTables(planted(files), { "src/orders/list/store.ts": "by an id", "src/orders/old.ts": "none" }),
    ).toEqual([
      "src/orders/store.ts:1 names orders in the text of a query",
      "src/orders/old.ts names no owned table, and needs no reason",
    ]);
  });

  test("find a query that is asked without the handle that was handed in", () => {
    const files = {
      "db/schema/orders.ts": 'export const orders = table("orders", { id: id(), merchant_id: owner() });',
      "src/orders/store.ts":
        "const a = prepared((sql, a) => sql.select({ b: sql.select().from(orders) }).from(orders).where(a));\n" +
        "const b = (db) => db.sql.$count(orders); const c = ({ sql }) => sql.update(orders).set(b);\n" +
        "async function d(tx) { await tx.sql.insert(orders); const all = tx.scoped(a); all.sql.delete(orders); }\n" +
        "const e = new QueryBuilder().select().from(orders);\n" +
        "const f = () => kept.select().from(parts).innerJoin(orders, on);",
      "src/orders/holds/store.ts": 'import { Database } from "bun:sqlite";',
    };
    expect(loneQueries(planted(files))).toEqual([
      "src/orders/store.ts:4 asks without a handle that was handed in",
      "src/orders/store.ts:5 asks without a handle that was handed in",
      "src/orders/holds/store.ts asks the database by bun:sqlite",
    ]);
  });

  test("find rules that wait, or keep something between calls, and let tables be", () => {
    const files = {
      "src/orders/rules.ts": "export const f = async () => 1;",
      "src/orders/order.ts": "let count = 0; export const known = new Map(); const table = new Map([[1, 2]]);",
      "src/orders/commands.ts": "let count = 0; const f = async () => 1;",
    };
    expect(impureRules(planted(files), isRules)).toEqual([
      "src/orders/rules.ts waits for something",
      "src/orders/order.ts keeps count between calls",
      "src/orders/order.ts keeps known between calls",
    ]);
  });

  test.each([
    'saveOrder(tx, { ...order, status: "shipped" });',
    'if (order.status === "shipped") stop();',
    'if ("shipped" !== label.void_status) stop();',
    'order.status = late ? "pending" : "shipped";',
    'where(eq(orders.status, "shipped"));',
    'where(inArray(orders.status, ["pending", "shipped"]));',
    'const open = ["pending", "shipped"].includes(order?.status);',
    'tx.update(orders).set({ status: "shipped" });',
  ])("find the word of a state in: %s", (text) => {
    const files = {
      "src/orders/status.ts": 'export const orderStatuses = ["pending", "shipped"]; order.status === "shipped";',
      "src/orders/commands.ts": `// What follows names one.\n${text}`,
      "src/orders/schemas.ts": text,
      "src/orders/order.ts": `export function orderView() { ${text} }`,
      "src/orders/rules.ts": 'export const kind = { of: "shipped", status: "unheard of" }; kind.of === "shipped";',
    };
    expect(stateLiterals(planted(files))).toEqual(["src/orders/commands.ts:2 names a state"]);
  });

  test.each([
    ["sql`update orders set status = 'shipped'`", true],
    ["sql`@{orders.status} in ('pending', 'shipped')`", true],
    ["sql`case o.status when 'shipped' then 1 else 0 end`", true],
    ["sql<number>`case when 'shipped' <> @{o.from_status} then 1 end`.mapWith(Number)", true],
    ["template`@{parcelStatus} is @{not}distinct from 'shipped'`", true],
    ["sql`@{isOneOf(orders.status, shipped)} and @{events.type} = 'shipped'`", false],
    ["sql`case when @{orders.status} = @{word} then 'shipped' else 'pending' end`", false],
    ["sql`@{orders.status} = 'unheard of'`", false],
  ])("find the word of a state in %s: %p", (text, names) => {
    const files = {
      "src/orders/status.ts": 'export const orderStatuses = ["pending", "shipped"] as const;',
      "src/orders/store.ts": `export const asked = ${text.replaceAll("@", "$")};`,
    };
    expect(stateLiterals(planted(files))).toEqual(names ? ["src/orders/store.ts:1 names a state"] : []);
  });

  test("find what is exported for nobody, or for tests alone", () => {
    const files = {
      "src/kit/a.ts": "export const used = 1; export type Unused = 1; export const tried = 1; export const own = own2;",
      "src/kit/own.ts": "export function inside() {}; inside();",
      "src/kit/b.ts": 'import { used } from "./a.ts"; import * as all from "./c.ts";',
      "src/kit/c.ts": "export const whatever = 1;",
      "test/kit/a.test.ts":
        'import { tried } from "../../src/kit/a.ts"; import { inside } from "../../src/kit/own.ts";',
    };
    expect(unusedExports(planted(files))).toEqual([
      "src/kit/a.ts: nothing uses Unused",
      "src/kit/a.ts: nothing uses tried",
      "src/kit/a.ts: nothing uses own",
    ]);
  });

  test("find a move that nothing makes", () => {
    const files = {
      "src/orders/status.ts":
        'export const orderMoves = { ship: { to: "shipped" }, fail: {} } as const satisfies Moves<A>;',
      "src/orders/commands.ts": 'move(orderMoves, "ship", order.status);',
    };
    expect(unusedMoves(planted(files))).toEqual(["src/orders/status.ts: nothing does orderMoves.fail"]);
  });
});
