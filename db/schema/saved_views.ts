import { bool, id, index, int, json, table, text, time } from "../kit.ts";
import { ownerOrOperator } from "./merchants.ts";
import { users } from "./users.ts";

/** Searches of lists that users saved under a name. Only the live store has rows. */
export const saved_views = table(
  "saved_views",
  {
    id: id(),
    list: text().$type<"orders">().notNull(),
    user_id: int()
      .notNull()
      .references(() => users.id),
    /** The merchant at which the user saved it; null for the operator. */
    merchant_id: ownerOrOperator(),
    name: text().notNull(),
    /** The query parameters of the list. */
    params: json<Readonly<Record<string, string>>>().notNull(),
    /** Whether the other users of the operator, or of the merchant, see it. */
    is_shared: bool().notNull(),
    position: int().notNull(),
    revision: int().notNull(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (t) => [index("saved_views_user").on(t.user_id), index("saved_views_merchant").on(t.merchant_id)],
);
