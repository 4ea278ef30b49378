// Servers of one database behind a balancer, which are killed and started again.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type StartedService, startService } from "../../scripts/service.ts";
import { engine } from "../../src/core/config.ts";
import { startBalancer } from "./balancer.ts";
import { freshDatabase } from "./service.ts";

/** The servers of one database: one on SQLite, two on PostgreSQL. */
export async function openServers() {
  const [data, database_url] = [mkdtempSync(join(tmpdir(), "packhouse-chaos-")), await freshDatabase()];
  const log = join(mkdtempSync(join(tmpdir(), "packhouse-chaos-log-")), "log");
  const start = () =>
    startService({ ...(engine === "sqlite" ? { data } : { database_url }), log }).catch((error) => {
      throw new Error(`${error.message} The log ends with: ${readFileSync(log, "utf8").slice(-2000)}`);
    });
  const running: StartedService[] = [];
  for (let n = 0; n < (engine === "sqlite" ? 1 : 2); n += 1) running.push(await start());
  const balancer = await startBalancer();
  const use = () => balancer.use(running.map(({ url }) => url));
  await use();
  return {
    url: balancer.url,
    makeKey: () => running[0]?.makeKey("test") ?? "",
    /** The service whose start created the database. */
    first: running[0] as StartedService,
    verify: () => running[0]?.verify(),
    /** Kills the server that has run for the longest, and starts another. */
    async kill() {
      await running.shift()?.kill();
      running.push(await start());
      await use();
    },
    async stop() {
      await balancer.stop();
      for (const one of running) await one.remove();
      for (const folder of [data, dirname(log)]) rmSync(folder, { recursive: true, force: true });
    },
  };
}
