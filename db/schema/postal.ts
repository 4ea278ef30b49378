import { bool, check, int, table, text } from "../kit.ts";

/** Where the ZIP codes of the United States are. Degrees are whole thousandths. */
export const postal_codes = table("postal_codes", {
  /** The five digits as a number: 601 is 00601. */
  zip: int().primaryKey(),
  city: text().notNull(),
  state: text().notNull(),
  latitude_e3: int().notNull(),
  longitude_e3: int().notNull(),
});

/** What checks of addresses go by: at most one row. */
export const address_settings = table(
  "address_settings",
  {
    id: int().primaryKey(),
    /** Which of the lists of ZIP codes that programs have carried is in the table, or about to be. */
    edition: int().notNull(),
    /** Where the carried list is to be read on; null when all of it is in the table. */
    next: int(),
    /** Whether a carrier is asked about addresses that are stored. */
    asks_carrier: bool().notNull(),
  },
  () => [check("address_settings_one", "id = 1")],
);
