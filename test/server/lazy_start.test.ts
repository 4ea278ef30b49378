// Code that a first response does not need is loaded on demand: `serve.ts` reaches no feature through imports that are
// evaluated at the start, and the features do not reach the largest parts of the program.
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const root = join(import.meta.dir, "../..");
const transpiler = new Bun.Transpiler({ loader: "ts" });

/** Everything that is loaded with these files: their paths, and the names of packages. */
function loadedWith(...entries: string[]): ReadonlySet<string> {
  const found = new Set<string>(entries);
  for (const file of found) {
    if (!/\.ts$/.test(file) || !existsSync(join(root, file))) continue;
    for (const { kind, path } of transpiler.scanImports(readFileSync(join(root, file), "utf8"))) {
      if (kind !== "import-statement") continue;
      found.add(path.startsWith(".") ? relative(root, join(root, dirname(file), path)) : path);
    }
  }
  return found;
}

const atStart = loadedWith("src/main.ts", "src/server/serve.ts");
const atRest = loadedWith(...atStart, "src/server/app.ts", "src/server/scheduler.ts");

test("lists what is loaded: the routes with the app, and the PDF library with the render worker", () => {
  expect(atRest).toContain("src/orders/orders.routes.ts");
  expect(loadedWith("src/documents/render_worker.ts")).toContain("@cantoo/pdf-lib");
  expect(loadedWith("src/storage/migrations/migrate_postgres.ts")).toContain("pg");
  expect(loadedWith("src/cli/openapi.ts")).toContain("src/server/openapi/examples.json");
});

test.each([
  ["the app", "src/server/app.ts"],
  ["the jobs", "src/server/scheduler.ts"],
  ["orders", "src/orders/fulfillment/order_stock.ts"],
  ["the tables of orders", "db/schema/orders.ts"],
  ["what counts the queues", "src/operations/health/queues.sql.ts"],
  ["what makes the first prices", "src/shipping/rates/rate_cards.ts"],
])("a start does not load %s", (_, part) => {
  expect(atRest).toContain(part);
  expect(atStart).not.toContain(part);
});

test.each([
  ["the library of fonts", "@cantoo/fontkit"],
  ["the library of PDF", "@cantoo/pdf-lib"],
  ["what draws pictures", "@resvg/resvg-wasm"],
  ["the press", "src/documents/render_job.ts"],
  ["the library of mail", "nodemailer"],
  ["the library of certificates", "@peculiar/x509"],
  ["the library of one-time codes", "otpauth"],
  ["the library of CSV", "csv-parse"],
  ["the table of countries", "i18n-iso-countries/index.js"],
  ["the table of continents", "countries-list"],
  ["Node's own HTTP", "node:http"],
  ["Node's own TLS", "node:tls"],
  ["the examples of events", "src/webhooks/event_descriptions.schema.ts"],
  ["what verify looks at", "src/cli/verify.ts"],
  ["the commands of keys", "src/cli/keys.ts"],
  ["the driver of PostgreSQL", "pg"],
  ["the SQL of migrations", "src/storage/migrations/migration_sql.ts"],
  ["the OpenAPI document", "src/server/openapi/document.ts"],
  ["the recorded examples", "src/server/openapi/examples.json"],
  ["the pages of the reference", "src/server/openapi/pages.ts"],
  ["what looks through all secrets", "src/server/sealed_secrets.ts"],
  ["the sample business", "src/operations/demo/demo.jobs.ts"],
])("a server does not load %s until it is needed", (_, part) => {
  expect(atRest).not.toContain(part);
});
