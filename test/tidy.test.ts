// The rules of the code base that no compiler or linter checks. Each check is itself tested with a planted violation.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { faults } from "../src/core/faults.ts";
import { eventTypes } from "../src/events/event_types.ts";
import {
  barrels,
  cycles,
  dead,
  homeless,
  importsOfActs,
  importsUp,
  mayImport,
  oddImports,
  pureFiles,
} from "./tidy/imports.ts";
import { limits, needlessRooms, overLimits, repeatedTypes, vagueFiles } from "./tidy/limits.ts";
import { loneQueries, unseenTables } from "./tidy/owners.ts";
import { anything, escapes } from "./tidy/quarantine.ts";
import { brokenContracts, oddNames, tooLong, undocumented } from "./tidy/shape.ts";
import { parse, readSources, type Source } from "./tidy/source.ts";
import { stateLiterals } from "./tidy/states.ts";
import { unusedTexts } from "./tidy/texts.ts";
import { unusedExports, unusedTransitions } from "./tidy/usage.ts";
import { impureFiles, secondWriters } from "./tidy/writers.ts";

const sources = await readSources(join(import.meta.dir, ".."));
const tables = { codes: Object.keys(faults), events: eventTypes };
const dependencies = Object.keys(manifest.dependencies);

/** Sources with planted violations. */
const planted = (files: Record<string, string>): Source[] =>
  Object.entries(files).map(([file, text]) => parse(file, text));

