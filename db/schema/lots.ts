import type { ActorType } from "../../src/core/actor.ts";
import { type LotStatus, lotStatuses } from "../../src/inventory/inventory.transitions.ts";
import { id, index, int, oneOf, table, text, time } from "../kit.ts";
import { lots } from "./inventory.ts";

/** Changes of lots' statuses, with actor and reason. */
export const lot_changes = table(
  "lot_changes",
  {
    id: id(),
    lot_id: int()
      .notNull()
      .references(() => lots.id),
    from_status: text().$type<LotStatus>().notNull(),
    to_status: text().$type<LotStatus>().notNull(),
    reason: text().notNull(),
    notes: text(),
    actor_type: text().$type<ActorType>().notNull(),
    actor_id: text().notNull(),
    created_at: time().notNull(),
  },
  (t) => [
    index("lot_changes_lot").on(t.lot_id, t.id),
    oneOf("lot_changes", "from_status", lotStatuses),
    oneOf("lot_changes", "to_status", lotStatuses),
  ],
);
