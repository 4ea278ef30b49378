// What belongs to the service itself: leases of jobs, answers kept for repeated requests.
import { index, int, table, text, time } from "../kit.ts";

export const leases = table("leases", {
  name: text().primaryKey(),
  owner: text().notNull(),
  until: time().notNull(),
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
  },
  (t) => [index("idempotency_keys_expiry").on(t.expires_at)],
);
