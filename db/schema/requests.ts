// The request log, and observed violations of keys' IP allowlists.
import { bytes, id, index, int, json, table, time } from "../kit.ts";

/** Blocks of the request log: consecutive requests of one server, compressed together. */
export const request_blocks = table(
  "request_blocks",
  {
    id: id(),
    /** When the first and the last response was sent. */
    from_at: time().notNull(),
    to_at: time().notNull(),
    count: int().notNull(),
    /** The status classes in it, as bits: 1 for 1xx, 2 for 2xx, 4 for 3xx, and so on. */
    classes: int().notNull(),
    /** One line of JSON per request, in the order of the responses; compressed by the writer. */
    lines: bytes().notNull(),
  },
  (t) => [index("request_blocks_time").on(t.to_at)],
);

/** Requests that a key's IP allowlist would have refused while it only logs. */
export const key_observations = table("key_observations", {
  key_id: int().primaryKey(),
  denied: int().notNull(),
  last_at: time().notNull(),
  /** The most recent addresses, newest first. */
  addresses: json<{ readonly address: string; readonly at: number }[]>().notNull(),
});
