// What one, two and four servers achieve together on one PostgreSQL, and what each request costs them and the database.
// On a machine that is too small for all of them, the costs say more than the totals.
import { cpus } from "node:os";
import pg from "pg";
import { startPostgres } from "../postgres.ts";
import { type StartedService, startService } from "../service.ts";
import { env as usual } from "./business.ts";
import { addressOf, fired, parentOf, seed } from "./postgres.ts";
import { createOrder, listOrders, orderById } from "./shots.ts";

const counts = [1, 2, 4];
const rounds = 3;
const env = { ...usual, PACKHOUSE_LOG_LEVEL: "error", PACKHOUSE_DRAIN_SECONDS: "0" };

/** Measures each kind of request on more and more servers. It has no goal. */
export async function measureServers(seconds: number): Promise<number> {
  const database = await startPostgres(undefined, true);
  const admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  await admin.query("create database packhouse");
  const postmaster = parentOf((await admin.query("select pg_backend_pid() as pid")).rows[0].pid);
  const started: StartedService[] = [];
  const begin = async () => {
    started.push(await startService({ database_url: addressOf(database.url, "packhouse"), env }));
  };
  await begin();
  const [first] = started as [StartedService];
  const key = await first.makeKey("test");
  const ids = await seed(first.url, key);
  const shots = [
    { name: "order create (3 lines)", shot: createOrder(ids) },
    { name: "order by id", shot: orderById(ids) },
    { name: "orders, list of 50", shot: listOrders },
  ];
  console.log(`\nservers on one PostgreSQL, all of them and the load on ${cpus().length} cores`);
  const heads = ["servers", "req/s", "of one", "p50 ms", "own CPU ms", "its CPU ms"];
  console.log(`${"".padEnd(26)}${heads.map((it) => it.padStart(12)).join("")}`);
  const alone = new Map<string, number>();
  for (const count of counts) {
    while (started.length < count) await begin();
    const side = { urls: started.map(({ url }) => url), pids: started.map(({ pid }) => pid) };
    for (const { name, shot } of shots) {
      const all = [];
      for (let round = 0; round < rounds; round += 1) all.push(await fired(side, { key, shot, seconds }, postmaster));
      const took = all.sort((a, b) => a.requests_per_second - b.requests_per_second)[rounds >> 1];
      if (took === undefined) continue;
      if (count === 1) alone.set(name, took.requests_per_second);
      const ratio = took.requests_per_second / (alone.get(name) ?? took.requests_per_second);
      const figures = [took.requests_per_second.toFixed(0), ratio.toFixed(2), took.p50_ms.toFixed(1)];
      const cells = [String(count), ...figures, took.own_ms.toFixed(2), took.database_ms.toFixed(2)];
      console.log(`${name.padEnd(26)}${cells.map((it) => it.padStart(12)).join("")}`);
    }
  }
  for (const service of started) await service.remove();
  await admin.end();
  await database.stop();
  return 0;
}
