// The servers that run on one PostgreSQL database, as each of them tells the others; and what each of them has claimed
// for a while, so that the others go on with it at once when its server is gone. A claim is known by its record and its
// end, so one that was taken over or recorded meanwhile is left as it is.
import { and, asc, eq, inArray, lt } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import { amongThose } from "../../db/kit.ts";
import { held_claims, servers } from "../../db/schema/service.ts";
import type { Db, Tx } from "./database.ts";
import { insert } from "./statements.ts";

/** A server that runs, or that ended without a word a few seconds ago. Moments are the database's, in milliseconds. */
type RunningServer = Readonly<Omit<typeof servers.$inferSelect, "beats">>;

/** What may be claimed for a while. */
const claimKinds = [
  "addresses",
  "deliveries",
  "imports",
  "invitations",
  "labels",
  "looks",
  "notices",
  "reports",
] as const;
export type ClaimKind = (typeof claimKinds)[number];

/** Some records that a server has claimed until a moment. */
interface HeldClaim {
  readonly kind: ClaimKind;
  readonly ids: readonly number[];
  readonly until: number;
  /** How long after its server's end nobody may go on with them, in milliseconds. */
  readonly rest_ms: number;
}

/** The servers that run on this database, the oldest first. The live world knows them; on SQLite there are none. */
export async function runningServers(db: Db): Promise<RunningServer[]> {
  const { id, version, schema, host, started_at, seen_at, draining } = servers;
  return db.sql
    .select({ id, version, schema, host, started_at, seen_at, draining })
    .from(servers)
    .orderBy(asc(servers.id));
}

/** By which id the stores of this process are known to others. */
const holders = new WeakMap<object, () => number>();

/** From now on what this store claims is noted as that of a server. */
export function holdAs(home: object, server: () => number): void {
  holders.set(home, server);
}

/**
 * Notes what this server has just claimed, in the transaction that claims it. Where one process alone has the data,
 * nothing is noted. `rest_ms` is how long what it may have begun elsewhere can go on without it.
 */
export async function noteHeld(
  tx: Tx,
  kind: ClaimKind,
  ids: readonly number[],
  until: number,
  rest_ms = 0,
): Promise<void> {
  const server_id = holders.get(tx.home)?.();
  if (server_id === undefined || ids.length === 0) return;
  await insert(tx, held_claims, [{ server_id, kind, ids: [...ids], until, rest_ms }]);
}

/** Takes what a server that is gone had claimed, once: nobody else is told of it. */
export async function takeHeld(tx: Tx, server_id: number): Promise<HeldClaim[]> {
  const { kind, ids, until, rest_ms } = held_claims;
  const rows = await tx.sql
    .delete(held_claims)
    .where(eq(held_claims.server_id, server_id))
    .returning({ kind, ids, until, rest_ms });
  return rows as HeldClaim[];
}

/** Forgets claims that ended before a moment, which everyone may take by then. Answers how many it forgot. */
export async function forgetHeld(tx: Tx, before: number, limit: number): Promise<number> {
  const old = tx.sql.select({ id: held_claims.id }).from(held_claims).where(lt(held_claims.until, before)).limit(limit);
  const gone = await tx.sql
    .delete(held_claims)
    .where(amongThose(held_claims.id, old))
    .returning({ id: held_claims.id });
  return gone.length;
}

/** Ends claims by making their records due at a moment: of those, the ones whose claim still ends at `until`. */
export type EndClaims = (tx: Tx, held: Pick<HeldClaim, "ids" | "until">, at: number) => Promise<void>;

/** How the claims of a table are ended whose records are due at what this column says, which is the claim's end too. */
export function endOfClaims(table: PgTable & { readonly id: AnyPgColumn }, due: AnyPgColumn): EndClaims {
  return async (tx, { ids, until }, at) => {
    await tx.sql
      .update(table)
      .set({ [due.name]: at } as never)
      .where(and(inArray(table.id, [...ids]), eq(due, until)));
  };
}
