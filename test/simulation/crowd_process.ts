// A crowd in a process of its own, on a PostgreSQL schema that others use too:
//   bun test/simulation/crowd_process.ts <schema> <seed> <acts>
import { databaseUrl } from "../../src/config.ts";
import { openPostgres } from "../../src/database/postgres.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { silentLog } from "../../src/kit/log.ts";
import { crowd } from "./crowd.ts";
import { attach } from "./service.ts";

const [schema = "", seed = "1", acts = "100"] = process.argv.slice(2);
const clock = systemClock();
const store = openPostgres({ url: databaseUrl ?? "", schema, mode: "live", clock, log: silentLog });
console.log(JSON.stringify(await crowd(await attach(store, clock), Number(seed), Number(acts))));
await store.close();
