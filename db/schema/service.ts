// What belongs to the service itself: what a database is, leases of jobs, numbers given, and answers kept for repeated
// requests.
import { type Mode, modes } from "../../src/kit/mode.ts";
import { check, index, int, oneOf, table, text, time } from "../kit.ts";

/** What a database is, in its only row. */
export const installation = table(
  "installation",
  {
    id: int().primaryKey(),
    /** The world that it holds. */
    mode: text().$type<Mode>().notNull(),
    /** Sealed under the secret key, which is known by opening it. Null until a server has started. */
    seal: text(),
  },
  () => [check("installation_id", "id = 1"), oneOf("installation", "mode", modes)],
);

export const leases = table("leases", {
  name: text().primaryKey(),
  owner: text().notNull(),
  until: time().notNull(),
});

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
