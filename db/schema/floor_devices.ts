import { check, id, int, table, text, time, unique, where } from "../kit.ts";
import { warehouses } from "./warehouses.ts";

/** Devices on which users may sign in by badge. Only the live store has rows. */
export const floor_devices = table(
  "floor_devices",
  {
    id: id(),
    name: text().notNull(),
    warehouse_id: int()
      .notNull()
      .references(() => warehouses.id),
    /** SHA-256 of the cookie's value; null until its first link is opened, and once it is revoked. */
    hash: text(),
    /** SHA-256 of the token in the link that makes a browser this device; null once it is opened. */
    link_hash: text(),
    link_expires_at: time(),
    /** The last sign-in. */
    last_used_at: time(),
    revoked_at: time(),
    revision: int().notNull(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (t) => [
    unique("floor_devices_hash").on(t.hash).where(where("hash is not null")),
    unique("floor_devices_link").on(t.link_hash).where(where("link_hash is not null")),
    check("floor_devices_linked", "(link_hash is null) = (link_expires_at is null)"),
    check("floor_devices_revoked", "revoked_at is null or (hash is null and link_hash is null)"),
  ],
);
