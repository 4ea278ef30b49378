// What belongs to the service itself: what a database is, leases of jobs, numbers given, and answers kept for repeated
// requests.
import { type Environment, environments } from "../../src/core/environment.ts";
import { bool, check, id, index, int, json, oneOf, table, text, time } from "../kit.ts";

/** What a database is, in its only row. */
export const installation = table(
  "installation",
  {
    id: int().primaryKey(),
    /** The world that it holds. */
    mode: text().$type<Environment>().notNull(),
    /** Sealed under the secret key, which is known by opening it. Null until a server has started. */
    seal: text(),
    /** The state of a move from or to another installation, which `storage/start_refused.ts` reads; else null. */
    moving: text(),
  },
  () => [check("installation_id", "id = 1"), oneOf("installation", "mode", environments)],
);

export const leases = table("leases", {
  name: text().primaryKey(),
  owner: text().notNull(),
  until: time().notNull(),
});

/**
 * The servers that run on one PostgreSQL database, in the live world alone. Each counts its `beats`, by which others
 * see that it lives; the moments are the database's, for people.
 */
export const servers = table("servers", {
  id: id(),
  version: text().notNull(),
  /** The last migration that it knows. */
  schema: text().notNull(),
  host: text().notNull(),
  started_at: time().notNull(),
  seen_at: time().notNull(),
  beats: int().notNull(),
  /** Whether it is about to stop. */
  draining: bool().notNull(),
});

/** What servers have claimed for a while, so that others go on with it once its server is gone. */
export const held_claims = table(
  "held_claims",
  {
    id: id(),
    server_id: int().notNull(),
    kind: text().notNull(),
    ids: json<number[]>().notNull(),
    /** The end of the claims, by which they are known. */
    until: time().notNull(),
    /** How long after its server's end nobody may go on with it. */
    rest_ms: int().notNull(),
  },
  (t) => [index("held_claims_server").on(t.server_id), index("held_claims_until").on(t.until)],
);

/** How far something has been numbered without gaps; `events` are numbered by their position. */
export const counters = table("counters", {
  name: text().primaryKey(),
  number: int().notNull(),
});

export const idempotency_keys = table(
  "idempotency_keys",
  {
    key: text().primaryKey(),
    fingerprint: text().notNull(),
    status: int().notNull(),
    headers: text().notNull(),
    body: text().notNull(),
    created_at: time().notNull(),
    expires_at: time().notNull(),
    /** Until then the work goes on and another answer may take this one's place; null when this one is the last. */
    open_until: time(),
  },
  (t) => [index("idempotency_keys_expiry").on(t.expires_at)],
);
