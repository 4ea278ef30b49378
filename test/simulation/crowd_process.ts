// A crowd in its own process, on a PostgreSQL schema that others use too:
//   bun test/simulation/crowd_process.ts <schema> <seed> <acts>

import { systemClock } from "../../src/core/clock.ts";
import { databaseUrl } from "../../src/core/config.ts";
import { silentLog } from "../../src/core/log.ts";
import { openPostgres } from "../../src/storage/postgres/postgres_store.ts";
import { crowd } from "./crowd.ts";
import { attach } from "./service.ts";

const [schema = "", seed = "1", acts = "100"] = process.argv.slice(2);
const clock = systemClock();
const store = openPostgres({ url: databaseUrl ?? "", schema, mode: "live", clock, log: silentLog });
console.log(JSON.stringify(await crowd(await attach(store, clock), Number(seed), Number(acts))));
await store.close();
