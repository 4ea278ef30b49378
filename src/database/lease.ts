// Work that one server at a time may do: it holds a row for a while.
import { sql } from "drizzle-orm";
import { leases } from "../../db/schema/service.ts";
import type { Tx } from "./store.ts";

/**
 * Takes or prolongs the lease of this name for `ms` milliseconds and says whether `owner` has it now. Someone else's is
 * taken when its time is over. `ms` must be much longer than the servers' clocks differ.
 */
export async function lead(tx: Tx, name: string, owner: string, ms: number): Promise<boolean> {
  const until = tx.now + ms;
  const held = await tx.sql
    .insert(leases)
    .values({ name, owner, until })
    .onConflictDoUpdate({
      target: leases.name,
      set: { owner, until },
      setWhere: sql`${leases.owner} = ${owner} or ${leases.until} <= ${tx.now}`,
    })
    .returning({ name: leases.name });
  return held.length === 1;
}
