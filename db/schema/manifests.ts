import type { Actor } from "../../src/core/actor.ts";
import { check, id, index, int, json, primaryKey, table, text, time } from "../kit.ts";
import { labels } from "./shipments.ts";
import { warehouses } from "./warehouses.ts";

/** Manifests: the labels handed to a carrier at the end of a day. */
export const manifests = table(
  "manifests",
  {
    id: id(),
    warehouse_id: int()
      .notNull()
      .references(() => warehouses.id),
    carrier: text().notNull(),
    /** The date in the warehouse's time zone, as `YYYY-MM-DD`. */
    day: text().notNull(),
    created_by: json<Actor>().notNull(),
    created_at: time().notNull(),
  },
  () => [check("manifests_day", "length(day) = 10")],
);

/** The labels on manifests. The key ensures that each is on at most one. */
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
