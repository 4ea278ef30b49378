import { bool, check, int, table, text } from "../kit.ts";

/** Coordinates of US ZIP codes, in thousandths of a degree. */
export const postal_codes = table("postal_codes", {
  /** The five digits as a number: 601 is 00601. */
  zip: int().primaryKey(),
  city: text().notNull(),
  state: text().notNull(),
  latitude_e3: int().notNull(),
  longitude_e3: int().notNull(),
});

/** Settings of address checks: at most one row. */
export const address_settings = table(
  "address_settings",
  {
    id: int().primaryKey(),
    /** The version of the built-in ZIP code list that is loaded, or being loaded. */
    edition: int().notNull(),
    /** Where loading continues; null once the list is complete. */
    next: int(),
    /** Whether a carrier verifies stored addresses. */
    asks_carrier: bool().notNull(),
  },
  () => [check("address_settings_one", "id = 1")],
);
