// Restoring a backup: numbers skip ahead, and pending work is held until it is sent or discarded.

import { Database } from "bun:sqlite";
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  default_secret_key,
  flagsOf,
  runCommand,
  type StartedService,
  startCommand,
} from "../../../scripts/service.ts";
import { engine } from "../../../src/core/config.ts";
import { environments } from "../../../src/core/environment.ts";
import { migration_lock, migration_lock_key } from "../../../src/storage/migrations/migrate_postgres.ts";
import { administered } from "../../../src/storage/postgres/postgres_programs.ts";
import { pngOf } from "../../files/images.ts";
import { type Client, client, freshDatabase, stockUp } from "../../flows/service.ts";
import { startWatchedService } from "../../flows/watched_service.ts";

setDefaultTimeout(120_000);

const root = mkdtempSync(join(tmpdir(), "packhouse-restore-test-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const canDump = engine === "sqlite" || (Bun.which("pg_dump") !== null && Bun.which("pg_restore") !== null);
if (!canDump) console.warn("SKIPPED restores of PostgreSQL: pg_dump and pg_restore are not on this machine");

interface Place {
  readonly data: string;
  readonly database_url: string | null;
}

const newPlace = async (): Promise<Place> => ({
  data: join(root, `data-${readdirSync(root).length}`),
  database_url: await freshDatabase(),
});

/** Runs a command to its end. */
const run = (place: Place, ...words: string[]) => runWith(default_secret_key, place, ...words);

const runWith = (secret_key: string, { data, database_url }: Place, ...words: string[]) =>
  runCommand([...words, ...flagsOf({ ...(data !== "" && { data }), database_url })], {
    env: { PACKHOUSE_SECRET_KEY: secret_key },
  });

/** A receiver that refuses everything until it is opened, and records events by their id. */
function receiver() {
  const bodies = new Map<string, Set<string>>();
  const taken: string[] = [];
  let open = false;
  let waiting: { count: number; resolve: () => void } | null = null;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const body = await request.text();
      const { id } = JSON.parse(body) as { id: string };
      bodies.set(id, (bodies.get(id) ?? new Set()).add(body));
      if (!open) return new Response("no", { status: 503 });
      taken.push(id);
      if (waiting !== null && taken.length >= waiting.count) waiting.resolve();
      return new Response("ok");
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/hook`,
    bodies,
    taken,
    open: () => {
      open = true;
    },
    close: () => {
      open = false;
      taken.length = 0;
    },
    /** Resolves once that many were accepted. */
    until: (count: number) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting = { count, resolve };
      if (taken.length >= count) resolve();
      return promise;
    },
    stop: () => server.stop(true),
  };
}

interface Made {
  readonly id: string;
  readonly order_number: string;
  readonly customer_id: string;
}

async function order(api: Client, to: object, order_number: string): Promise<Made> {
  const line_items = [{ sku: "CUP", quantity: 1, unit_price: "5.00" }];
  return (await api.must("POST", "/orders", { ...to, order_number, line_items })).data;
}

/** Reads again until a condition holds, which a job brings about. */
async function eventually<T>(read: () => Promise<T>, holds: (found: T) => boolean): Promise<T> {
  for (let tries = 0; tries < 400; tries += 1) {
    const found = await read();
    if (holds(found)) return found;
    await Bun.sleep(50);
  }
  throw new Error("it did not come about");
}

const listAll = async (api: Client, path: string) => {
  const rows: Record<string, unknown>[] = [];
  for (let next: string | null = ""; next !== null; ) {
    const page = await api.must("GET", `${path}${path.includes("?") ? "&" : "?"}limit=2${next && `&cursor=${next}`}`);
    rows.push(...page.data);
    next = page.meta.pagination.next_cursor;
  }
  return rows;
};

/** Reads when (ms) a test customer was created. */
async function madeAt({ data, database_url }: Place, id: number): Promise<string> {
  const query = `select created_at as at from ${database_url === null ? "" : "test."}customers where id = ${id}`;
  if (database_url !== null) {
    const [row] = await administered(database_url, (server) => server.ask(query));
    return new Date(Number(row?.["at"])).toISOString();
  }
  using raw = new Database(join(data, "test.db"), { readwrite: true, create: false });
  return new Date(Number(raw.query(query).values()[0]?.[0])).toISOString();
}

/** Uploads a logo. Returns its id and the digest of its content. */
async function uploadLogo(url: string, key: string): Promise<{ readonly id: string; readonly sha256: string }> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "image/png" };
  const answer = await fetch(`${url}/v1/files?kind=logo`, { method: "POST", headers, body: pngOf(40, 20) });
  return ((await answer.json()) as { data: { id: string; sha256: string } }).data;
}

/** Expects the logo with its content, as the branding names it. */
async function expectLogo(url: string, api: Client, logo: { readonly id: string; readonly sha256: string }) {
  const { logo_file_id, logo_url } = (await api.must("GET", "/merchants/MAIN/branding")).data;
  const content = await (await fetch(new URL(logo_url, url))).bytes();
  const digest = new Bun.CryptoHasher("sha256").update(content).digest("hex");
  expect([logo_file_id, digest]).toEqual([logo.id, logo.sha256]);
}

/** Switches on pushing stock to a shop, whose connection is paused so that it is never called. */
async function pushStockToShop(api: Client): Promise<string> {
  const secrets = { api_key: "ck_12345678", api_token: "cs_12345678", client_secret: "hush-hush" };
  const shop = { platform: "woocommerce", store_id: "http://127.0.0.1:9", status: "paused", ...secrets };
  const { id } = (await api.must("POST", "/platforms", shop)).data;
  await api.must("PATCH", `/platforms/${id}/stock`, { enabled: true });
  return id;
}

/** Creates three orders whose webhooks are refused, a backup and two more orders, then crashes. */
async function disaster(hook: ReturnType<typeof receiver>) {
  const at = await newPlace();
  const service = await startWatchedService(at);
  const key = await service.makeKey("test");
  const api = client(service.url, key);
  const { location: _, ...to } = await stockUp(api, ["CUP"], 1000);
  const { data } = await api.must("POST", "/webhooks", { url: hook.url, events: ["order.created"], retry_limit: 10 });
  for (const number of ["A1", "A2", "A3"]) await order(api, to, number);
  const shop = await pushStockToShop(api);
  const logo = await uploadLogo(service.url, key);
  await api.must("PATCH", "/merchants/MAIN/branding", { logo_file_id: logo.id });
  await eventually(
    async () => hook.bodies.size,
    (tried) => tried === 3,
  );
  const backups = join(root, `backups-${readdirSync(root).length}`);
  const made = await run(at, "backup", backups);
  expect([made.code, made.err]).toEqual([0, expect.any(String)]);
  const [file = ""] = readdirSync(backups).filter((name) => name.endsWith(".tar.zst"));
  const lost = [await order(api, to, "B1"), await order(api, to, "B2")];
  const customer_made_at = await madeAt(at, number(lost[0]?.customer_id));
  await service.kill();
  return {
    archive: join(backups, file),
    logo,
    shop,
    customer: lost[0]?.customer_id ?? "",
    customer_made_at,
    key,
    to,
    webhook: data.id as string,
    lost,
  };
}

const startAt = (at: Place): Promise<StartedService> => startWatchedService(at);
const number = (id: unknown) => Number(String(id).replace(/^\D+/, ""));

test.if(canDump)("a restore holds pending work, skips numbers, and sends what is held on request", async () => {
  const hook = receiver();
  const { archive, key, to, webhook, lost, logo, shop } = await disaster(hook);
  const before = new Set(hook.bodies.keys());
  const at = await newPlace();
  const restored = await run(at, "restore", archive);
  expect([restored.err, restored.code]).toEqual(["", 0]);
  expect(restored.out).toContain("held for your decision: 3 webhook deliveries");
  expect(restored.out).toContain("shops whose stock pushes are paused: 1");
  expect(await run(at, "verify")).toMatchObject({ code: 0, out: "live: 0 differences\ntest: 0 differences\n" });
  // A restore never overwrites data.
  const again = await run(at, "restore", archive);
  expect([again.code, again.err]).toEqual([78, expect.stringContaining("never overwrites")]);

  const service = await startAt(at);
  const api = client(service.url, key);
  await expectLogo(service.url, api, logo);
  expect((await api.must("GET", `/platforms/${shop}/stock`)).data).toMatchObject({ enabled: true, paused: true });
  hook.open();
  const fresh = await order(api, to, "B1");
  expect(number(fresh.id)).toBeGreaterThan(number(lost.at(-1)?.id) + 900_000);
  await hook.until(1);
  // The event of the new order was sent; none of the held ones was.
  expect(hook.taken.filter((id) => before.has(id))).toEqual([]);
  const list = () => listAll(api, `/webhooks/${webhook}/deliveries`);
  const [newest, ...held] = await list();
  expect(newest).toMatchObject({ sequence: 1_000_004, restored: null });
  expect(
    held.map(({ sequence, status, restored, next_attempt_at }) => [sequence, status, restored, next_attempt_at]),
  ).toEqual([3, 2, 1].map((sequence) => [sequence, "pending", "waiting", null]));
  const [told] = (await api.must("GET", "/restorations")).data;
  expect(told).toMatchObject({
    status: "waiting",
    decision: null,
    waiting: { deliveries: 3, reports: 0, purchases: 0 },
  });

  const decided = await api.send("POST", "/restorations/decide", { action: "send" });
  expect(decided.status).toBe(202);
  await hook.until(4);
  const events = new Set([...hook.taken].filter((id) => id !== newest?.["event_id"]));
  expect(events).toEqual(new Set(held.map(({ event_id }) => String(event_id))));
  expect([...events].map((id) => hook.bodies.get(id)?.size)).toEqual([1, 1, 1]);
  const after = await eventually(list, (rows) => rows.every(({ status }) => status === "delivered"));
  expect(after.map(({ restored }) => restored)).toEqual([null, "sent", "sent", "sent"]);
  const settled = await api.must("GET", "/restorations");
  expect(settled.data[0]).toMatchObject({ status: "settled", decision: "send" });
  expect((await api.send("POST", "/restorations/decide", { action: "drop" })).status).toBe(409);
  // Listing events passes the skipped positions, even if few events match.
  const all = (await listAll(api, "/events")).map(({ id }) => id);
  expect(all.length).toBe(new Set(all).size);
  expect(all).toContain(newest?.["event_id"]);
  expect((await listAll(api, "/events?delivered=true")).map(({ id }) => id)).toContain(newest?.["event_id"]);
  await service.stop();
  expect(await run(at, "verify")).toMatchObject({ code: 0 });

  // A second restore of the same backup assigns none of the numbers that the first one assigned.
  const second = await newPlace();
  expect(await run(second, "restore", archive)).toMatchObject({
    code: 0,
    out: expect.stringContaining("2,000,000 higher"),
  });
  const other = await startAt(second);
  const later = await order(client(other.url, key), to, "B1");
  expect(number(later.id)).toBeGreaterThan(number(fresh.id) + 900_000);
  await other.stop();
  expect(await run(second, "verify")).toMatchObject({ code: 0 });
  await hook.stop();
});

test.if(canDump)("discarded deliveries are marked, and never sent", async () => {
  const hook = receiver();
  const { archive, key, to, webhook } = await disaster(hook);
  const proof = await run({ data: "", database_url: (await newPlace()).database_url }, "backup", "verify", archive);
  expect([proof.out.split("\n").length, proof.code]).toEqual([4, 0]);
  const at = await newPlace();
  const other = await runWith("0d".repeat(32), at, "restore", archive);
  expect([other.code, other.err]).toEqual([78, expect.stringContaining("with a different secret key")]);
  await run(at, "restore", archive);
  hook.open();
  expect(await run(at, "restored", "drop")).toMatchObject({ code: 0, out: expect.stringContaining("3 deliveries") });
  const service = await startAt(at);
  const api = client(service.url, key);
  const rows = await eventually(
    () => listAll(api, `/webhooks/${webhook}/deliveries`),
    (found) => found.every(({ status }) => status === "skipped"),
  );
  expect(rows.map(({ restored }) => restored)).toEqual(["dropped", "dropped", "dropped"]);
  await order(api, to, "C1");
  await hook.until(1);
  expect(hook.taken.length).toBe(1);
  // Discarded deliveries can still be resent one by one.
  const [last] = rows;
  await api.must("POST", `/webhooks/${webhook}/deliveries/${last?.["id"]}/redeliver`);
  await hook.until(2);
  expect(hook.taken.at(-1)).toBe(String(last?.["event_id"]));
  await service.stop();
  expect(await run(at, "restored", "send")).toMatchObject({ code: 1 });
  await hook.stop();
});

test.if(canDump && engine === "postgres")("a server that starts during a restore loses nothing", async () => {
  const hook = receiver();
  const { archive } = await disaster(hook);
  const at = await newPlace();
  await administered(at.database_url ?? "", async (server) => {
    const found = async (what: string) => (await server.ask(`select 1 from ${what}`)).length;
    await server.ask("begin");
    for (const mode of environments) await server.ask(migration_lock, [migration_lock_key, mode]);
    await server.ask("create schema live; create table live.migrations (name text, kind text)");
    const restored = run(at, "restore", archive);
    await eventually(
      () => found("pg_locks where not granted"),
      (count) => count > 0,
    );
    await server.ask("commit");
    expect(await restored).toMatchObject({ code: 78, err: expect.stringContaining("already has the schema live") });
    expect(await found("pg_tables where schemaname = 'live'")).toBe(1);
    expect(await found("pg_namespace where nspname = 'packhouse_restoring'")).toBe(0);
  });
  await hook.stop();
});

test.if(canDump)("erased customers stay erased, even if only the data in the target folder lists them", async () => {
  const hook = receiver();
  const { archive, customer, customer_made_at } = await disaster(hook);
  const at = await newPlace();
  mkdirSync(at.data, { recursive: true });
  // The machine's clock was wrong at that time; and a customer of another installation has the same id.
  const line = { mode: "test", customer, created_at: customer_made_at, erased_at: "2001-01-01T00:00:00.000Z" };
  const others = { ...line, created_at: "2020-01-01T00:00:00.000Z" };
  const keep = (...lines: object[]) =>
    writeFileSync(join(at.data, "erasures.jsonl"), lines.map((one) => `${JSON.stringify(one)}\n`).join(""));
  keep(others);
  const untouched = await run(await newPlace(), "restore", archive, "--erasures", join(at.data, "erasures.jsonl"));
  expect([untouched.code, untouched.out.includes("erased again")]).toEqual([0, false]);
  keep(others, line);
  const into = engine === "sqlite" ? ["--into", join(root, "elsewhere")] : [];
  const restored = await run(at, "restore", archive, ...into);
  expect([restored.err, restored.out]).toEqual(["", expect.stringContaining("customers erased again: 1")]);
  const kept = join(engine === "sqlite" ? join(root, "elsewhere") : at.data, "erasures.jsonl");
  expect(readFileSync(kept, "utf8")).toContain(customer);

  // A cancelled verification leaves nothing either.
  const folder = join(root, "proof");
  mkdirSync(folder);
  const where = flagsOf({ database_url: at.database_url });
  const words = ["backup", "verify", archive, "--in", folder, ...where];
  // A verification of so little data may end before it is cancelled.
  let last: [string, number] = ["", 0];
  for (let tries = 0; last[1] === 0 && tries < 20; tries += 1) {
    const proof = startCommand(words);
    while (proof.exitCode === null && readdirSync(folder).length === 0) await Bun.sleep(1);
    proof.kill("SIGTERM");
    last = [await proof.stderr.text(), await proof.exited];
  }
  expect(last).toEqual([expect.stringContaining("Stopped before it finished"), 74]);
  expect(readdirSync(folder)).toEqual([]);
  await hook.stop();
});

test.if(engine === "sqlite")("an incomplete backup leaves the folder unchanged", async () => {
  const at = await newPlace();
  mkdirSync(join(root, "odd"));
  const cases: [string, string | Uint8Array, RegExp][] = [
    ["empty.tar.zst", "", /not a Packhouse backup|damaged/],
    ["text.tar.zst", "hello", /not a Packhouse backup/],
  ];
  for (const [name, content, words] of cases) {
    writeFileSync(join(root, "odd", name), content);
    const { code, err } = await run(at, "restore", join(root, "odd", name));
    expect([code > 0, err]).toEqual([true, expect.stringMatching(words)]);
    const nowhere = join(root, "odd", "new", "folder");
    expect((await run(at, "restore", join(root, "odd", name), "--into", nowhere)).code).toBeGreaterThan(0);
    expect((await run(at, "backup", "verify", join(root, "odd", name), "--in", nowhere)).code).toBeGreaterThan(0);
    expect(existsSync(join(root, "odd", "new"))).toBe(false);
  }
  expect(existsSync(at.data)).toBe(false);
  expect((await run(at, "restore", join(root, "odd", "absent.tar.zst"))).err).toContain("There is no file");
});
