import type { Actor } from "../../src/core/actor.ts";
import { check, id, index, int, json, primaryKey, table, text, time } from "../kit.ts";
import { labels } from "./shipments.ts";
import { warehouses } from "./warehouses.ts";

/** What a carrier was handed at the end of a day. */
export const manifests = table(
  "manifests",
  {
    id: id(),
    warehouse_id: int()
      .notNull()
      .references(() => warehouses.id),
    carrier: text().notNull(),
    /** The day in the warehouse's zone, as `YYYY-MM-DD`. */
    day: text().notNull(),
    created_by: json<Actor>().notNull(),
    created_at: time().notNull(),
  },
  () => [check("manifests_day", "length(day) = 10")],
);

/** The labels on manifests: each is on one at most, since it is the key. */
export const manifest_labels = table(
  "manifest_labels",
  {
    label_id: int()
      .notNull()
      .references(() => labels.id),
    manifest_id: int()
      .notNull()
      .references(() => manifests.id),
  },
  (t) => [primaryKey({ columns: [t.label_id] }), index("manifest_labels_manifest").on(t.manifest_id, t.label_id)],
);