describe("the code base", () => {
  test.each([
    ["imports go down", importsUp],
    ["queries and schemas import no acts", importsOfActs],
    ["every file belongs to a feature", homeless],
    ["no cycles of files", cycles],
    ["few folders, few small files, few repeated names", (all: Source[]) => overLimits(all)],
    ["no type name is declared in more than three files", repeatedTypes],
    ["rooms earn their walls", needlessRooms],
    ["file names say what the file holds", vagueFiles],
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
    ["one writer for each table", secondWriters],
    ["merchants' records are named in queries that are narrowed", (all: Source[]) => unseenTables(all)],
    ["merchants' records are asked for by the handle that was handed in", loneQueries],
    ["records and schemas decide and do nothing else", (all: Source[]) => impureFiles(all, pureFiles(all))],
    ["states are named in their tables, and where they are shown", stateLiterals],
    ["what is exported is used", unusedExports],
    ["every transition of a table is used", unusedTransitions],
    ["every text of the dashboard is shown", unusedTexts],
    ["acts name what they refuse and emit", (all: Source[]) => brokenContracts(all, tables)],
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
    ["src/orders/lifecycle/create_order.ts", "src/inventory/reservations/reserve.ts", true],
    ["src/customers/customers.routes.ts", "src/orders/lifecycle/orders.sql.ts", true],
    ["src/orders/fulfillment/ship.ts", "src/orders/fulfillment/shipments.sql.ts", true],
    ["src/orders/lifecycle/orders.sql.ts", "db/schema/orders.ts", true],
    ["db/schema/orders.ts", "src/orders/lifecycle/order.transitions.ts", true],
    ["src/storage/sqlite/sqlite.ts", "src/core/clock.ts", true],
    ["src/main.ts", "src/cli/serve.ts", true],
    ["src/inventory/reservations/reserve.ts", "src/orders/lifecycle/create_order.ts", false],
    ["src/orders/lifecycle/order.schema.ts", "src/orders/lifecycle/orders.sql.ts", false],
    ["src/orders/lifecycle/order.ts", "src/orders/lifecycle/orders.routes.ts", false],
    ["src/orders/lifecycle/order.ts", "db/schema/orders.ts", false],
    ["src/core/page.ts", "src/orders/lifecycle/order.transitions.ts", false],
    ["src/storage/store.ts", "src/orders/lifecycle/orders.sql.ts", false],
    ["src/orders/lifecycle/order.ts", "test/build/service.ts", false],
    ["src/shipping/carriers/local.ts", "src/outbound/api.ts", true],
    ["src/http/service.ts", "src/outbound/api.ts", false],
    ["src/dashboard/web/screens/orders/list.tsx", "src/dashboard/web/components/table.tsx", true],
    ["src/dashboard/web/screens/orders/list.tsx", "src/orders/lifecycle/order.transitions.ts", true],
    ["src/dashboard/web/screens/orders/list.tsx", "src/orders/lifecycle/order.schema.ts", false],
    ["src/dashboard/web/screens/orders/list.tsx", "src/orders/order.resource.ts", true],
    ["src/orders/order.resource.ts", "src/orders/order.transitions.ts", true],
    ["src/orders/order.resource.ts", "src/core/schema.ts", false],
    ["src/orders/order.schema.ts", "src/orders/order.resource.ts", true],
    ["src/dashboard/server/pages.routes.ts", "src/dashboard/web/main.tsx", false],
  ])("%s imports %s: %p", (from, to, allowed) => {
    expect(mayImport(from, to)).toBe(allowed);
  });

  test("find an upward import of any form", () => {
    const file = "src/orders/lifecycle/order.schema.ts";
    const up = ['import { a } from "./orders.sql.ts";', 'export * from "./orders.sql.ts";'];
    for (const text of [...up, 'const a = import("./orders.sql.ts");', 'type A = import("./orders.sql.ts").A;']) {
      expect(importsUp(planted({ [file]: text }))).toEqual([`${file} imports src/orders/lifecycle/orders.sql.ts`]);
    }
  });

  test("find queries that import a command, and let them import records", () => {
    const files = {
      "src/orders/lifecycle/orders.sql.ts": 'import "./create_order.ts"; import "./order.ts";',
      "src/orders/lifecycle/create_order.ts": 'import "./order_lines.sql.ts";',
      "src/orders/lifecycle/order.ts": "",
    };
    expect(importsOfActs(planted(files))).toEqual([
      "src/orders/lifecycle/orders.sql.ts imports the act src/orders/lifecycle/create_order.ts",
    ]);
  });

  test("let the front end import types of the service, and nothing else", () => {
    const file = "src/dashboard/web/api/types.ts";
    const types = 'import type { A } from "../../../orders/order.schema.ts";';
    expect(importsUp(planted({ [file]: types }))).toEqual([]);
    const up = [`${file} imports src/orders/order.schema.ts`];
    expect(importsUp(planted({ [file]: types.replace(" type", "") }))).toEqual(up);
    expect(importsUp(planted({ [file]: `${types}\nimport("../../../orders/order.schema.ts");` }))).toEqual(up);
  });

  test("find a file outside any feature", () => {
    const files = { "src/utils/text.ts": "", "src/serve.ts": "", "src/main.ts": "", "src/orders/order.ts": "" };
    expect(homeless(planted(files))).toEqual(["src/utils/text.ts", "src/serve.ts"]);
  });

  test("count folders, loose files, small files and repeated names", () => {
    const files = {
      "src/main.ts": "",
      "src/a.ts": "type A = 1;",
      "src/b/c.ts": "type A = 1;",
      "src/b/d.ts": "class A {}",
    };
    const most = { ...limits, folders: 1, loose: 1, small_files: 3, repeated: 0 };
    expect(overLimits(planted(files), most).map((line) => line.replace(/:.*/, ""))).toEqual([
      "2 (at most 1) folders in src",
      "2 (at most 1) loose files in src",
      "4 (at most 3) files under 40 lines",
      "1 (at most 0) type names in three files or more",
    ]);
    expect(repeatedTypes(planted({ ...files, "src/e.ts": "interface A {}" }))).toEqual([
      "A is declared in src/a.ts src/b/c.ts src/b/d.ts src/e.ts",
    ]);
  });

  test("find folders that are too small, nested subfolders, and vague names", () => {
    const files = {
      "src/orders/a/one.ts": "",
      "src/orders/a/two.ts": "",
      "src/orders/b/c/commands.ts": "\n".repeat(9),
    };
    expect(needlessRooms(planted(files))).toEqual([
      "orders/a is a room of less than 3 files and 300 lines",
      "orders/b is a room of less than 3 files and 300 lines",
      "src/orders/b/c/commands.ts lies in a room within a room",
    ]);
    expect(vagueFiles(planted(files))).toEqual(["src/orders/b/c/commands.ts does not say what it holds"]);
  });

  test("find an import cycle", () => {
    const files = { "src/core/a.ts": 'import "./b.ts";', "src/core/b.ts": 'import type { A } from "./a.ts";' };
    expect(cycles(planted(files))).toEqual(["src/core/a.ts -> src/core/b.ts -> src/core/a.ts"]);
  });

  test("find an unused file, if there is an entry point", () => {
    const files = { "src/core/a.ts": "", "src/core/b.ts": "" };
    expect(dead(planted(files))).toEqual([]);
    expect(dead(planted({ ...files, "src/main.ts": 'import "./core/a.ts";' }))).toEqual(["src/core/b.ts"]);
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
    expect(escapes(planted({ "src/orders/promise.ts": text }))).toEqual([`src/orders/promise.ts touches ${what}`]);
  });

  test("find network access in a carrier's connector, which must use outbound", () => {
    const files = { "src/shipping/carriers/some.ts": 'const page = await fetch("https://carrier.example");' };
    expect(escapes(planted(files))).toEqual(["src/shipping/carriers/some.ts touches the network"]);
  });

  test("allow external access in its own files, and its name in text", () => {
    const files = {
      "src/core/clock.ts": "const now = () => Date.now();",
      "src/outbound/connection.ts": "const socket = net.connect({ port: 1 });",
      "src/orders/promise.ts": '// Date.now()\nexport const text = "process.env";\nconst then = new Date(1);',
    };
    expect(escapes(planted(files))).toEqual([]);
  });

  test("find the type any, but not the word", () => {
    const files = { "src/core/a.ts": "const a = [] as any[];", "src/core/b.ts": 'const any = "any";' };
    expect(anything(planted(files))).toEqual(["src/core/a.ts"]);
  });

  test("find what is too long, except data and groups of tests", () => {
    const lines = (count: number) => "  1;\n".repeat(count);
    const files = {
      "src/core/wide.ts": `const a = "${"x".repeat(120)}";\n`,
      "src/core/function.ts": `export function f() {\n${lines(69)}}\n`,
      "src/core/file.ts": `const f = () => 1;\n${lines(500)}`,
      "src/core/data.ts": `export const a = [\n${"  1,\n".repeat(600)}];\n`,
      "test/core/group.test.ts": `describe("a", () => {\n${lines(80)}});\n`,
      "test/core/each.test.ts": `describe.skipIf(true)("a", () => {\n${lines(80)}});\n`,
    };
    expect(tooLong(planted(files))).toEqual([
      "src/core/wide.ts:1 has 133 characters",
      "src/core/function.ts:1 is a function of 71 lines",
      "src/core/file.ts has 501 lines",
    ]);
  });

  test("find names that break the naming rules", () => {
    const files = { "src/core/someFile.ts": "export function make_it() {}\ninterface order {}\nclass KeyManager {}" };
    expect(oddNames(planted(files)).sort()).toEqual([
      "src/core/someFile.ts is not in snake_case",
      "src/core/someFile.ts names KeyManager",
      "src/core/someFile.ts names make_it",
      "src/core/someFile.ts names order",
    ]);
  });

  test("find exported functions without a proper docstring", () => {
    const silent = "export const f = () => 1;\n// No docstring.\nexport function g() {}\n/** no sentence */\n";
    const files = {
      "src/core/a.ts": `${silent}export function h() {}\n/** Not exported. */\nfunction i() {}`,
      "src/core/b.ts": "/**\n * Says what it does.\n * Refuses: a_code\n */\nexport const f = () => 1;\n",
    };
    expect(undocumented(planted(files))).toEqual([
      "src/core/a.ts: f has no docstring",
      "src/core/a.ts: g has no docstring",
      "src/core/a.ts: h needs full sentences",
    ]);
  });

  test("find contracts with unknown or missing codes", () => {
    const docstring = "/** Acts. Refuses: rate_limited, no_such_code (never). Emits: order.created, order.eaten. */\n";
    const body = 'if (a) throw new Fault("storage_full", "Full.");\n throw missing("order", 1);';
    const files = { "src/orders/ship.ts": `${docstring}export function act(tx) { ${body} }` };
    expect(brokenContracts(planted(files), tables)).toEqual([
      "src/orders/ship.ts: act refuses no_such_code, which is no code",
      "src/orders/ship.ts: act emits order.eaten, which is no event type",
      "src/orders/ship.ts: act throws resource_missing unsaid",
      "src/orders/ship.ts: act throws storage_full unsaid",
    ]);
  });

  test("accept a correct contract", () => {
    const docstring =
      "/**\n * Acts.\n * Refuses: storage_full when full,\n * and unavailable. Emits: order.created.\n */\n";
    const body = 'throw new Fault("storage_full", "Full.");';
    const files = { "src/orders/ship.ts": `${docstring}export function act(tx) { ${body} }` };
    expect(brokenContracts(planted(files), tables)).toEqual([]);
  });

  test.each([
    "tx.delete(orders).where(a);",
    "tx.update(schema.orders).set(a);",
    "sql`insert into $" + "{orders} (id) values (1)`;",
    "sql`with a as (select 1) update $" + "{orders} set b = 1`;",
  ])("find a second writer of a table: %s", (text) => {
    const files = {
      "db/schema/orders.ts": 'export const orders = table("orders", {});',
      "src/orders/orders.sql.ts": "await tx.insert(orders).values(a); parts.delete(other);",
      "src/orders/holds.sql.ts": text,
    };
    expect(secondWriters(planted(files))).toEqual([
      "orders is written by src/orders/holds.sql.ts and src/orders/orders.sql.ts",
    ]);
  });

  test("find an owned table in raw SQL, and an unneeded exception", () => {
    const files = {
      "db/schema/orders.ts":
        'export const orders = table("orders", { id: id(), merchant_id: owner() });' +
        'export const order_holds = table("order_holds", { id: id() });',
      "src/orders/orders.sql.ts": "sql`select 1 from $" + "{orders} where $" + "{orders.id} = 1`;",
      "src/orders/holds.sql.ts": "sql`exists (select 1 from $" + "{order_holds} where $" + "{orders.id} = 1)`;",
      "src/orders/orders_audit.sql.ts": "sql`select 1 from $" + "{orders}`;",
      "src/orders/list.sql.ts": "const some = template`(select $" + "{sql`1`} from a join $" + "{orders} on b)`;",
    };
    expect(unseenTables(planted(files), { "src/orders/list.sql.ts": "by an id", "src/orders/old.ts": "none" })).toEqual(
      [
        "src/orders/orders.sql.ts:1 names orders in the text of a query",
        "src/orders/old.ts names no owned table, and needs no reason",
      ],
    );
  });

  test("find a query that does not use the handle passed in", () => {
    const files = {
      "db/schema/orders.ts": 'export const orders = table("orders", { id: id(), merchant_id: owner() });',
      "src/orders/orders.sql.ts":
        "const a = prepared((sql, a) => sql.select({ b: sql.select().from(orders) }).from(orders).where(a));\n" +
        "const b = (db) => db.sql.$count(orders); const c = ({ sql }) => sql.update(orders).set(b);\n" +
        "async function d(tx) { await tx.sql.insert(orders); const all = tx.scoped(a); all.sql.delete(orders); }\n" +
        "const e = new QueryBuilder().select().from(orders);\n" +
        "const f = () => kept.select().from(parts).innerJoin(orders, on);",
      "src/orders/holds.sql.ts": 'import { Database } from "bun:sqlite";',
    };
    expect(loneQueries(planted(files))).toEqual([
      "src/orders/orders.sql.ts:4 asks without a handle that was handed in",
      "src/orders/orders.sql.ts:5 asks without a handle that was handed in",
      "src/orders/holds.sql.ts asks the database by bun:sqlite",
    ]);
  });

  test("find records that await or keep state, except constant tables", () => {
    const files = {
      "src/orders/orders.sql.ts": 'import "./order.ts"; import "../shipping/parcel.ts";',
      "src/orders/order.ts": "export const f = async () => 1;",
      "src/shipping/parcel.ts": "let count = 0; export const known = new Map(); const table = new Map([[1, 2]]);",
      "src/orders/ship.ts": "let count = 0; const f = async () => 1;",
    };
    const sources = planted(files);
    expect(impureFiles(sources, pureFiles(sources))).toEqual([
      "src/orders/order.ts awaits something",
      "src/shipping/parcel.ts keeps count between calls",
      "src/shipping/parcel.ts keeps known between calls",
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
  ])("find a status literal in: %s", (text) => {
    const files = {
      "src/orders/order.transitions.ts":
        'export const orderStatuses = ["pending", "shipped"]; order.status === "shipped";',
      "src/orders/ship.ts": `// What follows names one.\n${text}`,
      "src/orders/order.schema.ts": text,
      "src/orders/order.ts": `export function orderView() { ${text} }`,
      "src/orders/promise.ts": 'export const kind = { of: "shipped", status: "unheard of" }; kind.of === "shipped";',
    };
    expect(stateLiterals(planted(files))).toEqual(["src/orders/ship.ts:2 names a state"]);
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
  ])("find a status literal in %s: %p", (text, names) => {
    const files = {
      "src/orders/order.transitions.ts": 'export const orderStatuses = ["pending", "shipped"] as const;',
      "src/orders/orders.sql.ts": `export const asked = ${text.replaceAll("@", "$")};`,
    };
    expect(stateLiterals(planted(files))).toEqual(names ? ["src/orders/orders.sql.ts:1 names a state"] : []);
  });

  test("find exports that are unused, or used only by tests", () => {
    const files = {
      "src/core/a.ts":
        "export const used = 1; export type Unused = 1; export const tried = 1; export const own = own2;",
      "src/core/own.ts": "export function inside() {}; inside();",
      "src/core/b.ts": 'import { used } from "./a.ts"; import * as all from "./c.ts";',
      "src/core/c.ts": "export const whatever = 1;",
      "test/core/a.test.ts":
        'import { tried } from "../../src/core/a.ts"; import { inside } from "../../src/core/own.ts";',
    };
    expect(unusedExports(planted(files))).toEqual([
      "src/core/a.ts: nothing uses Unused",
      "src/core/a.ts: nothing uses tried",
      "src/core/a.ts: nothing uses own",
    ]);
  });

  test("find an unused text", () => {
    const files = {
      "src/dashboard/web/text/orders.ts": `export const orderTexts = {
        title: "Orders", old: "Old", line: { sku: "SKU", gone: "Gone" }, states: { open: "Open" }, days: ["Mon"],
      } as const; const inner = [orderTexts.title];`,
      "src/dashboard/web/text/stock.ts":
        'export const stockTexts = { bins: { one: "Bin" }, all: { a: "A" }, no: "No" };',
      "src/dashboard/web/screens/orders/list.tsx": `
        import { orderTexts as texts } from "../../text/orders.ts";
        import { stockTexts } from "../../text/stock.ts";
        const { old } = row; const bins = stockTexts.bins; Object.entries(stockTexts.all);
        const shown = [texts.states[row.state], texts.line["sku"], bins.one, texts.days.map(text)];`,
    };
    expect(unusedTexts(planted(files))).toEqual([
      "src/dashboard/web/text/orders.ts: nothing shows orderTexts.old",
      "src/dashboard/web/text/orders.ts: nothing shows orderTexts.line.gone",
      "src/dashboard/web/text/stock.ts: nothing shows stockTexts.no",
    ]);
  });

  test("find an unused transition", () => {
    const files = {
      "src/orders/order.transitions.ts":
        'export const orderTransitions = { ship: { to: "shipped" }, fail: {} } as const satisfies Transitions<A>;',
      "src/orders/ship.ts": 'transition(orderTransitions, "ship", order.status);',
    };
    expect(unusedTransitions(planted(files))).toEqual([
      "src/orders/order.transitions.ts: nothing does orderTransitions.fail",
    ]);
  });
});
