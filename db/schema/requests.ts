// The log of requests, and what observing the addresses of a key has found.
import { bytes, id, index, int, json, table, time } from "../kit.ts";

/** Requests that were answered at about the same time by one server: packed together, since they are many. */
export const request_blocks = table(
  "request_blocks",
  {
    id: id(),
    /** When the first and the last of them were answered. */
    from_at: time().notNull(),
    to_at: time().notNull(),
    count: int().notNull(),
    /** Which classes of status they have: 1 for the first, 2 for the second, 4 for the third, and so on. */
    classes: int().notNull(),
    /** A line of JSON for each, in the order in which they were answered; packed by whoever stores them. */
    lines: bytes().notNull(),
  },
  (t) => [index("request_blocks_time").on(t.to_at)],
);

/** What a key's list of addresses would have refused since it was set, had it not only been observed. */
export const key_observations = table("key_observations", {
  key_id: int().primaryKey(),
  denied: int().notNull(),
  last_at: time().notNull(),
  /** The addresses that came last, the latest first. */
  addresses: json<{ readonly address: string; readonly at: number }[]>().notNull(),
});
