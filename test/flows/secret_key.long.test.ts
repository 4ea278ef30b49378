// A secret key that is lost or replaced, and swapped environments: detected at the start, on both engines.
import { Database } from "bun:sqlite";
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { default_secret_key, flagsOf, type StartedService, startCommand } from "../../scripts/service.ts";
import { engine } from "../../src/core/config.ts";
import { client, freshDatabase } from "./service.ts";
import { startWatchedService } from "./watched_service.ts";

setDefaultTimeout(120_000);

const root = mkdtempSync(join(tmpdir(), "packhouse-key-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const own = default_secret_key;
const other = "0e".repeat(32);

interface Place {
  readonly data: string;
  readonly database_url: string | null;
}

const place = async (): Promise<Place> => ({
  data: mkdtempSync(join(root, "data-")),
  database_url: await freshDatabase(),
});
const start = (at: Place, secret_key: string) =>
  startWatchedService({ ...at, env: { PACKHOUSE_SECRET_KEY: secret_key, PACKHOUSE_LOG_LEVEL: "error" } });

/** Runs a command to its end. If `secret_key` is empty, the key of the data directory is used. */
async function run(at: Place, secret_key: string, ...words: string[]) {
  const env = { PACKHOUSE_SECRET_KEY: secret_key };
  const child = startCommand([...words, ...flagsOf(at)], { env });
  // A server that starts by mistake would run forever.
  const late = setTimeout(() => child.kill("SIGKILL"), 30_000);
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  clearTimeout(late);
  return { out, err, code };
}
const serve = (at: Place, secret_key: string) => run(at, secret_key, "serve", "--port", "0");

async function subscribed(service: StartedService, url = "http://127.0.0.1:9/hook") {
  const api = client(service.url, await service.makeKey("test"));
  const { data } = await api.must("POST", "/webhooks", { url, events: ["inventory.updated"] });
  return data.id as string;
}

/** Changes the database of an environment directly. */
async function meddle({ data, database_url }: Place, mode: "live" | "test", statement: string): Promise<void> {
  if (database_url === null) {
    const raw = new Database(join(data, `${mode}.db`));
    raw.run(statement);
    raw.close();
    return;
  }
  const admin = new pg.Client({ connectionString: database_url });
  await admin.connect();
  await admin.query(`set search_path to ${mode}`);
  await admin.query(statement);
  await admin.end();
}

async function exchangeEnvironments({ data, database_url }: Place): Promise<void> {
  const renames = [
    ["live", "between"],
    ["test", "live"],
    ["between", "test"],
  ] as const;
  for (const [from, to] of renames) {
    if (database_url === null) renameSync(join(data, `${from}.db`), join(data, `${to}.db`));
    else await meddle({ data, database_url }, "live", `alter schema ${from} rename to ${to}`);
  }
}

const another = /was encrypted with a different secret key than PACKHOUSE_SECRET_KEY\. .*new-secret-key/;

test("a server with a different secret key is refused, and the original one keeps running", async () => {
  const at = await place();
  const first = await start(at, own);
  if (engine === "postgres") expect(await serve(at, other)).toMatchObject({ code: 78, out: "" });
  expect(await first.stop()).toBe(0);
  const refused = await serve(at, other);
  expect([refused.code, refused.out, refused.err.trimEnd().split("\n").length]).toEqual([78, "", 1]);
  expect(refused.err).toMatch(another);
  const told = await run(at, other, "verify");
  expect([told.code, told.out]).toEqual([1, expect.stringMatching(another)]);
  expect(await run(at, own, "verify")).toMatchObject({ code: 0, out: "live: 0 differences\ntest: 0 differences\n" });
  // API keys need no secret key.
  expect(await run(at, other, "keys", "list")).toMatchObject({ code: 0, err: "" });
  const again = await start(at, own);
  expect(again.output).toContain("No API key has been used yet. To create one: packhouse keys create");
  expect(await again.stop()).toBe(0);
});

test("data without a seal gets one at the next start, unless a secret in it contradicts the key", async () => {
  const at = await place();
  const first = await start(at, own);
  await subscribed(first);
  await first.stop();
  for (const mode of ["live", "test"] as const) await meddle(at, mode, "update installation set seal = null");
  const refused = await serve(at, other);
  expect([refused.code, refused.err]).toEqual([78, expect.stringMatching(/The test data was .*different secret key/)]);
  await (await start(at, own)).stop();
  expect((await serve(at, other)).err).toContain("The live data was encrypted with a different secret key");
});

test("every command refuses swapped environments, and swapping them back restores them", async () => {
  const at = await place();
  await (await start(at, own)).stop();
  // A killed server leaves a log next to each database, which stays when the databases are swapped.
  await (await start(at, own)).kill();
  await exchangeEnvironments(at);
  for (const words of [["serve", "--port", "0"], ["verify"], ["keys", "list"]]) {
    const { code, err } = await run(at, own, ...words);
    expect([code, err]).toEqual([78, expect.stringContaining("holds test data, not live data")]);
  }
  await exchangeEnvironments(at);
  await (await start(at, own)).stop();
});

test("with a new secret key, secrets sealed before are listed, and work once they are set again", async () => {
  const at = await place();
  const told = Promise.withResolvers<Headers>();
  const receiver = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => {
      told.resolve(request.headers);
      return new Response();
    },
  });
  const first = await start(at, own);
  const id = await subscribed(first, `http://127.0.0.1:${receiver.port}/hook`);
  if (engine === "sqlite") expect((await run(at, other, "new-secret-key")).code).toBe(75);
  await first.stop();
  const renewed = await run(at, other, "new-secret-key");
  expect([renewed.code, renewed.err]).toEqual([0, ""]);
  expect(renewed.out).toBe(
    `test: webhook ${id}: create a new secret with POST …/rotate_secret\n` +
      "The data is now encrypted with PACKHOUSE_SECRET_KEY.\n",
  );
  expect((await serve(at, own)).code).toBe(78);
  const again = await start(at, other);
  const api = client(again.url, await again.makeKey("test"));
  await api.must("POST", `/webhooks/${id}/rotate_secret`, {});
  await api.must("POST", "/products", { sku: "TEA", name: "Tea" });
  await api.must("POST", "/inventory", { sku: "TEA", quantity: 1 });
  expect((await told.promise).get("webhook-signature")).toMatch(/^v1,\S+$/);
  await again.stop();
  await receiver.stop(true);
});

if (engine === "sqlite")
  test("an empty key file is regenerated while nothing is sealed, and refused afterwards", async () => {
    const at = await place();
    const file = join(at.data, "secret.key");
    await run(at, "", "keys", "create", "--name", "till", "--mode", "live");
    writeFileSync(file, "\0".repeat(64));
    await (await start(at, "")).stop();
    const key = readFileSync(file, "utf8");
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    writeFileSync(file, "");
    const refused = await serve(at, "");
    expect([refused.code, refused.err]).toEqual([78, expect.stringContaining("secret.key is missing")]);
    rmSync(file);
    expect((await serve(at, "")).code).toBe(78);
    expect(existsSync(file)).toBe(false);
    writeFileSync(file, key);
    await (await start(at, "")).stop();
    rmSync(file);
    const renewed = await run(at, "", "new-secret-key");
    expect(renewed.out).toBe("The data is now encrypted with the key in secret.key.\n");
    await (await start(at, "")).stop();
  });
