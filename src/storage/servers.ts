// The servers on one PostgreSQL database, and the claims that each server holds, so that they can be taken over at once
// when it is gone: by the other servers, or on SQLite by the next process. A claim is identified by its record and its
// end, so one that was taken over or finished is left alone.
import { asc, eq, lt, ne, type SQL, sql as template } from "drizzle-orm";
import { amongThose } from "../../db/kit.ts";
import { held_claims, servers } from "../../db/schema/service.ts";
import { engine } from "../core/config.ts";
import type { Db, Tx } from "./database.ts";
import { insert } from "./statements.ts";

/** A server that is running, or stopped responding a few seconds ago. Times are the database's, in milliseconds. */
type RunningServer = Readonly<Omit<typeof servers.$inferSelect, "beats">>;

/** The kinds of claims. */
const claimKinds = [
  "addresses",
  "deliveries",
  "documents",
  "files",
  "file_imports",
  "imports",
  "invitations",
  "labels",
  "looks",
  "notices",
  "print_jobs",
  "parcel_labels",
  "reports",
  "shop_stock",
] as const;
export type ClaimKind = (typeof claimKinds)[number];

/** Records that a server has claimed until a time (ms). */
export interface RecordedClaim {
  readonly kind: ClaimKind;
  readonly ids: readonly number[];
  readonly until: number;
  /** How long after the server's end nobody may take them over, in milliseconds. */
  readonly rest_ms: number;
}

/** The servers on this database, oldest first. They are stored with the live data; none on SQLite. */
export async function runningServers(db: Db): Promise<RunningServer[]> {
  const { id, version, schema, host, started_at, seen_at, draining } = servers;
  return db.sql
    .select({ id, version, schema, host, started_at, seen_at, draining })
    .from(servers)
    .orderBy(asc(servers.id));
}

/** The server id of each store of this process. */
const holders = new WeakMap<object, () => number>();

/** Records later claims of this store under a server's id. */
export function registerClaimHolder(home: object, server: () => number): void {
  holders.set(home, server);
}

// On SQLite, deliveries are not recorded: they are claimed most often, and for half a minute only.
const unrecorded: ReadonlySet<ClaimKind> = new Set(engine === "sqlite" ? ["deliveries"] : []);

/**
 * Records the claims that this server takes, in the transaction that takes them. `rest_ms` is how long work that it may
 * have started elsewhere can continue without it.
 */
export async function recordClaims(
  tx: Tx,
  kind: ClaimKind,
  ids: readonly number[],
  until: number,
  rest_ms = 0,
): Promise<void> {
  const server_id = holders.get(tx.home)?.();
  if (server_id === undefined || ids.length === 0 || unrecorded.has(kind)) return;
  await insert(tx, held_claims, [{ server_id, kind, ids: [...ids], until, rest_ms }]);
}

/** Moves the ends of recorded claims as far as the clock was moved, like the times of their records. */
export async function shiftClaims(tx: Tx, kind: ClaimKind, by_ms: number): Promise<void> {
  const { until } = held_claims;
  await tx.sql
    .update(held_claims)
    .set({ until: template`${until} + ${by_ms}` })
    .where(eq(held_claims.kind, kind));
}

/** Takes over the claims of a server that is gone, once: no other server receives them. Longest rests come first. */
export async function takeOverClaims(tx: Tx, server_id: number): Promise<RecordedClaim[]> {
  return takeOver(tx, eq(held_claims.server_id, server_id));
}

const isOfOthers = (db: Db) => ne(held_claims.server_id, holders.get(db.home)?.() ?? 0);

/** Whether claims of other servers are recorded. */
export async function hasOthersClaims(db: Db): Promise<boolean> {
  return (await db.sql.select({ id: held_claims.id }).from(held_claims).where(isOfOthers(db)).limit(1)).length > 0;
}

/** Takes over the claims of all other servers: on SQLite, one process alone uses the data, so the others are gone. */
export async function takeOverOthersClaims(tx: Tx): Promise<RecordedClaim[]> {
  return takeOver(tx, isOfOthers(tx));
}

async function takeOver(tx: Tx, where: SQL): Promise<RecordedClaim[]> {
  const { kind, ids, until, rest_ms } = held_claims;
  const rows = await tx.sql.delete(held_claims).where(where).returning({ kind, ids, until, rest_ms });
  // A claim that was renewed within a millisecond is recorded twice; its longer rest counts.
  return (rows as RecordedClaim[]).sort((a, b) => b.rest_ms - a.rest_ms);
}

/** Deletes records of claims that ended before a time (ms). Returns how many. */
export async function deleteOldClaims(tx: Tx, before: number, limit: number): Promise<number> {
  const old = tx.sql.select({ id: held_claims.id }).from(held_claims).where(lt(held_claims.until, before)).limit(limit);
  const deleted = await tx.sql
    .delete(held_claims)
    .where(amongThose(held_claims.id, old))
    .returning({ id: held_claims.id });
  return deleted.length;
}

/** Ends claims by making their records due at `at` (ms). Only claims that still end at `until` are affected. */
export type EndClaims = (tx: Tx, held: Pick<RecordedClaim, "ids" | "until">, at: number) => Promise<void>;
