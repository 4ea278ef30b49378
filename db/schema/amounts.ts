import { id, int, table, text } from "../kit.ts";

/** Amounts that an upgrade rounded half up, since they had more decimals than their currency. */
export const rounded_amounts = table("rounded_amounts", {
  id: id(),
  /** The noun of the record's id, such as `order`. */
  noun: text().notNull(),
  record_id: int().notNull(),
  field: text().notNull(),
  currency: text().notNull(),
  /** The original amount, in hundredths. */
  hundredths: int().notNull(),
  /** The rounded amount, in the currency's minor unit. */
  minor_units: int().notNull(),
});
