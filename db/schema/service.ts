// The service itself: the installation, leases of jobs, servers, counters and stored responses.
import { type Environment, environments } from "../../src/core/environment.ts";
import { bool, check, id, index, int, json, oneOf, table, text, time } from "../kit.ts";

/** The installation: one row. */
export const installation = table(
  "installation",
  {
    id: int().primaryKey(),
    /** The environment of this database. */
    mode: text().$type<Environment>().notNull(),
    /** A text encrypted with the secret key. Decrypting it verifies the key. Null until a server has started. */
    seal: text(),
    /** The state of a move from or to another installation; null for none. */
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
 * The servers on one PostgreSQL database. Only the live store has rows. Each server increments its `beats`, which shows
 * others that it runs. The times come from the database's clock and are informational.
 */
export const servers = table("servers", {
  id: id(),
  version: text().notNull(),
  /** The newest migration in its program. */
  schema: text().notNull(),
  host: text().notNull(),
  started_at: time().notNull(),
  seen_at: time().notNull(),
  beats: int().notNull(),
  /** Whether it is shutting down. */
  draining: bool().notNull(),
});

/** Work claimed by servers, so that others can take it over after a server ends. */
export const held_claims = table(
  "held_claims",
  {
    id: id(),
    server_id: int().notNull(),
    kind: text().notNull(),
    ids: json<number[]>().notNull(),
    /** The end of the claims' lease, which identifies them. */
    until: time().notNull(),
    /** How long after the server's end the work must not be taken over (ms). */
    rest_ms: int().notNull(),
  },
  (t) => [index("held_claims_server").on(t.server_id), index("held_claims_until").on(t.until)],
);

/** Counters for numbering without gaps; the counter `events` numbers positions of events. */
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
    /** While the work continues, until when a later response may replace this one; null if this one is final. */
    open_until: time(),
  },
  (t) => [index("idempotency_keys_expiry").on(t.expires_at)],
);
