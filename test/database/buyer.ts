// A process of its own for the tests: buys one unit after the other of five things until nothing is left.
// Argument: the schema. The database is PACKHOUSE_DATABASE_URL's. Prints how many units it got.
import { and, eq, gte, sql } from "drizzle-orm";
import { databaseUrl } from "../../src/config.ts";
import { openPostgres } from "../../src/database/postgres.ts";
import { type Args, insert, prepared } from "../../src/database/statements.ts";
import type { Writing } from "../../src/database/store.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { silentLog } from "../../src/kit/log.ts";
import { boxes, things } from "./things.ts";

const schema = process.argv[2] ?? "";
const url = databaseUrl ?? "";
const store = openPostgres({ url, schema, mode: "test", clock: systemClock(), log: silentLog });
const take = prepared((sql_: Writing, a: Args<{ name: string }>) =>
  sql_
    .update(things)
    .set({ quantity: sql`${things.quantity} - 1` })
    .where(and(eq(things.name, a.name), gte(things.quantity, 1)))
    .returning({ quantity: things.quantity }),
);

let bought = 0;
await Promise.all(
  Array.from({ length: 16 }, async (_, buyer) => {
    let misses = 0;
    for (let i = buyer; misses < 5; i++) {
      const name = `hot ${i % 5}`;
      const got = await store.write(async (tx) => {
        const [row] = await take(tx, { name });
        // The ledger of what was sold, in the same transaction.
        if (row !== undefined) await insert(tx, boxes, [{ name }]);
        return row !== undefined;
      });
      if (got) bought++;
      misses = got ? 0 : misses + 1;
    }
  }),
);
await store.close();
console.log(bought);
