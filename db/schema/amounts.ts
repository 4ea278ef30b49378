import { id, int, table, text } from "../kit.ts";

/**
 * Amounts that an upgrade could not keep exactly: they had more decimals than their currency has. Each was rounded half
 * up, and stands here as it was.
 */
export const rounded_amounts = table("rounded_amounts", {
  id: id(),
  /** The noun of the record's id, such as `order`. */
  noun: text().notNull(),
  record_id: int().notNull(),
  field: text().notNull(),
  currency: text().notNull(),
  /** The amount as it was, in hundredths. */
  hundredths: int().notNull(),
  /** The amount as it is now, in the currency's minor unit. */
  minor_units: int().notNull(),
});
