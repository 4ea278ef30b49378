// A separate process for the tests: 64 writers on a data directory, each printing its acknowledged writes.
// Arguments: the data directory, and how many writes each makes (0: until it is killed).
import { leases } from "../../db/schema/service.ts";
import { silentLog } from "../../src/core/log.ts";
import { openStores } from "../../src/storage/open_stores.ts";
import { exitCodes } from "../../src/storage/start_refused.ts";
import { insert } from "../../src/storage/statements.ts";

const [folder = "", writes = "0"] = process.argv.slice(2);
const start = Bun.nanoseconds();
const run = Bun.randomUUIDv7("hex").slice(-12);
const stores = await openStores({
  data: folder,
  database_url: null,
  purpose: "serve",
  log: silentLog,
  fatal: () => process.exit(exitCodes.storage),
});
console.log("ready");
// A writer that is never killed exits by itself.
setTimeout(() => process.exit(1), 60_000).unref();

const last = Number(writes) || Number.POSITIVE_INFINITY;
await Promise.all(
  Array.from({ length: 64 }, async (_, writer) => {
    for (let i = 0; i < last; i++) {
      const row = { owner: "x".repeat(200), until: i };
      const rows = ["a", "b"].map((half) => ({ name: `${run}_${writer}_${i}_${half}`, ...row }));
      try {
        await stores.live.write((tx) => insert(tx, leases, rows));
        console.log(`kept ${run}_${writer}_${i}`);
      } catch (error) {
        console.log(`refused ${(error as { code?: string }).code} ${Math.round((Bun.nanoseconds() - start) / 1e6)}`);
        await Bun.sleep(5);
      }
    }
  }),
);
await stores.close();
