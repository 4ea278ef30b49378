// A process that owns a data directory and archives its log. It makes random writes in both environments, archives its
// commits, and reports after each round what the data holds. Arguments: the data directory, the archive, a seed, how
// often to archive (ms).
import { eq } from "drizzle-orm";
import { leases } from "../../../db/schema/service.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { environments } from "../../../src/core/environment.ts";
import { openLog } from "../../../src/core/log.ts";
import { seededRandom } from "../../../src/core/random.ts";
import { folderPlace } from "../../../src/operations/log_archive/archive_destination.ts";
import { startLogArchiving } from "../../../src/operations/log_archive/archive_logs.ts";
import type { Store } from "../../../src/storage/database.ts";
import { openStores } from "../../../src/storage/open_stores.ts";
import { exitCodes } from "../../../src/storage/start_refused.ts";
import { insert } from "../../../src/storage/statements.ts";
import { copyBase, stateOf } from "./model.ts";

const [data = "", place = "", seed = "1", every_ms = "50"] = process.argv.slice(2);
const random = seededRandom(Number(seed));
const clock = systemClock();
const log = openLog({ level: "warn", format: "text", write: (line) => console.error(line) });
let backups = 0;

const continuous = startLogArchiving({
  ...{ data, place: folderPlace(place), log, now: () => clock.now(), every_ms: Number(every_ms) },
  backUp: async () => {
    backups += 1;
    await copyBase(data, place, `${clock.now()}-${process.pid}-${backups}`);
  },
  backups: async () => [],
});
const { followers } = continuous;
const fatal = () => process.exit(exitCodes.storage);
const stores = await openStores({ data, database_url: null, purpose: "serve", log, fatal, followers });
continuous.start();
console.log("ready");
// A writer that nobody kills exits eventually.
setTimeout(() => process.exit(1), 120_000).unref();

let is_asked = false;
process.on("SIGTERM", () => {
  is_asked = true;
});

const names = Array.from({ length: 60 }, (_, at) => `row ${at}`);

/** One random write: it inserts, updates or deletes a row, mostly a small one, at times one that is many pages long. */
async function change(store: Store): Promise<void> {
  const name = random.pick(names);
  const owner = "x".repeat(random.chance(0.2) ? random.integer(10_000, 400_000) : random.integer(1, 3000));
  const row = { name, owner: owner + String(random.integer(0, 1e9)), until: random.integer(0, 1e9) };
  await store.write(async (tx) => {
    await tx.sql.delete(leases).where(eq(leases.name, name));
    if (random.chance(0.85)) await insert(tx, leases, [row]);
  });
}

for (let round = 0; !is_asked; round += 1) {
  for (const mode of environments) {
    if (mode === "test" && round % 4 !== 0) continue;
    const begun_at = clock.now();
    // Times distinguish commits only if they differ.
    while (clock.now() <= begun_at) await Bun.sleep(1);
    await Promise.all(Array.from({ length: random.integer(1, 6) }, () => change(stores[mode])));
    console.log(JSON.stringify({ mode, ...stateOf(`${data}/${mode}.db`) }));
  }
}
await stores.close();
await continuous.finish(10_000);
// A copy may still wait for a log that no longer exists.
process.exit(0);
