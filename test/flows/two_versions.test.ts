// An upgrade under a load of orders: servers of two versions on one PostgreSQL, and a breaking migration that waits.
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type StartedService, startService } from "../../scripts/service.ts";
import { engine } from "../../src/core/config.ts";
import { ordersOf, startBalancer, steadily } from "./balancer.ts";
import { client, freshDatabase, stockUp } from "./service.ts";

setDefaultTimeout(180_000);

const per_second = Number(process.env["ORDERS_PER_SECOND"] ?? 20);
const env = { PACKHOUSE_DRAIN_SECONDS: "2", PACKHOUSE_SLOW_REQUEST_MS: "60000" };
const root = join(import.meta.dir, "../..");
const folder = mkdtempSync(join(tmpdir(), "packhouse-versions-"));

/** This program with additional migrations: the command that runs it. */
function laterVersion(name: string, migrations: Readonly<Record<string, string>>): string[] {
  const copy = join(folder, name);
  for (const part of ["src", "db", "package.json", "tsconfig.json"]) {
    cpSync(join(root, part), join(copy, part), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  for (const [file, sql] of Object.entries(migrations)) {
    writeFileSync(join(copy, "db/migrations/postgres", `${file}.sql`), sql);
  }
  return [process.execPath, join(copy, "src/main.ts")];
}

const additive = {
  "9001_later": `-- additive
ALTER TABLE "orders" ADD COLUMN "later" text;--> statement-breakpoint
CREATE TABLE "later" ("id" bigint PRIMARY KEY);`,
};
const breaking = { ...additive, "9002_breaking": `-- breaking: a test\nALTER TABLE "orders" DROP COLUMN "later";` };

describe.if(engine === "postgres")("an upgrade", () => {
  const started: StartedService[] = [];
  afterAll(async () => {
    for (const service of started) await service.remove();
    rmSync(folder, { recursive: true });
  });

  test("answers every order while two versions serve, and delays breaking migrations", async () => {
    const database_url = await freshDatabase();
    const log = join(folder, "breaking.log");
    const begin = async (program?: readonly string[], own_log?: string) => {
      const logged = own_log === undefined ? {} : { log: own_log };
      const service = await startService({ database_url, env, ...(program && { program }), ...logged });
      started.push(service);
      return service;
    };
    const [later, latest] = [laterVersion("later", additive), laterVersion("latest", breaking)];
    let servers = [await begin(), await begin()];
    const balancer = await startBalancer();
    const use = async (some: StartedService[]) => {
      servers = some;
      await balancer.use(some.map(({ url }) => url));
    };
    await use(servers);
    const key = (await servers[0]?.makeKey("test")) ?? "";
    const api = client(balancer.url, key);
    const { customer_id, shipping_address_id } = await stockUp(api, ["TEA"], 1_000_000);
    const order = { customer_id, shipping_address_id, line_items: [{ sku: "TEA", quantity: 1, unit_price: "5.00" }] };
    const end = steadily(per_second, ordersOf(balancer.url, key, order));
    const [first, second] = servers as [StartedService, StartedService];

    // The newer version migrates alongside two older ones, and replaces one of them.
    const newer = await begin(later);
    await use([first, second, newer]);
    expect(await first.stop()).toBe(0);
    await use([second, newer]);
    // The older one restarts on the schema that the newer one has extended.
    const again = await begin();
    await use([second, newer, again]);
    expect(await second.stop()).toBe(0);
    await use([newer, again]);
    const newest = await begin(later);
    await use([newer, again, newest]);
    expect(await again.stop()).toBe(0);
    await use([newer, newest]);
    const { sent, failed, slowest_ms, per_second: rate } = await end();
    const figures = `${failed.length} failed, the slowest took ${Math.round(slowest_ms)} ms`;
    console.log(`two versions: ${sent} orders at ${rate.toFixed(1)}/s, ${figures}`);
    expect(failed).toEqual([]);

    // The version with breaking migrations logs that it waits while the others run, and serves once they have stopped.
    const waiting = begin(latest, log);
    const isWaiting = () => existsSync(log) && readFileSync(log, "utf8").includes("waiting until all other servers");
    while (!isWaiting()) await Bun.sleep(100);
    expect((await api.send("POST", "/orders", { order_number: "S-MEANWHILE", ...order })).status).toBe(201);
    expect([await newer.stop(), await newest.stop()]).toEqual([0, 0]);
    const serving = await waiting;
    expect((await fetch(`${serving.url}/health`)).status).toBe(200);
    // The older ones no longer start on it.
    await expect(begin(later)).rejects.toThrow("ended before it was ready");
    await balancer.stop();
  });
});
