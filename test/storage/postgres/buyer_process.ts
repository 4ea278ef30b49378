// A separate process for the tests: buys single units of five things until they are sold out.
// Argument: the schema. The database is PACKHOUSE_DATABASE_URL's. Prints how many units it got.
import { and, eq, gte, sql } from "drizzle-orm";
import { systemClock } from "../../../src/core/clock.ts";
import { databaseUrl } from "../../../src/core/config.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { WriteStatements } from "../../../src/storage/database.ts";
import { openPostgres } from "../../../src/storage/postgres/postgres_store.ts";
import { insert, prepared, type StatementArgs } from "../../../src/storage/statements.ts";
import { boxes, things } from "../things.ts";

const schema = process.argv[2] ?? "";
const url = databaseUrl ?? "";
const store = openPostgres({ url, schema, mode: "test", clock: systemClock(), log: silentLog });
const take = prepared((sql_: WriteStatements, a: StatementArgs<{ name: string }>) =>
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
        // Records the sale in the same transaction.
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
