import { onFirstUse } from "./memoize.ts";

/** The countries by code, and their English names. Loaded on first use, since the table is large. */
export const countries = onFirstUse(() => {
  const library = require("i18n-iso-countries/index.js") as typeof import("i18n-iso-countries");
  library.registerLocale(require("i18n-iso-countries/langs/en.json"));
  return library;
});

/** A postal address with a name, as warehouses and labels use it. */
export interface NamedAddress {
  name: string;
  company?: string | null;
  address_line1: string;
  address_line2: string | null;
  city: string;
  state: string | null;
  postal_code: string | null;
  country: string;
  phone?: string | null;
}
